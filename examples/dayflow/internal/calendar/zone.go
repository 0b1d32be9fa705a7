package calendar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // calendars name zones, and not every machine has them
)

// zones finds the time zones that a calendar names.
type zones struct {
	defined map[string]*component // its VTIMEZONEs
	found   map[string]zone
}

// zone is what became of a name.
type zone struct {
	loc *time.Location
	err error
}

// newZones returns the zones of a VCALENDAR.
func newZones(cal *component) *zones {
	z := &zones{defined: map[string]*component{}, found: map[string]zone{}}
	for _, c := range cal.children {
		if c.name == "VTIMEZONE" {
			z.defined[c.text("TZID")] = c
		}
	}
	return z
}

// find returns the zone that a TZID names; nil, which is a floating time, for
// none. A name that is known wins over what the calendar says about it: the
// rules of a VTIMEZONE are often cut short.
func (z *zones) find(id string) (*time.Location, error) {
	id = clean(id)
	if id == "" {
		return nil, nil
	}
	got, ok := z.found[id]
	if !ok {
		got.loc, got.err = z.load(id)
		z.found[id] = got
	}
	return got.loc, got.err
}

// load is find without the memory.
func (z *zones) load(id string) (*time.Location, error) {
	if len(id) > maxZone {
		return nil, errors.New("the name of its time zone is too long")
	}
	if loc, ok := known(id); ok {
		return loc, nil
	}
	c, ok := z.defined[id]
	if !ok {
		return nil, fmt.Errorf("unknown time zone %q", id)
	}
	if loc, ok := known(c.text("X-LIC-LOCATION")); ok {
		return loc, nil
	}
	loc, err := custom(id, c)
	if err != nil {
		return nil, fmt.Errorf("time zone %q: %w", id, err)
	}
	return loc, nil
}

// known returns the zone with a name from the IANA data base, the name of one
// in Windows, or a path that ends in one of the former
// ("/mozilla.org/20050126_1/Europe/Lisbon").
func known(id string) (*time.Location, bool) {
	if name, ok := windows[id]; ok {
		id = name
	}
	for {
		if id != "" && !strings.EqualFold(id, "local") {
			if loc, err := time.LoadLocation(id); err == nil {
				return loc, true
			}
		}
		_, rest, ok := strings.Cut(id, "/")
		if !ok || !strings.Contains(rest, "/") {
			return nil, false
		}
		id = rest
	}
}

// change is an instant at which the clocks of a zone are set.
type change struct {
	at     int64 // seconds since 1970
	offset int   // seconds east of UTC from then on
	before int   // and until then
	summer bool
}

// The bounds of a VTIMEZONE.
const (
	maxZone    = 100 // bytes of its name
	maxOffset  = 26 * 3600
	maxChanges = 2000
)

// lastYear is how far a VTIMEZONE is followed.
var lastYear = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// custom makes a zone from the offsets in a VTIMEZONE.
func custom(id string, c *component) (*time.Location, error) {
	if c.broken != "" {
		return nil, errors.New(c.broken)
	}
	var changes []change
	for _, child := range c.children {
		if child.name != "STANDARD" && child.name != "DAYLIGHT" {
			continue
		}
		got, err := observance(child)
		if err != nil {
			return nil, err
		}
		changes = append(changes, got...)
	}
	if len(changes) == 0 || len(changes) > maxChanges {
		return nil, errors.New("it has no offsets that can be used")
	}
	slices.SortStableFunc(changes, func(x, y change) int { return int(min(max(x.at-y.at, -1), 1)) })
	return time.LoadLocationFromTZData(id, tzif(changes))
}

// observance returns when a STANDARD or a DAYLIGHT begins.
func observance(c *component) ([]change, error) {
	before, err := offset(c, "TZOFFSETFROM")
	if err != nil {
		return nil, err
	}
	after, err := offset(c, "TZOFFSETTO")
	if err != nil {
		return nil, err
	}
	walls, err := onsets(c, time.FixedZone("", before))
	if err != nil {
		return nil, err
	}
	changes := make([]change, 0, len(walls))
	for _, wall := range walls {
		at := wall.Add(-time.Duration(before) * time.Second).Unix()
		changes = append(changes, change{at: at, offset: after, before: before, summer: c.name == "DAYLIGHT"})
	}
	return changes, nil
}

