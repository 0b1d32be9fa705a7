package calendar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 25 << 20

// Open reads the calendar at name, which is an .ics file or a folder of them.
// In a folder, links that lead out of it and whatever else is no regular file
// are skipped. The error is ErrUnavailable when there is nothing to read; it
// also wraps the error of the file system.
func Open(name string) (*Calendar, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, unavailable(err)
	}
	if !info.IsDir() {
		dir, file := filepath.Split(filepath.Clean(name))
		return OpenFS(os.DirFS(filepath.Clean(dir+".")), file)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, unavailable(err)
	}
	defer root.Close()
	return OpenFS(root.FS(), ".")
}

// OpenFS is Open for a file system, such as one that is embedded. The name is
// a path as package fs wants it; "." is the whole of fsys.
func OpenFS(fsys fs.FS, name string) (*Calendar, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, unavailable(err)
	}
	c := &Calendar{}
	if !info.IsDir() {
		raw, err := readFile(fsys, name)
		if err != nil {
			return nil, unavailable(err)
		}
		entries, skipped := parse(name, raw)
		c.skipped = skipped
		c.index(entries)
		return c, nil
	}
	if err := c.folder(fsys, name); err != nil {
		return nil, unavailable(err)
	}
	return c, nil
}

// folder reads the .ics files of a folder. A folder without any is no
// calendar, unless it is empty.
func (c *Calendar) folder(fsys fs.FS, dir string) error {
	files, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return err
	}
	var entries []*entry
	found, other := false, false
	for _, file := range files {
		name := path.Join(dir, file.Name())
		if strings.HasPrefix(file.Name(), ".") {
			continue
		}
		if !strings.EqualFold(path.Ext(name), ".ics") {
			other = true
			continue
		}
		found = true
		raw, err := readFile(fsys, name)
		if err != nil {
			c.skipped = append(c.skipped, Skip{File: name, Reason: reason(err)})
			continue
		}
		got, skipped := parse(name, raw)
		entries = append(entries, got...)
		c.skipped = append(c.skipped, skipped...)
	}
	if other && !found {
		return errors.New("the folder holds no .ics file")
	}
	c.index(entries)
	return nil
}

// readFile reads a regular file that looks like a calendar. It looks before
// it opens: opening a pipe would wait for somebody to write to it.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > MaxSize {
		return nil, errTooLarge
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > MaxSize {
		return nil, errTooLarge
	}
	raw = bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), " \t\r\n")
	if begin := []byte("BEGIN:VCALENDAR"); !bytes.EqualFold(raw[:min(len(raw), len(begin))], begin) {
		return nil, errors.New("the file is no calendar: it doesn't begin with BEGIN:VCALENDAR")
	}
	return raw, nil
}

// errTooLarge refuses a file of more than MaxSize bytes.
var errTooLarge = errors.New("larger than 25 MiB")

// unavailable marks err as the reason why there is no calendar.
func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// reason returns what went wrong without the path.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	return err.Error()
}
