package schemacmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/schema"
)

// runCases answers every line of a file with a line.
func (v *validation) runCases(cmd *cobra.Command) error {
	in, err := open(cmd, v.cases)
	if err != nil {
		return helvecmd.Usagef("read cases: %w", err)
	}
	defer in.Close()
	cases := caseChecker{validation: v}
	lines := bufio.NewReaderSize(in, 1<<16)
	out := bufio.NewWriter(cmd.OutOrStdout())
	status := helvecmd.ExitOK
	for cmd.Context().Err() == nil {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return errors.Join(out.Flush(), exit(status))
		} else if err != nil {
			return errors.Join(out.Flush(), helvecmd.Usagef("read cases: %w", err))
		}
		answer := cases.check(line)
		if !answer.ok() {
			status = helvecmd.ExitFailed
		}
		if err := printJSON(out, &answer); err != nil {
			return err
		}
		if next, _ := lines.Peek(lines.Buffered()); bytes.IndexByte(next, '\n') < 0 { // whoever writes the lines may wait for an answer
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(out.Flush(), helvecmd.ErrInterrupted)
}

// readLine returns the next line without its end, cut where it is so long that
// it can't be checked. It returns io.EOF when there is no further line.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if keep := maxDocument + 2 - len(line); keep > 0 {
			line = append(line, part[:min(keep, len(part))]...)
		}
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// A caseChecker checks lines. It keeps the last schema compiled, because many
// lines in a row tend to have the same.
type caseChecker struct {
	*validation

	document  []byte
	validator *schema.Validator
}

// check answers one line.
func (c *caseChecker) check(line []byte) verdict {
	if len(line) > maxDocument {
		return verdict{Error: fmt.Sprintf("the line is longer than %d MiB, which is the most that is read", maxDocument>>20)}
	}
	document, value, err := splitCase(line)
	if err != nil {
		return verdict{Error: err.Error()}
	}
	if c.validator == nil || !bytes.Equal(document, c.document) {
		s, err := schema.Parse(document)
		if err != nil {
			return verdict{Error: err.Error()}
		}
		if c.validator, err = c.compile(s); err != nil {
			return verdict{Error: err.Error()}
		}
		c.document = document
	}
	return verdictOf(c.validator.Validate(value))
}

// splitCase takes the schema and the value out of a line, as their bytes stand.
// Other members are passed over.
func splitCase(line []byte) (document, value []byte, err error) {
	l := lineScanner{text: line}
	found, err := l.members()
	if err != nil {
		return nil, nil, err
	}
	document, hasSchema := found["schema"]
	data, hasData := found["data"]
	raw, hasRaw := found["raw"]
	switch {
	case !hasSchema:
		return nil, nil, errors.New("the line has no member schema")
	case hasData == hasRaw:
		return nil, nil, errors.New("the line must have one of the members data and raw")
	case hasData:
		return document, data, nil
	}
	text, err := rawText(raw)
	return document, text, err
}

// rawText returns the text in a JSON string. What is not Unicode in it becomes
// the byte FF, which no validator takes either.
func rawText(literal []byte) ([]byte, error) {
	if literal[0] != '"' {
		return nil, errors.New("the member raw must be a string")
	}
	text, bad := jsontext.AppendUnquote(nil, literal)
	if bad != nil {
		text = bytes.ReplaceAll(text, []byte("\uFFFD"), []byte{0xFF})
	}
	return text, nil
}
