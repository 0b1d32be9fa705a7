package calendar

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	ics "github.com/arran4/golang-ical"

	"helve.dev/helve/examples/dayflow/internal/plain"
)

// The bounds of a calendar file.
const (
	maxHead   = 8 << 10 // bytes of a property before its value
	maxParams = 50      // parameters of a property
	maxDepth  = 8       // components within each other
)

// property is one line: a name, its parameters and the value as it stands.
type property struct {
	name   string
	params map[string][]string
	value  string
}

// param returns the first value of a parameter, "" when it isn't there.
func (p property) param(name string) string {
	if values := p.params[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// component is what stands between a BEGIN and its END.
type component struct {
	name     string
	line     int // the number of its first line, folded ones counted as one
	props    []property
	children []*component
	broken   string // why it can't be used; "" when it can
}

// first returns the first property of the name.
func (c *component) first(name string) (property, bool) {
	for _, p := range c.props {
		if p.name == name {
			return p, true
		}
	}
	return property{}, false
}

// text returns the first property of the name as plain text.
func (c *component) text(name string) string {
	p, _ := c.first(name)
	return clean(ics.FromText(p.value))
}

// essential are the properties without which an event would be shown at a
// wrong time. A broken line of another property is passed over.
var essential = map[string]bool{
	"UID": true, "DTSTART": true, "DTEND": true, "DURATION": true, "RRULE": true, "EXRULE": true,
	"RDATE": true, "EXDATE": true, "RECURRENCE-ID": true, "STATUS": true,
	"TZID": true, "TZOFFSETFROM": true, "TZOFFSETTO": true,
}

// tree reads the lines of a file into components. The library unfolds and
// splits the lines; the components are built here, because the library gives
// up on the whole file at the first line that it can't read.
func tree(raw []byte) *component {
	lines := ics.NewCalendarStream(bytes.NewReader(raw))
	root := &component{}
	stack := []*component{root}
	for n := 1; ; n++ {
		line, err := lines.ReadLine()
		if line != nil && len(*line) > 0 {
			stack = place(stack, string(*line), n)
		}
		if err != nil || line == nil {
			break
		}
	}
	for _, open := range stack[1:] {
		open.broken = "the file ends in the middle of it"
	}
	return root
}

// place adds one line to the component on top of the stack and returns the
// stack after it.
func place(stack []*component, line string, n int) []*component {
	top := stack[len(stack)-1]
	p, err := parseLine(line)
	if err != nil {
		if name := strings.ToUpper(leadingName(line)); essential[name] {
			top.broken = fmt.Sprintf("the line with its %s can't be read", name)
		}
		return stack
	}
	value := strings.ToUpper(strings.TrimSpace(p.value))
	switch p.name {
	case "BEGIN":
		if level, ok := levels[value]; ok {
			stack = cut(stack, level)
		}
		child := &component{name: value, line: n}
		if parent := stack[len(stack)-1]; len(stack) <= maxDepth {
			parent.children = append(parent.children, child)
		}
		return append(stack, child)
	case "END":
		return closed(stack, value)
	}
	top.props = append(top.props, p)
	return stack
}

// closed takes the component called name from the stack, and with it those
// inside of it that have no END. An END of nothing changes nothing.
func closed(stack []*component, name string) []*component {
	for i := len(stack) - 1; i > 0; i-- {
		if stack[i].name != name {
			continue
		}
		return cut(stack, i+1)[:i]
	}
	return stack
}

// levels says how deep the stack is where a component can begin. One that
// begins deeper shows that an END is missing before it.
var levels = map[string]int{
	"VCALENDAR": 1, "VEVENT": 2, "VTIMEZONE": 2, "VTODO": 2, "VJOURNAL": 2, "VFREEBUSY": 2,
}

// cut takes what lies above n from the stack; it has no END.
func cut(stack []*component, n int) []*component {
	n = min(n, len(stack))
	for _, open := range stack[n:] {
		open.broken = "it has no END"
	}
	return stack[:n]
}

// parseLine splits a line. The library gets no more than the part before the
// value: it copies the rest of the line for every parameter.
func parseLine(line string) (p property, err error) {
	end := valueStart(line)
	if end < 0 || end > maxHead || strings.Count(line[:end], ";") > maxParams {
		return property{}, io.ErrUnexpectedEOF
	}
	defer func() {
		if recover() != nil {
			err = io.ErrUnexpectedEOF
		}
	}()
	got, err := ics.ParseProperty(ics.ContentLine(line[:end]))
	if err != nil {
		return property{}, err
	}
	if got == nil || !strings.HasPrefix(line, got.IANAToken) {
		return property{}, io.ErrUnexpectedEOF
	}
	p = property{name: strings.ToUpper(got.IANAToken), value: strings.TrimRight(line[end:], "\r"), params: map[string][]string{}}
	for name, values := range got.ICalParameters {
		p.params[strings.ToUpper(name)] = values
	}
	return p, nil
}

// valueStart returns where the value of a line begins, behind the first colon
// that isn't in quotes; -1 without one.
func valueStart(line string) int {
	quoted := false
	for i := range len(line) {
		switch line[i] {
		case '"':
			quoted = !quoted
		case ':':
			if !quoted {
				return i + 1
			}
		}
	}
	return -1
}

// leadingName returns the name that a line begins with.
func leadingName(line string) string {
	if end := strings.IndexAny(line, ";:"); end >= 0 {
		return line[:end]
	}
	return line
}

// clean returns s as plain text without white space at its ends.
func clean(s string) string { return strings.TrimSpace(plain.Text(s)) }
