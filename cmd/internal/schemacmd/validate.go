package schemacmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/schema"
)

// validation is what the flags of validate ask for.
type validation struct {
	schema, cases, draft   string
	noFormat, closed, json bool

	dialect string // the URI of draft
}

// newValidate returns the subcommand validate.
func newValidate() *cobra.Command {
	var v validation
	cmd := &cobra.Command{
		Use:   "validate --schema FILE [FILE...] | --cases FILE",
		Short: "Check values against a schema",
		Long: `Check values against a JSON Schema, and list everything that is wrong with each:
where it is (a JSON Pointer), what is wrong, and what was probably meant. With
no FILE, or with -, the value is read from standard input.

With --cases every line of a file holds a schema and a value, and every line
gets a line of output, in order:

  {"schema":{"type":"integer"},"data":1}          {"valid":true}
  {"schema":{"type":"integer"},"raw":"[1"}        {"valid":false,"faults":[...]}
  {"schema":{"type":"integre"},"data":1}          {"error":"..."}

data is taken as its bytes stand, so that 1e400, 1.0 and duplicate names arrive
as they are; raw is a text that need not be JSON.

Values are refused that are not strict JSON, are nested more than 64 deep or are
longer than 64 MiB.

The exit status is 0 when everything is valid, 1 when something is not, and 2
when something could not be checked: wrong usage, a file that cannot be read, a
schema that does not compile. A line of --cases whose schema does not compile
counts as not valid.`,
		Example: `  helve schema validate --schema order.schema.json order.json
  echo '{"limit":"5"}' | helve schema validate --schema input.schema.json --closed
  helve schema validate --draft 7 --json --schema s.json *.json
  helve schema validate --cases cases.jsonl`,
		Args: v.checkArgs,
		RunE: v.run,
	}
	cmd.Flags().StringVar(&v.schema, "schema", "", "the schema, a JSON `FILE` or - for standard input")
	cmd.Flags().StringVar(&v.cases, "cases", "", "check the lines of a `FILE`, each with a schema and a value")
	cmd.Flags().StringVar(&v.draft, "draft", "", "the `dialect` of schemas that name none: 7 or 2020-12 (default 2020-12)")
	cmd.Flags().BoolVar(&v.noFormat, "no-format", false, "take formats as annotations")
	cmd.Flags().BoolVar(&v.closed, "closed", false, "refuse unknown names, as the input of a tool does")
	cmd.Flags().BoolVar(&v.json, "json", false, "print a line of JSON for each file")
	return cmd
}

// checkArgs checks that the flags and arguments go together.
func (v *validation) checkArgs(_ *cobra.Command, args []string) (err error) {
	switch {
	case v.schema == "" && v.cases == "":
		return errors.New("validate needs --schema FILE or --cases FILE")
	case v.schema != "" && v.cases != "":
		return errors.New("--schema and --cases exclude each other: the lines of --cases bring their schemas")
	case v.cases != "" && len(args) > 0:
		return fmt.Errorf("--cases brings its values, so there is nothing to do with %q", args[0])
	}
	fromStdin := 0
	if len(args) == 0 && v.cases == "" {
		fromStdin++
	}
	for _, name := range append([]string{v.schema}, args...) {
		if name == "-" {
			fromStdin++
		}
	}
	if fromStdin > 1 {
		return errors.New("standard input can be read only once: name a FILE")
	}
	v.dialect, err = draftURI(v.draft)
	return err
}

// run checks what was asked for.
func (v *validation) run(cmd *cobra.Command, args []string) error {
	if v.cases != "" {
		return v.runCases(cmd)
	}
	s, err := readSchema(cmd, v.schema)
	if err != nil {
		return err
	}
	check, err := v.compile(s)
	if err != nil {
		return helvecmd.Usagef("%s does not compile:\n%w", title(v.schema), err)
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	status := helvecmd.ExitOK
	for _, name := range args {
		answer := checkFile(cmd, check, name)
		if cmd.Context().Err() != nil {
			return helvecmd.ErrInterrupted
		}
		switch {
		case answer.Error != "":
			status = helvecmd.ExitUsage
		case !answer.ok():
			status = max(status, helvecmd.ExitFailed)
		}
		if err := v.tell(cmd, &answer); err != nil {
			return err
		}
	}
	return exit(status)
}

// compile compiles a schema as the flags say.
func (v *validation) compile(s *schema.Schema) (*schema.Validator, error) {
	s, err := declare(s, v.dialect)
	if err != nil {
		return nil, err
	}
	return schema.Compile(s, &schema.Config{Closed: v.closed, FormatAnnotation: v.noFormat, MaxSize: maxDocument})
}

// checkFile checks one file.
func checkFile(cmd *cobra.Command, check *schema.Validator, name string) verdict {
	raw, err := readDocument(cmd, name)
	if err != nil {
		return verdict{File: title(name), Error: err.Error()}
	}
	answer := verdictOf(check.Validate(raw))
	answer.File = title(name)
	return answer
}

// tell prints a verdict; what could not be checked goes to standard error,
// unless the answer is JSON.
func (v *validation) tell(cmd *cobra.Command, answer *verdict) error {
	switch {
	case v.json:
		return printJSON(cmd.OutOrStdout(), answer)
	case answer.Error != "":
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", cmd.Root().Name(), plainText(answer.Error))
		return nil
	}
	return answer.print(cmd.OutOrStdout())
}

// exit ends a command with a status; it has said everything itself.
func exit(status int) error {
	if status == helvecmd.ExitOK {
		return nil
	}
	return &helvecmd.ExitError{Status: status}
}
