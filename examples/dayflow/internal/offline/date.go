package offline

import (
	"fmt"
	"strings"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// A mention is a day that a text names.
type mention struct {
	// day is the day; for a period such as "next week" the last day that it can
	// mean as a deadline. Zero: it can't be told, and doubt says why.
	day day.Date
	// doubt says what is wrong with the day, as the rest of a sentence that
	// begins with "the mail". Empty: nothing.
	doubt string
	// doubted are days that a doubtful mention may have meant.
	doubted day.Date
	// weak is a form that is a date only where a deadline is expected.
	weak bool
	// period says that day is a reading of a period.
	period bool
	// within is a span that is a deadline by itself.
	within bool
	// from and to are the positions of its words.
	from, to int
}

// months and weekdays are the names and their short forms.
var (
	months   = names(12, func(i int) string { return time.Month(i + 1).String() })
	weekdays = names(7, func(i int) string { return time.Weekday(i).String() })
)

// names numbers names from 0, with their first three letters and what else is
// common.
func names(n int, name func(int) string) map[string]int {
	out := map[string]int{}
	for i := range n {
		low := strings.ToLower(name(i))
		out[low], out[low[:3]] = i, i
	}
	if n == 12 {
		out["sept"] = 8
		return out
	}
	out["tues"], out["wednes"], out["weds"], out["thur"], out["thurs"] = 2, 3, 3, 4, 4
	return out
}

// A dater finds days in the words of a sentence.
type dater struct {
	cursor
	// base is the day on which the text was written. Zero: not known, and then
	// only full dates are found.
	base day.Date
}

// dates returns the days that the words of a sentence name, in their order.
func dates(c cursor, base day.Date) []mention {
	d := dater{cursor: c, base: base}
	var out []mention
	for i := 0; i < len(c); {
		m, ok := d.find(i)
		if !ok {
			i++
			continue
		}
		m.from = i
		if m.to <= i {
			m.to = i + 1
		}
		if !exists(m.day) {
			m.day = day.Date{}
		}
		if !m.day.IsZero() || m.doubt != "" {
			out = append(out, m)
		}
		i = m.to
	}
	return out
}

// exists reports whether d is a day of the years 1 to 9999 or zero.
func exists(d day.Date) bool {
	return d.IsZero() || d.Year >= 1 && d.Year <= 9999 && day.New(d.Year, d.Month, d.Day) == d
}

// find returns the mention that begins at i.
func (d *dater) find(i int) (mention, bool) {
	for _, form := range []func(int) (mention, bool){d.withWeekday, d.absolute, d.weekday, d.relative, d.ordinal} {
		if m, ok := form(i); ok {
			return m, true
		}
	}
	return mention{}, false
}

// weekdayAt returns the day of the week that stands at i and the position after
// it. Short forms need a capital letter, because "sat" and "sun" are words.
func (d *dater) weekdayAt(i int) (time.Weekday, int, bool) {
	w := d.at(i)
	n, ok := weekdays[w.low]
	if !ok || len(w.low) < 6 && !w.capital() || w.low == "wednes" {
		return 0, i, false
	}
	i++
	if len(w.low) < 6 && d.is(i, ".") && d.at(i).glued {
		i++
	}
	return time.Weekday(n), i, true
}

// withWeekday finds a date with the day of the week before it: "Friday, 14
// March 2026", "Fri (14/03)", "Saturday 18th".
func (d *dater) withWeekday(i int) (mention, bool) {
	w, j, ok := d.weekdayAt(i)
	if !ok {
		return mention{}, false
	}
	j = d.skip(j, ",", "(", "the", "-", "\u2013", "on")
	if a, ok := d.date(j); ok {
		return d.agree(a, w), true
	}
	return d.weekdayOrdinal(w, j)
}

// weekdayOrdinal finds "18th" after a day of the week: the month is the one, of
// that of the mail and the next two, in which both agree.
func (d *dater) weekdayOrdinal(w time.Weekday, j int) (mention, bool) {
	n, next, ok := d.nth(j)
	if !ok || d.base.IsZero() {
		return mention{}, false
	}
	for back := range 3 {
		got := day.Date{Year: d.base.Year, Month: d.base.Month, Day: n}
		if got = monthsOn(got, back); exists(got) && got.Weekday() == w && !got.Before(d.base.AddDays(-14)) {
			return mention{day: got, to: next}, true
		}
	}
	first := upcoming(d.base, n)
	if first.IsZero() {
		return mention{}, false
	}
	return mention{to: next, doubt: disagreement(w, first), doubted: first}, true
}

// monthsOn returns a date n months later with the same day, which may not exist.
func monthsOn(d day.Date, n int) day.Date {
	first := day.New(d.Year, d.Month+time.Month(n), 1)
	return day.Date{Year: first.Year, Month: first.Month, Day: d.Day}
}

// upcoming returns the first nth of a month that is not before base.
func upcoming(base day.Date, n int) day.Date {
	for on := range 3 {
		got := monthsOn(day.Date{Year: base.Year, Month: base.Month, Day: n}, on)
		if exists(got) && !got.Before(base) {
			return got
		}
	}
	return day.Date{}
}

// nth returns the number of an ordinal such as "18th" and the position after it.
func (d *dater) nth(j int) (int, int, bool) {
	n := d.at(j).number()
	if n < 1 || n > 31 || !d.is(j+1, "st", "nd", "rd", "th") || !d.at(j+1).glued {
		return 0, j, false
	}
	return n, j + 2, true
}

// absolute finds a date that may have the day of the week after it: "14 March
// 2026 (Friday)".
func (d *dater) absolute(i int) (mention, bool) {
	a, ok := d.date(i)
	if !ok {
		return mention{}, false
	}
	j := d.skip(a.to, "(", ",")
	if w, next, found := d.weekdayAt(j); found && j > a.to {
		_, other := d.date(d.skip(next, ",", "(", "the"))
		_, _, nth := d.nth(d.skip(next, ",", "the"))
		if !other && !nth {
			a.to = d.skip(next, ")")
			return d.agree(a, w), true
		}
	}
	return a.plain(), true
}

// agree returns the mention of a date that stands beside a day of the week.
func (d *dater) agree(a form, w time.Weekday) mention {
	if len(a.days) == 0 {
		return a.plain()
	}
	for _, got := range a.days {
		if got.Weekday() == w {
			return mention{day: got, to: a.to, weak: a.weak && !a.ambiguous()}
		}
	}
	if a.weak && a.ambiguous() {
		return a.plain()
	}
	if first := a.days[0]; a.yearless && !d.base.IsZero() && first.After(d.base.AddDays(60)) {
		if before := (day.Date{Year: first.Year - 1, Month: first.Month, Day: first.Day}); exists(before) && before.Weekday() == w {
			return mention{day: before, to: a.to}
		}
	}
	return mention{to: a.to, doubt: disagreement(w, a.days[0]), doubted: a.days[0]}
}

// disagreement says that a day of the week and a date don't belong together.
func disagreement(w time.Weekday, d day.Date) string {
	return fmt.Sprintf("says %s, but %s is a %s", w, long(d), d.Weekday())
}

// long returns a date as people write it.
func long(d day.Date) string { return fmt.Sprintf("%d %s %d", d.Day, d.Month, d.Year) }
