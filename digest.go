package helve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve/internal/jsonx"
	"helve.dev/helve/schema"
)

// A Digest is a SHA-256 sum. The zero value is no digest.
type Digest [sha256.Size]byte

// String returns "sha256:" and the sum in hexadecimal, or "" for no digest.
func (d Digest) String() string {
	if d == (Digest{}) {
		return ""
	}
	return "sha256:" + hex.EncodeToString(d[:])
}

// MarshalText writes what String returns.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what String returned.
func (d *Digest) UnmarshalText(b []byte) error {
	*d = Digest{}
	if len(b) == 0 {
		return nil
	}
	const prefix = "sha256:"
	if len(b) != len(prefix)+2*len(d) || string(b[:len(prefix)]) != prefix {
		return fmt.Errorf("helve: %q is no digest", b)
	}
	_, err := hex.Decode(d[:], b[len(prefix):])
	return err
}

// digestJSON hashes the canonical form of raw, which must be valid: RFC 8785 with numbers as exact
// decimals, so that two different ids never meet in one digest.
func digestJSON(raw jsontext.Value) (Digest, error) {
	canon, err := jsonx.CanonicalValid(raw)
	if err != nil {
		return Digest{}, err
	}
	return sha256.Sum256(canon), nil
}

// Digest identifies what a person or a lock file has reviewed. It covers what
// decides about meaning and permission; operational fields (timeouts, attempts,
// sizes, rates, limits, cost, cache, poll, concurrency, paging, tags) are
// outside it, so that tuning a tool does not void its approvals.
func (c *Contract) Digest() Digest {
	covered := struct {
		Name             string            `json:"name"`
		Title            string            `json:"title"`
		Description      string            `json:"description"`
		Version          string            `json:"version"`
		Input            *schema.Schema    `json:"input"`
		Output           *schema.Schema    `json:"output"`
		Effect           string            `json:"effect"`
		EffectBy         EffectBy          `json:"effect_by"`
		Idempotent       bool              `json:"idempotent"`
		OpenWorld        bool              `json:"open_world"`
		Approval         ApprovalMode      `json:"approval"`
		Key              KeyRule           `json:"key"`
		DedupeOn         []string          `json:"dedupe_on,omitempty"`
		Credentials      []string          `json:"credentials"`
		Uses             []string          `json:"uses"`
		Aliases          []string          `json:"aliases"`
		ParamAliases     map[string]string `json:"param_aliases"`
		Deprecated       string            `json:"deprecated"`
		DeprecatedParams map[string]string `json:"deprecated_params"`
		Errors           []ErrorSpec       `json:"errors"`
		Examples         []jsontext.Value  `json:"examples"`
		Hidden           bool              `json:"hidden"`
	}{
		c.Name, c.Title, c.Description, c.Version, c.Input, c.Output, c.Effect.String(), c.EffectBy,
		c.Idempotent, c.OpenWorld, c.Approval, c.Key, c.DedupeOn, c.Credentials, c.Uses, c.Aliases, c.ParamAliases,
		c.Deprecated, c.DeprecatedParams, c.Errors, c.Examples, c.Hidden,
	}
	raw, err := json.Marshal(covered, contractOptions)
	if err != nil { // only a contract that could not be defined has such a part
		return Digest{}
	}
	d, _ := digestJSON(raw)
	return d
}