// onsets returns what the clocks, which are in zone until then, show when they
// are set.
func onsets(c *component, zone *time.Location) ([]time.Time, error) {
	p, _ := c.first("DTSTART")
	start, err := parseStamp(strings.TrimSpace(p.value), nil)
	if err != nil || c.broken != "" {
		return nil, errors.New("its DTSTART can't be read")
	}
	walls := []time.Time{start.wall}
	for _, p := range c.props {
		var got []time.Time
		switch p.name {
		case "RRULE":
			got, err = zoneRule(p.value, start, zone)
		case "RDATE":
			got, err = zoneDates(p, zone)
		}
		if err != nil {
			return nil, err
		}
		walls = append(walls, got...)
	}
	return walls, nil
}

// zoneRule returns the days on which the clocks are set by a rule.
func zoneRule(value string, start stamp, zone *time.Location) ([]time.Time, error) {
	r, err := newRule(value)
	if err != nil {
		return nil, err
	}
	return r.expand(start, start.wall, lastYear, zone)
}

// zoneDates returns the days on which the clocks are set by a list.
func zoneDates(p property, zone *time.Location) ([]time.Time, error) {
	stamps, err := newStamps(p, newZones(&component{}))
	if err != nil {
		return nil, err
	}
	walls := make([]time.Time, 0, len(stamps))
	for _, s := range stamps {
		walls = append(walls, s.in(zone))
	}
	return walls, nil
}

// offset reads a UTC offset such as -0330, in seconds.
func offset(c *component, name string) (int, error) {
	p, _ := c.first(name)
	value := strings.TrimSpace(p.value)
	bad := fmt.Errorf("its %s can't be read", name)
	if len(value) != 5 && len(value) != 7 || value[0] != '+' && value[0] != '-' {
		return 0, bad
	}
	n, err := strconv.ParseUint(value[1:]+"00"[:7-len(value)], 10, 32)
	if err != nil {
		return 0, bad
	}
	seconds := int(n/10000*3600 + n/100%100*60 + n%100)
	if seconds > maxOffset {
		return 0, bad
	}
	if value[0] == '-' {
		seconds = -seconds
	}
	return seconds, nil
}

// tzif writes changes in the form of the zone files of Unix (RFC 8536), the
// only one from which package time makes a zone. The first local time type is
// that before the first change.
func tzif(changes []change) []byte {
	const name = "-00\x00"
	types := []change{{offset: changes[0].before}}
	var times, indexes, infos []byte
	for _, c := range changes {
		kind := change{offset: c.offset, summer: c.summer}
		i := slices.Index(types[1:], kind) + 1
		if i == 0 && len(types) < 200 {
			types, i = append(types, kind), len(types)
		}
		times = binary.BigEndian.AppendUint64(times, uint64(c.at))
		indexes = append(indexes, byte(i))
	}
	for _, kind := range types {
		summer := byte(0)
		if kind.summer {
			summer = 1
		}
		infos = append(binary.BigEndian.AppendUint32(infos, uint32(int32(kind.offset))), summer, 0)
	}
	// The first header is that of the old form with times of 32 bits, which
	// is empty here.
	return slices.Concat(
		tzifHeader(0, 0, 0), tzifHeader(len(changes), len(types), len(name)),
		times, indexes, infos, []byte(name+"\n\n"),
	)
}

// tzifHeader returns a header with the numbers of changes, of local time types
// and of the bytes of their names.
func tzifHeader(changes, types, names int) []byte {
	header := []byte("TZif2" + strings.Repeat("\x00", 15))
	for _, n := range []int{0, 0, 0, changes, types, names} {
		header = binary.BigEndian.AppendUint32(header, uint32(n))
	}
	return header
}
