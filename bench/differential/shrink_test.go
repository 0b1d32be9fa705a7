package differential_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// shrink takes away from schema and value what the difference does not need.
func shrink(c *trial) *trial {
	for {
		smaller := shrinkOnce(c)
		if smaller == nil {
			return c
		}
		c = smaller
	}
}

// shrinkOnce returns a smaller trial with a difference of the same direction, or nil.
func shrinkOnce(c *trial) *trial {
	same := func(doc, value []byte) *trial {
		n := newPair(doc).try(value)
		if n.agree() || exceptionOf(&n) != nil || n.ours != c.ours || (n.ourRefusal == "") != (c.ourRefusal == "") || (n.theirRefusal == "") != (c.theirRefusal == "") {
			return nil
		}
		return &n
	}
	for _, doc := range smaller(decode(c.schema)) {
		if n := same(encode(doc), c.value); n != nil {
			return n
		}
	}
	if !json.Valid(c.value) {
		return nil
	}
	for _, value := range smaller(decode(c.value)) {
		if n := same(c.schema, encode(value)); n != nil {
			return n
		}
	}
	return nil
}

func decode(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// smaller lists the values that are v with one part taken away.
func smaller(v any) (out []any) {
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name == "$schema" { // another dialect is another difference
				continue
			}
			less := maps.Clone(v)
			delete(less, name)
			out = append(out, less)
			for _, part := range smaller(v[name]) {
				less := maps.Clone(v)
				less[name] = part
				out = append(out, less)
			}
		}
	case []any:
		for i := range v {
			if len(v) > 1 { // most lists in a schema may not be empty
				out = append(out, slices.Delete(slices.Clone(v), i, i+1))
			}
			for _, part := range smaller(v[i]) {
				less := slices.Clone(v)
				less[i] = part
				out = append(out, less)
			}
		}
	}
	return out
}
