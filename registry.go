package helve

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Registry holds tools by name, sorted. It is owned by whoever made it; there
// is no global one. All methods are safe for concurrent use, and a call sees
// the registry as it was when the call began.
type Registry struct {
	mu    sync.Mutex
	state atomic.Pointer[surface]

	// A view has these instead.
	parent *Registry
	derive func(*surface) *surface
	cached atomic.Pointer[derived]
}

type derived struct{ from, to *surface }

// surface is a registry at one moment. It is never changed.
type surface struct {
	tools   []*Tool // sorted by name
	byName  map[string]*Tool
	effects effectSet // what calls may do here
}

// effectSet is a set of effects.
type effectSet uint8

const allEffects effectSet = 1<<Read | 1<<Write | 1<<Destructive

func effectsOf(list []Effect) effectSet {
	var s effectSet
	for _, e := range list {
		s |= 1 << e
	}
	return s
}

func (s effectSet) has(e Effect) bool { return s&(1<<e) != 0 }

// NewRegistry returns a registry that holds tools; see [Registry.Add].
func NewRegistry(tools ...*Tool) (*Registry, error) {
	r := &Registry{}
	r.state.Store(newSurface(nil, allEffects))
	return r, r.Add(tools...)
}

func newSurface(tools []*Tool, effects effectSet) *surface {
	s := &surface{tools: tools, byName: make(map[string]*Tool, len(tools)), effects: effects}
	slices.SortFunc(s.tools, func(a, b *Tool) int { return strings.Compare(a.c.Name, b.c.Name) })
	for _, t := range tools {
		for _, alias := range t.c.Aliases {
			s.byName[alias] = t
		}
	}
	for _, t := range tools {
		s.byName[t.c.Name] = t
	}
	return s
}

var errView = errors.New("helve: this registry is a view: change the one that it was made of")

// Add adds all tools or, on error, none. A name or alias that is taken, a nil
// tool, and tools that use each other in a circle are errors, all reported at
// once.
func (r *Registry) Add(tools ...*Tool) error {
	return r.change(func(now []*Tool) ([]*Tool, error) { return slices.Concat(now, tools), nil })
}

// Replace puts t in the place of the tool of its name. It is an error if there
// is none.
func (r *Registry) Replace(t *Tool) error {
	return r.change(func(now []*Tool) ([]*Tool, error) {
		if t == nil {
			return nil, errors.New("helve: a nil tool cannot replace another")
		}
		next := slices.Clone(now)
		i := slices.IndexFunc(next, func(o *Tool) bool { return o.c.Name == t.c.Name })
		if i < 0 {
			return nil, fmt.Errorf("helve: tool %q: there is none to replace: use Add", t.c.Name)
		}
		next[i] = t
		return next, nil
	})
}

// Remove takes the named tools out; names that are not there are left alone.
// Calls that began before go on.
func (r *Registry) Remove(names ...string) error {
	return r.change(func(now []*Tool) ([]*Tool, error) {
		return slices.DeleteFunc(slices.Clone(now), func(t *Tool) bool { return slices.Contains(names, t.c.Name) }), nil
	})
}

func (r *Registry) change(fn func([]*Tool) ([]*Tool, error)) error {
	if r.parent != nil {
		return errView
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next, err := fn(r.surface().tools)
	if err != nil {
		return err
	}
	if err := checkTogether(next); err != nil {
		return err
	}
	r.state.Store(newSurface(slices.Clone(next), allEffects))
	return nil
}

// checkTogether finds what only shows among several tools.
func checkTogether(tools []*Tool) error {
	var errs []error
	owner := map[string]string{}
	byName := map[string]*Tool{}
	claim := func(name, what string) {
		if other, taken := owner[name]; taken {
			errs = append(errs, fmt.Errorf("helve: %s collides with %s: choose another name, or use Replace to put a tool in the other's place", what, other))
			return
		}
		owner[name] = what
	}
	for _, t := range tools {
		if t == nil {
			errs = append(errs, errors.New("helve: a nil tool was added: look at the error of helve.Func or helve.New"))
			continue
		}
		if t.defect != nil {
			errs = append(errs, t.defect)
		}
		claim(t.c.Name, fmt.Sprintf("tool %q", t.c.Name))
		byName[t.c.Name] = t
	}
	for _, t := range tools {
		if t == nil {
			continue
		}
		for _, alias := range t.c.Aliases {
			claim(alias, fmt.Sprintf("the alias %q of tool %q", alias, t.c.Name))
		}
	}
	return errors.Join(append(errs, circles(byName)...)...)
}

// circles finds tools that use each other in a circle.
func circles(byName map[string]*Tool) []error {
	var errs []error
	const visiting, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(name string)
	visit = func(name string) {
		t := byName[name]
		if t == nil || state[name] == done {
			return
		}
		path = append(path, name)
		defer func() { path = path[:len(path)-1] }()
		if state[name] == visiting {
			start := slices.Index(path, name)
			errs = append(errs, fmt.Errorf("helve: tool %q uses itself in a circle: %s", name, strings.Join(path[start:], " -> ")))
			return
		}
		state[name] = visiting
		for _, u := range t.c.Uses {
			visit(u)
		}
		state[name] = done
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		visit(name)
	}
	return errs
}

func (r *Registry) surface() *surface {
	if r.parent == nil {
		if s := r.state.Load(); s != nil {
			return s
		}
		return &surface{effects: allEffects} // the zero Registry
	}
	from := r.parent.surface()
	if d := r.cached.Load(); d != nil && d.from == from {
		return d.to
	}
	d := &derived{from, r.derive(from)}
	r.cached.Store(d)
	return d.to
}

// Lookup finds a tool by name or alias.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.surface().byName[name]
	return t, ok
}

// Len returns how many tools there are, hidden ones included.
func (r *Registry) Len() int { return len(r.surface().tools) }

// All yields the tools by name, hidden ones included.
func (r *Registry) All() iter.Seq[*Tool] { return slices.Values(r.surface().tools) }

// Visible yields the tools that a model may be shown, by name.
func (r *Registry) Visible() iter.Seq[*Tool] {
	return func(yield func(*Tool) bool) {
		for _, t := range r.surface().tools {
			if !t.c.Hidden && !yield(t) {
				return
			}
		}
	}
}

// Contracts returns copies of the contracts of the visible tools, by name.
func (r *Registry) Contracts() []Contract {
	var out []Contract
	for t := range r.Visible() {
		out = append(out, t.Contract())
	}
	return out
}

// names returns the names that a model may be told.
func (s *surface) names() []string {
	var out []string
	for _, t := range s.tools {
		if !t.c.Hidden {
			out = append(out, t.c.Name)
		}
	}
	return out
}
