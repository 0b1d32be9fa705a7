package offline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// maxKey is how long a key of a task may be.
const maxKey = 64

// A thread is mail with one subject that belongs together.
type thread struct {
	// key names the task of the thread.
	key string
	// stem is the key without its day.
	stem string
	// first is the day of its first mail.
	first day.Date
	// rootless says that the mail that began it is not here.
	rootless bool

	sender string // of the latest mail that was no answer
	last   day.Date
}

// sameThread is for how many days mail with the same subject from the same
// sender is one thread though it is no answer.
const sameThread = 3

// link puts mail, which comes newest first, into threads. It goes from the
// oldest mail on, so that a thread keeps its key when more mail comes.
func link(mail []*matter) {
	bySubject := map[string][]*thread{}
	taken := map[string]bool{}
	for i := len(mail) - 1; i >= 0; i-- {
		m := mail[i]
		folded := strings.ToLower(m.subject)
		sender := strings.ToLower(m.msg.From)
		m.thread = join(bySubject[folded], m, sender)
		if m.thread == nil {
			m.thread = &thread{stem: stem(m.subject), first: m.day, rootless: m.reply}
			m.thread.key = freeKey(m.thread.stem, m.day, taken)
			bySubject[folded] = append(bySubject[folded], m.thread)
		}
		if !m.reply {
			m.thread.sender = sender
		}
		m.thread.last = m.day
	}
	settle(mail)
}

// join returns the thread of several with one subject that a mail belongs to.
func join(threads []*thread, m *matter, sender string) *thread {
	for i := len(threads) - 1; i >= 0; i-- {
		t := threads[i]
		if m.reply || t.sender == sender && !m.day.After(t.last.AddDays(sameThread)) {
			return t
		}
	}
	return nil
}

// settle marks the questions whose sender went on without asking again: what
// comes after "Re:" is then an answer to an answer.
func settle(mail []*matter) {
	type who struct {
		thread *thread
		from   string
	}
	went := map[who]bool{}
	for _, m := range mail {
		w := who{m.thread, strings.ToLower(m.msg.From)}
		m.settled = m.ask == askReply && m.due.IsZero() && !m.unsure && went[w]
		if m.reply && !m.asks() {
			went[w] = true
		}
	}
}

// freeKey returns a key that no other thread has.
func freeKey(stem string, d day.Date, taken map[string]bool) string {
	when := d.String()
	if when == "" {
		when = "undated"
	}
	key := stem + "-" + when
	for n := 2; taken[key]; n++ {
		end := fmt.Sprintf("-%d", n)
		key = cutBytes(stem, maxKey-len(when)-1-len(end)) + "-" + when + end
	}
	taken[key] = true
	return key
}

// stem returns what a key has of a subject: what is readable of it, and a part
// of its hash where that is not all.
func stem(subject string) string {
	const room = maxKey - len("-2006-01-02") - len("mail-")
	var b strings.Builder
	whole := true
	for _, r := range norm.NFD.String(strings.ToLower(subject)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.M, r), r == '\'':
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsSymbol(r) && r > unicode.MaxASCII:
			whole = false
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > room {
			whole = false
			break
		}
	}
	slug := strings.Trim(b.String(), "-")
	if whole && slug != "" && len(slug) <= room {
		return "mail-" + slug
	}
	sum := sha256.Sum256([]byte(strings.ToLower(subject)))
	hash := hex.EncodeToString(sum[:3])
	slug = strings.Trim(cutBytes(slug, room-len(hash)-1), "-")
	if slug == "" {
		return "mail-" + hash
	}
	return "mail-" + slug + "-" + hash
}
