// Package differential has tests only: they compare the verdicts of package
// schema with those of github.com/santhosh-tekuri/jsonschema/v6 on random
// schemas and values.
//
//	go test ./differential                          about five seconds, a new seed
//	go test ./differential -v -for 5m               longer
//	go test ./differential -v -seed 7 -from 1234 -cases 1   one case again
//	go test ./differential -run '^$' -fuzz Verdict  coverage-guided
//
// A test that fails prints the seed and the number of the case, with schema and
// value made as small as they go.
//
// Formats are annotations on both sides, because they are where validators
// differ by design: here `format` is asserted unless Config.FormatAnnotation is
// set, in every dialect. There it is asserted in draft-07 and before, and in
// 2020-12 only after Compiler.AssertFormat; `regex` is always asserted in
// draft-07, so the generator leaves that one out.
package differential
