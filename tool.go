package helve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/schema"
)

// A Tool is a contract bound to a handler. It is opaque and immutable, and safe
// for concurrent use.
type Tool struct {
	c       *Contract
	digest  Digest
	handler Handler
	input   *schema.Validator
	lenient *lenientInput     // input with Config.Coerce
	output  *schema.Validator // nil: no check
	secrets map[string]bool   // names of arguments that are secrets
	typed   *typed            // nil: a raw handler

	adapters  map[string]AdapterFunc
	reconcile ReconcileFunc
	render    RenderFunc
	defect    error // of a With method; reported by Registry.Add
}

// typed is what Func knows of its types.
type typed struct {
	decode   func(jsontext.Value) (any, error)
	encode   func(any) (jsontext.Value, bool)  // false, or nil: json/v2 is asked
	replayed func(jsontext.Value) (any, error) // nil: as it was
}

// An AdapterFunc turns the arguments of a former tool into those of the present
// one. It runs before validation, on whatever the model sent; its error is told
// to the model as invalid_input.
type AdapterFunc func(args jsontext.Value) (jsontext.Value, error)

// A ReconcileFunc finds out whether a call whose outcome is unknown happened.
// It may only read. Key, id and arguments of inv are those of the call that was
// sent, which may differ from the one that asks. With done it returns the call's
// reply; without, the call runs again; with an error the outcome stays unknown, as
// it does where there is no answer by the deadline.
type ReconcileFunc func(ctx context.Context, inv *Invocation) (reply *Reply, done bool, err error)

// New binds c to an untyped handler. The contract must give its input schema;
// a nil Output checks nothing. The error lists all that is wrong with the
// contract, each with its mend.
func New(c Contract, h Handler) (*Tool, error) {
	d := &definition{c: new(c.clone())}
	d.settle()
	if c.Input == nil {
		d.fault("it has no input schema: set Input, or use helve.Func, which infers it")
	}
	return d.build(h, nil)
}

// Must returns t, or panics with err. It is for tools that are wired when a
// program starts.
func Must(t *Tool, err error) *Tool {
	if err != nil {
		panic(err)
	}
	return t
}

// build compiles the schemas and makes the tool, or returns all faults.
func (d *definition) build(h Handler, ty *typed) (*Tool, error) {
	t := &Tool{c: d.c, handler: h, typed: ty}
	if h == nil {
		d.fault("it has no handler: give the function that carries out a call")
	}
	if d.c.Input != nil {
		d.compileInput(t)
	}
	if d.c.Output == nil {
		d.c.Output = schema.None
	}
	if !d.c.Output.Equal(schema.None) {
		var err error
		if t.output, err = schema.Compile(d.c.Output, nil); err != nil {
			d.fault("its output schema: %w", err)
		}
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	t.digest = d.c.Digest()
	t.secrets = secretProperties(d.c.Input)
	return t, nil
}

func (d *definition) compileInput(t *Tool) {
	d.input()
	if len(d.errs) > 0 {
		// What follows would only repeat it, but a schema that does not compile
		// is a fault of its own.
		if _, err := schema.Compile(d.c.Input, inputConfig(d.c)); err != nil {
			d.fault("its input schema: %w", err)
		}
		return
	}
	if len(d.c.DeprecatedParams) > 0 {
		marked, err := deprecateParams(d.c.Input, d.c.DeprecatedParams)
		if err != nil {
			d.fault("its deprecated parameters: %w", err)
			return
		}
		d.c.Input = marked
	}
	var err error
	if t.input, err = schema.Compile(d.c.Input, inputConfig(d.c)); err != nil {
		d.fault("its input schema: %w", err)
		return
	}
	t.lenient = &lenientInput{c: d.c}
	d.examples(t.input)
}

// lenientInput is the input's validator for executors that coerce, made when
// the first of them needs it.
type lenientInput struct {
	c    *Contract
	once sync.Once
	v    *schema.Validator
	err  error
}

func (l *lenientInput) validator() (*schema.Validator, error) {
	l.once.Do(func() {
		cfg := inputConfig(l.c)
		cfg.Coerce = true
		l.v, l.err = schema.Compile(l.c.Input, cfg)
	})
	return l.v, l.err
}

func inputConfig(c *Contract) *schema.Config {
	return &schema.Config{
		Closed: true, CheckDefaults: true, Aliases: c.ParamAliases,
		MaxSize: MaxArguments, MaxDepth: MaxDepth,
	}
}

// Contract returns a copy of the contract, with defaults filled in and schemas
// inferred.
func (t *Tool) Contract() Contract { return t.c.clone() }

// Name returns the tool's name.
func (t *Tool) Name() string { return t.c.Name }

// Digest returns the contract's digest.
func (t *Tool) Digest() Digest { return t.digest }

// Handler returns the handler, so that a tool can be wrapped into another one.
func (t *Tool) Handler() Handler { return t.handler }

// WithAdapter returns a tool whose alias takes its former arguments: fn turns
// them into the present ones. The contract must list the alias.
func (t *Tool) WithAdapter(alias string, fn AdapterFunc) *Tool {
	n := *t
	n.adapters = map[string]AdapterFunc{alias: fn}
	for a, f := range t.adapters {
		if a != alias {
			n.adapters[a] = f
		}
	}
	if !slices.Contains(t.c.Aliases, alias) {
		n.defect = errors.Join(t.defect, fmt.Errorf("helve: tool %q: the adapter is for %q, which is not in Contract.Aliases", t.c.Name, alias))
	}
	return &n
}

// WithReconcile returns a tool that can find out what became of a call whose
// outcome is unknown.
func (t *Tool) WithReconcile(fn ReconcileFunc) *Tool {
	n := *t
	n.reconcile = fn
	return &n
}

// WithRender returns a tool whose results look to a person as fn says.
func (t *Tool) WithRender(fn RenderFunc) *Tool {
	n := *t
	n.render = fn
	return &n
}

// Wrap returns a tool with the same contract and digest whose handler is
// wrapped; the first middleware is the outermost.
func Wrap(t *Tool, mw ...Middleware) *Tool {
	n := *t
	n.handler = chain(t.handler, mw)
	return &n
}

func chain(h Handler, mw []Middleware) Handler {
	for _, m := range slices.Backward(mw) {
		h = m(h)
	}
	return h
}

// secretProperties returns the names of properties anywhere in the schema that
// it marks as secret: writeOnly, or format password.
func secretProperties(s *schema.Schema) map[string]bool {
	var names map[string]bool
	var walk func(name string, v jsontext.Value, depth int)
	walk = func(name string, v jsontext.Value, depth int) {
		if v.Kind() != '{' || depth > 32 {
			return
		}
		for _, f := range members(v) {
			switch {
			case f.name == "writeOnly" && string(f.value) == "true", f.name == "format" && string(f.value) == `"password"`:
				if names == nil {
					names = map[string]bool{}
				}
				names[name] = true
			case f.value.Kind() == '{':
				child := f.name
				if f.name == "items" {
					child = name // the items of a secret list are the secrets
				}
				walk(child, f.value, depth+1)
			}
		}
	}
	walk("", s.Raw(), 0)
	return names
}
