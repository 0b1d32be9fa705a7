package offline

import (
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// monday returns the Monday of the week of d, which begins with it.
func monday(d day.Date) day.Date { return d.AddDays(-(int(d.Weekday()) + 6) % 7) }

// friday returns the last working day of the week of d. On a weekend that is
// the one to come.
func friday(d day.Date) day.Date {
	got := monday(d).AddDays(4)
	if got.Before(d) {
		return got.AddDays(7)
	}
	return got
}

// lastOf returns the last day of a month.
func lastOf(year int, m time.Month) day.Date { return day.New(year, m+1, 1).AddDays(-1) }

// weekday finds a day of the week alone: the next one after the mail, or the
// one of next week where that is said.
func (d *dater) weekday(i int) (mention, bool) {
	w, j, ok := d.weekdayAt(i)
	if !ok || d.base.IsZero() {
		return mention{}, false
	}
	if d.is(i-1, "last", "past", "previous", "every", "each") || d.is(j, "s") && len(d.at(j).text) == 1 && d.at(j).glued {
		return mention{to: j}, true
	}
	ofWeek := monday(d.base).AddDays((int(w) + 6) % 7)
	next := d.base.AddDays(1 + (int(w)-int(d.base.Weekday())+6)%7)
	if k := d.nextWeek(j); k > 0 {
		return mention{day: ofWeek.AddDays(7), to: k}, true
	}
	switch {
	case d.is(i-1, "next"), d.is(i-2, "next") && d.is(i-1, "week"):
		return mention{day: ofWeek.AddDays(7), to: j}, true
	case d.is(i-1, "this") && !ofWeek.Before(d.base):
		return mention{day: ofWeek, to: j}, true
	}
	return mention{day: next, to: j}, true
}

// nextWeek returns the position after "next week" or "of next week" at j, or -1.
func (d *dater) nextWeek(j int) int {
	if k := d.follow(d.skip(j, "of", ","), "next week"); k > 0 {
		return k
	}
	return -1
}

// A phrase is a fixed expression for a day, seen from another.
type phrase struct {
	words  string
	day    func(base day.Date) day.Date
	period bool
}

// phrases are tried in this order, so that a longer one comes first.
var phrases = []phrase{
	{words: "the day after tomorrow", day: daysOn(2)},
	{words: "day after tomorrow", day: daysOn(2)},
	{words: "tomorrow", day: daysOn(1)},
	{words: "tmrw", day: daysOn(1)},
	{words: "today", day: daysOn(0)},
	{words: "tonight", day: daysOn(0)},
	{words: "this morning", day: daysOn(0)},
	{words: "this afternoon", day: daysOn(0)},
	{words: "this evening", day: daysOn(0)},
	{words: "eow", day: friday, period: true},
	{words: "eom", day: endOfMonth(0), period: true},
	{words: "month end", day: endOfMonth(0), period: true},
	{words: "end of next week", day: endOfNextWeek, period: true},
	{words: "end of this week", day: friday, period: true},
	{words: "end of the week", day: friday, period: true},
	{words: "end of week", day: friday, period: true},
	{words: "end of the working week", day: friday, period: true},
	{words: "end of next month", day: endOfMonth(1), period: true},
	{words: "end of this month", day: endOfMonth(0), period: true},
	{words: "end of the month", day: endOfMonth(0), period: true},
	{words: "end of month", day: endOfMonth(0), period: true},
	{words: "end of the year", day: endOfYear, period: true},
	{words: "end of this year", day: endOfYear, period: true},
	{words: "next week", day: endOfNextWeek, period: true},
	{words: "this week", day: friday, period: true},
	{words: "later this week", day: friday, period: true},
	{words: "this month", day: endOfMonth(0), period: true},
	{words: "next weekend", day: weekend(1), period: true},
	{words: "this weekend", day: weekend(0), period: true},
	{words: "the weekend", day: weekend(0), period: true},
}

// daysOn counts days.
func daysOn(n int) func(day.Date) day.Date {
	return func(base day.Date) day.Date { return base.AddDays(n) }
}

// endOfMonth counts months.
func endOfMonth(n int) func(day.Date) day.Date {
	return func(base day.Date) day.Date { return lastOf(base.Year, base.Month+time.Month(n)) }
}

func endOfYear(base day.Date) day.Date     { return lastOf(base.Year, time.December) }
func endOfNextWeek(base day.Date) day.Date { return monday(base).AddDays(7 + 4) }

// weekend returns the Sunday of the weekend n weeks on.
func weekend(n int) func(day.Date) day.Date {
	return func(base day.Date) day.Date { return monday(base).AddDays(6 + 7*n) }
}

// relative finds a day that is said from where the mail stands: "tomorrow",
// "end of next week", "within 3 days", "end of May".
func (d *dater) relative(i int) (mention, bool) {
	if d.base.IsZero() {
		return mention{}, false
	}
	for _, form := range []func(int) (mention, bool){d.phrase, d.endOf, d.span} {
		if m, ok := form(i); ok {
			return m, true
		}
	}
	if d.is(i, "eod", "cob") || d.follow(i, "end of day") > 0 || d.follow(i, "end of the day") > 0 || d.follow(i, "close of business") > 0 {
		return d.endOfDay(i)
	}
	return mention{}, false
}

// phrase finds one of the phrases.
func (d *dater) phrase(i int) (mention, bool) {
	for _, p := range phrases {
		if j := d.follow(i, p.words); j > 0 {
			return mention{day: p.day(d.base), to: j, period: p.period}, true
		}
	}
	return mention{}, false
}

// endOfDay finds "by EOD", which is the day of the mail unless another day
// follows, as in "EOD Friday".
func (d *dater) endOfDay(i int) (mention, bool) {
	j := i + 1
	for _, p := range []string{"end of the day", "end of day", "close of business"} {
		if k := d.follow(i, p); k > 0 {
			j = k
			break
		}
	}
	at := d.skip(j, "on", "of", ",", "the", "this", "next")
	for _, form := range []func(int) (mention, bool){d.withWeekday, d.absolute, d.weekday, d.phrase} {
		if m, ok := form(at); ok {
			return m, true
		}
	}
	return mention{day: d.base, to: j}, true
}

// endOf finds "end of May".
func (d *dater) endOf(i int) (mention, bool) {
	j := d.follow(i, "end of")
	if j < 0 {
		return mention{}, false
	}
	m, j, ok := d.month(j)
	if !ok || d.at(j).number() > 0 {
		return mention{}, false
	}
	got := lastOf(d.base.Year, m)
	if got.Before(d.base.AddDays(-90)) {
		got = lastOf(d.base.Year+1, m)
	}
	return mention{day: got, to: j, period: true}, true
}

// counts are the numbers that people write as words.
var counts = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
	"seven": 7, "eight": 8, "nine": 9, "ten": 10, "fourteen": 14,
}

