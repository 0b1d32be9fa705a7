package mailbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// fromLine begins the line that separates the messages of an mbox.
const fromLine = "From "

// separator is a From line as programs write it: a sender, and a date with a
// time and a year. A sentence that begins with "From " is none.
var separator = regexp.MustCompile(`^From \S.*\d\d:\d\d.*\b\d{4}\b`)

// mbox reads the messages of an mbox. A message begins at a From line, which
// is the first line or follows an empty one; "NAME#N" is the name of the Nth.
func (r *reader) mbox(name string, in *bufio.Reader) error {
	var raw []byte
	n, blank := 0, true
	for {
		line, err := readLine(in)
		if blank && separator.Match(line) {
			r.mboxMessage(name, n, raw)
			raw, n = nil, n+1
		} else if len(raw) <= MaxSize {
			raw = append(raw, unquoteFrom(line)...)
		}
		blank = len(bytes.TrimRight(line, "\r\n")) == 0
		if errors.Is(err, io.EOF) {
			r.mboxMessage(name, n, raw)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// mboxMessage adds the nth message; before the first From line there is none.
func (r *reader) mboxMessage(name string, n int, raw []byte) {
	if n > 0 {
		r.message(fmt.Sprintf("%s#%d", name, n), raw)
	}
}

// readLine reads up to and with the next newline. Of a line longer than
// MaxSize it keeps only the start, enough to make the message too large.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		chunk, err := in.ReadSlice('\n')
		if len(line) <= MaxSize {
			line = append(line, chunk...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// unquoteFrom takes one ">" from a quoted From line. That undoes mboxrd; in
// mboxo, which quotes nothing but bare From lines, it is the same.
func unquoteFrom(line []byte) []byte {
	if rest := bytes.TrimLeft(line, ">"); len(rest) < len(line) && bytes.HasPrefix(rest, []byte(fromLine)) {
		return line[1:]
	}
	return line
}
