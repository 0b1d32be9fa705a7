package offline

import (
	"regexp"
	"strings"
)

// between are the words that may stand between "by" and its day.
var between = []string{
	"the", "on", "this", "next", "coming", "at", "noon", "midday", "midnight", "of", "end", "close", "business", "day", "eod", "cob",
	"morning", "afternoon", "evening", "latest", "am", "pm", "a", "p", "m", "o", "clock", "'", ":", ".", ",", "(", "-", "is", "was", "are",
	"date", "than", "no", "not", "later", "your", "local", "time", "early", "mid", "around", "about", "utc", "gmt", "cet",
	"h", "hours", ")", "play", "lunchtime", "lunch", "first", "thing", "tonight",
}

var (
	// deliver are deeds that a day beside them is meant for, and occasion what a
	// day belongs to instead of a deed.
	deliver = regexp.MustCompile(`\b(send|submit|return|sign|complete|finish|upload|deliver|hand in|file|pay|call|phone|ring|bring|do this|do it|get (it|this|them) (to|done|back)|have (it|this|them))\b`)
	// promise is what somebody else will do.
	promise = regexp.MustCompile(`\b(i|we|he|she|they|it|this|that|\w+s?) ?('ll|will|am going to|are going to|is going to|plan to|plans to|hope to|hopes to|expect to|expects to|shall|promise to|aim to)\b|` +
		`\b(i|we) (can|could|'m|'re|am|are|have|had|need to|must|want to)\b|\b(let me|i'd)\b`)
	needed = regexp.MustCompile(`\b(needs?|needed|required|requires?|must|deadline|due|expected|have to|has to|outstanding)\b`)
	// handover asks for what a mail alone is no reason to give.
	handover = regexp.MustCompile(`(^|please,? |kindly |(could|can|would|will) you (please )?|and )forward\b|\b(send|e-?mail|share|give|reply|transfer|wire|pay)\b.{0,160}\b(to|with)\b.{0,60}\S@\S|` +
		`\b(passwords?|passcode|pin code|login details|credentials|gift cards?)\b`)
	openUntil = regexp.MustCompile(`\byou('ve| have) (got )?(time )?until\b|\b(until|till)\b.{0,40}\bto (reply|respond|answer|register|apply|decide|confirm|submit|pay)\b|\b(registration|applications?|submissions?)\b`)
)

// occasions are what takes place on a day: the day is not when something about
// them has to be done.
var occasions = []string{
	"meeting", "call", "lunch", "dinner", "breakfast", "party", "event", "session", "visit", "trip", "appointment", "interview", "conference",
	"workshop", "demo", "class", "wedding", "birthday", "presentation", "reunion", "concert", "show", "game", "match", "flight", "hike", "drinks",
	"coffee", "talk", "course", "seminar", "webinar", "sync", "celebration", "ceremony", "retreat", "mail", "email", "letter", "invoice", "delivery",
	"there", "free", "available", "come", "join", "meet", "attend", "went", "place", "happens", "starts", "begins",
}

// A reading is what a sentence says about the days in it.
type reading struct {
	cursor
	kind ask
	// promised says that the days are for somebody else.
	promised, needed, delivers, until bool
}

// readingOf reads a sentence that asks for something of a kind.
func readingOf(text string, kind ask) reading {
	low := strings.ToLower(text)
	r := reading{cursor: words(text), kind: kind, needed: needed.MatchString(low)}
	r.promised = kind == askNothing && !r.needed && promise.MatchString(low)
	r.delivers = kind == askDeed && deliver.MatchString(low)
	r.until = kind != askNothing || openUntil.MatchString(low)
	return r
}

// isDeadline reports whether a day is named as a deadline, and whether the
// deadline ends before that day.
func (r *reading) isDeadline(m mention) (due, before bool) {
	if r.promised {
		return false, false
	}
	switch mark, near := marker(r.cursor, m.from); {
	case mark == "until" || mark == "till" || mark == "til":
		return r.until, false
	case mark == "before":
		return true, near && !m.period
	case mark != "":
		return true, false
	}
	if m.within && (r.kind != askNothing || r.needed) || after(r.cursor, m.to) {
		return true, false
	}
	return r.delivers && !m.weak && belongs(r.cursor, m), false
}

// marker returns the word before the day at i that makes it a deadline, and
// whether nothing but the day follows it. Empty: there is none.
func marker(c cursor, i int) (mark string, near bool) {
	near = true
	for k := i - 1; k >= 0 && k >= i-9; k-- {
		switch {
		case c.is(k, "before") && c.is(k-1, "or"):
			return "by", near
		case c.is(k, "by", "before", "until", "till", "til", "closes", "close", "expires", "deadline"):
			if c.is(k, "close") && c.is(k+1, "of") {
				break
			}
			return c.at(k).low, near
		case c.is(k, "due") && !c.is(k+1, "to"):
			return "due", near
		case c.is(k, "than") && c.is(k-1, "later"), c.is(k, "latest") && c.is(k-1, "the"), c.is(k, "rsvp"):
			return c.at(k).low, near
		}
		w := c.at(k)
		if w.number() < 0 && !c.is(k, between...) {
			break
		}
		near = near && c.is(k, "the", "on", "this", "next", "coming", "(", ",")
	}
	for k := max(0, i-14); k < i; k++ {
		if c.is(k, "deadline") && !c.is(k-1, "no") {
			return "deadline", false
		}
	}
	return "", false
}

// after reports whether words after a day make it a deadline.
func after(c cursor, to int) bool {
	for _, p := range []string{
		"at the latest", "at latest", "latest", "or earlier", "or sooner", "or before", "is the deadline", "is the last day", "is our deadline",
		"is the latest", "deadline", "is when it is due", "is the due date",
	} {
		for at := to; at <= to+8 && at < len(c); at++ {
			if c.follow(at, p) > 0 {
				return true
			}
			if c.at(at).number() < 0 && !c.is(at, between...) {
				break
			}
		}
	}
	return false
}

// belongs reports whether a day belongs to the deed of a sentence and not to an
// occasion or a document beside it.
func belongs(c cursor, m mention) bool {
	k := m.from - 1
	if c.is(k, "of", "from", "since", "dated", "after", "for") {
		return false
	}
	for c.is(k, "on", "at", "the", "this", "next", ",", "(", "noon", "morning") {
		k--
	}
	for back := k; back > k-3 && back >= 0; back-- {
		if c.is(back, occasions...) && !c.is(back, "call") || c.is(back, "call") && c.is(back-1, "the", "our", "a", "your") {
			return false
		}
	}
	return true
}
