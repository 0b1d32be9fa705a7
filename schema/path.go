package schema

import (
	"strconv"

	"helve.dev/helve/internal/jsonx"
)

// A pathStep is a member or an item that the faults found from one on, up to another, lie in.
type pathStep struct {
	from, to int
	at       int // where the member's name starts, or the complement of the item's number
}

// within notes that the faults found from number from on lie in a member, or in an item.
func (s *state) within(from, at int) {
	if n := len(s.faults); n > from {
		s.steps = append(s.steps, pathStep{from, n, at})
	}
}

// appendPath appends the JSON Pointer to a fault. The outer steps were noted after those in them.
func (s *state) appendPath(b []byte, f *fault) []byte {
	for k := len(s.steps) - 1; k >= 0; k-- {
		p := &s.steps[k]
		switch {
		case f.nth < p.from || f.nth >= p.to:
		case p.at >= 0:
			b = s.appendName(append(b, '/'), p.at)
		default:
			b = strconv.AppendInt(append(b, '/'), int64(^p.at), 10)
		}
	}
	return b
}

// A pathWalk finds the JSON Pointers to places in a text that has been checked, so that checking keeps no path. It goes on from
// where it is: places in ascending order take one walk in all.
type pathWalk struct {
	s      *state
	levels []pathLevel
	path   []byte
}

// pathLevel is a member or item on the way.
type pathLevel struct {
	isObject bool
	ordinal  int // of an item
	k, v     int // where the member and its value start; the same for an item
	end      int // after the value
	pathSize int // of what leads to the container; the path of the member itself is added once something is in it
}

func (w *pathWalk) start(s *state) { w.s, w.levels, w.path = s, w.levels[:0], w.path[:0] }

// to returns the path to the value or the member's name that starts at d[at]. It is valid until the next call.
func (w *pathWalk) to(at int) []byte {
	n := len(w.levels)
	for n > 0 && (at < w.levels[n-1].k || n > 1 && at >= w.levels[n-2].end) {
		n--
	}
	if w.levels = w.levels[:n]; n == 0 {
		w.path = w.path[:0]
		if i := jsonx.Space(w.s.d, 0); i == at || !w.enter(i) {
			return nil
		}
	}
	for {
		level := &w.levels[len(w.levels)-1]
		for at >= level.end {
			if !level.take(w.s, w.s.next(level.end)) {
				return w.path[:level.pathSize]
			}
		}
		w.path = append(w.path[:level.pathSize], '/')
		if level.isObject {
			w.path = w.s.appendName(w.path, level.k)
		} else {
			w.path = strconv.AppendInt(w.path, int64(level.ordinal), 10)
		}
		if at == level.k || at == level.v || !w.enter(level.v) {
			return w.path
		}
	}
}

// enter goes to the first member or item of the container at d[i], and reports whether there is one.
func (w *pathWalk) enter(i int) bool {
	c := w.s.d[i]
	if c != '{' && c != '[' {
		return false
	}
	level := pathLevel{isObject: c == '{', ordinal: -1, pathSize: len(w.path)}
	if !level.take(w.s, jsonx.Space(w.s.d, i+1)) {
		return false
	}
	w.levels = append(w.levels, level)
	return true
}

// take goes to the member or item that starts at d[k], which may be the closing bracket instead.
func (l *pathLevel) take(s *state, k int) bool {
	if s.d[k] == '}' || s.d[k] == ']' {
		return false
	}
	l.ordinal++
	l.k, l.v = k, k
	if l.isObject {
		l.v = s.memberValue(k)
	}
	l.end = jsonx.Skip(s.d, l.v)
	return true
}

// paths returns the paths to many places in ascending order.
func (s *state) paths(places []int) []string {
	if len(places) == 0 {
		return nil
	}
	paths := make([]string, 0, len(places))
	s.walk.start(s)
	for _, at := range places {
		paths = append(paths, string(s.walk.to(at)))
	}
	return paths
}

// appendName appends the name of the member at d[k], as a token of a JSON Pointer. A name that nobody would give to a property is
// cut: it is a piece of the value like any other.
func (s *state) appendName(b []byte, k int) []byte {
	end, escaped, _ := jsonx.String(s.d, k)
	name := s.unquoted(k, end, escaped)
	if len(name) > maxToken {
		name = appendCut(nil, name, excerptLength)
	}
	for _, c := range name {
		switch c {
		case '~':
			b = append(b, '~', '0')
		case '/':
			b = append(b, '~', '1')
		default:
			b = append(b, c)
		}
	}
	return b
}
