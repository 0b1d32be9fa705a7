package helve

// A view is a registry that follows another one and shows a part of it. It
// cannot be changed itself. Views can be made of views.

// Only returns a live view of the tools with one of these effects. A tool whose
// arguments lower its effect is in the view when some of its calls are, and a
// call of it with another effect is denied there. Without effects the view is
// empty.
func (r *Registry) Only(effects ...Effect) *Registry {
	set := effectsOf(effects)
	return r.view(set, func(t *Tool) bool {
		if set.has(t.c.Effect) {
			return true
		}
		for _, e := range t.c.EffectBy.Values {
			if set.has(e) {
				return true
			}
		}
		return false
	})
}

// Tagged returns a live view of the tools that carry all of these tags with
// these values. Without tags it shows every tool.
func (r *Registry) Tagged(tags map[string]string) *Registry {
	return r.view(allEffects, func(t *Tool) bool {
		for k, v := range tags {
			if have, ok := t.c.Tags[k]; !ok || have != v {
				return false
			}
		}
		return true
	})
}

// Filter returns a live view of the tools that keep says yes to. Keep is asked
// once for each tool and change of the registry.
func (r *Registry) Filter(keep func(*Tool) bool) *Registry { return r.view(allEffects, keep) }

func (r *Registry) view(effects effectSet, keep func(*Tool) bool) *Registry {
	return &Registry{parent: r, derive: func(from *surface) *surface {
		var tools []*Tool
		for _, t := range from.tools {
			if keep(t) {
				tools = append(tools, t)
			}
		}
		return newSurface(tools, from.effects&effects)
	}}
}
