package daytools

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// An Outbox keeps the mail that was sent, an .eml file each, named after its
// key. It is safe for concurrent use, also by several processes on one folder.
type Outbox struct {
	dir string

	mu     sync.Mutex
	memory map[string][]byte
}

// NewOutbox returns the outbox in a folder, which is made when the first mail is
// sent. With "" the mail is in memory and ends with the Outbox.
func NewOutbox(dir string) *Outbox { return &Outbox{dir: dir, memory: map[string][]byte{}} }

// existsError says that there is a mail under the key.
type existsError struct {
	file string
	raw  []byte
}

// Error names the file.
func (e *existsError) Error() string { return e.file + " is there already" }

// put stores a mail under its key, whole or not at all, and returns the name of
// its file, which is "" in memory. It never replaces one: the error is an
// *existsError.
func (o *Outbox) put(key string, raw []byte) (string, error) {
	name := fileName(key)
	if o.dir == "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		if first, ok := o.memory[name]; ok {
			return "", &existsError{raw: first}
		}
		o.memory[name] = raw
		return "", nil
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return "", err
	}
	err := writeNew(filepath.Join(o.dir, name), raw)
	if errors.Is(err, fs.ErrExist) {
		first, err := os.ReadFile(filepath.Join(o.dir, name))
		if err != nil {
			return "", err
		}
		return "", &existsError{file: name, raw: first}
	}
	return name, err
}

// writeNew writes a file that must not be there yet. It appears under its name
// when it is complete: a link is made only to what is safely on the disk.
func writeNew(path string, raw []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".sending-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // a left-over temporary file harms nobody
	_, err = tmp.Write(raw)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil {
		return fmt.Errorf("name the file: %w", err)
	}
	return nil
}

// fileName makes a file name of a key: what is readable of it, and enough of
// its hash that two keys never share one.
func fileName(key string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(key) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	sum := sha256.Sum256([]byte(key))
	return strings.TrimPrefix(strings.Trim(b.String(), "-")+"-"+hex.EncodeToString(sum[:8])+".eml", "-")
}
