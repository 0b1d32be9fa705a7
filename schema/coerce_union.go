package schema

import (
	"bytes"

	"helve.dev/helve/internal/jsonx"
)

// A guess finds out what a value that does not fit was meant to be. Each question costs something of its budget; when that is
// spent, nothing more is coerced.
type guess struct {
	v     *Validator
	s     *state // keeps the account
	known map[question]*settler
}

// A question is which form of a union a piece of the text was meant to be. It is asked once for each form of what holds the piece.
type question struct {
	union     *shapeUnion
	at        *byte
	size      int
	unwrapped bool
}

// affords charges for a look at text and reports whether it may be taken.
func (g *guess) affords(text []byte) bool { return g.s.fatal == 0 && g.s.spend(0, len(text)) }

// accepts reports whether the well-formed text fits n.
func (g *guess) accepts(n *node, text []byte, alone bool) bool {
	s := g.v.newState(text)
	s.mode, s.closed = probe, g.v.closed
	end := s.value(n, 0, track{}, s.closed && alone)
	g.s.work += s.work
	s.release()
	return end >= 0
}

// byName returns the shape of a property that is not listed.
func (g *guess) byName(sh *shape, name []byte) *shape {
	for _, p := range sh.patterns {
		if g.affords(name) && p.pattern.match(g.s, name) {
			return p.shape
		}
	}
	return sh.additional
}

// union settles the value at d[i] as one of the forms that it may have, when it is of none as it is and what was in quotes can be
// read in just one way that makes it fit. It returns the index after the value.
func (z *settler) union(sh *shape, i int) (end int, ok bool) {
	end = jsonx.Skip(z.d, i)
	for k := range sh.unions {
		form := z.choose(&sh.unions[k], z.d[i:end])
		if form == nil {
			continue
		}
		z.adopt(form, i)
		z.replace(i, end, string(form.out))
		z.more = true
		if z.d[i] == '{' {
			z.aliases = nil
		}
		return end, true
	}
	return end, false
}

// choose returns the outcome for the text of the form that it was meant to be, or nil.
func (z *settler) choose(u *shapeUnion, text []byte) (found *settler) {
	if z.aliases != nil { // the arguments themselves, of which there is one
		return z.tryForms(u, text)
	}
	q := question{u, &text[0], len(text), z.unwrapped}
	found, known := z.guess.known[q]
	if !known {
		found = z.tryForms(u, text)
		z.guess.known[q] = found
	}
	return found
}

func (z *settler) tryForms(u *shapeUnion, text []byte) (found *settler) {
	if !z.guess.affords(text) || z.guess.accepts(u.owner, text, u.alone) {
		return nil
	}
	for _, form := range u.forms {
		if !z.guess.affords(text) {
			return nil
		}
		inner := &settler{d: text, aliases: z.aliases, coercing: true, unwrapped: z.unwrapped, guess: z.guess}
		inner.value(form.shape, 0)
		inner.out, inner.copied = inner.finish(), len(text)
		switch {
		case !z.guess.accepts(form.node, inner.out, u.alone):
		case len(inner.coerced) == 0:
			return nil // it fits without
		case found == nil:
			found = inner
		case !bytes.Equal(found.out, inner.out):
			return nil // it may be one or the other
		}
	}
	return found
}
