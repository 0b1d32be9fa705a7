package archtest

// module is the import path that everything of this repository starts with.
const module = "helve.dev/helve"

// Layers besides 0 to 4.
const (
	house   = -1 // tests and tools of the repository: import nothing of Helve
	noLayer = -2 // not in the table
)

// A row of the layer table. The pattern is relative to the module path; "." is
// the root package, "x/..." is x and all below it as one unit, and "x/*" makes
// each package directly below x a unit with all below it. The first row that
// matches counts.
type row struct {
	layer   int
	pattern string
	also    []string // units of the same layer that it may import
}

// layers is the table of docs/architecture.md. A package may import the layers
// below its own, itself, and what also names. Layer 4 may import any public
// package. Tests may import anything up to layer 3.
var layers = []row{
	{house, "internal/archtest/...", nil},
	{house, "internal/licensetest/...", nil},

	{0, "schema/...", []string{"internal/jsonx"}},
	{0, "internal/jsonx/...", nil},
	{0, "internal/plain/...", []string{"internal/jsonx"}},
	{0, "internal/dialect/...", nil}, // checkers for the tests of schema

	{1, ".", nil},

	{2, "lint/...", nil},
	{2, "lock/...", nil},
	{2, "toolset/...", nil},
	{2, "memory/...", nil},
	{2, "model", nil},
	{2, "model/scripted/...", []string{"model"}},
	{2, "record/...", nil},
	{2, "storetest/...", nil},
	{2, "helvetest/...", nil},

	{3, "agent/...", nil},
	{4, "store/crash/...", nil},
	{4, "store/proof/...", nil}, // tests alone
	{3, "store/audit/...", nil},
	{3, "store/*", []string{"store/audit"}},
	{3, "models/*", nil},
	{3, "helvemcp/...", nil},
	{3, "helveotel/...", nil},
	{3, "console/...", nil},
	{3, "cmd/helvecmd/...", nil},

	{4, "cmd/*", nil},
	{4, "examples/*", nil},
	{4, "helvetemporal/...", nil},
	{4, "bench/...", nil},
}

// allowed says which third-party modules a part of the repository may import.
// A path also allows what lies below it.
type allowed struct {
	pattern string
	tests   bool // in tests only
	paths   []string
}

// thirdParties is the list of who may import what. A new line here goes
// together with a line in docs/design/dependencies.md.
var thirdParties = []allowed{
	{"schema/...", false, []string{jsonV2, "github.com/dlclark/regexp2"}},
	{"internal/jsonx/...", false, []string{jsonV2}},
	{".", false, []string{jsonV2, "github.com/cenkalti/backoff/v5", "golang.org/x/time/rate"}},
	// jsontext.Value is Helve's raw JSON: every package may speak it.
	{"...", false, []string{jsonV2}},
	{"...", true, []string{"github.com/google/go-cmp"}},

	// The commands: one command-line library with its flags, and scripts as tests.
	{"cmd/...", false, []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"}},
	{"cmd/...", true, []string{"github.com/rogpeppe/go-internal"}},
	{"cmd/internal/storecmd/...", false, []string{"golang.org/x/mod/sumdb/note"}},
	{"examples/...", false, []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"}},
	{"examples/...", true, []string{"github.com/rogpeppe/go-internal"}},

	// The stores: a database driver each, and the Merkle log of the audit.
	{"store/...", false, []string{"golang.org/x/mod/sumdb"}},
	{"store/sqlite/...", false, []string{"modernc.org/sqlite"}},
	{"store/postgres/...", false, []string{"github.com/jackc/pgx/v5"}},
	{"store/proof/...", true, []string{"github.com/jackc/pgx/v5"}},
	{"store/internal/pgtest/...", false, []string{"github.com/jackc/pgx/v5"}},

	// The examples read mail and calendars and keep tasks in a database.
	{"examples/...", false, []string{
		"github.com/arran4/golang-ical",
		"github.com/emersion/go-message",
		"github.com/teambition/rrule-go",
		"golang.org/x/net/html",
		"golang.org/x/text",
		"modernc.org/sqlite",
	}},
}

const jsonV2 = "github.com/go-json-experiment/json"

// What the core may weigh, measured with GOWORK=off, and the sizes that code
// keeps.
const (
	maxDirect   = 6    // direct requirements of the root module outside tests
	maxModules  = 15   // lines of go list -m all in the root module
	maxPackages = 15   // third-party packages compiled into package helve
	maxExported = 250  // exported names of package helve
	maxFile     = 1000 // lines of a Go file
	maxFunc     = 120  // lines of a function outside tests
	maxExecute  = 80   // lines of Executor.Execute
	maxAgents   = 60   // lines of AGENTS.md
)

// apiTypes are the third-party types that may appear in the API of package
// helve.
var apiTypes = []string{jsonV2 + "/jsontext.Value"}
