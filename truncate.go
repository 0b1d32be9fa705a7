package helve

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// cutData returns a part of data of at most limit bytes that is valid JSON and
// passes valid, and says what was kept. The largest list or text in it is cut,
// at whole items, lines or characters. Where no such cut is valid, the data is
// left out. A nil Truncated says that data fits as it is.
func cutData(data jsontext.Value, limit int, valid func([]byte) bool) (jsontext.Value, *Truncated) {
	if len(data) <= limit {
		return nil, nil
	}
	path, part := largest(data)
	if part != nil {
		put := func(v jsontext.Value) jsontext.Value { return replaceAt(data, path, v) }
		room := limit - (len(data) - len(part))
		if v, t := cutPart(part, room); t != nil && valid(put(v)) {
			t.Path = pointerOf(path)
			return put(v), t
		}
	}
	return nil, &Truncated{Kept: 0, Total: len(data), Unit: "bytes"}
}

// largest finds the list or text that takes most of the room: down through
// objects into the largest member, and through a list only into an item that is
// most of it. Else the list is what is cut.
func largest(data jsontext.Value) (path []string, part jsontext.Value) {
	for {
		var parts []field
		switch data.Kind() {
		case '{':
			parts = members(data)
		case '[':
			for i, item := range elements(data) {
				parts = append(parts, field{strconv.Itoa(i), item})
			}
		case '"':
			return path, data
		default:
			return nil, nil
		}
		var big field
		for _, f := range parts {
			if k := f.value.Kind(); (k == '{' || k == '[' || k == '"') && len(f.value) > len(big.value) {
				big = f
			}
		}
		switch {
		case data.Kind() == '[' && 4*len(big.value) < 3*len(data):
			return path, data
		case big.value == nil:
			return nil, nil
		}
		path, data = append(path, big.name), big.value
	}
}

func replaceAt(data jsontext.Value, path []string, v jsontext.Value) jsontext.Value {
	if len(path) == 0 {
		return v
	}
	if data.Kind() == '[' {
		items := elements(data)
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(items) {
			return data
		}
		items[i] = replaceAt(items[i], path[1:], v)
		return arrayOf(items)
	}
	return withMember(data, path[0], replaceAt(member(data, path[0]), path[1:], v))
}

func pointerOf(path []string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(p))
	}
	return b.String()
}

// cutPart cuts a list or a text to at most room bytes of JSON.
func cutPart(part jsontext.Value, room int) (jsontext.Value, *Truncated) {
	if part.Kind() == '[' {
		return cutList(part, room)
	}
	text, err := unquote(part)
	if err != nil {
		return nil, nil
	}
	return cutText(text, room)
}

func cutList(all jsontext.Value, room int) (jsontext.Value, *Truncated) {
	items := elements(all)
	kept, size := 0, len("[]")
	for _, item := range items {
		add := len(item)
		if kept > 0 {
			add++
		}
		if size+add > room {
			break
		}
		size += add
		kept++
	}
	if room < len("[]") {
		return nil, nil
	}
	return arrayOf(items[:kept]), &Truncated{Kept: kept, Total: len(items), Unit: "items"}
}

// arrayOf writes items as a JSON array.
func arrayOf(items []jsontext.Value) jsontext.Value {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}

func elements(list jsontext.Value) []jsontext.Value {
	dec := jsontext.NewDecoder(strings.NewReader(string(list)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var out []jsontext.Value
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return out
		}
		out = append(out, v.Clone())
	}
	return out
}

// cutText keeps whole lines where that leaves at least half of what fits, else
// whole characters.
func cutText(text string, room int) (jsontext.Value, *Truncated) {
	if room < len(`""`) {
		return nil, nil
	}
	end := fitQuoted(text, room)
	if nl := strings.LastIndexByte(text[:end], '\n'); nl+1 >= end/2 && nl >= 0 {
		kept := text[:nl+1]
		return quote(kept), &Truncated{Kept: strings.Count(kept, "\n"), Total: countLines(text), Unit: "lines"}
	}
	kept := text[:wholeCharacter(text, end)]
	return quote(kept), &Truncated{Kept: utf8.RuneCountInString(kept), Total: utf8.RuneCountInString(text), Unit: "characters"}
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 is replaced, not refused
	return b
}

// fitQuoted returns how many bytes of text fit into room once quoted, at a
// rune's border.
func fitQuoted(text string, room int) int {
	most := min(len(text), room)
	end := sort.Search(most, func(n int) bool { return len(quote(text[:runeStart(text, n+1)])) > room })
	return runeStart(text, end)
}

func runeStart(text string, n int) int {
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// wholeCharacter moves a cut back to where no character that a reader sees is
// torn: not before a joiner, a variation selector, a combining mark or a skin
// tone, nor after a joiner, nor within a pair that makes a flag.
func wholeCharacter(text string, end int) int {
	for end > 0 && end < len(text) {
		next, _ := utf8.DecodeRuneInString(text[end:])
		last, size := utf8.DecodeLastRuneInString(text[:end])
		joined := next == zwj || last == zwj || unicode.Is(unicode.M, next) || next >= 0x1F3FB && next <= 0x1F3FF ||
			isFlag(next) && isFlag(last) && flagsBefore(text[:end])%2 == 1
		if !joined {
			break
		}
		end -= size
	}
	return end
}

const zwj = 0x200D

func isFlag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

func flagsBefore(s string) int {
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeLastRuneInString(s)
		if !isFlag(r) {
			break
		}
		s = s[:len(s)-size]
		n++
	}
	return n
}

// next says how to ask for the rest, where the contract declares paging. What
// was cut within an item of a list is no page.
func (f *flight) next(t *Truncated) string {
	arg := f.tool.c.Paging.Offset
	if arg == "" || insideItem.MatchString(t.Path) || t.Kept == 0 || t.Unit != "items" && t.Unit != "lines" {
		return ""
	}
	offset := 0
	if v := member(f.args, arg); v.Kind() == '0' {
		n, err := strconv.Atoi(string(v))
		if err != nil {
			return ""
		}
		offset = n
	}
	return fmt.Sprintf("call again with %s %d", arg, offset+t.Kept)
}

var insideItem = regexp.MustCompile(`/[0-9]+(/|$)`)

// clip shortens text for a message, at a rune's border and to at most n bytes
// with its mark.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "..."
	return s[:wholeCharacter(s, runeStart(s, n-len(mark)))] + mark
}
