package calendar

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"helve.dev/helve/examples/dayflow/internal/plain"
)

// maxUID is how much of a UID is kept.
const maxUID = 250

// entry is a VEVENT as it stands in the file: an event, the master of a
// repeating one, or an exception to it.
type entry struct {
	uid, file                      string
	summary, location, description string
	status                         Status
	organizer                      Person
	attendees                      []Person
	sequence                       int

	start      stamp
	span       span
	rules      []rule
	extra      []period // RDATE
	excluded   []stamp  // EXDATE
	recurrence *stamp   // RECURRENCE-ID, nil for the event itself
}

// key is the same for all versions of the same thing.
func (e *entry) key() string {
	if e.recurrence == nil {
		return e.uid
	}
	return e.uid + "\x00" + e.recurrence.String()
}

// recurring reports whether the event has more than one occurrence.
func (e *entry) recurring() bool { return len(e.rules)+len(e.extra) > 0 }

// parse returns the events of a file and those that it had to leave out.
func parse(file string, raw []byte) ([]*entry, []Skip) {
	var entries []*entry
	var skipped []Skip
	for _, cal := range tree(raw).children {
		if cal.name != "VCALENDAR" {
			continue
		}
		zones := newZones(cal)
		cancel := strings.EqualFold(cal.text("METHOD"), "CANCEL")
		for _, c := range cal.children {
			if c.name != "VEVENT" {
				continue
			}
			e, err := newEntry(file, c, zones)
			if err != nil {
				skipped = append(skipped, Skip{File: file, Event: eventName(c), Reason: err.Error()})
				continue
			}
			if cancel {
				e.status = Cancelled
			}
			entries = append(entries, e)
		}
	}
	return entries, skipped
}

// eventName is how a Skip calls an event.
func eventName(c *component) string {
	if uid := shortUID(c); uid != "" {
		return uid
	}
	return fmt.Sprintf("line %d", c.line)
}

// shortUID returns the UID on one line, "" when there is none.
func shortUID(c *component) string {
	uid := plain.Line(c.text("UID"))
	return strings.ToValidUTF8(uid[:min(len(uid), maxUID)], "")
}

// newEntry reads a VEVENT.
func newEntry(file string, c *component, zones *zones) (*entry, error) {
	if c.broken != "" {
		return nil, errors.New(c.broken)
	}
	e := &entry{
		uid: shortUID(c), file: file, organizer: person(c, "ORGANIZER"),
		summary: c.text("SUMMARY"), location: c.text("LOCATION"), description: c.text("DESCRIPTION"),
	}
	if e.uid == "" {
		e.uid = hashUID(c)
	}
	switch status := Status(strings.ToLower(c.text("STATUS"))); status {
	case Tentative, Cancelled:
		e.status = status
	default:
		e.status = Confirmed
	}
	for _, p := range c.props {
		if p.name == "ATTENDEE" {
			e.attendees = append(e.attendees, newPerson(p))
		}
	}
	e.sequence, _ = strconv.Atoi(c.text("SEQUENCE"))
	return e, e.readTimes(c, zones)
}

// readTimes reads when the event is and how it repeats.
func (e *entry) readTimes(c *component, zones *zones) error {
	p, ok := c.first("DTSTART")
	if !ok {
		return errors.New("no DTSTART")
	}
	var err error
	if e.start, err = newStamp(p, zones); err != nil {
		return err
	}
	if e.span, err = newSpan(c, e.start, zones); err != nil {
		return err
	}
	for _, p := range c.props {
		if err := e.readRecurrence(p, zones); err != nil {
			return err
		}
	}
	return nil
}

// readRecurrence reads p if it is about how the event repeats.
func (e *entry) readRecurrence(p property, zones *zones) error {
	switch p.name {
	case "RRULE":
		r, err := newRule(p.value)
		if err != nil {
			return err
		}
		e.rules = append(e.rules, r)
	case "EXRULE":
		return errors.New("EXRULE, which RFC 5545 took out, isn't supported")
	case "RDATE":
		periods, err := newPeriods(p, e.span, zones)
		if err != nil {
			return err
		}
		e.extra = append(e.extra, periods...)
	case "EXDATE":
		stamps, err := newStamps(p, zones)
		if err != nil {
			return err
		}
		e.excluded = append(e.excluded, stamps...)
	case "RECURRENCE-ID":
		s, err := newStamp(p, zones)
		if err != nil {
			return err
		}
		e.recurrence = &s
	}
	return nil
}

// person returns who stands in the first property of the name.
func person(c *component, name string) Person {
	p, ok := c.first(name)
	if !ok {
		return Person{}
	}
	return newPerson(p)
}

// newPerson reads an ORGANIZER or an ATTENDEE.
func newPerson(p property) Person {
	email := strings.TrimSpace(p.value)
	if rest, ok := cutPrefixFold(email, "mailto:"); ok {
		email = rest
	}
	return Person{
		Name:  plain.Line(p.param("CN")),
		Email: strings.Join(strings.Fields(clean(email)), ""),
		Reply: strings.ToLower(clean(p.param("PARTSTAT"))),
	}
}

// cutPrefixFold is strings.CutPrefix for a prefix in whatever case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// hashUID makes a UID from the contents of an event that has none.
func hashUID(c *component) string {
	h := sha256.New()
	for _, p := range c.props {
		fmt.Fprintln(h, p.name, p.value)
		for _, name := range slices.Sorted(maps.Keys(p.params)) {
			fmt.Fprintln(h, name, p.params[name])
		}
	}
	return "sha256-" + hex.EncodeToString(h.Sum(nil)[:12])
}
