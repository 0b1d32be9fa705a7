package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// The bounds of a rule. They are far beyond what a person's calendar has.
const (
	maxSteps    = 100_000 // occurrences that are counted through
	maxPerEvent = 1_000   // occurrences of an event in one range
	maxInterval = 10_000
	maxPerDay   = 100                        // times on one day
	maxRule     = 1000                       // characters of a rule
	maxCounted  = 200 * 365 * 24 * time.Hour // a time.Duration ends at 292 years
)

// slack is added to both ends of a range on the wall, where it can't be known
// yet what the clocks do. No two zones are further apart.
const slack = 30 * time.Hour

// rule is an RRULE.
type rule struct {
	option rrule.ROption
	until  *stamp
}

// newRule reads an RRULE and refuses those that can't be expanded in bounded
// time. The library would search for a next occurrence without an end when
// hours, minutes or seconds are combined with conditions that never hold.
func newRule(value string) (rule, error) {
	value = strings.ToUpper(strings.TrimSpace(value))
	if len(value) > maxRule {
		return rule{}, errors.New("its RRULE is too long")
	}
	var r rule
	var parts []string
	for part := range strings.SplitSeq(strings.Trim(value, ";"), ";") {
		text, ok := strings.CutPrefix(part, "UNTIL=")
		if !ok {
			parts = append(parts, part)
			continue
		}
		until, err := parseStamp(text, nil)
		if err != nil {
			return rule{}, errors.New("the UNTIL of its RRULE can't be read")
		}
		r.until = &until
	}
	option, err := rrule.StrToROption(strings.Join(parts, ";"))
	if err != nil {
		return rule{}, fmt.Errorf("its RRULE can't be read: %w", err)
	}
	r.option = *option
	return r, r.check()
}

// check refuses a rule that is out of bounds.
func (r rule) check() error {
	o := r.option
	conditions := len(o.Bysetpos) + len(o.Bymonth) + len(o.Bymonthday) + len(o.Byyearday) + len(o.Byweekno) +
		len(o.Byweekday) + len(o.Byhour) + len(o.Byminute) + len(o.Bysecond)
	perDay := max(1, len(o.Byhour)) * max(1, len(o.Byminute)) * max(1, len(o.Bysecond))
	switch {
	case o.Interval < 0 || o.Interval > maxInterval || o.Count < 0 || len(o.Byeaster) > 0 || perDay > maxPerDay:
		return errors.New("its RRULE is out of bounds")
	case o.Freq >= rrule.HOURLY && conditions > 0:
		return fmt.Errorf("an RRULE with FREQ=%s and conditions isn't supported", o.Freq)
	}
	if _, err := rrule.NewRRule(o); err != nil {
		return fmt.Errorf("its RRULE is out of bounds: %w", err)
	}
	return nil
}

// errTooMany refuses a rule with too many occurrences.
var errTooMany = fmt.Errorf("it repeats more than %d times in the range, or too often since it began", maxPerEvent)

// expand returns the occurrences of an event from from to to, all of them as
// clocks in the zone of the event show them.
func (r rule) expand(start stamp, from, to time.Time, zone *time.Location) ([]time.Time, error) {
	if r.until != nil {
		until := r.until.in(zone)
		if r.until.date || start.date {
			until = day.Of(r.until.wall).In(time.UTC).Add(24*time.Hour - time.Second)
		}
		if until.Before(to) {
			to = until
		}
	}
	if r.option.Freq >= rrule.HOURLY {
		return r.count(start.wall, from, to)
	}
	return r.search(start.wall, from, to)
}

// count expands a rule that is a fixed number of seconds.
func (r rule) count(start, from, to time.Time) ([]time.Time, error) {
	unit := map[rrule.Frequency]time.Duration{rrule.HOURLY: time.Hour, rrule.MINUTELY: time.Minute, rrule.SECONDLY: time.Second}
	step := unit[r.option.Freq] * time.Duration(max(1, r.option.Interval))
	if from.Sub(start) > maxCounted {
		return nil, errTooMany
	}
	n := max(0, int(from.Sub(start)/step))
	var got []time.Time
	for ; r.option.Count == 0 || n < r.option.Count; n++ {
		at := start.Add(time.Duration(n) * step)
		if at.After(to) {
			break
		}
		if len(got) == maxPerEvent {
			return nil, errTooMany
		}
		if !at.Before(from) {
			got = append(got, at)
		}
	}
	return got, nil
}

// search expands a rule of days, weeks, months or years with the library.
//
// The library looks for the next occurrence up to the year 9999, and for a
// rule that never holds (the 30th of February) it looks at every day until
// then. So the search takes place as late as possible: the calendar repeats
// every 400 years, weekdays included, and all dates are moved by a multiple of
// that.
func (r rule) search(start, from, to time.Time) (got []time.Time, err error) {
	defer func() {
		if recover() != nil { // a list index in the library, for BYDAY=53MO and its like
			got, err = nil, errors.New("its RRULE can't be expanded")
		}
	}()
	if to.Before(start) {
		return nil, nil
	}
	years := (9998 - to.Year()) / 400 * 400
	option := r.option
	option.Dtstart = start.AddDate(years, 0, 0)
	option.Until = to.AddDate(years, 0, 0)
	found, err := rrule.NewRRule(option)
	if err != nil {
		return nil, fmt.Errorf("its RRULE can't be expanded: %w", err)
	}
	next := found.Iterator()
	for range maxSteps {
		late, ok := next()
		if !ok {
			return got, nil
		}
		if at := late.AddDate(-years, 0, 0); !at.Before(from) {
			got = append(got, at)
		}
		if len(got) > maxPerEvent {
			break
		}
	}
	return nil, errTooMany
}

