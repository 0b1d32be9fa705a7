package mailbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"mime"
	"net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // registers the charsets
	gomail "github.com/emersion/go-message/mail"
	"golang.org/x/text/encoding/charmap"

	"helve.dev/helve/examples/dayflow/internal/plain"
)

// The reasons why Parse refuses a message.
var (
	// ErrEmpty is returned for a message of nothing but white space.
	ErrEmpty = errors.New("the message is empty")
	// ErrHeader is returned when the header isn't one.
	ErrHeader = errors.New("the header can't be read")
	// ErrNoDate is returned when there is no Date header.
	ErrNoDate = errors.New("no Date header")
	// ErrDate is returned when the Date header isn't a date.
	ErrDate = errors.New("the Date header can't be read")
)

// The bounds of a header, in bytes.
const (
	maxID        = 250      // a longer Message-ID isn't used as the ID
	maxAddresses = 64 << 10 // of a longer list only the start is read
)

// Parse decodes one message. The errors are ErrEmpty, ErrHeader, ErrNoDate
// and ErrDate; damage to the body is no error but sets Partial.
func Parse(raw []byte) (Message, error) {
	text := trimStart(raw)
	if len(bytes.TrimSpace(text)) == 0 {
		return Message{}, ErrEmpty
	}
	entity, damage := message.Read(bytes.NewReader(text))
	if entity == nil || damage != nil && !decodingError(damage) {
		return Message{}, ErrHeader
	}
	header := gomail.Header{Header: entity.Header}
	date, err := parseDate(header.Get("Date"))
	if err != nil {
		return Message{}, err
	}
	from := addresses(&header, "From")
	m := Message{
		ID:      messageID(header.Get("Message-Id"), raw),
		To:      addresses(&header, "To"),
		Cc:      addresses(&header, "Cc"),
		Subject: headerText(&header, "Subject"),
		Date:    date,
	}
	if len(from) > 0 {
		m.From = from[0]
	}
	for _, a := range from {
		m.authors = append(m.authors, a.Email)
	}
	w := walker{partial: damage != nil}
	body := w.read(entity, 0)
	m.Body, m.Attachments, m.Partial = body.text, w.attachments, w.partial
	return m, nil
}

// trimStart drops what some exports put before the header: a byte order mark,
// empty lines, a From line.
func trimStart(raw []byte) []byte {
	text := bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	text = bytes.TrimLeft(text, "\r\n")
	if separator.Match(text) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}

// decodingError reports whether err only says that a body is in a charset or
// an encoding that isn't known; go-message then hands out the raw body.
func decodingError(err error) bool {
	return message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)
}

// parseDate reads a Date header, with a little patience for RFC 3339.
func parseDate(value string) (time.Time, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return time.Time{}, ErrNoDate
	}
	date, err := mail.ParseDate(value)
	if err != nil {
		date, err = time.Parse(time.RFC3339, value)
	}
	if err != nil || date.Year() < 1970 || date.Year() > 9998 {
		return time.Time{}, ErrDate
	}
	return date, nil
}

// messageID returns the Message-ID in value if it can serve as one, else a
// hash of the message.
func messageID(value string, raw []byte) string {
	id := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), "<"), ">")
	bad := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == utf8.RuneError }
	if id != "" && len(id) <= maxID && strings.IndexFunc(id, bad) < 0 {
		return id
	}
	sum := sha256.Sum256(raw)
	return "sha256-" + hex.EncodeToString(sum[:12])
}

// headerText returns a header decoded and on one line.
func headerText(h *gomail.Header, key string) string {
	raw := toUTF8([]byte(h.Get(key)), true)
	words := mime.WordDecoder{CharsetReader: message.CharsetReader}
	text, err := words.DecodeHeader(raw)
	if err != nil {
		text = raw
	}
	return plain.Line(text)
}

// addresses returns the people in the header. A list that isn't in order is
// searched for addresses instead.
func addresses(h *gomail.Header, key string) []Address {
	value := toUTF8([]byte(h.Get(key)), true)
	if strings.TrimSpace(value) == "" {
		return nil
	}
	if len(value) > maxAddresses {
		return looseAddresses(strings.ToValidUTF8(value[:maxAddresses], ""))
	}
	list, err := gomail.ParseAddressList(value)
	if err != nil {
		return looseAddresses(value)
	}
	var got []Address
	for _, a := range list {
		got = append(got, Address{Name: plain.Line(a.Name), Email: plain.Line(a.Address)})
	}
	return got
}

// looseAddress finds an address and the words before it.
var looseAddress = regexp.MustCompile(`([^,;<>]*)<?\b([^\s,;:<>"()]+@[^\s,;:<>"()]+)>?`)

// looseAddresses finds the addresses in a list that breaks the rules.
func looseAddresses(value string) []Address {
	var got []Address
	for _, found := range looseAddress.FindAllStringSubmatch(value, -1) {
		name := strings.Trim(plain.Line(found[1]), `" `)
		got = append(got, Address{Name: name, Email: plain.Line(found[2])})
	}
	return got
}

// toUTF8 returns b as valid UTF-8. If guess is set and nothing in b looks like
// UTF-8, it is read in the charset of western Windows, which is what mail
// without a charset most often has; otherwise bytes that don't fit become
// U+FFFD.
func toUTF8(b []byte, guess bool) string {
	if !utf8.Valid(b) && guess && !anyMultibyte(b) {
		if text, err := charmap.Windows1252.NewDecoder().Bytes(b); err == nil {
			return string(text)
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// anyMultibyte reports whether b has a character that UTF-8 writes in several
// bytes.
func anyMultibyte(b []byte) bool {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r >= utf8.RuneSelf && size > 1 {
			return true
		}
		b = b[size:]
	}
	return false
}
