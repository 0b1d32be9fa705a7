package schema

import (
	"regexp/syntax"
	"unicode/utf8"
)

// A simplePattern is a pattern such as ^cal_[a-z0-9]{8}$: from the beginning to the end a row of ASCII characters or classes, each
// a number of times. Most patterns of real tools are, and then a loop over the bytes does what package regexp needs ten times
// as long for.
type simplePattern []simpleItem

type simpleItem struct {
	set      [2]uint64 // of ASCII characters
	min, max int       // max -1: any number
}

// newSimplePattern returns nil for what is not simple. A class that may repeat has to share no character with what may follow, so
// that the text can be read without ever going back.
func newSimplePattern(translated string) simplePattern {
	re, err := syntax.Parse(translated, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || len(re.Sub) < 3 || re.Sub[0].Op != syntax.OpBeginText || re.Sub[len(re.Sub)-1].Op != syntax.OpEndText {
		return nil
	}
	var p simplePattern
	for _, sub := range re.Sub[1 : len(re.Sub)-1] {
		least, most := 1, 1
		switch sub.Op {
		case syntax.OpRepeat:
			least, most = sub.Min, sub.Max
		case syntax.OpStar:
			least, most = 0, -1
		case syntax.OpPlus:
			least, most = 1, -1
		case syntax.OpQuest:
			least, most = 0, 1
		}
		if sub.Op == syntax.OpRepeat || sub.Op == syntax.OpStar || sub.Op == syntax.OpPlus || sub.Op == syntax.OpQuest {
			if sub = sub.Sub[0]; len(sub.Rune) > 1 && sub.Op == syntax.OpLiteral {
				return nil
			}
		}
		items := simpleItems(sub, least, most)
		if items == nil {
			return nil
		}
		p = append(p, items...)
	}
	if !p.deterministic() {
		return nil
	}
	return p
}

func simpleItems(re *syntax.Regexp, least, most int) (items []simpleItem) {
	if re.Flags&syntax.FoldCase != 0 {
		return nil
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf {
				return nil
			}
			item := simpleItem{min: least, max: most}
			item.set[r/64] |= 1 << (r % 64)
			items = append(items, item)
		}
	case syntax.OpCharClass:
		item := simpleItem{min: least, max: most}
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i+1] >= utf8.RuneSelf {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				item.set[r/64] |= 1 << (r % 64)
			}
		}
		items = append(items, item)
	}
	return items
}

// deterministic reports whether no item that may occur in several numbers can take a character of what may come right after it.
func (p simplePattern) deterministic() bool {
	for i, item := range p {
		if item.min == item.max {
			continue
		}
		for _, next := range p[i+1:] {
			if item.set[0]&next.set[0] != 0 || item.set[1]&next.set[1] != 0 {
				return false
			}
			if next.min > 0 {
				break
			}
		}
	}
	return true
}

func (p simplePattern) match(text []byte) bool {
	at := 0
	for i := range p {
		item, n := &p[i], 0
		for at < len(text) && n != item.max {
			if c := text[at]; c >= utf8.RuneSelf || item.set[c/64]&(1<<(c%64)) == 0 {
				break
			}
			at++
			n++
		}
		if n < item.min {
			return false
		}
	}
	return at == len(text)
}
