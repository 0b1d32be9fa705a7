package helve

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// A redactor knows the secret values of this process and the looks of secrets
// in general. It is safe for concurrent use.
//
// Registered values are searched for everywhere, in the spellings that they
// take on their way (JSON, URL, base64, hexadecimal). Patterns are applied to
// error text, logs and audit only: a result is data, and data is not rewritten
// by guess.
type redactor struct {
	mu       sync.Mutex
	known    map[string]bool
	order    []string // oldest first
	replacer atomic.Pointer[strings.Replacer]
	roots    *strings.Replacer
	rootDirs []string
	nameLook nameCache
}

const (
	minSecret  = 4    // shorter values would blot out ordinary text
	maxSecrets = 4096 // rotated values are forgotten, oldest first
)

func newRedactor(secrets []Secret, roots []string) *redactor {
	r := &redactor{known: map[string]bool{}}
	r.roots, r.rootDirs = rootReplacer(roots)
	for _, s := range secrets {
		r.learn(s)
	}
	return r
}

// rootReplacer hides where on this machine things lie: home, working and
// temporary folder, and the given roots.
func rootReplacer(roots []string) (rep *strings.Replacer, dirs []string) {
	type root struct{ path, name string }
	var all []root
	add := func(path, name string) {
		if path = filepath.Clean(path); filepath.IsAbs(path) && len(path) > 1 {
			all = append(all, root{path, name})
		}
	}
	for _, p := range roots {
		add(p, "<root>")
	}
	if dir, err := os.Getwd(); err == nil {
		add(dir, "<dir>")
	}
	if dir, err := os.UserHomeDir(); err == nil {
		add(dir, "<home>")
	}
	add(os.TempDir(), "<tmp>")
	slices.SortStableFunc(all, func(a, b root) int { return len(b.path) - len(a.path) })
	var pairs []string
	for _, r := range all {
		// The separator keeps /root from being found in /rooted.
		dir := r.path + string(filepath.Separator)
		pairs, dirs = append(pairs, dir, r.name+"/"), append(dirs, dir)
	}
	return strings.NewReplacer(pairs...), dirs
}

