package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/plain"
)

// A matter is a mail and what the rules make of it.
type matter struct {
	msg daytools.Message
	// day is the day of the mail in the person's zone. Zero: not known.
	day     day.Date
	subject string // without "Re:"
	reply   bool   // it begins with "Re:" or the like

	automatic bool // a newsletter or a notification
	orders    bool // it speaks to a program
	handover  bool // it asks to pass on mail, money or passwords: shown, no task

	ask   ask
	quote string // the sentence that asks

	// due is the first deadline from today on. Zero: none, or none that is sure.
	due day.Date
	// phrase is how the mail says it.
	phrase string
	// unsure says that a deadline is named that can't be told.
	unsure bool
	// past is the last day of a request whose time is over. Zero: it is not.
	past day.Date
	// missed says that past is a deadline.
	missed bool
	// settled says that its sender went on in the same thread without asking.
	settled bool
	doubts  []string

	thread *thread
}

// wants reports whether a mail is to be shown as one that asks for something.
func (m *matter) wants() bool {
	return !m.automatic && !m.orders && !m.settled && m.past.IsZero() && m.asks()
}

// asks reports whether a mail asks for something or names a deadline.
func (m *matter) asks() bool {
	return m.ask != askNothing || !m.due.IsZero() || m.unsure || !m.past.IsZero()
}

// study looks at the mail, newest first.
func (r *rules) study(h *history) []*matter {
	var out []*matter
	for _, msg := range h.inbox.data.Messages {
		out = append(out, r.look(msg))
	}
	slices.SortStableFunc(out, func(a, b *matter) int {
		return cmp.Or(b.msg.Date.Compare(a.msg.Date), strings.Compare(a.msg.ID, b.msg.ID), strings.Compare(a.msg.Subject, b.msg.Subject))
	})
	link(out)
	return out
}

// prefix is what mail programs put before a subject.
var prefix = regexp.MustCompile(`(?i)^\s*((re|fwd?|aw|wg|sv|tr)(\[\d+\])?\s*:|\[[^\]]{0,40}\]\s*(re|fwd?)\s*:)\s*`)

// bare returns a subject without "Re:", and whether it had one.
func bare(subject string) (string, bool) {
	subject = plain.Line(subject)
	reply := false
	for {
		cut := prefix.FindString(subject)
		if cut == "" {
			return subject, reply
		}
		subject, reply = strings.TrimSpace(subject[len(cut):]), true
	}
}

// look reads one mail.
func (r *rules) look(msg daytools.Message) *matter {
	msg.From, msg.Subject = cutBytes(msg.From, maxHeader), cutBytes(msg.Subject, maxHeader)
	msg.FromName, msg.Body = cutBytes(msg.FromName, maxHeader), cutBytes(msg.Body, maxText)
	m := &matter{msg: msg}
	if !msg.Date.IsZero() {
		m.day = day.Of(msg.Date.In(r.zone))
	}
	m.subject, m.reply = bare(msg.Subject)
	text := ownText(msg.Body)
	m.orders = speaksToProgram(plain.Text(msg.Body)) || speaksToProgram(m.subject)
	m.automatic = automatic(msg.From, msg.Subject, plain.Text(msg.Body))
	var s scan
	for _, sentence := range sentences(text) {
		s.take(sentence, m.day)
	}
	if !m.reply {
		s.subject = true
		s.take(m.subject, m.day)
	}
	if nothingAsked.in(strings.ToLower(text)) {
		s.drop()
	}
	r.conclude(m, &s)
	return m
}

// A scan collects what the sentences of a mail say.
type scan struct {
	subject bool // the subject is being looked at

	ask      ask
	quote    string
	weight   int // of the quote
	handover bool
	// deadlines are sure, doubtful are not.
	deadlines []deadline
	doubtful  []mention
	// named are other days from the day of the mail on, and asked those of them
	// that stand where something is asked for.
	named, asked []day.Date
	doubts       []string
}

// A deadline is a day and how the mail says it.
type deadline struct {
	day    day.Date
	phrase string
}

