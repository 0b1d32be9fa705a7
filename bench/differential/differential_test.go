package differential_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"helve.dev/helve/schema"
)

var (
	seed   = flag.Uint64("seed", 0, "the seed of all cases; 0: a new one")
	length = flag.Duration("for", 5*time.Second, "how long to go on")
	from   = flag.Uint64("from", 0, "the first case")
	cases  = flag.Uint64("cases", 0, "how many cases; 0: as many as there is time for")
)

const (
	values = 24 // each schema is tried with
	most   = 5  // differences that are told
)

// ours compiles a schema with package schema.
func ours(doc []byte) (*schema.Validator, error) {
	s, err := schema.Parse(doc)
	if err != nil {
		return nil, err
	}
	return schema.Compile(s, &schema.Config{FormatAnnotation: true})
}

// theirs compiles a schema with the peer, which gets no file to load.
func theirs(doc []byte) (*jsonschema.Schema, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	for _, name := range formats { // draft-07 asserts formats and has no switch for it
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err := c.AddResource("test:///root.json", v); err != nil {
		return nil, err
	}
	return c.Compile("test:///root.json")
}

type nowhere struct{}

func (nowhere) Load(url string) (any, error) { return nil, fmt.Errorf("%s is not to be loaded", url) }

// A pair is one schema compiled by both.
type pair struct {
	doc    []byte
	ours   *schema.Validator
	theirs *jsonschema.Schema
	refuse trial
}

func newPair(doc []byte) *pair {
	p := &pair{doc: doc, refuse: trial{schema: doc}}
	var err error
	if p.ours, err = ours(doc); err != nil {
		p.refuse.ourRefusal = err.Error()
	}
	if p.theirs, err = theirs(doc); err != nil {
		p.refuse.theirRefusal = err.Error()
	}
	return p
}

// try asks both about a value.
func (p *pair) try(value []byte) trial {
	c := p.refuse
	c.value = value
	if c.refused() {
		return c
	}
	r := p.ours.Validate(value)
	if c.ours = r.OK(); !c.ours {
		c.ourFault = r.Faults[0].Problem
		for _, f := range r.Faults { // duplicate names are among others
			if f.Problem == "duplicate key" {
				c.ourFault = f.Problem
			}
		}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err == nil {
		err = p.theirs.Validate(v)
	}
	if c.theirs = err == nil; !c.theirs {
		c.theirFault = err.Error()
	}
	return c
}

// A tally counts what was compared.
type tally struct {
	schemas, refused, checks, valid, differences atomic.Int64

	mu     sync.Mutex
	excuse map[string]int
}

func (y *tally) add(c *trial) (excused bool) {
	y.checks.Add(1)
	if c.ours {
		y.valid.Add(1)
	}
	if c.agree() {
		return true
	}
	e := exceptionOf(c)
	if e == nil {
		return false
	}
	y.mu.Lock()
	y.excuse[e.name]++
	y.mu.Unlock()
	return true
}

// oneCase makes a schema and some values, and returns the first difference that
// is not excused.
func (y *tally) oneCase(seed, number uint64) *trial {
	m := newMaker(seed, number)
	doc := m.document()
	p := newPair(encode(doc))
	y.schemas.Add(1)
	if p.refuse.refused() {
		y.refused.Add(1)
		if c := p.try([]byte("null")); !y.add(&c) {
			return &c
		}
		return nil
	}
	for range values {
		v := m.near(doc, doc, 4)
		if m.chance(4) {
			v = m.enlarge(v)
		}
		value := encode(v)
		switch n := m.IntN(100); {
		case n < 2:
			value = m.spoil(value, recursive(p.doc))
		case n < 12:
			value = m.respellText(value)
		}
		if c := p.try(value); !y.add(&c) {
			return &c
		}
	}
	return nil
}

// recursive reports whether a schema may refer to itself, which can cost the
// peer time that grows exponentially with the depth of the value.
func recursive(doc []byte) bool { return bytes.Contains(doc, []byte("ef\":")) }

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a generator that makes what is not JSON
	}
	return bytes.TrimSpace(b.Bytes())
}