// learn registers a value. It costs little when the value is known.
func (r *redactor) learn(s Secret) {
	v := s.Reveal()
	if len(v) < minSecret {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[v] {
		return
	}
	if len(r.order) == maxSecrets {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
	r.known[v] = true
	r.order = append(r.order, v)
	var needles []string
	for _, v := range r.order {
		needles = append(needles, spellings(v)...)
	}
	slices.SortFunc(needles, func(a, b string) int {
		return 2*(len(b)-len(a)) + strings.Compare(a, b)
	})
	needles = slices.Compact(needles)
	pairs := make([]string, 0, 2*len(needles))
	for _, n := range needles {
		pairs = append(pairs, n, redacted)
	}
	r.replacer.Store(strings.NewReplacer(pairs...))
}

// spellings returns the forms in which a secret value is found in text.
func spellings(v string) []string {
	out := []string{v, url.QueryEscape(v), url.PathEscape(v)}
	if q, err := jsontext.AppendQuote(nil, v); err == nil {
		out = append(out, string(q[1:len(q)-1]))
	}
	if len(v) >= 6 {
		h := hex.EncodeToString([]byte(v))
		out = append(out, h, strings.ToUpper(h))
		for shift := range 3 {
			padded := append(make([]byte, shift, shift+len(v)), v...)
			from, to := (shift*8+5)/6, (shift+len(v))*8/6
			out = append(out, base64.RawStdEncoding.EncodeToString(padded)[from:to],
				base64.RawURLEncoding.EncodeToString(padded)[from:to])
		}
	}
	return out
}

// values replaces registered values.
func (r *redactor) values(s string) string {
	if rep := r.replacer.Load(); rep != nil {
		return rep.Replace(s)
	}
	return s
}

// text replaces registered values, what looks like a secret, and file-system roots.
func (r *redactor) text(s string) string {
	s = patterns(r.values(s))
	if slices.ContainsFunc(r.rootDirs, func(dir string) bool { return strings.Contains(s, dir) }) {
		s = r.roots.Replace(s)
	}
	return s
}

// data replaces registered values inside the strings, names and numbers of raw.
// It returns raw itself when there is nothing to replace.
func (r *redactor) data(raw jsontext.Value) jsontext.Value {
	rep := r.replacer.Load()
	if rep == nil || len(raw) == 0 {
		return raw
	}
	// Without an escape a secret stands in the bytes as one of its spellings.
	if !bytes.ContainsRune(raw, '\\') && rep.Replace(string(raw)) == string(raw) {
		return raw
	}
	return rewrite(raw, func(_ string, s string) string { return rep.Replace(s) })
}

// arguments makes what log and audit may hold of raw: registered values,
// members named like secrets or in names, and what looks like a secret are
// replaced.
func (r *redactor) arguments(raw jsontext.Value, names map[string]bool) jsontext.Value {
	if r.clean(raw, names) {
		return raw
	}
	return rewrite(raw, func(member, s string) string {
		if names[member] || secretName.MatchString(member) {
			return redacted
		}
		return r.text(s)
	})
}

// clean reports whether raw surely has nothing to redact: most arguments have
// not, and this says so in one look at the bytes.
func (r *redactor) clean(raw jsontext.Value, names map[string]bool) bool {
	var buf []byte
	for at := 0; at < len(raw); at++ {
		if raw[at] != '"' {
			continue
		}
		end, escaped := stringEnd(raw, at)
		if end < 0 {
			return false
		}
		s := raw[at+1 : end]
		if escaped {
			var err error
			if buf, err = jsontext.AppendUnquote(buf[:0], raw[at:end+1]); err != nil {
				return false
			}
			s = buf
		}
		at = end
		if rest := bytes.TrimLeft(raw[at+1:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' && (names[string(s)] || r.nameLook.secret(s)) {
			return false
		}
		if suspicious(s) || slices.ContainsFunc(r.rootDirs, func(dir string) bool { return bytes.Contains(s, []byte(dir)) }) {
			return false
		}
	}
	rep := r.replacer.Load()
	return rep == nil || rep.Replace(string(raw)) == string(raw)
}

// stringEnd returns where the string that begins at at ends, or -1.
func stringEnd(raw jsontext.Value, at int) (end int, escaped bool) {
	for i := at + 1; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i, escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return -1, escaped
}

// suspicious reports whether one of secretPatterns may match, in one look: each
// of them needs one of these marks, or the name of a secret before : or =.
func suspicious(s []byte) bool {
	assigns := false
	for i, c := range s {
		switch c {
		case ':', '=':
			if assigns = true; bytes.HasPrefix(s[i:], []byte("://")) {
				return true
			}
		case 'b', 'B':
			if len(s)-i >= len("bearer") && bytes.EqualFold(s[i:i+len("bearer")], []byte("bearer")) {
				return true
			}
		default:
			for _, rest := range secretMarks[c] {
				if bytes.HasPrefix(s[i+1:], rest) {
					return true
				}
			}
		}
	}
	return assigns && namesSecret(s)
}

// secretMarks are what the shapes of known tokens and keys begin with: by the
// first byte, what follows it.
var secretMarks = func() (marks [256][][]byte) {
	for _, m := range []string{
		"-----BEGIN", "eyJ", "AKIA", "ASIA", "AIza", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "sk-", "sk_", "rk_", "xox",
	} {
		marks[m[0]] = append(marks[m[0]], []byte(m[1:]))
	}
	return marks
}()

// namesSecret reports whether a part of a secret's name stands in s.
func namesSecret(s []byte) bool {
	for i, c := range s {
		switch c | 0x20 {
		case 'p', 's', 't', 'k', 'c', 'a':
			for _, word := range secretParts {
				if word[0] == c|0x20 && len(s)-i >= len(word) && bytes.EqualFold(s[i:i+len(word)], word) {
					return true
				}
			}
		}
	}
	return false
}

// secretParts are parts of secretWord: each of its alternatives has one.
var secretParts = [][]byte{
	[]byte("pass"), []byte("pwd"), []byte("secret"), []byte("token"), []byte("key"), []byte("credential"), []byte("auth"),
	[]byte("cookie"), []byte("sig"), []byte("session"),
}

// nameCache remembers which member names are those of secrets.
type nameCache struct {
	mu    sync.RWMutex
	known map[string]bool
}

const maxNames = 4096

func (c *nameCache) secret(name []byte) bool {
	c.mu.RLock()
	is, ok := c.known[string(name)]
	c.mu.RUnlock()
	if ok {
		return is
	}
	is = secretName.Match(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxNames {
		c.known = map[string]bool{}
	}
	c.known[string(name)] = is
	return is
}

// error returns a copy of e that may be shown.
func (r *redactor) error(e *Error) *Error {
	c := *e
	c.Message = r.text(e.Message)
	c.Suggestion = r.text(e.Suggestion)
	c.Faults = r.faults(e.Faults)
	if len(e.Details) > 0 {
		c.Details = rewrite(e.Details, func(member, s string) string {
			if secretName.MatchString(member) {
				return redacted
			}
			return r.text(s)
		})
	}
	return &c
}

// faults returns fs with registered values replaced; fs itself where there are none.
func (r *redactor) faults(fs []Fault) []Fault {
	if r.replacer.Load() == nil {
		return fs
	}
	fs = slices.Clone(fs)
	for i, f := range fs {
		fs[i] = Fault{Path: r.values(f.Path), Problem: r.values(f.Problem), Suggestion: r.values(f.Suggestion)}
	}
	return fs
}

// rewrite passes each string and number of raw through fn, with the name of
// the innermost member it belongs to. A number that fn changes becomes a
// string. What cannot be read is left out altogether.
func rewrite(raw jsontext.Value, fn func(member, s string) string) jsontext.Value {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	names := []string{""} // the member that the present depth belongs to
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		depth := dec.StackDepth()
		kind, length := dec.StackIndex(depth)
		isName := kind == '{' && length%2 == 1 && tok.Kind() == '"'
		switch k := tok.Kind(); {
		case isName:
			name := tok.String()
			names = append(names[:min(depth, len(names))], name)
			tok = jsontext.String(fn("", name))
		case k == '"':
			tok = jsontext.String(fn(names[len(names)-1], tok.String()))
		case k == '0':
			if s := tok.String(); fn(names[len(names)-1], s) != s {
				tok = jsontext.String(redacted)
			}
		case k == '{' || k == '[':
			names = append(names[:min(depth, len(names))], names[len(names)-1])
		case k == '}' || k == ']':
			names = names[:min(depth+1, len(names))]
		}
		if enc.WriteToken(tok) != nil {
			break
		}
	}
	if v := jsontext.Value(bytes.TrimSpace(out.Bytes())); v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return v
	}
	return jsontext.Value(`"` + redacted + `"`)
}

//nolint:gosec // G101: it matches the names of secrets, and is none.
const secretWord = `(?:pass(?:word|wd|phrase)|pwd|secrets?|(?:access|auth|refresh|id|session|bearer|api)?[_-]?tokens?|api[_-]?keys?|access[_-]?keys?|private[_-]?keys?|client[_-]?secret|credentials?|authorization|set-cookie|cookies?|signature|sig|session[_-]?id)`

var (
	secretName = regexp.MustCompile(`(?i)^(?:[\w-]*[_-])?(?:x-)?` + secretWord + `$`)

	secretPatterns = []struct {
		look    *regexp.Regexp
		replace string
	}{
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), redacted},
		{regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/?#"'<>]*@`), `${1}` + redacted + `@`},
		{regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token)\s+)?)[^\s"',;]+`), `${1}` + redacted},
		{regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{4,}`), `${1}` + redacted},
		{regexp.MustCompile(`(?i)\b((?:[\w-]*[_-])?` + secretWord + `["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s"'&,;}\])]+)`), `${1}` + redacted},
		{regexp.MustCompile(`\b(?:eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|gh[opsur]_\w{20,}|github_pat_\w{20,}|sk-[\w-]{16,}|xox[a-z]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|glpat-[\w-]{16,}|[rs]k_(?:live|test)_\w{10,})`), redacted},
	}
)

// patterns replaces what looks like a secret in text.
func patterns(s string) string {
	if !suspicious([]byte(s)) {
		return s
	}
	for _, p := range secretPatterns {
		s = p.look.ReplaceAllString(s, p.replace)
	}
	return s
}
