// Package helve stands between a language model and Go code. A tool is declared
// once, as a [Contract]: name, description, schemas, effect, limits,
// permissions. Every call that a model makes then runs through one pipeline that
// enforces the contract, and one envelope comes back that the model can act on.
//
//	population, err := helve.Func(helve.Contract{
//		Name:        "city_population",
//		Description: "Returns how many people live in a city, as a bare number.",
//		Effect:      helve.Read,
//	}, func(ctx context.Context, in struct {
//		City string `json:"city"`
//	}) (int, error) {
//		return count(ctx, in.City)
//	})
//
// [Func] binds a contract to a function and infers the schemas of its types. A
// [Registry] holds tools, and an [Executor] runs calls: [Executor.Execute] one,
// [Executor.ExecuteAll] those of one model turn. Both always return a [Result]
// and never panic.
//
// # The pipeline
//
// A call passes eleven stages in a fixed order: resolve, validate, authorize,
// recall, approve, admit, claim, execute, check, settle, shape. Each may end it.
// A call that is refused, pending or replayed never reaches a handler, and what
// was authorised is what runs.
//
// # Zero is safe
//
// A contract without an [Effect] is refused. A [Decision] that says nothing
// denies, and so does a [Ruling]. An executor with an empty [Config] runs reads,
// and everything with effects waits for a person.
//
// # Outcomes
//
// A call with effects has a key in the ledger of the [Store], so that the same
// call sent twice happens once. A handler's exit says what happened: a value, an
// [Error] (nothing happened), [NotDone], [Partial], [Suspend], or any other
// error, after which the outcome of a tool that is not [Contract.Idempotent] is
// unknown and is told so.
package helve
