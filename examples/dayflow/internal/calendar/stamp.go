package calendar

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// stamp is a DATE or a DATE-TIME as it stands in a file: what a clock on the
// wall shows, and where the clock hangs.
type stamp struct {
	wall time.Time      // in UTC, whatever the zone
	date bool           // a day without a time
	loc  *time.Location // nil for a day and for a floating time
}

// String returns a text that differs for different stamps.
func (s stamp) String() string {
	if s.date {
		return s.wall.Format("20060102")
	}
	text := s.wall.Format("20060102T150405")
	switch s.loc {
	case nil:
		return text
	case time.UTC:
		return text + "Z"
	}
	return text + "@" + s.loc.String()
}

// zone returns where the clock hangs for a user in loc.
func (s stamp) zone(loc *time.Location) *time.Location {
	if s.loc != nil {
		return s.loc
	}
	return loc
}

// instant returns when that is for a user in loc.
func (s stamp) instant(loc *time.Location) time.Time { return day.Resolve(s.wall, s.zone(loc)) }

// in returns what a clock in the zone shows at that time. A day and a floating
// time are the same everywhere.
func (s stamp) in(zone *time.Location) time.Time {
	if s.loc == nil {
		return s.wall
	}
	return day.Wall(s.instant(zone).In(zone))
}

// newStamp reads a property that is one DATE or DATE-TIME.
func newStamp(p property, zones *zones) (stamp, error) {
	loc, err := zones.find(p.param("TZID"))
	if err != nil {
		return stamp{}, err
	}
	s, err := parseStamp(strings.TrimSpace(p.value), loc)
	if err != nil {
		return stamp{}, fmt.Errorf("its %s can't be read", p.name)
	}
	return s, nil
}

// newStamps reads a property that is a list of DATEs or DATE-TIMEs.
func newStamps(p property, zones *zones) ([]stamp, error) {
	var stamps []stamp
	for value := range strings.SplitSeq(p.value, ",") {
		one := p
		one.value = value
		s, err := newStamp(one, zones)
		if err != nil {
			return nil, err
		}
		stamps = append(stamps, s)
	}
	return stamps, nil
}

// errStamp is returned for what is neither a DATE nor a DATE-TIME.
var errStamp = errors.New("not a date or a time")

// parseStamp reads a DATE or a DATE-TIME; loc counts for one without a Z.
func parseStamp(value string, loc *time.Location) (stamp, error) {
	s := stamp{loc: loc}
	layout := "20060102T150405"
	if len(value) == len("20060102") {
		s.date, s.loc, layout = true, nil, "20060102"
	} else if strings.HasSuffix(value, "Z") {
		s.loc, layout = time.UTC, layout+"Z"
	}
	wall, err := time.Parse(layout, value)
	if err != nil || wall.Year() < 1 || wall.Year() > 9000 {
		return stamp{}, errStamp
	}
	s.wall = wall
	return s, nil
}

// span is how long an event is: days as the calendar counts them, and a time
// as a stopwatch does.
type span struct {
	days  int
	exact time.Duration
}

// end returns where an event ends that begins when a clock in loc shows wall.
func (s span) end(wall time.Time, loc *time.Location) time.Time {
	return day.Resolve(wall.AddDate(0, 0, s.days), loc).Add(s.exact).In(loc)
}

// most returns a duration that the span never exceeds.
func (s span) most() time.Duration { return time.Duration(s.days)*25*time.Hour + s.exact }

// maxDays is the length of the longest event that is believed.
const maxDays = 50 * 366

// newSpan reads DTEND or DURATION. Without either an event on a day lasts that
// day, and one at a time lasts no time (RFC 5545, section 3.6.1).
func newSpan(c *component, start stamp, zones *zones) (span, error) {
	var s span
	if p, ok := c.first("DTEND"); ok {
		end, err := newStamp(p, zones)
		if err != nil {
			return span{}, err
		}
		s = between(start, end)
	} else if p, ok := c.first("DURATION"); ok {
		var err error
		if s, err = parseDuration(p.value); err != nil {
			return span{}, err
		}
	}
	if start.date {
		s = span{days: s.days + int(s.exact/(24*time.Hour))}
	}
	if s.days < 0 || s.exact < 0 {
		return span{}, errors.New("it ends before it begins")
	}
	if s.days+int(s.exact/(24*time.Hour)) > maxDays {
		return span{}, errors.New("it lasts longer than 50 years")
	}
	if start.date {
		s.days = max(s.days, 1)
	}
	return s, nil
}

// between returns the time from start to end.
func between(start, end stamp) span {
	switch {
	case start.date:
		first, last := day.Of(start.wall).In(time.UTC), day.Of(end.wall).In(time.UTC)
		return span{days: int(last.Sub(first) / (24 * time.Hour))}
	case start.loc == nil || end.loc == nil:
		return span{exact: end.wall.Sub(start.wall)}
	}
	return span{exact: end.instant(time.UTC).Sub(start.instant(time.UTC))}
}

// duration is a DURATION (RFC 5545, section 3.3.6).
var duration = regexp.MustCompile(`^([+-]?)P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$`)

// parseDuration reads a DURATION. Weeks and days are calendar days.
func parseDuration(value string) (span, error) {
	found := duration.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(value)))
	if found == nil {
		return span{}, errors.New("its DURATION can't be read")
	}
	var n [5]int
	for i := range n {
		n[i], _ = strconv.Atoi(found[i+2])
	}
	s := span{
		days:  7*n[0] + n[1],
		exact: time.Duration(n[2])*time.Hour + time.Duration(n[3])*time.Minute + time.Duration(n[4])*time.Second,
	}
	if found[1] == "-" {
		s.days, s.exact = -s.days, -s.exact
	}
	return s, nil
}

// period is an occurrence with its own length.
type period struct {
	start stamp
	span  span
}

// newPeriods reads an RDATE: dates, times, or periods with an end of their
// own. The others last as long as the event.
func newPeriods(p property, usual span, zones *zones) ([]period, error) {
	var periods []period
	for value := range strings.SplitSeq(p.value, ",") {
		first, last, ok := strings.Cut(value, "/")
		one := p
		one.value = first
		start, err := newStamp(one, zones)
		if err != nil {
			return nil, err
		}
		length := usual
		if ok {
			if length, err = periodSpan(last, start, p, zones); err != nil {
				return nil, err
			}
		}
		periods = append(periods, period{start: start, span: length})
	}
	return periods, nil
}

// periodSpan reads what stands behind the slash of a period.
func periodSpan(value string, start stamp, p property, zones *zones) (span, error) {
	c := &component{props: []property{{name: "DTEND", params: p.params, value: value}}}
	if strings.Contains(value, "P") {
		c.props[0].name = "DURATION"
	}
	return newSpan(c, start, zones)
}
