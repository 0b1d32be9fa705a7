package helve

import (
	"crypto/rand"

	"github.com/go-json-experiment/json/jsontext"
)

// A Call is one request as the caller makes it. The executor never changes it.
type Call struct {
	// ID names the call within its run. Empty: one is issued.
	ID string
	// Tool is the name or an alias of a tool.
	Tool string
	// Arguments is raw JSON as the model wrote it. Empty, white space and null
	// mean {}.
	Arguments jsontext.Value
	// Key is the idempotency key that the caller chose, scoped by tenant and
	// tool. Empty: the contract's rule. An argument that the contract names as
	// key comes before it.
	Key string
	// Approval is what the call was pending for when it was sent before. The
	// decision on it counts then, and is waited for, also where autonomy and
	// policy would ask nobody by now. Empty: they alone say whether a person is
	// asked.
	Approval string
}

func newID(prefix string) string { return prefix + rand.Text()[:20] }
