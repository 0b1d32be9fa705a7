package helve

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
	"helve.dev/helve/internal/plain"
	"helve.dev/helve/schema"
)

// Func binds c to a Go function. In must encode as a JSON object; Out may be
// any JSON value. Both schemas are inferred where the contract leaves them nil;
// package schema says from what. An Out with a method Replayed() Out says with
// it how it looks when the ledger replays it.
//
// The error lists all that is wrong with the contract and the types, each with
// its mend.
func Func[In, Out any](c Contract, fn func(context.Context, In) (Out, error)) (*Tool, error) {
	d := &definition{c: new(c.clone())}
	d.settle()
	ty := inferInput[In](d)
	if d.c.Output == nil {
		out, err := schema.For[Out]()
		if err != nil {
			d.fault("its output: %w", err)
		}
		d.c.Output = out
	}
	encoder := plain.EncoderFor(reflect.TypeFor[Out](), schema.JSONOptions(), optionTypes...)
	ty.encode = func(v any) (jsontext.Value, bool) {
		out, ok := v.(Out) // a middleware may have put another value in its place
		if !ok || any(out) == nil {
			return nil, false
		}
		return encoder.Marshal(reflect.ValueOf(v))
	}
	if _, ok := any(*new(Out)).(interface{ Replayed() Out }); ok {
		ty.replayed = func(data jsontext.Value) (any, error) {
			var out Out
			if err := json.Unmarshal(data, &out, schema.JSONOptions()); err != nil {
				return nil, err
			}
			return any(out).(interface{ Replayed() Out }).Replayed(), nil
		}
	}
	var h Handler
	if fn != nil {
		h = func(ctx context.Context, inv *Invocation) (*Reply, error) {
			in, err := decoded[In](inv, ty)
			if err != nil {
				return nil, err
			}
			out, err := fn(ctx, *in)
			if err != nil {
				return nil, err
			}
			return &Reply{Data: out}, nil
		}
	}
	return d.build(h, ty)
}

// FuncReply is [Func] for a function that returns a [Reply]. The output schema
// is the contract's; nil checks nothing.
func FuncReply[In any](c Contract, fn func(context.Context, In) (*Reply, error)) (*Tool, error) {
	d := &definition{c: new(c.clone())}
	d.settle()
	ty := inferInput[In](d)
	var h Handler
	if fn != nil {
		h = func(ctx context.Context, inv *Invocation) (*Reply, error) {
			in, err := decoded[In](inv, ty)
			if err != nil {
				return nil, err
			}
			return fn(ctx, *in)
		}
	}
	return d.build(h, ty)
}

// inferInput settles the input schema and returns how arguments are decoded.
func inferInput[In any](d *definition) *typed {
	if d.c.Input == nil {
		if k := reflect.TypeFor[In]().Kind(); k != reflect.Struct && k != reflect.Map {
			d.fault("its input is %s: the arguments of a tool are an object; take a struct with a named field for each", reflect.TypeFor[In]())
		} else if in, err := schema.For[In](); err != nil {
			d.fault("its input: %w", err)
		} else {
			d.c.Input = in
		}
	}
	plan := plain.DecoderFor(reflect.TypeFor[In](), decodeOptions, optionTypes...)
	return &typed{decode: func(args jsontext.Value) (any, error) {
		in := new(In)
		if plan.Into(args, reflect.ValueOf(in).Elem()) {
			return in, nil
		}
		in = new(In)
		if err := decodeArguments(args, in); err != nil {
			return nil, err
		}
		return in, nil
	}}
}

// optionTypes are the types that schema.JSONOptions reads and writes its own way.
var optionTypes = []reflect.Type{reflect.TypeFor[time.Duration](), reflect.TypeFor[url.URL]()}

// decodeArguments decodes valid arguments. An integral number in another
// spelling (1.0, 1e3) fits an integer, as JSON Schema says it is one.
func decodeArguments(args jsontext.Value, in any) error {
	err := json.Unmarshal(args, in, decodeOptions)
	if err == nil {
		return nil
	}
	plain := jsonx.Integral(args)
	if len(plain) == len(args) && string(plain) == string(args) {
		return err
	}
	reflect.ValueOf(in).Elem().SetZero()
	return json.Unmarshal(plain, in, decodeOptions)
}

// decodeOptions leave out what the validator has refused already.
var decodeOptions = json.JoinOptions(schema.JSONOptions(), jsontext.AllowDuplicateNames(true))

// decoded returns the arguments of an invocation as In: those decoded by stage
// 2 where nobody had them yet, else a fresh value.
func decoded[In any](inv *Invocation, ty *typed) (*In, error) {
	if v, ok := inv.f.takeDecoded().(*In); ok {
		return v, nil
	}
	v, err := ty.decode(inv.f.args)
	if err != nil {
		return nil, Errorf(CodeInvalidInput, "the arguments could not be read: %s", decodeFault(err).Problem)
	}
	return v.(*In), nil
}

// decodeFault says to the model why arguments that fit the schema do not fit
// the Go type, without naming Go types.
func decodeFault(err error) Fault {
	f := Fault{Problem: "cannot be read as what the tool expects"}
	sem, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return f
	}
	f.Path = string(sem.JSONPointer)
	switch {
	case sem.JSONKind == '0' && len(sem.JSONValue) > 0:
		f.Problem = "is out of range: " + clip(string(sem.JSONValue), 40)
	case sem.Err != nil:
		f.Problem = "was not accepted: " + clip(sem.Err.Error(), 120)
	}
	return f
}
