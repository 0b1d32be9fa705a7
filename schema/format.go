package schema

import (
	"bytes"
	"net/netip"
	"strings"
)

// A format is one value of the keyword format (validation specification, section 7.3).
type format struct {
	check   func([]byte) bool
	want    string // what is wanted, for messages
	suggest func(string) string
}

var formats = map[string]*format{
	"date-time":             {isDateTime, "a date and time such as 2026-01-31T09:30:00Z", suggestDateTime},
	"date":                  {isDate, "a date such as 2026-01-31", suggestDate},
	"time":                  {isTime, "a time such as 09:30:00Z", nil},
	"duration":              {isDuration, "an ISO 8601 duration such as PT1H30M", nil},
	"email":                 {isEmail, "an e-mail address", nil},
	"idn-email":             {isIDNEmail, "an e-mail address", nil},
	"hostname":              {isHostname, "a host name", nil},
	"idn-hostname":          {isIDNHostname, "a host name", nil},
	"ipv4":                  {isIPv4, "an IPv4 address such as 192.0.2.1", nil},
	"ipv6":                  {isIPv6, "an IPv6 address such as 2001:db8::1", nil},
	"uri":                   {isURI, "a URI such as https://example.com/a", nil},
	"uri-reference":         {isURIReference, "a URI or a relative reference", nil},
	"iri":                   {isIRI, "an IRI such as https://example.com/a", nil},
	"iri-reference":         {isIRIReference, "an IRI or a relative reference", nil},
	"uuid":                  {isUUID, "a UUID such as 123e4567-e89b-12d3-a456-426614174000", nil},
	"regex":                 {isRegex, "a regular expression", nil},
	"json-pointer":          {isJSONPointer, "a JSON Pointer such as /a/0", nil},
	"relative-json-pointer": {isRelativePointer, "a relative JSON Pointer such as 1/a", nil},
	"uri-template":          {isURITemplate, "a URI template such as /a/{id}", nil},
}

// charClass is a set of the classes that an ASCII character may be in.
type charClass uint16

const (
	hexClass   charClass = 1 << iota
	labelClass           // of a host name: letters, digits and dashes
	localClass           // of an e-mail address before the @: atext of RFC 5322, section 3.2.3
	uriClass             // unreserved and sub-delims of RFC 3986, section 2
	colonClass
	atClass
	slashClass
	questionClass
)

var charClasses = func() (classes [256]charClass) {
	const letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789"
	for _, class := range []struct {
		is    charClass
		chars string
	}{
		{hexClass, digits + "abcdefABCDEF"},
		{labelClass, letters + digits + "-"},
		{localClass, letters + digits + "!#$%&'*+-/=?^_`{|}~"},
		{uriClass, letters + digits + "-._~!$&'()*+,;="},
		{colonClass, ":"},
		{atClass, "@"},
		{slashClass, "/"},
		{questionClass, "?"},
	} {
		for _, c := range []byte(class.chars) {
			classes[c] |= class.is
		}
	}
	return classes
}()

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// twoDigits reads two digits; -1 when there are none.
func twoDigits(b []byte) int {
	if len(b) < 2 || !isDigit(b[0]) || !isDigit(b[1]) {
		return -1
	}
	return int(b[0]-'0')*10 + int(b[1]-'0')
}

// isDate is full-date of RFC 3339.
func isDate(b []byte) bool {
	if len(b) != 10 || b[4] != '-' || b[7] != '-' {
		return false
	}
	century, year, month, day := twoDigits(b), twoDigits(b[2:]), twoDigits(b[5:]), twoDigits(b[8:])
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	switch {
	case month != 2:
		return day <= 30+(month+month/8)%2
	case year%4 == 0 && (year > 0 || century%4 == 0):
		return day <= 29
	}
	return day <= 28
}

// isTime is full-time of RFC 3339. A leap second must fall at the end of a UTC day.
func isTime(b []byte) bool {
	if len(b) < 9 || b[2] != ':' || b[5] != ':' {
		return false
	}
	h, m, sec := twoDigits(b), twoDigits(b[3:]), twoDigits(b[6:])
	if h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec > 60 {
		return false
	}
	b = b[8:]
	if b[0] == '.' {
		n := 1
		for n < len(b) && isDigit(b[n]) {
			n++
		}
		if n == 1 {
			return false
		}
		b = b[n:]
	}
	offset, ok := zoneOffset(b)
	if !ok {
		return false
	}
	return sec < 60 || ((h*60+m-offset)+2*24*60)%(24*60) == 23*60+59
}