// span finds "within 3 days", "in the next two weeks" and "in a week". Only the
// first two are deadlines by themselves.
func (d *dater) span(i int) (mention, bool) {
	if !d.is(i, "within", "in") {
		return mention{}, false
	}
	next := d.follow(i+1, "the next")
	j := max(i+1, next)
	n := d.at(j).number()
	if word, ok := counts[d.at(j).low]; ok {
		n = word
	}
	unit := d.skip(j+1, "working", "business")
	if n < 1 || n > 366 {
		return mention{}, false
	}
	m := mention{to: unit + 1, within: next > 0 || d.is(i, "within"), period: unit > j+1}
	switch {
	case d.is(unit, "hour", "hours"):
		m.day = d.base.AddDays((n + 23) / 24)
	case d.is(unit, "day", "days") && unit > j+1:
		m.day = workdays(d.base, n)
	case d.is(unit, "day", "days"):
		m.day = d.base.AddDays(n)
	case d.is(unit, "week", "weeks"):
		m.day = d.base.AddDays(7 * n)
	case d.is(unit, "month", "months"):
		m.day = day.New(d.base.Year, d.base.Month+time.Month(n), min(d.base.Day, lastOf(d.base.Year, d.base.Month+time.Month(n)).Day))
	default:
		return mention{}, false
	}
	return m, true
}

// workdays counts days that are neither Saturday nor Sunday.
func workdays(d day.Date, n int) day.Date {
	for n > 0 {
		d = d.AddDays(1)
		if w := d.Weekday(); w != time.Saturday && w != time.Sunday {
			n--
		}
	}
	return d
}

// ordinal finds "the 18th", which counts only as a deadline.
func (d *dater) ordinal(i int) (mention, bool) {
	n, next, ok := d.nth(i)
	if !ok || d.base.IsZero() || !d.is(i-1, "the", "by", "before") {
		return mention{}, false
	}
	got := upcoming(d.base, n)
	return mention{day: got, to: next, weak: true}, !got.IsZero()
}
