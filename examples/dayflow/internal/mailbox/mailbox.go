// Package mailbox reads a person's mail from files: a folder of .eml files, a
// Maildir or an mbox. It only reads; nothing is marked, moved or written.
//
// Mail is written by strangers, so a message never decides more than its own
// fate: one that can't be read is left out, counted and named in
// [Box.Skipped], and the others are still there.
package mailbox

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"helve.dev/helve/examples/dayflow/internal/day"
)

// MaxSize is the largest message that is read, in bytes. A larger one is
// skipped.
const MaxSize = 25 << 20

// ErrUnavailable is in the error of Open and OpenFS when there is no mailbox
// to read: the path doesn't exist, can't be opened or holds no mail.
var ErrUnavailable = errors.New("mailbox unavailable")

// Address is one person in a header.
type Address struct {
	// Name is the display name, decoded; "" when the header has none.
	Name string
	// Email is the address as it was written, such as "ana@example.org".
	Email string
}

// Message is one mail, decoded to plain UTF-8 text.
type Message struct {
	// ID is the Message-ID without its angle brackets. A message without a
	// usable one has "sha256-" and the start of the hash of its bytes, which
	// stays the same as long as the file does.
	ID string
	// File is the name of its file in the mailbox; for an mbox "NAME#3" is
	// the third message.
	File string
	// From is the first author. It is the zero Address when there is none.
	From Address
	// To and Cc are the recipients in the order of the header.
	To, Cc []Address
	// Subject is decoded and on one line.
	Subject string
	// Date is the instant in the Date header, with the sender's offset.
	Date time.Time
	// Body is the readable text: the plain part where there is one, else the
	// text of the HTML part without scripts, styles and hidden elements.
	Body string
	// Attachments are the file names of the attachments, in order.
	Attachments []string
	// Partial says that something of the body couldn't be decoded or was too
	// long, so that Body may end early.
	Partial bool

	authors []string
}

// Skip names a message that was left out.
type Skip struct {
	// File is the name of its file in the mailbox.
	File string
	// Reason says why, in words that hold nothing of the message itself.
	Reason string
}

// Box is a mailbox as it was when it was opened. It is not changed
// afterwards, and safe for concurrent use.
type Box struct {
	// Messages are the readable messages, newest first.
	Messages []Message
	// Skipped are the messages that were left out, in the order of their
	// files.
	Skipped []Skip
}

// Received returns the mail that others sent on the given number of days, of
// which today is the last, as the calendar in loc counts them; newest first.
// Mail of which me is an author is left out; an empty me leaves nothing out.
func (b *Box) Received(me string, today day.Date, loc *time.Location, days int) []Message {
	first := today.AddDays(1 - days)
	var got []Message
	for _, m := range b.Messages {
		on := day.Of(m.Date.In(loc))
		if on.Before(first) || on.After(today) || m.SentBy(me) {
			continue
		}
		got = append(got, m)
	}
	return got
}

// SentBy reports whether the address is one of the authors of m. Case doesn't
// matter.
func (m *Message) SentBy(address string) bool {
	return address != "" && slices.ContainsFunc(m.authors, func(a string) bool {
		return strings.EqualFold(a, address)
	})
}

// MostFrequentRecipient returns the address, in lower case, that most
// messages have as a recipient, which is the owner of an ordinary mailbox.
// Of equals the first in the alphabet wins. Without a recipient it is "".
func (b *Box) MostFrequentRecipient() string {
	count := map[string]int{}
	for _, m := range b.Messages {
		once := map[string]bool{}
		for _, a := range slices.Concat(m.To, m.Cc) {
			once[strings.ToLower(a.Email)] = true
		}
		for email := range once {
			count[email]++
		}
	}
	best := ""
	for email, n := range count {
		if best == "" || n > count[best] || n == count[best] && email < best {
			best = email
		}
	}
	return best
}

// add keeps m unless a message with the same ID is there already: a mail to
// oneself lies in a mailbox twice.
func (b *Box) add(m Message, seen map[string]string) {
	if first, ok := seen[m.ID]; ok {
		b.skip(m.File, "has the Message-ID of "+first)
		return
	}
	seen[m.ID] = m.File
	b.Messages = append(b.Messages, m)
}

// skip records that the message in file is left out.
func (b *Box) skip(file, reason string) {
	b.Skipped = append(b.Skipped, Skip{File: file, Reason: reason})
}

// sort puts the newest message first; equal dates go by ID, so that every
// reading gives the same order.
func (b *Box) sort() {
	slices.SortStableFunc(b.Messages, func(x, y Message) int {
		return cmp.Or(y.Date.Compare(x.Date), strings.Compare(x.ID, y.ID))
	})
}

// reason returns what went wrong without the path, which the Skip or the
// error has already.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	return err.Error()
}
