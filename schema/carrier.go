package schema

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"helve.dev/helve/internal/jsonx"
)

// A carrier is what the Go type that a value is read into can hold, where the document of an inferred schema does not say it: an
// int has 64 bits, though its document is {"type":"integer"}. Compile enforces it, so that what is valid can be decoded. It stays
// with the [Schema] that [Of] has returned and is lost when the document is written and parsed again; then the decoder is the one
// to refuse.
type carrier struct {
	min, max limit // not set: no bound
	digits   int64 // how many digits a number may have that is not spelled with digits only; 0: any
	text     func(text []byte) bool
	want     string // what text takes, for messages
}

// While a schema is inferred, carriers stand in it under names that no document has. Schema.carried has them afterwards.
const (
	carrierWord = "\x00carrier"
	namesWord   = "\x00names" // the carrier of an object's property names
)

var ratType = reflect.TypeFor[big.Rat]()

// carrierTypes are the types of the standard library that read themselves from text, and refuse more than their schema says.
var carrierTypes = []struct {
	typ  reflect.Type
	name string
	want string
}{
	{timeType, "time", "a date and time such as 2026-01-31T09:30:00Z"},
	{durationType, "duration", "a duration such as 1h30m"},
	{urlType, "url", "a URI such as https://example.com/a"},
	{reflect.TypeFor[netip.Addr](), "addr", "an IP address such as 192.0.2.1"},
	{reflect.TypeFor[netip.AddrPort](), "addrport", "an IP address and port such as 192.0.2.1:80"},
	{reflect.TypeFor[netip.Prefix](), "prefix", "an IP network such as 192.0.2.0/24"},
	{ratType, "rat", "a fraction such as 1/3"},
	{reflect.TypeFor[big.Float](), "bigfloat", "a number such as 1.5"},
}

// carries marks b with the carrier of t, when it has one.
func (b *Builder) carries(t reflect.Type) *Builder {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return b.Set(carrierWord, "int64")
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return b.Set(carrierWord, "uint64")
	case reflect.Float32, reflect.Float64:
		return b.Set(carrierWord, t.Kind().String())
	case reflect.Slice:
		return b.Set(carrierWord, "base64")
	case reflect.Array:
		return b.Set(carrierWord, "base64:"+strconv.Itoa(t.Len()))
	}
	return b
}

// carriesText is carries for the types that read themselves from text.
func (b *Builder) carriesText(t reflect.Type) *Builder {
	for _, known := range carrierTypes {
		if t == known.typ {
			return b.Set(carrierWord, known.name)
		}
	}
	return b
}

// carrierNamed makes the carrier of a name. "text:" before the name of a number's kind means such a number in a string.
func carrierNamed(name string) *carrier {
	if kind, ok := strings.CutPrefix(name, "text:"); ok {
		return &carrier{text: numberText(kind), want: "a number in a string that fits " + strings.TrimLeft(kind, "uintfloa") + " bits"}
	}
	if length, ok := strings.CutPrefix(name, "base64"); ok {
		return &carrier{text: base64Text(length), want: "base64" + strings.Replace(length, ":", " of bytes, as many as ", 1)}
	}
	for _, known := range carrierTypes {
		if known.name == name {
			return &carrier{text: selfReading(known.typ), want: known.want}
		}
	}
	switch name {
	case "int64":
		return &carrier{min: decimalLimit("-9223372036854775808"), max: decimalLimit("9223372036854775807")}
	case "uint64":
		return &carrier{max: decimalLimit("18446744073709551615")}
	case "float32": // the shortest text of the greatest float32 is a little more than its value
		return &carrier{min: decimalLimit("-3.4028235e38"), max: decimalLimit("3.4028235e38")}
	case "float64":
		return &carrier{min: decimalLimit("-1.7976931348623157e308"), max: decimalLimit("1.7976931348623157e308")}
	}
	return &carrier{digits: maxIntegerDigits}
}

// maxIntegerDigits is how far jsonx.Integral expands an integer for the decoder.
const maxIntegerDigits = 40

func decimalLimit(text string) limit {
	v, err := jsonx.ParseDecimal([]byte(text))
	return limit{set: err == nil, text: []byte(text), value: v}
}

// selfReading reports whether a text is one that the type reads.
func selfReading(t reflect.Type) func([]byte) bool {
	switch t {
	case timeType:
		return func(text []byte) bool { var v time.Time; return v.UnmarshalText(text) == nil }
	case durationType:
		return func(text []byte) bool { _, err := time.ParseDuration(string(text)); return err == nil }
	case urlType:
		return func(text []byte) bool { _, err := url.Parse(string(text)); return err == nil }
	}
	return func(text []byte) bool {
		if e := bytes.IndexAny(text, "eEpP"); t == ratType && e >= 0 && len(text)-e > len("e+1000") {
			return false // nothing writes it, and it would have to be expanded
		}
		return len(text) <= 1<<16 && reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText(slices.Clone(text)) == nil
	}
}

