package schema

import (
	"strings"
	"time"
)

// suggestFormat rewrites a text that does not have the format to one that has, where only one can be meant; else "".
func suggestFormat(f *format, text string) string {
	text = strings.TrimSpace(text)
	if f.check([]byte(text)) {
		return text
	}
	if f.suggest == nil || len(text) > 2*excerptLength {
		return ""
	}
	if s := f.suggest(text); f.check([]byte(s)) {
		return s
	}
	return ""
}

// noZone reports whether a date and time lacks only the time zone, which nobody can guess.
func noZone(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) < len("2006-01-02T15:04") || text[10] != 'T' && text[10] != ' ' {
		return false
	}
	text = text[:10] + "T" + text[11:]
	return isDateTime([]byte(text+"Z")) || isDateTime([]byte(text+":00Z"))
}

// dateLayouts are the orders in which dates are written. swappedLayouts are such as nobody writes on purpose.
var (
	dateLayouts = []string{
		"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2.1.2006", "2/1/2006", "2-1-2006", "1/2/2006", "1-2-2006",
		"2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006", "January 2 2006", "Jan 2 2006", "2-Jan-2006",
		"Monday, January 2, 2006", "Monday, 2 January 2006", "Mon, 2 Jan 2006", "Mon, Jan 2, 2006",
	}
	swappedLayouts = []string{"2006-2-1", "2006/2/1"}
	timeLayouts    = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}
	clockLayouts   = []string{"15:04:05", "15:04", "3:04 PM", "3:04PM", "3:04:05 PM"}
	zoneLayouts    = []string{"Z07:00", "Z0700", " Z07:00", " Z0700", " UTC", " GMT"}
)

// suggestDate rewrites a date in another order, where only one reading is a date.
func suggestDate(s string) string {
	for _, layouts := range [][]string{dateLayouts, swappedLayouts, timeLayouts} {
		if date := readTime(s, layouts, time.DateOnly); date != "" {
			return date
		}
	}
	return ""
}

// suggestDateTime rewrites a date and time in another order or spelling. It makes up no time zone.
func suggestDateTime(s string) string {
	colon := strings.IndexByte(s, ':')
	if colon < 0 {
		return ""
	}
	hour := colon
	for hour > 0 && isDigit(s[hour-1]) {
		hour--
	}
	date := suggestDate(strings.TrimRight(s[:hour], "T, "))
	for _, zone := range zoneLayouts {
		for _, layout := range clockLayouts {
			if clock := readTime(s[hour:], []string{layout + zone}, "15:04:05.999999999Z07:00"); clock != "" && date != "" {
				return date + "T" + clock
			}
		}
	}
	return ""
}

// readTime writes in the wanted layout what the layouts read, where they agree.
func readTime(s string, layouts []string, wanted string) (found string) {
	for _, layout := range layouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if got := t.Format(wanted); found == "" {
			found = got
		} else if got != found {
			return ""
		}
	}
	return found
}
