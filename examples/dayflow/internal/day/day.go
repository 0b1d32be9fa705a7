// Package day has the civil date that mail, events and tasks share: a day in
// some calendar on some wall, which only becomes an instant in a time zone.
package day

import (
	"errors"
	"fmt"
	"time"
)

// layout is the one text form of a Date.
const layout = "2006-01-02"

// ErrZero is returned by MarshalText for the zero Date, which is no day.
var ErrZero = errors.New("the zero date has no text form")

// Date is a day of the Gregorian calendar without a time or a zone. It is
// comparable with ==. The zero Date is no day; IsZero reports it. A Date is
// safe for concurrent use.
type Date struct {
	// Year is the year, 1 to 9999.
	Year int
	// Month is the month, January to December.
	Month time.Month
	// Day is the day of the month, from 1.
	Day int
}

// New returns the date of year, month and d. Values out of range carry over
// as in time.Date: the 32nd of January is the 1st of February.
func New(year int, month time.Month, d int) Date {
	return Of(time.Date(year, month, d, 0, 0, 0, 0, time.UTC))
}

// Of returns the date that t shows in its own location.
func Of(t time.Time) Date {
	y, m, d := t.Date()
	return Date{Year: y, Month: m, Day: d}
}

// Parse reads a date in the form YYYY-MM-DD. A day that doesn't exist
// (2026-02-30) is an error.
func Parse(s string) (Date, error) {
	t, err := time.Parse(layout, s)
	if err != nil || t.Year() < 1 {
		return Date{}, fmt.Errorf("%q is no date of the form YYYY-MM-DD", s)
	}
	return Of(t), nil
}

// MustParse is Parse for constants; it panics on an error.
func MustParse(s string) Date {
	d, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return d
}

// IsZero reports whether d is the zero Date.
func (d Date) IsZero() bool { return d == Date{} }

// String returns d as YYYY-MM-DD, and "" for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// MarshalText returns d as YYYY-MM-DD. The zero Date gives ErrZero.
func (d Date) MarshalText() ([]byte, error) {
	if d.IsZero() {
		return nil, ErrZero
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads YYYY-MM-DD; see Parse.
func (d *Date) UnmarshalText(text []byte) error {
	got, err := Parse(string(text))
	if err != nil {
		return err
	}
	*d = got
	return nil
}

// AddDays returns the date n days later, or earlier when n is negative.
func (d Date) AddDays(n int) Date { return New(d.Year, d.Month, d.Day+n) }

// Weekday returns the day of the week of d.
func (d Date) Weekday() time.Weekday { return d.wall().Weekday() }

// Before reports whether d is earlier than other.
func (d Date) Before(other Date) bool { return d.Compare(other) < 0 }

// After reports whether d is later than other.
func (d Date) After(other Date) bool { return d.Compare(other) > 0 }

// Compare returns -1 when d is earlier than other, 0 when they are the same
// day and 1 when d is later.
func (d Date) Compare(other Date) int { return d.wall().Compare(other.wall()) }

// In returns the first instant of d in loc. That is midnight, except where a
// change of the clocks leaves midnight out.
func (d Date) In(loc *time.Location) time.Time { return Resolve(d.wall(), loc) }

// wall returns midnight of d in UTC.
func (d Date) wall() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
}

// Resolve returns the instant at which a clock in loc shows what wall shows
// in UTC. A time that the clocks show twice means the first one, and one that
// they leave out is read with the offset before the gap (RFC 5545, section
// 3.3.5), so 02:30 becomes 03:30 on the morning when summer time begins.
func Resolve(wall time.Time, loc *time.Location) time.Time {
	before := shift(wall, loc, wall.Add(-24*time.Hour))
	if shows(before, wall) {
		return before
	}
	if after := shift(wall, loc, wall.Add(24*time.Hour)); shows(after, wall) {
		return after
	}
	return before
}

// shift reads wall with the offset that loc has at the instant at.
func shift(wall time.Time, loc *time.Location, at time.Time) time.Time {
	_, offset := at.In(loc).Zone()
	return wall.Add(-time.Duration(offset) * time.Second).In(loc)
}

// shows reports whether t shows the same date and clock time as wall.
func shows(t, wall time.Time) bool { return Wall(t).Equal(wall) }

// Wall returns what t shows in its own location as a time in UTC. It is the
// inverse of Resolve.
func Wall(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.Add(time.Duration(offset) * time.Second).UTC()
}
