package schema

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
)

// A Validator checks raw JSON against one compiled schema. [Compile] makes it. It is safe for concurrent use, and its
// verdicts never change; it only remembers, to be quicker, in which order properties come and what its messages say of the schema.
// A check takes time in proportion to the value, within a fixed budget, and allocates nothing for a valid one, except
// for patterns with look-around or back references, and the formats ipv6 and regex.
type Validator struct {
	root              *node
	maxSize, maxDepth int
	closed            bool
	coerce            bool // Normalize reads values from strings
	dynamic           bool // there are $dynamicRefs, so the resources entered are kept track of
	aliases           map[string]string
	shape             *shape
	plain             bool // whether a default may be filled in depends on its own property alone
	takesNull         bool
	takesObject       bool
}

// Validate checks raw as it is and returns nil when it is valid.
//
// Text that is not strict JSON (RFC 8259; invalid UTF-8, lone surrogates and text after the value are refused), that is nested
// deeper or longer than the Config allows, or that takes too much work to check, gives one fault with the path "". Else every
// fault is collected, duplicate names among them, in document order.
func (v *Validator) Validate(raw []byte) *Report {
	s := v.newState(raw)
	s.run()
	r := s.report()
	s.release()
	return r
}

// Normalize checks raw and settles it, so that whoever gets the result sees one form of what was meant:
//
//   - Absent arguments (empty, white space, null) are {} where the schema wants an object.
//   - A former name of a root property ([Config].Aliases) becomes the present one; both together are a fault at the former.
//   - null is dropped where the property is listed, optional, and its schema does not accept null.
//   - Defaults are filled in, after the members given and in the schema's order, from the subschemas that apply in any case:
//     properties, items, additionalProperties, allOf, $ref, and an anyOf or oneOf whose other branches only take null.
//   - With Config.Coerce, values that came in quotes are read.
//
// What was given is never overwritten, and its spelling and order stay. When nothing changes the result is raw itself, without
// an allocation. The report is nil when there is nothing to say; when it holds faults, the value is raw and has not been settled.
// Paths in the report use present names.
func (v *Validator) Normalize(raw []byte) (jsontext.Value, *Report) {
	text := raw
	if trimmed := raw[jsonx.Space(raw, 0):]; v.takesObject && (len(trimmed) == 0 || !v.takesNull && isNull(trimmed)) {
		text = []byte("{}")
	}
	s := v.newState(text)
	s.settling = true
	s.run()
	var aliases []Alias
	var coerced []coercion
	// A fault can be mended where a null may stand for nothing, and where a value may be read as another type.
	mendable := len(s.faults) > 0 && (v.coerce || s.nulls)
	if s.fatal == 0 && (s.wantSettle || mendable) {
		z := v.settle(text, s)
		text, aliases, coerced = z.out, z.used, z.coerced
		// Defaults fit their own schemas, and in a plain schema nothing else looks at them. An alias that could not be renamed
		// becomes a fault the second time.
		if known := v.plain && !z.more && len(s.faults) == 0 && !s.aliased; !known && (z.changed || s.aliased) {
			s.release()
			s = v.newState(text)
			s.settling, s.settled = true, true
			s.run()
		}
	}
	r := s.report()
	if r == nil && (len(aliases) > 0 || len(coerced) > 0 || len(s.deprecated) > 0) {
		r = &Report{}
	}
	if r != nil && s.fatal == 0 {
		r.Aliases = aliases
		slices.SortFunc(coerced, func(a, b coercion) int { return cmp.Compare(a.at, b.at) })
		places := make([]int, 0, len(coerced))
		for _, c := range coerced {
			places = append(places, c.at)
		}
		for i, path := range s.paths(places) {
			r.Coerced = append(r.Coerced, Coercion{path, coerced[i].from, coerced[i].to})
		}
		slices.Sort(s.deprecated)
		r.Deprecated = s.paths(slices.Compact(s.deprecated))
	}
	s.release()
	if !r.OK() {
		text = raw
	}
	return text, r
}

func isNull(trimmed []byte) bool {
	return len(trimmed) >= 4 && string(trimmed[:4]) == "null" && jsonx.Space(trimmed, 4) == len(trimmed)
}

// fits reports whether the well-formed text is valid against n alone, and what it cost to know.
func (v *Validator) fits(n *node, text []byte) (ok bool, work int) {
	s := v.newState(text)
	s.mode = probe
	end := s.value(n, 0, track{}, false)
	work = s.work
	s.release()
	return end >= 0, work
}

// firstProblem words the first fault of a text, for compile errors.
func (v *Validator) firstProblem(n *node, text []byte) string {
	s := v.newState(text)
	s.value(n, 0, track{}, false)
	r := s.report()
	s.release()
	if r.OK() {
		return ""
	}
	if f := r.Faults[0]; f.Path != "" {
		return strconv.Quote(f.Path) + ": " + f.Problem
	}
	return r.Faults[0].Problem
}
