// Package calendar reads events from iCalendar files (RFC 5545) and lists
// those between two instants, with every occurrence of the repeating ones.
//
// Calendars come from many programs and from strangers' invitations, so an
// event that can't be read or expanded is left out, counted and named in
// [Agenda.Skipped], and no rule can keep the reader busy for long.
package calendar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// ErrUnavailable is in the error of Open and OpenFS when there is no calendar
// to read: the path doesn't exist, can't be opened or holds no calendar.
var ErrUnavailable = errors.New("calendar unavailable")

// ErrRange is returned for a range that ends before it begins or lies outside
// of the years 1 to 9000.
var ErrRange = errors.New("not a range of time")

// Status says whether an event takes place.
type Status string

// The statuses. An event without one is Confirmed.
const (
	// Confirmed is an event that takes place.
	Confirmed Status = "confirmed"
	// Tentative is an event that may take place.
	Tentative Status = "tentative"
	// Cancelled is an event that was called off.
	Cancelled Status = "cancelled"
)

// Person is an organizer or an attendee.
type Person struct {
	// Name is the display name; "" when there is none.
	Name string
	// Email is the address without "mailto:".
	Email string
	// Reply is what the person answered, in lower case: "accepted",
	// "declined", "tentative", "needs-action"; "" when it isn't said.
	Reply string
}

// Event is one occurrence of an event.
type Event struct {
	// ID names this occurrence: the UID, and for an occurrence of a repeating
	// event "#" and the time at which it was first planned.
	ID string
	// UID names the event, and all its occurrences.
	UID string
	// File is the name of the file that it is from.
	File string
	// Summary, Location and Description are plain text.
	Summary, Location, Description string
	// Start and End are instants in the user's zone; End isn't part of the
	// event. For an all-day event they are the beginnings of days.
	Start, End time.Time
	// AllDay says that the event is on days rather than at a time.
	AllDay bool
	// First and Last are the first and the last day of the event in the
	// user's zone. An event that ends at midnight doesn't reach the day after.
	First, Last day.Date
	// Organizer is the zero Person when there is none.
	Organizer Person
	// Attendees are the people invited, in the order of the file.
	Attendees []Person
	// Status is Cancelled for events that are listed but don't take place.
	Status Status
	// Recurring says that the event repeats.
	Recurring bool
}

// Skip names an event, or a whole file, that was left out.
type Skip struct {
	// File is the name of the file.
	File string
	// Event is the UID, or "line 12" for an event without one; "" when the
	// whole file was left out.
	Event string
	// Reason says why.
	Reason string
}

// Agenda is what a calendar has in a range of time.
type Agenda struct {
	// Events are the occurrences that overlap the range, earliest first.
	// Cancelled ones are among them.
	Events []Event
	// Skipped are the events of the whole calendar that couldn't be read and
	// those that couldn't be expanded for this range.
	Skipped []Skip
}

// Calendar holds the events of one or more files as they were when it was
// opened. It is not changed afterwards, and safe for concurrent use.
type Calendar struct {
	masters   []*entry
	overrides map[string][]*entry // by UID, for occurrences that differ
	skipped   []Skip
}

// Days returns what the calendar has on n days from first, as they are
// counted in loc; see Between.
func (c *Calendar) Days(ctx context.Context, first day.Date, n int, loc *time.Location) (Agenda, error) {
	return c.Between(ctx, first.In(loc), first.AddDays(n).In(loc), loc)
}

// Between returns the occurrences that overlap the time from from up to, but
// not including, to. Floating times and all-day events are taken to be in
// loc, and Start and End are given in it. The error is ErrRange, or that of
// ctx when it ends first.
func (c *Calendar) Between(ctx context.Context, from, to time.Time, loc *time.Location) (Agenda, error) {
	if to.Before(from) || from.Year() < 1 || to.Year() > 9000 {
		return Agenda{}, fmt.Errorf("%w: %s to %s", ErrRange, from, to)
	}
	w := window{from: from, to: to, loc: loc}
	agenda := Agenda{Skipped: slices.Clone(c.skipped)}
	for _, e := range c.masters {
		if err := ctx.Err(); err != nil {
			return Agenda{}, fmt.Errorf("expand events: %w", err)
		}
		events, err := w.occurrences(e, c.overrides[e.uid])
		if err != nil {
			agenda.Skipped = append(agenda.Skipped, Skip{File: e.file, Event: e.uid, Reason: err.Error()})
			continue
		}
		agenda.Events = append(agenda.Events, events...)
	}
	for _, entries := range c.overrides {
		for _, e := range entries {
			if event, ok := w.override(e); ok {
				agenda.Events = append(agenda.Events, event)
			}
		}
	}
	slices.SortFunc(agenda.Events, compare)
	return agenda, nil
}

// compare orders events by time; of those that begin together the all-day
// ones come first.
func compare(x, y Event) int {
	return cmp.Or(
		x.Start.Compare(y.Start), allDayFirst(x)-allDayFirst(y), x.End.Compare(y.End),
		strings.Compare(x.Summary, y.Summary), strings.Compare(x.ID, y.ID),
	)
}

// allDayFirst is the place of an event among those that begin together.
func allDayFirst(e Event) int {
	if e.AllDay {
		return 0
	}
	return 1
}

// index sorts the entries into events and their exceptions. Of several
// versions of the same one the latest SEQUENCE counts, and the last of equals.
func (c *Calendar) index(entries []*entry) {
	latest := map[string]*entry{}
	var keys []string
	for _, e := range entries {
		key := e.key()
		old, ok := latest[key]
		if !ok {
			keys = append(keys, key)
		}
		if !ok || e.sequence >= old.sequence {
			latest[key] = e
		}
	}
	c.overrides = map[string][]*entry{}
	for _, key := range keys {
		if e := latest[key]; e.recurrence != nil {
			c.overrides[e.uid] = append(c.overrides[e.uid], e)
		} else {
			c.masters = append(c.masters, e)
		}
	}
}