func TestVerdicts(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", *seed)
	y := &tally{excuse: map[string]int{}}
	var next atomic.Uint64
	next.Store(*from)
	stop := time.Now().Add(*length)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for time.Now().Before(stop) && y.differences.Load() < most {
				number := next.Add(1) - 1
				if *cases > 0 && number >= *from+*cases {
					return
				}
				if c := y.oneCase(*seed, number); c != nil {
					y.differences.Add(1)
					t.Errorf("seed %d, case %d: %s", *seed, number, tell(shrink(c)))
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d schemas, of which %d were refused; %d checks, %d valid", y.schemas.Load(), y.refused.Load(), y.checks.Load(), y.valid.Load())
	for _, e := range exceptions {
		t.Logf("%d times %s: %s", y.excuse[e.name], e.name, e.reason)
	}
	if n := y.checks.Load(); n > 1000 && (y.valid.Load() < n/4 || y.valid.Load() > n*3/4) {
		t.Errorf("%d of %d values are valid: the generator makes too many of one kind", y.valid.Load(), n)
	}
}

// tell describes a difference.
func tell(c *trial) string {
	say := func(refusal string, ok bool, fault string) string {
		switch {
		case refusal != "":
			return "refuses the schema: " + refusal
		case ok:
			return "valid"
		}
		return "not valid: " + fault
	}
	return fmt.Sprintf("no listed difference\nschema %s\nvalue  %s\nours   %s\ntheirs %s",
		c.schema, c.value, say(c.ourRefusal, c.ours, c.ourFault), say(c.theirRefusal, c.theirs, c.theirFault))
}

func TestExceptions(t *testing.T) {
	t.Parallel()
	for _, e := range exceptions {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			c := newPair([]byte(e.schema)).try([]byte(e.value))
			if c.agree() {
				t.Fatalf("there is no difference any more: take the exception out\n%s", tell(&c))
			}
			if got := exceptionOf(&c); got == nil || got.name != e.name {
				t.Errorf("it is not covered by its exception\n%s", tell(&c))
			}
		})
	}
}

// TestFound holds what this comparison has found once, and was mended.
func TestFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, schema, value string }{
		{"$dynamicRef without an anchor beside $ref", `{"$defs":{"a":{},"b":{"type":"array"}},"$dynamicRef":"#/$defs/b","$ref":"#/$defs/a"}`, `"x"`},
		{"$dynamicRef without an anchor beside $ref and allOf", `{"$defs":{"a":{},"b":{"type":"array"}},"$ref":"#/$defs/a","$dynamicRef":"#/$defs/b","allOf":[true]}`, `"x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if c := newPair([]byte(tt.schema)).try([]byte(tt.value)); !c.agree() {
				t.Error(tell(&c))
			}
		})
	}
}

// A difference that is not listed is found, made small and told.
func TestDifferencesAreTold(t *testing.T) {
	t.Parallel()
	p := newPair([]byte(`{"properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`))
	other := newPair([]byte(`{"properties":{"a":{"type":"null"}}}`))
	p.theirs = other.theirs
	c := p.try([]byte(`{"a":1}`))
	y := &tally{excuse: map[string]int{}}
	if y.add(&c) || c.agree() || exceptionOf(&c) != nil {
		t.Errorf("the difference is not found\n%s", tell(&c))
	}
	if text := tell(&c); !strings.Contains(text, "ours   valid\ntheirs not valid: ") {
		t.Errorf("got %s", text)
	}
	small := smaller(decode([]byte(`{"a":{"b":[1,2]}}`)))
	got := make([]string, len(small))
	for i, v := range small {
		got[i] = string(encode(v))
	}
	want := []string{`{}`, `{"a":{}}`, `{"a":{"b":[2]}}`, `{"a":{"b":[1]}}`}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// huge finds exponents with which the peer takes minutes.
var huge = regexp.MustCompile(`[eE][+-]?\d{4}`)

func FuzzVerdicts(f *testing.F) {
	for number := range uint64(40) {
		m := newMaker(1, number)
		doc := m.document()
		f.Add(encode(doc), encode(m.near(doc, doc, 4)))
	}
	f.Fuzz(func(t *testing.T, doc, value []byte) {
		if len(doc) > 4096 || len(value) > 4096 || bytes.Contains(doc, []byte("format")) || huge.Match(doc) || huge.Match(value) ||
			recursive(doc) && bytes.Count(value, []byte("["))+bytes.Count(value, []byte("{")) > 10 {
			return
		}
		p := newPair(doc)
		if p.refuse.refused() {
			return // which schemas are taken differs in ways that only the generator keeps clear of
		}
		if c := p.try(value); !c.agree() && exceptionOf(&c) == nil {
			t.Error(tell(&c))
		}
	})
}
