package differential_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// any makes any value.
func (m *maker) any(depth int) any {
	switch n := m.IntN(12); {
	case n == 0:
		return nil
	case n == 1:
		return m.chance(50)
	case n < 5:
		return num(pick(m, numbers))
	case n < 8 || depth == 0:
		return pick(m, texts)
	case n < 10:
		return m.list(0, 4, func() any { return m.any(depth - 1) })
	}
	o := object{}
	for range m.IntN(4) {
		o[pick(m, names)] = m.any(depth - 1)
	}
	return o
}

// near makes a value that has a good chance to fit the schema s of the document
// root.
func (m *maker) near(root, s any, depth int) any {
	o := m.flat(root, s, 3)
	if depth == 0 || len(o) == 0 || m.chance(8) {
		return m.any(1)
	}
	if v, ok := o["const"]; ok && m.chance(95) {
		return m.respell(v)
	}
	if list, ok := o["enum"].([]any); ok && len(list) > 0 && m.chance(95) {
		return m.respell(pick(m, list))
	}
	switch m.kind(o) {
	case "null":
		return nil
	case "boolean":
		return m.chance(50)
	case "object":
		return m.nearObject(root, o, depth)
	case "array":
		return m.nearArray(root, o, depth)
	case "string":
		return m.nearString(o)
	}
	return m.nearNumber(o)
}

// kind chooses a type that the flat schema o accepts and speaks about.
func (m *maker) kind(o object) string {
	switch t := o["type"].(type) {
	case string:
		return t
	case []any:
		name, _ := pick(m, t).(string)
		return name
	}
	var speaks []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		switch {
		case strings.Contains(name, "ropert") || name == "required" || strings.HasPrefix(name, "depend"):
			speaks = append(speaks, "object")
		case strings.Contains(name, "tems") || strings.Contains(name, "ontains"):
			speaks = append(speaks, "array")
		case strings.Contains(name, "Length") || name == "pattern":
			speaks = append(speaks, "string")
		case strings.Contains(name, "imum") || name == "multipleOf":
			speaks = append(speaks, "number")
		}
	}
	if len(speaks) == 0 || m.chance(5) {
		return pick(m, types)
	}
	return pick(m, speaks)
}

// flat merges what applies in place, with one branch of each choice.
func (m *maker) flat(root, s any, depth int) object {
	out := object{}
	o, ok := s.(object)
	if !ok {
		return out
	}
	merge := func(sub any) {
		if depth == 0 {
			return
		}
		for _, name := range []string{"properties", "patternProperties"} {
			if props, ok := sub.(object)[name].(object); ok && out[name] != nil {
				old, _ := out[name].(object)
				all := maps.Clone(props)
				maps.Copy(all, old)
				out[name] = all
			}
		}
		for name, v := range sub.(object) {
			if out[name] == nil {
				out[name] = v
			} else if name == "required" {
				out[name] = slices.Concat(out[name].([]any), v.([]any))
			}
		}
	}
	maps.Copy(out, o)
	if ref, ok := o["$ref"].(string); ok && depth > 0 {
		merge(m.flat(root, lookup(root, ref), depth-1))
	}
	if list, ok := o["allOf"].([]any); ok {
		for _, sub := range list {
			merge(m.flat(root, sub, depth-1))
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if list, ok := o[name].([]any); ok {
			merge(m.flat(root, pick(m, list), depth-1))
		}
	}
	for _, pair := range [][2]string{{"if", "then"}, {"else", "else"}} {
		if o["if"] != nil && m.chance(50) {
			merge(m.flat(root, o[pair[0]], depth-1))
			merge(m.flat(root, o[pair[1]], depth-1))
		}
	}
	return out
}

// lookup follows the references that are pointers to definitions.
func lookup(root any, ref string) any {
	s := root
	for name := range strings.SplitSeq(strings.Trim(ref, "#/"), "/") {
		if o, ok := s.(object); ok && name != "" {
			s = o[name]
		}
	}
	return s
}

func (m *maker) nearObject(root any, o object, depth int) any {
	out := object{}
	props, _ := o["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if m.chance(60) {
			out[name] = m.near(root, props[name], depth-1)
		}
	}
	required, _ := o["required"].([]any)
	for _, name := range required {
		if text := name.(string); out[text] == nil && m.chance(92) {
			out[text] = m.near(root, props[text], depth-1)
		}
	}
	rest := o["additionalProperties"]
	if by, ok := o["patternProperties"].(object); ok {
		rest = by[slices.Sorted(maps.Keys(by))[0]]
	}
	if rest != nil && rest != false && m.chance(70) || m.chance(20) {
		name := pick(m, names)
		if out[name] == nil {
			out[name] = m.near(root, rest, depth-1)
		}
	}
	return out
}

