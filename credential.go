package helve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// redacted stands wherever a secret would have stood.
const redacted = "[redacted]"

// A Secret is a value that prints, marshals and logs as redacted. The zero
// value is the empty secret. It is safe for concurrent use.
type Secret struct{ value *string }

// NewSecret returns a Secret that holds value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value. Every place that calls it is worth a look.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// String returns "[redacted]".
func (s Secret) String() string { return redacted }

// Format writes "[redacted]" whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue returns "[redacted]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns "[redacted]".
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Credentials resolves a name that a contract declares, for a scope, to its
// secret. It is called once for each call that needs it, before anything is
// claimed; an error makes the call unavailable, and its text goes to the log
// only. It must be safe for concurrent use.
type Credentials interface {
	Resolve(ctx context.Context, scope Scope, name string) (Secret, error)
}

// CredentialFunc makes Credentials of a function.
type CredentialFunc func(ctx context.Context, scope Scope, name string) (Secret, error)

// Resolve calls f.
func (f CredentialFunc) Resolve(ctx context.Context, scope Scope, name string) (Secret, error) {
	return f(ctx, scope, name)
}

// EnvCredentials resolves a name to an environment variable: prefix and name in
// upper case, with "_" for every other character ("weather-api-key" is
// WEATHER_API_KEY). An unset or empty variable is an error. It has one answer
// for all scopes.
func EnvCredentials(prefix string) Credentials {
	return CredentialFunc(func(_ context.Context, _ Scope, name string) (Secret, error) {
		variable := prefix + strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return r - 'a' + 'A'
			case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
				return r
			}
			return '_'
		}, name)
		if v := os.Getenv(variable); v != "" {
			return NewSecret(v), nil
		}
		return Secret{}, fmt.Errorf("the environment variable %s is not set", variable)
	})
}

// Credential returns a secret that the tool's contract declares. Outside of a
// handler, or for a name that is not declared, it is an error.
func Credential(ctx context.Context, name string) (Secret, error) {
	inv := InvocationFrom(ctx)
	if inv == nil {
		return Secret{}, fmt.Errorf("helve: credential %q: no handler runs in this context", name)
	}
	s, ok := inv.f.secrets[name]
	if !ok {
		return Secret{}, fmt.Errorf("helve: credential %q is not declared by tool %q: add it to Contract.Credentials", name, inv.Tool())
	}
	return s, nil
}
