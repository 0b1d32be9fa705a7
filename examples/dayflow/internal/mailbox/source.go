package mailbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Open reads the mailbox at name, which is one of:
//
//   - an mbox file, with mboxo or mboxrd quoting, or a single .eml file;
//   - a Maildir: a folder with the folders cur and new;
//   - a folder of .eml and .mbox files;
//   - a folder with one of those as its folder "inbox".
//
// Links that lead out of the folder, pipes, devices and whatever else is no
// regular file are skipped. The error is ErrUnavailable when there is nothing
// to read; it also wraps the error of the file system.
func Open(name string) (*Box, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, unavailable(err)
	}
	if !info.IsDir() {
		dir, file := filepath.Split(filepath.Clean(name))
		return openFile(os.DirFS(filepath.Clean(dir+".")), file)
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
func OpenFS(fsys fs.FS, name string) (*Box, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, unavailable(err)
	}
	if !info.IsDir() {
		return openFile(fsys, name)
	}
	r := newReader(fsys)
	found, err := r.folder(name)
	if err != nil {
		return nil, unavailable(err)
	}
	if inbox := path.Join(name, "inbox"); isDir(fsys, inbox) {
		if _, err := r.folder(inbox); err != nil {
			return nil, unavailable(err)
		}
		found = true
	}
	if !found {
		return nil, unavailable(errors.New("the folder holds no mail: no .eml, no .mbox, no Maildir and no inbox"))
	}
	r.box.sort()
	return r.box, nil
}

// openFile reads a mailbox that is one file.
func openFile(fsys fs.FS, name string) (*Box, error) {
	r := newReader(fsys)
	f, _, err := r.open(name)
	if err != nil {
		return nil, unavailable(err)
	}
	defer f.Close()
	if hasExt(name, ".eml") {
		r.eml(name)
		return r.box, nil
	}
	buf := bufio.NewReader(f)
	start, err := buf.Peek(len(fromLine))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, unavailable(err)
	}
	if len(start) > 0 && string(start) != fromLine {
		return nil, unavailable(errors.New("the file is no mbox: it doesn't begin with a From line"))
	}
	if err := r.mbox(name, buf); err != nil {
		return nil, unavailable(err)
	}
	if len(start) > 0 && len(r.seen)+len(r.box.Skipped) == 0 {
		return nil, unavailable(errors.New("the file is no mbox: its From line has no date"))
	}
	r.box.sort()
	return r.box, nil
}

// unavailable marks err as the reason why there is no mailbox.
func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// reader fills a Box from the files of fsys.
type reader struct {
	fsys fs.FS
	box  *Box
	seen map[string]string
}

// newReader returns a reader with an empty box.
func newReader(fsys fs.FS) *reader {
	return &reader{fsys: fsys, box: &Box{}, seen: map[string]string{}}
}

// folder reads the mail that lies in the folder dir itself. It reports
// whether dir looks like a mailbox, which an empty folder does.
func (r *reader) folder(dir string) (bool, error) {
	cur, fresh := path.Join(dir, "cur"), path.Join(dir, "new")
	if isDir(r.fsys, cur) && isDir(r.fsys, fresh) {
		return true, errors.Join(r.maildir(cur), r.maildir(fresh))
	}
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return false, err
	}
	mail, other := false, false
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case hasExt(name, ".eml"):
			mail = true
			r.eml(name)
		case hasExt(name, ".mbox"):
			mail = true
			r.mboxFile(name)
		default:
			other = true
		}
	}
	return mail || !other, nil
}

// maildir reads cur or new of a Maildir. Messages that are flagged as trashed
// or as drafts are no mail that anyone received.
func (r *reader) maildir(dir string) error {
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		_, flags, _ := strings.Cut(entry.Name(), ":2,")
		if strings.HasPrefix(entry.Name(), ".") || strings.ContainsAny(flags, "TD") {
			continue
		}
		r.eml(path.Join(dir, entry.Name()))
	}
	return nil
}

// eml reads a file that holds one message.
func (r *reader) eml(name string) {
	f, size, err := r.open(name)
	if err != nil {
		r.box.skip(name, reason(err))
		return
	}
	defer f.Close()
	if size > MaxSize {
		r.box.skip(name, tooLarge)
		return
	}
	raw, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		r.box.skip(name, reason(err))
		return
	}
	r.message(name, raw)
}

// mboxFile reads an mbox that lies in a folder.
func (r *reader) mboxFile(name string) {
	f, _, err := r.open(name)
	if err == nil {
		defer f.Close()
		err = r.mbox(name, bufio.NewReader(f))
	}
	if err != nil {
		r.box.skip(name, reason(err))
	}
}

// tooLarge is the reason for a message of more than MaxSize bytes.
const tooLarge = "larger than 25 MiB"

// message parses raw and adds it to the box.
func (r *reader) message(name string, raw []byte) {
	if len(raw) > MaxSize {
		r.box.skip(name, tooLarge)
		return
	}
	m, err := Parse(raw)
	if err != nil {
		r.box.skip(name, err.Error())
		return
	}
	m.File = name
	r.box.add(m, r.seen)
}

// open opens a regular file and returns its size. It looks before it opens:
// opening a pipe would wait for somebody to write to it.
func (r *reader) open(name string) (fs.File, int64, error) {
	info, err := fs.Stat(r.fsys, name)
	if err != nil {
		return nil, 0, err
	}
	if info.IsDir() {
		return nil, 0, errors.New("is a folder")
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("not a regular file")
	}
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// hasExt reports whether the name ends in ext, in whatever case.
func hasExt(name, ext string) bool { return strings.EqualFold(path.Ext(name), ext) }

// isDir reports whether name is a folder in fsys.
func isDir(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}