// numberText reports whether a text is a number that a Go number of the kind holds.
func numberText(kind string) func([]byte) bool {
	name := strings.TrimRight(kind, "0123456789")
	bits, _ := strconv.Atoi(kind[len(name):])
	return func(text []byte) (ok bool) {
		var err error
		switch name {
		case "int":
			_, err = strconv.ParseInt(string(text), 10, bits)
		case "uint":
			_, err = strconv.ParseUint(string(text), 10, bits)
		default:
			end, isNumber := 0, len(text) > 0 && (text[0] == '-' || isDigit(text[0]))
			if isNumber {
				end, isNumber = jsonx.Number(text, 0)
			}
			if !isNumber || end != len(text) {
				return false
			}
			_, err = strconv.ParseFloat(string(text), bits)
		}
		return err == nil
	}
}

// base64Text reports whether a text is base64 (RFC 4648, section 4, padded) of as many bytes as length says; "" is any number.
func base64Text(length string) func([]byte) bool {
	want, err := strconv.Atoi(strings.TrimPrefix(length, ":"))
	if err != nil {
		want = -1
	}
	return func(text []byte) bool {
		pad := 0
		for pad < 2 && pad < len(text) && text[len(text)-1-pad] == '=' {
			pad++
		}
		for _, c := range text[:len(text)-pad] {
			if !isAlphanumeric(c) && c != '+' && c != '/' {
				return false
			}
		}
		return len(text)%4 == 0 && (want < 0 || base64.StdEncoding.DecodedLen(len(text))-pad == want)
	}
}

// document takes the carriers out of what was built.
func (b *Builder) document() (*Schema, error) {
	t, err := parseTree(b.render())
	if err != nil {
		return nil, err
	}
	s := &Schema{carried: map[string]string{}}
	s.raw = s.withoutCarriers(nil, t, "")
	return s, nil
}

func (s *Schema) withoutCarriers(dst []byte, t *tree, place string) []byte {
	start := len(dst)
	switch t.kind {
	case '{':
		dst = append(dst, '{')
		marked := false
		for _, m := range t.members {
			if m.name == carrierWord || m.name == namesWord {
				s.carried[m.name+place], marked = m.value.str, true
				continue
			}
			if len(dst) > start+1 {
				dst = append(dst, ',')
			}
			dst = append(jsonx.AppendQuote(dst, m.name), ':')
			dst = s.withoutCarriers(dst, m.value, place+"/"+escapePointer(m.name))
		}
		if marked && len(dst) == start+1 {
			return append(dst[:start], "true"...)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, item := range t.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = s.withoutCarriers(dst, item, place+"/"+strconv.Itoa(i))
		}
		return append(dst, ']')
	}
	return append(dst, t.raw...)
}

// carry gives the node the carrier that an inferred schema has at its place.
func (c *compiler) carry(n *node) {
	if name := c.carried[carrierWord+n.place]; name != "" {
		n.carrier = carrierNamed(name)
	}
}

// carryNames does so for the names of its properties.
func (c *compiler) carryNames(n *node) {
	name := c.carried[namesWord+n.place]
	if name == "" {
		return
	}
	o := n.object()
	if o.names == nil {
		o.names = &node{res: n.res, place: n.place, raw: []byte("true"), types: tAny}
		c.order = append(c.order, o.names)
	}
	o.names.carrier = carrierNamed(name)
}

// carriesNumber reports a number that the Go type cannot hold. Those of up to 18 digits it can; the document says the rest.
func (s *state) carriesNumber(n *node, i, end int, v jsonx.Decimal) bool {
	c, f := n.carrier, fault{at: i, end: end, node: n}
	switch {
	case c.min.set && v.Compare(c.min.value) < 0:
		f.kind, f.name = belowCarrier, string(c.min.text)
	case c.max.set && v.Compare(c.max.value) > 0:
		f.kind, f.name = aboveCarrier, string(c.max.text)
	case c.digits > 0 && !plainInteger(s.d[f.at:f.end]):
		if s.scratch, _ = v.AppendInteger(s.scratch[:0], c.digits); len(s.scratch) > 0 {
			return true
		}
		f.kind = outOfRange
	default:
		return true
	}
	return s.fault(f)
}