// drop forgets what was asked for.
func (s *scan) drop() { *s = scan{doubts: s.doubts} }

// take reads one sentence.
func (s *scan) take(text string, base day.Date) {
	kind := asks(text)
	if s.subject && kind == askNothing && strings.HasSuffix(text, "?") && strings.Contains(text, " ") {
		kind = askReply
	}
	due := false
	if found := dates(words(text), base); len(found) > 0 {
		r := readingOf(text, kind)
		for _, m := range found {
			due = s.mention(text, &r, m, base) || due
		}
	}
	if kind != askNothing && handover.MatchString(strings.ToLower(text)) {
		s.handover = true
	}
	weight := 0
	switch {
	case kind != askNothing && due:
		weight = 5
	case kind == askDeed:
		weight = 4
	case kind == askReply:
		weight = 3
	case due:
		weight = 2
	}
	if s.subject {
		weight = min(weight, 1)
	}
	if weight > s.weight {
		s.weight, s.quote, s.ask = weight, text, max(kind, s.ask)
		if weight > 2 {
			s.ask = kind
		}
	}
	if s.ask == askNothing {
		s.ask = kind
	}
}

// mention takes in a day, and reports whether it is a deadline.
func (s *scan) mention(text string, r *reading, m mention, base day.Date) bool {
	due, before := r.isDeadline(m)
	if m.doubt != "" {
		if !m.weak || due {
			s.doubts = append(s.doubts, m.doubt)
		}
		if due {
			s.doubtful = append(s.doubtful, m)
		}
		return due
	}
	if m.day.Before(base) {
		return false
	}
	if !due {
		if m.weak {
			return false
		}
		s.named = append(s.named, m.day)
		if r.kind != askNothing {
			s.asked = append(s.asked, m.day)
		}
		return false
	}
	got := m.day
	if before && got.After(base) {
		got = got.AddDays(-1)
	}
	from := m.from
	for from > 0 && from > m.from-4 && r.is(from-1, between...) {
		from--
	}
	if r.is(from-1, "by", "before", "due", "until", "till") {
		from--
	} else {
		from = m.from
	}
	s.deadlines = append(s.deadlines, deadline{got, text[r.at(from).start:r.at(m.to-1).end]})
	return true
}

// conclude decides on a mail.
func (r *rules) conclude(m *matter, s *scan) {
	m.ask, m.quote, m.handover = s.ask, s.quote, s.handover
	slices.Sort(s.doubts)
	m.doubts = slices.Compact(s.doubts)
	m.unsure = len(s.doubtful) > 0
	var last day.Date
	for _, d := range s.deadlines {
		switch {
		case d.day.Before(r.today):
			last = later(last, d.day)
		case m.due.IsZero() || d.day.Before(m.due):
			m.due, m.phrase = d.day, d.phrase
		}
	}
	for _, d := range s.doubtful {
		// Even a week after what the mail may have meant, it may not be over.
		if !d.doubted.IsZero() && d.doubted.AddDays(7).Before(r.today) {
			m.unsure = false
			last = later(last, d.doubted)
		}
	}
	if m.unsure {
		m.due, m.phrase = day.Date{}, ""
	}
	if m.due.IsZero() && !m.unsure {
		m.past, m.missed = last, !last.IsZero()
	}
	if len(s.deadlines) == 0 && len(s.doubtful) == 0 {
		m.past = r.over(m.ask, s)
	}
}

// over returns the last of the days that a request is about, if all of them are
// past. For an answer those are all that the mail names, else those that stand
// beside the request.
func (r *rules) over(kind ask, s *scan) day.Date {
	about := s.asked
	if kind == askReply {
		about = s.named
	}
	var last day.Date
	for _, d := range about {
		last = later(last, d)
	}
	if kind == askNothing || !last.Before(r.today) {
		return day.Date{}
	}
	return last
}

// later returns the later of two days; zero is earlier than any.
func later(a, b day.Date) day.Date {
	if a.IsZero() || b.After(a) {
		return b
	}
	return a
}
