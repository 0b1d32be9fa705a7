package schema

import (
	"embed"
	"fmt"
	"strings"
)

// draftNumber orders the drafts that have rules of their own.
type draftNumber int

const (
	draft6 draftNumber = iota
	draft7
	draft2019
	draft2020
)

// vocabulary is a set of the 2020-12 vocabularies (core specification, section 8.1.2). Core is always there.
type vocabulary uint8

const (
	vocabApplicator vocabulary = 1 << iota
	vocabUnevaluated
	vocabValidation
	vocabMetadata
	vocabFormat
	vocabContent

	vocabAll = vocabApplicator | vocabUnevaluated | vocabValidation | vocabMetadata | vocabFormat | vocabContent
)

var vocabularyNames = map[string]vocabulary{
	"core": 0, "applicator": vocabApplicator, "unevaluated": vocabUnevaluated, "validation": vocabValidation,
	"meta-data": vocabMetadata, "format": vocabFormat, "format-annotation": vocabFormat, "format-assertion": vocabFormat,
	"content": vocabContent,
}

// A draft is the dialect that a schema is read in.
type draft struct {
	number draftNumber
	vocab  vocabulary
	// undeclared: the document names no dialect. It is read as 2020-12, and array-form items as earlier drafts have it are
	// taken too, because documents in the wild mix both.
	undeclared bool
}

var knownDrafts = map[string]draft{
	"http://json-schema.org/draft-06/schema":       {number: draft6, vocab: vocabAll},
	"http://json-schema.org/draft-07/schema":       {number: draft7, vocab: vocabAll},
	"https://json-schema.org/draft/2019-09/schema": {number: draft2019, vocab: vocabAll},
	"https://json-schema.org/draft/2020-12/schema": {number: draft2020, vocab: vocabAll},
}

//go:embed metaschema/*.json metaschema/draft2020-12/*.json
var metaschemas embed.FS

// metaschema returns the published metaschema that lives at uri, if it is one of those that can be referred to.
func metaschema(uri string) ([]byte, bool) {
	var file string
	switch {
	case uri == "http://json-schema.org/draft-07/schema":
		file = "draft7.json"
	case strings.HasPrefix(uri, "https://json-schema.org/draft/2020-12/"):
		file = "draft2020-12/" + strings.ReplaceAll(strings.TrimPrefix(uri, "https://json-schema.org/draft/2020-12/"), "/", "_") + ".json"
	default:
		return nil, false
	}
	raw, err := metaschemas.ReadFile("metaschema/" + file)
	return raw, err == nil
}

// declaredDraft resolves a $schema. A dialect that is not built in is asked of the loader: its $vocabulary says which keywords
// count (core specification, section 8.1.2).
func (c *compiler) declaredDraft(uri string, depth int) (draft, error) {
	uri = strings.TrimSuffix(uri, "#")
	key := uri
	if after, ok := strings.CutPrefix(uri, "https://json-schema.org/draft-0"); ok {
		key = "http://json-schema.org/draft-0" + after
	}
	if after, ok := strings.CutPrefix(uri, "http://json-schema.org/draft/20"); ok {
		key = "https://json-schema.org/draft/20" + after
	}
	if d, ok := knownDrafts[key]; ok {
		return d, nil
	}
	if c.cfg.Loader == nil || depth > 8 {
		return draft{}, fmt.Errorf("the dialect %q is unknown; known are 2020-12, 2019-09, draft-07 and draft-06", uri)
	}
	t, err := c.load(uri)
	if err != nil {
		return draft{}, fmt.Errorf("the dialect %q is unknown: %w", uri, err)
	}
	d := draft{number: draft2020, vocab: vocabAll}
	if base := t.get("$schema"); base != nil && base.kind == '"' && base.str != uri {
		if d, err = c.declaredDraft(base.str, depth+1); err != nil {
			return d, err
		}
	}
	if v := t.get("$vocabulary"); v != nil {
		d.vocab, err = readVocabulary(v)
	}
	return d, err
}

func readVocabulary(t *tree) (vocabulary, error) {
	var v vocabulary
	for _, m := range t.members {
		known := false
		for _, base := range []string{"https://json-schema.org/draft/2020-12/vocab/", "https://json-schema.org/draft/2019-09/vocab/"} {
			if name, ok := strings.CutPrefix(m.name, base); ok {
				bit, ok := vocabularyNames[name]
				known = known || ok
				v |= bit
			}
		}
		if !known && m.value.kind == 't' {
			return v, fmt.Errorf("the dialect requires the vocabulary %q, which is unknown", m.name)
		}
	}
	return v, nil
}
