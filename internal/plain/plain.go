// Package plain reads and writes plain Go types as JSON faster than a general codec can.
//
// It knows one thing: what json/v2 does with the plain part of Go. Whatever is not plain, in the type or in the value, it leaves
// to json/v2: a part of a type by a call of it, a text or a value by saying that it cannot. So there is one meaning, and json/v2
// has it.
package plain

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// types says which types are plain.
type types struct {
	special []reflect.Type // the options read and write them
	methods []reflect.Type // who has one reads or writes itself
}

// own reports whether t reads or writes itself, or the options do.
func (k *types) own(t reflect.Type) bool {
	return slices.Contains(k.special, t) || slices.ContainsFunc(k.methods, reflect.PointerTo(t).Implements)
}

// A member is an exported field of a plain struct.
type member struct {
	reflect.StructField
	name                string // in JSON; it needs no escapes
	omitZero, omitEmpty bool
}

// members returns those of the struct type t, or false where its tags ask for more than plain things.
func members(t reflect.Type) (out []member, ok bool) {
	seen := map[string]bool{}
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		switch {
		case f.Anonymous, tagged && !f.IsExported():
			return nil, false
		case tag == "-", !f.IsExported():
			continue
		}
		m := member{StructField: f}
		name, options, _ := strings.Cut(tag, ",")
		if m.name = name; name == "" {
			m.name = f.Name
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "":
			case "omitzero":
				m.omitZero = true
			case "omitempty":
				m.omitEmpty = true
			default:
				return nil, false
			}
		}
		if seen[m.name] || m.name == "-" || strings.ContainsFunc(m.name, isOdd) {
			return nil, false
		}
		seen[m.name] = true
		out = append(out, m)
	}
	return out, true
}

// isOdd reports whether a name with r in it has to be escaped, or quoted in a tag, or cannot be written at all.
func isOdd(r rune) bool { return r < ' ' || r == utf8.RuneError || strings.ContainsRune("'\"\\`", r) }