// window is the range that is asked for, and the zone of the user.
type window struct {
	from, to time.Time
	loc      *time.Location
}

// overlaps reports whether something from start to end is in the range. What
// lasts no time is in it when it begins there.
func (w window) overlaps(start, end time.Time) bool {
	if start.Equal(end) {
		return !start.Before(w.from) && start.Before(w.to)
	}
	return start.Before(w.to) && end.After(w.from)
}

// occurrences returns the occurrences of e in the range, without those that
// overrides stand for.
func (w window) occurrences(e *entry, overrides []*entry) ([]Event, error) {
	zone := e.start.zone(w.loc)
	walls, err := w.walls(e, zone)
	if err != nil {
		return nil, err
	}
	gone := newExceptions(e, overrides, w.loc)
	periods := make([]period, 0, len(walls)+len(e.extra)+1)
	for _, wall := range append(walls, e.start.wall) {
		periods = append(periods, period{start: stamp{wall: wall, date: e.start.date, loc: e.start.loc}, span: e.span})
	}
	var events []Event
	seen := map[time.Time]bool{}
	for _, p := range append(periods, e.extra...) {
		at := p.start.instant(w.loc)
		if seen[at.UTC()] || gone.has(p.start.in(zone), at) {
			continue
		}
		seen[at.UTC()] = true
		if event, ok := w.event(e, p); ok {
			events = append(events, event)
		}
	}
	if len(events) > maxPerEvent {
		return nil, errTooMany
	}
	return events, nil
}

// walls returns what the rules of e give near the range.
func (w window) walls(e *entry, zone *time.Location) ([]time.Time, error) {
	from := day.Wall(w.from.In(zone)).Add(-slack - e.span.most())
	to := day.Wall(w.to.In(zone)).Add(slack)
	var walls []time.Time
	for _, r := range e.rules {
		got, err := r.expand(e.start, from, to, zone)
		if err != nil {
			return nil, err
		}
		walls = append(walls, got...)
	}
	return walls, nil
}

// override returns the occurrence that e is, if it is in the range.
func (w window) override(e *entry) (Event, bool) {
	event, ok := w.event(e, period{start: e.start, span: e.span})
	event.ID = e.uid + "#" + e.recurrence.in(e.recurrence.zone(w.loc)).Format(idLayout)
	event.Recurring = true
	return event, ok
}

// idLayout is the form of the time in the ID of an occurrence.
const idLayout = "20060102T150405"

// event returns the occurrence p of e, if it is in the range.
func (w window) event(e *entry, p period) (Event, bool) {
	start := p.start.instant(w.loc)
	end := p.span.end(p.start.wall, p.start.zone(w.loc))
	if !w.overlaps(start, end) {
		return Event{}, false
	}
	event := Event{
		ID: e.uid, UID: e.uid, File: e.file, Summary: e.summary, Location: e.location, Description: e.description,
		Start: start.In(w.loc), End: end.In(w.loc), AllDay: p.start.date,
		Organizer: e.organizer, Attendees: e.attendees, Status: e.status, Recurring: e.recurring(),
	}
	if event.Recurring {
		event.ID += "#" + p.start.in(e.start.zone(w.loc)).Format(idLayout)
	}
	event.First, event.Last = day.Of(event.Start), day.Of(event.End)
	if end.After(start) {
		event.Last = day.Of(event.End.Add(-time.Nanosecond))
	}
	return event, true
}

// exceptions are the occurrences that don't take place as the rule has them.
type exceptions struct {
	dates    map[day.Date]bool
	instants map[time.Time]bool
}

// newExceptions collects the excluded and the overridden occurrences of e.
func newExceptions(e *entry, overrides []*entry, loc *time.Location) exceptions {
	x := exceptions{dates: map[day.Date]bool{}, instants: map[time.Time]bool{}}
	for _, s := range e.excluded {
		x.add(e, s, loc)
	}
	for _, o := range overrides {
		x.add(e, *o.recurrence, loc)
	}
	return x
}

// add takes out the occurrence at s. Programs mix days and times here: a day
// takes out what is on it, and for an all-day event only the day counts.
func (x exceptions) add(e *entry, s stamp, loc *time.Location) {
	if s.date || e.start.date {
		x.dates[day.Of(s.wall)] = true
		return
	}
	x.instants[s.instant(loc).UTC()] = true
}

// has reports whether the occurrence is taken out.
func (x exceptions) has(wall, at time.Time) bool {
	return x.dates[day.Of(wall)] || x.instants[at.UTC()]
}