func (m *maker) nearArray(root any, o object, depth int) any {
	prefix, _ := o["prefixItems"].([]any)
	rest := o["items"]
	if list, ok := rest.([]any); ok {
		prefix, rest = list, o["additionalItems"]
	}
	least, most := 0, 4
	for range 3 {
		if n := m.IntN(5); n >= whole(o["minItems"], 0) && n <= whole(o["maxItems"], 9) {
			least, most = n, n
		}
	}
	out := m.list(least, most, func() any { return nil })
	for i := range out {
		s := rest
		if i < len(prefix) {
			s = prefix[i]
		}
		if o["contains"] != nil && m.chance(30) {
			s = o["contains"]
		}
		out[i] = m.near(root, s, depth-1)
	}
	if len(out) > 1 && m.chance(8) {
		out[0] = m.respell(out[len(out)-1])
	}
	return out
}

// whole reads one of the counts.
func whole(v any, otherwise int) int {
	if n, ok := v.(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return int(f)
		}
	}
	return otherwise
}

func (m *maker) nearString(o object) any {
	text := pick(m, texts)
	if p, ok := o["pattern"].(string); ok && m.chance(80) {
		text = strings.NewReplacer("^", "", "$", "", "\\d", "1", "\\w+", "a", "\\S", "c", "{2,}", "a", "\\.", ".", "[a-c]*", "ab", "(?:ab)?c?", "ab", "(a|b)", "a", "[^a]", "b").Replace(p)
	}
	for range 5 {
		if n := len([]rune(text)); n < whole(o["minLength"], 0) {
			text += pick(m, []string{"a", "b", "😀"})
		} else if n > whole(o["maxLength"], 99) {
			text = text[:len(text)/2]
		}
	}
	return strings.ToValidUTF8(text, "a")
}

func (m *maker) nearNumber(o object) any {
	var from []string
	for _, name := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		if n, ok := o[name].(json.Number); ok {
			from = append(from, n.String())
		}
	}
	if len(from) > 0 && m.chance(40) {
		return m.respell(num(pick(m, from)))
	}
	return num(pick(m, numbers))
}

// respell writes some numbers in another way.
func (m *maker) respell(v any) any {
	switch v := v.(type) {
	case json.Number:
		if text := v.String(); m.chance(30) && !strings.ContainsAny(text, "eE") {
			if strings.Contains(text, ".") {
				return num(text + "0")
			}
			return num(text + pick(m, []string{".0", "e0", "e-0", ".00E+0"}))
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = m.respell(v[i])
		}
		return out
	case object:
		out := object{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[name] = m.respell(v[name])
		}
		return out
	}
	return v
}

// spoil makes a few texts into what is not strict JSON, or is hostile; not deep
// ones for a recursive schema.
func (m *maker) spoil(raw []byte, recursive bool) []byte {
	switch m.IntN(7) {
	case 0:
		return append(raw, " 1"...)
	case 1:
		return []byte(`{"a":1,"a":` + string(raw) + `}`)
	case 2:
		return []byte("[\"\xff\"," + string(raw) + "]")
	case 3:
		return []byte(`["\ud800",` + string(raw) + "]")
	case 4:
		if recursive {
			return raw
		}
		return []byte(strings.Repeat("[", 70) + string(raw) + strings.Repeat("]", 70))
	case 5:
		return raw[:m.IntN(len(raw))]
	}
	return append([]byte(" \t\r\n"), raw...)
}
