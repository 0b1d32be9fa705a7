package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
)

// An entry is an event that takes place.
type entry struct {
	event      daytools.Event
	first      day.Date
	last       day.Date
	start, end time.Time // zero for an event of whole days
}

// entries returns the events that take place, earliest first: those that are
// cancelled and those whose times can't be read are left out.
func (r *rules) entries(events []daytools.Event) []entry {
	var out []entry
	for _, e := range events {
		if got, ok := r.entry(e); ok && !strings.EqualFold(e.Status, "cancelled") {
			out = append(out, got)
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		return cmp.Or(a.first.Compare(b.first), a.start.Compare(b.start), a.end.Compare(b.end),
			strings.Compare(a.event.Title, b.event.Title), strings.Compare(a.event.ID, b.event.ID))
	})
	return out
}

// entry reads the times of an event.
func (r *rules) entry(e daytools.Event) (entry, bool) {
	if e.AllDay {
		first, err1 := day.Parse(e.Start)
		last, err2 := day.Parse(e.End)
		if err2 != nil || last.Before(first) {
			last = first
		}
		return entry{event: e, first: first, last: last}, err1 == nil
	}
	start, err1 := time.Parse(time.RFC3339, e.Start)
	end, err2 := time.Parse(time.RFC3339, e.End)
	if err2 != nil || end.Before(start) {
		end = start
	}
	start, end = start.In(r.zone), end.In(r.zone)
	got := entry{event: e, start: start, end: end, first: day.Of(start), last: day.Of(end)}
	if end.After(start) { // one that ends at midnight is not of the next day
		got.last = day.Of(end.Add(-time.Nanosecond))
	}
	return got, err1 == nil
}

// on reports whether an event takes place on a day, in part at least.
func (e entry) on(d day.Date) bool { return !d.Before(e.first) && !d.After(e.last) }

// when says when on a day an event is.
func (e entry) when(d day.Date) string {
	switch {
	case e.start.IsZero() && e.first == e.last:
		return "all day"
	case e.start.IsZero():
		return "all day until " + short(e.last)
	case e.first == d && e.last == d && e.start.Equal(e.end):
		return e.start.Format("15:04")
	case e.first == d && e.last == d:
		return e.start.Format("15:04") + "-" + e.end.Format("15:04")
	case e.first == d:
		return "from " + e.start.Format("15:04")
	case e.last == d:
		return "until " + e.end.Format("15:04")
	}
	return "all day"
}

// title returns the title of an event, and that it is not settled yet.
func (e entry) title(n int) string {
	text := clip(e.event.Title, n)
	if text == "" {
		text = "(untitled)"
	}
	if strings.EqualFold(e.event.Status, "tentative") {
		text += " (tentative)"
	}
	return text
}

// short returns a day as "Fri 14 Mar 2026".
func short(d day.Date) string {
	return fmt.Sprintf("%s %d %s %d", d.Weekday().String()[:3], d.Day, d.Month.String()[:3], d.Year)
}

// todayPart tells of today's events.
func (r *rules) todayPart(h *history) []string {
	head := fmt.Sprintf("Today, %s %s:", r.today.Weekday(), long(r.today))
	from := &h.today
	if !from.here() {
		from = &h.week
	}
	if !from.here() {
		return nil
	}
	var lines []string
	all := r.entries(from.data.Events)
	all = slices.DeleteFunc(all, func(e entry) bool { return !e.on(r.today) })
	for _, e := range all {
		text := fmt.Sprintf("- %s %s", e.when(r.today), e.title(80))
		if place := clip(e.event.Location, 50); place != "" {
			text += ", " + place
		}
		lines = append(lines, text)
	}
	if len(lines) == 0 {
		return []string{head + " no events."}
	}
	out := append([]string{head}, limit(lines, maxToday)...)
	if both := overlaps(all); len(both) > 0 {
		out = append(out, "- Overlap: "+strings.Join(limitList(both, 3), "; ")+".")
	}
	return out
}

// overlaps names the events with times that take place at once.
func overlaps(all []entry) []string {
	var out []string
	for i, a := range all {
		for _, b := range all[i+1:] {
			if !a.start.IsZero() && !b.start.IsZero() && a.start.Before(b.end) && b.start.Before(a.end) {
				out = append(out, fmt.Sprintf("%s and %s", a.title(40), b.title(40)))
			}
		}
		if len(out) > 20 {
			break // more than anybody reads
		}
	}
	return out
}

// limitList returns at most n items, the last of which says that there are more.
func limitList(items []string, n int) []string {
	if len(items) <= n {
		return items
	}
	return append(slices.Clone(items[:n]), "and more")
}

// weekPart tells of the six days after today, a line each.
func (r *rules) weekPart(h *history) []string {
	if !h.week.here() {
		return nil
	}
	all := r.entries(h.week.data.Events)
	var lines []string
	for n := 1; n < 7; n++ {
		d := r.today.AddDays(n)
		var items []string
		of := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return !e.on(d) || e.first != d && n > 1 && e.start.IsZero() })
		for _, e := range of {
			items = append(items, e.when(d)+" "+e.title(40))
		}
		if len(items) == 0 {
			continue
		}
		text := fmt.Sprintf("- %s: %s", short(d), strings.Join(limitList(items, 5), "; "))
		if both := overlaps(of); len(both) > 0 {
			text += " (overlap: " + strings.Join(limitList(both, 1), "; ") + ")"
		}
		lines = append(lines, text)
	}
	if len(lines) == 0 {
		return []string{"The next six days: no events."}
	}
	return append([]string{"The next six days:"}, lines...)
}
