package offline

import (
	"fmt"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// A form is a date as it is written.
type form struct {
	// days are what it can mean. None: it names a day that doesn't exist.
	days []day.Date
	// written is how it stands in the text, for a day that doesn't exist.
	written string
	// yearless says that the year was left out.
	yearless bool
	weak     bool
	to       int
}

// ambiguous reports whether a form can be read in two ways.
func (f form) ambiguous() bool { return len(f.days) > 1 }

// plain returns the mention of a form without a day of the week.
func (f form) plain() mention {
	switch len(f.days) {
	case 0:
		return mention{to: f.to, doubt: "names " + f.written + ", a day that does not exist"}
	case 1:
		return mention{day: f.days[0], to: f.to, weak: f.weak}
	}
	return mention{
		to: f.to, weak: true, doubted: f.days[0],
		doubt: fmt.Sprintf("writes %s, which can be %s or %s", f.written, long(f.days[0]), long(f.days[1])),
	}
}

// date reads the date at i in any of its forms.
func (d *dater) date(i int) (form, bool) {
	for _, read := range []func(int) (form, bool){d.iso, d.numeric, d.dayMonth, d.monthDay} {
		if f, ok := read(i); ok {
			return f, true
		}
	}
	return form{}, false
}

// iso reads 2026-03-14.
func (d *dater) iso(i int) (form, bool) {
	for k := 1; k < 5; k++ {
		if !d.at(i + k).glued {
			return form{}, false
		}
	}
	y, m, n := d.at(i), d.at(i+2), d.at(i+4)
	if len(y.text) != 4 || y.number() < 1 || !d.is(i+1, "-", "/") || d.at(i+3).low != d.at(i+1).low || len(m.text) > 2 || len(n.text) > 2 ||
		m.number() < 0 || n.number() < 0 || d.continues(i, i+5) {
		return form{}, false
	}
	return d.full(y.number(), m.number(), n.number(), i, i+5), true
}

// full returns the form of a date with a year.
func (d *dater) full(y, m, n, i, to int) form {
	f := form{to: to}
	if got := (day.Date{Year: y, Month: time.Month(m), Day: n}); m >= 1 && m <= 12 && n >= 1 && exists(got) {
		f.days = []day.Date{got}
		return f
	}
	for k := i; k < to; k++ {
		if k > i && !d.at(k).glued {
			f.written += " "
		}
		f.written += d.at(k).text
	}
	return f
}

// continues reports whether a number from i to before to is part of a longer
// one, such as a version or a telephone number.
func (d *dater) continues(i, to int) bool {
	before, after := d.at(i), d.at(to)
	if before.glued && (d.is(i-1, "-", "/", ".", ":") || classOf(rune(d.at(i - 1).text[0])) != 0) {
		return true
	}
	if !after.glued {
		return false
	}
	next := d.at(to + 1)
	return classOf(rune(after.text[0])) != 0 && after.low != "t" || d.is(to, "-", "/", ".", ":") && next.glued && next.number() >= 0
}

// numeric reads 15/05/2024, 15.05.2024, 15-05-2024 and, weakly, 15/05.
func (d *dater) numeric(i int) (form, bool) {
	a, sep, b := d.at(i), d.at(i+1), d.at(i+2)
	if !d.is(i+1, "/", ".", "-") || !sep.glued || !b.glued || len(a.text) > 2 || len(b.text) > 2 {
		return form{}, false
	}
	x, y := a.number(), b.number()
	if x < 1 || y < 1 {
		return form{}, false
	}
	if d.at(i+3).low == sep.low && d.at(i+3).glued && d.at(i+4).glued {
		year := d.at(i + 4)
		n := year.number()
		if len(year.text) == 2 && n >= 0 && sep.low == "/" {
			n += 2000
		} else if len(year.text) != 4 || n < 1 {
			return form{}, false
		}
		return d.either(x, y, n, i, i+5)
	}
	if _, _, named := d.month(i + 3); named || d.base.IsZero() || sep.low != "/" || d.continues(i, i+3) || x == 24 && y == 7 { // 24/7 is always
		return form{}, false
	}
	f, ok := d.either(x, y, 0, i, i+3)
	f.weak = true
	return f, ok
}

// either returns the form of two numbers that are day and month in an order
// that the numbers must tell. A year of 0 was left out.
func (d *dater) either(x, y, year, i, to int) (form, bool) {
	if d.continues(i, to) || x > 12 && y > 12 {
		return form{}, false
	}
	f := form{to: to, yearless: year == 0}
	for _, try := range [][2]int{{x, y}, {y, x}} {
		dom, month := try[0], time.Month(try[1])
		if try[1] > 12 || dom > 31 || len(f.days) == 1 && x == y {
			continue
		}
		got := day.Date{Year: year, Month: month, Day: dom}
		if year == 0 {
			got = d.nearest(month, dom)
		}
		if !got.IsZero() && exists(got) {
			f.days = append(f.days, got)
		}
	}
	for k := i; k < to; k++ {
		f.written += d.at(k).text
	}
	return f, len(f.days) > 0 || year != 0
}

// nearest returns the day of a month in the year that a text of d.base means:
// at most 90 days ago, else the next one. Zero: there is no such day.
func (d *dater) nearest(m time.Month, n int) day.Date {
	if d.base.IsZero() {
		return day.Date{}
	}
	for y := d.base.Year - 1; y <= d.base.Year+1; y++ {
		got := day.Date{Year: y, Month: m, Day: n}
		if exists(got) && !got.Before(d.base.AddDays(-90)) {
			return got
		}
	}
	return day.Date{}
}

// dayMonth reads "15 May 2024", "15th of May", "the 15th May".
func (d *dater) dayMonth(i int) (form, bool) {
	n := d.at(i).number()
	if n < 1 || n > 31 || d.at(i).glued && d.is(i-1, ".", "-", "/", ":") {
		return form{}, false
	}
	j := i + 1
	if d.is(j, "st", "nd", "rd", "th") && d.at(j).glued {
		j++
	}
	j = d.skip(j, "of", "-")
	m, j, ok := d.month(j)
	if !ok {
		return form{}, false
	}
	return d.year(m, n, i, j), true
}

// monthDay reads "May 15", "May 15th, 2024", "May the 15th".
func (d *dater) monthDay(i int) (form, bool) {
	m, j, ok := d.month(i)
	if !ok {
		return form{}, false
	}
	j = d.skip(j, "the")
	n := d.at(j).number()
	if n < 1 || n > 31 || len(d.at(j).text) > 2 {
		return form{}, false
	}
	j++
	if d.is(j, "st", "nd", "rd", "th") && d.at(j).glued {
		return d.year(m, n, i, j+1), true
	}
	if d.is(j, ":") && d.at(j).glued || d.is(j, "%") || d.at(j).glued && classOf(rune(d.at(j).text[0])) != 0 {
		return form{}, false
	}
	return d.year(m, n, i, j), true
}

// month reads the name of a month. A capital letter is needed where the name
// is also a word.
func (d *dater) month(i int) (time.Month, int, bool) {
	w := d.at(i)
	n, ok := months[w.low]
	if !ok || (len(w.low) < 4 || w.low == "march") && !w.capital() {
		return 0, i, false
	}
	i++
	if len(w.low) < 5 && d.is(i, ".") && d.at(i).glued {
		i++
	}
	return time.Month(n + 1), i, true
}

// year reads the year after day and month, which begin at i; j is the position
// after them.
func (d *dater) year(m time.Month, n, i, j int) form {
	k := d.skip(j, ",", "-")
	if y := d.at(k); len(y.text) == 4 && y.number() >= 1000 && !(d.is(k+1, ":") && d.at(k+1).glued) {
		return d.full(y.number(), int(m), n, i, k+1)
	}
	if got := d.nearest(m, n); !got.IsZero() {
		return form{days: []day.Date{got}, yearless: true, to: j}
	}
	f := form{to: j, yearless: true, written: fmt.Sprintf("%d %s", n, m)}
	if d.base.IsZero() {
		f.written += " without a year"
	}
	return f
}