// zoneOffset reads Z or +hh:mm, in minutes.
func zoneOffset(b []byte) (int, bool) {
	if len(b) == 1 {
		return 0, b[0]|0x20 == 'z'
	}
	if len(b) != 6 || b[0] != '+' && b[0] != '-' || b[3] != ':' {
		return 0, false
	}
	h, m := twoDigits(b[1:]), twoDigits(b[4:])
	if h < 0 || h > 23 || m < 0 || m > 59 {
		return 0, false
	}
	if b[0] == '-' {
		return -(h*60 + m), true
	}
	return h*60 + m, true
}

func isDateTime(b []byte) bool {
	return len(b) > 11 && b[10]|0x20 == 't' && isDate(b[:10]) && isTime(b[11:])
}

// isDuration is duration of RFC 3339, appendix A.
func isDuration(b []byte) bool {
	if len(b) < 3 || b[0] != 'P' {
		return false
	}
	b = b[1:]
	if b[len(b)-1] == 'W' {
		rest, ok := durationUnits(b, "W")
		return ok && len(rest) == 0
	}
	date, clock, hasClock := bytes.Cut(b, []byte("T"))
	if rest, ok := durationUnits(date, "YMD"); len(rest) > 0 || !ok && len(date) > 0 {
		return false
	}
	if !hasClock {
		return true
	}
	rest, ok := durationUnits(clock, "HMS")
	return ok && len(rest) == 0
}

// durationUnits reads numbers, each followed by the next of the units. Only the first and the last may be left out.
func durationUnits(b []byte, units string) (rest []byte, ok bool) {
	next := -1
	for len(b) > 0 {
		n := 0
		for n < len(b) && isDigit(b[n]) {
			n++
		}
		if n == 0 || n == len(b) {
			return b, false
		}
		k := strings.IndexByte(units, b[n])
		if k < 0 || next >= 0 && k != next {
			return b, false
		}
		next, ok = k+1, true
		b = b[n+1:]
	}
	return b, ok
}

func isUUID(b []byte) bool {
	if len(b) != 36 || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
		return false
	}
	digits := 0
	for _, c := range b {
		if isHexDigit(c) {
			digits++
		}
	}
	return digits == 32
}

func isHexDigit(c byte) bool { return charClasses[c]&hexClass != 0 }

// isIPv4 is dotted-quad of RFC 2673, section 3.2; a leading zero is refused, because some readers take it for octal.
func isIPv4(b []byte) bool {
	for part := range 4 {
		if part > 0 {
			if len(b) == 0 || b[0] != '.' {
				return false
			}
			b = b[1:]
		}
		n, value := 0, 0
		for n < len(b) && n < 3 && isDigit(b[n]) {
			value = value*10 + int(b[n]-'0')
			n++
		}
		if n == 0 || value > 255 || n > 1 && b[0] == '0' {
			return false
		}
		b = b[n:]
	}
	return len(b) == 0
}

func isIPv6(b []byte) bool {
	if len(b) > 45 || bytes.IndexByte(b, '%') >= 0 {
		return false
	}
	a, err := netip.ParseAddr(string(b))
	return err == nil && a.Is6()
}

// isRegex is stricter than `pattern`, which takes what the engines take: flags, comments and \a are not ECMA-262.
func isRegex(b []byte) bool {
	for i := 0; i+2 < len(b); i++ {
		switch {
		case b[i] == '\\':
			i++
		case b[i] == '(' && b[i+1] == '?' && (b[i+2] == '#' || isAlphanumeric(b[i+2])):
			return false
		}
	}
	for i := 0; i+1 < len(b); i++ {
		if b[i] == '\\' {
			if i++; b[i] == 'a' || b[i] == 'Z' || b[i] == 'A' || b[i] == 'z' {
				return false
			}
		}
	}
	_, err := compilePattern(string(b))
	return err == nil
}

// isJSONPointer is RFC 6901, section 3.
func isJSONPointer(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	if b[0] != '/' {
		return false
	}
	for i, c := range b {
		if c == '~' && (i+1 == len(b) || b[i+1] != '0' && b[i+1] != '1') {
			return false
		}
	}
	return true
}

func isRelativePointer(b []byte) bool {
	n := 0
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	if n == 0 || n > 1 && b[0] == '0' {
		return false
	}
	return string(b[n:]) == "#" || isJSONPointer(b[n:])
}
