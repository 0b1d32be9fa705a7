// Package audit makes the audit trail of a store tamper-evident: an append-only
// Merkle log for each tenant, in the form of golang.org/x/mod/sumdb/tlog.
//
// An entry is a leaf of the log. What it was called with is not in the leaf but
// a payload beside it, of which the leaf has the digest, so that a payload can be
// erased and the log still verifies.
package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/tlog"

	"helve.dev/helve"
	"helve.dev/helve/internal/jsonx"
)

// A Row is an entry of the audit as a store keeps it.
type Row struct {
	Tenant string
	// Seq counts the tenant's entries from 1.
	Seq int64
	// At is the store's clock, in microseconds since 1970.
	At int64
	// Entry is canonical JSON, without what the store sets.
	Entry string
	// Payload is what the entry's digest is of. Empty: none, or erased.
	Payload string
}

// NewRow returns the row of an entry, with Seq and At left to the store. Text
// that is not UTF-8 is mended with U+FFFD, because the log is JSON.
func NewRow(e helve.AuditEntry) (Row, error) {
	row := Row{Tenant: e.Tenant}
	form := entryForm{AuditEntry: e}
	form.Seq, form.At, form.Arguments = 0, time.Time{}, nil
	if len(e.Arguments) > 0 {
		// The salt keeps a digest from being guessed back from short arguments
		// after they were erased.
		salt := make([]byte, 16)
		_, _ = rand.Read(salt) // it never fails
		row.Payload = fmt.Sprintf(`{"arguments":%s,"salt":"%s"}`, e.Arguments, hex.EncodeToString(salt))
		form.Payload = payloadDigest(row.Payload)
	}
	raw, err := json.Marshal(form, formOptions)
	if err != nil {
		return Row{}, fmt.Errorf("write an audit entry: %w", err)
	}
	canon, err := jsonx.Canonical(raw)
	if err != nil {
		return Row{}, fmt.Errorf("write an audit entry: %w", err)
	}
	row.Entry = string(canon)
	return row, nil
}

// entryForm is an entry as it stands in a leaf.
type entryForm struct {
	helve.AuditEntry
	Payload string `json:"payload,omitzero"`
}

var formOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.OmitZeroStructFields(true))

func payloadDigest(payload string) string {
	sum := sha256.Sum256([]byte(payload))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Leaf returns the bytes that the log hashes: canonical JSON of at, entry and seq.
// A store that hashes in its database composes the same text there.
func (r *Row) Leaf() []byte {
	b := append(make([]byte, 0, len(r.Entry)+64), `{"at":`...)
	b = strconv.AppendInt(b, r.At, 10)
	b = append(append(b, `,"entry":`...), r.Entry...)
	b = strconv.AppendInt(append(b, `,"seq":`...), r.Seq, 10)
	return append(b, '}')
}

// Hash returns the hash of the leaf.
func (r *Row) Hash() tlog.Hash { return tlog.RecordHash(r.Leaf()) }

// erased reports whether the entry had a payload that is gone. It must be read
// before.
func (r *Row) erased() bool {
	return r.Payload == "" && strings.Contains(r.Entry, `"payload":"sha256:`)
}

var errPayload = errors.New("the payload is not the one that was recorded")

// Read returns the entry with its arguments, where they are still there. An
// error says that the row is not what was recorded.
func (r *Row) Read() (helve.AuditEntry, error) {
	var form entryForm
	if err := json.Unmarshal([]byte(r.Entry), &form); err != nil {
		return helve.AuditEntry{}, fmt.Errorf("read audit entry %d: %w", r.Seq, err)
	}
	e := form.AuditEntry
	e.Seq, e.At = r.Seq, time.UnixMicro(r.At).UTC()
	if e.Tenant != r.Tenant {
		return e, fmt.Errorf("read audit entry %d: it is of another tenant", r.Seq)
	}
	if r.Payload == "" {
		return e, nil
	}
	if payloadDigest(r.Payload) != form.Payload {
		return e, fmt.Errorf("read audit entry %d: %w", r.Seq, errPayload)
	}
	var payload struct {
		Arguments jsontext.Value `json:"arguments"`
	}
	if err := json.Unmarshal([]byte(r.Payload), &payload); err != nil {
		return e, fmt.Errorf("read audit entry %d: %w", r.Seq, err)
	}
	e.Arguments = payload.Arguments
	return e, nil
}
