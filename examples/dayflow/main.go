// Dayflow writes a person's daily brief from mail, calendar and tasks, and shows
// what Helve is for: every tool call of the model goes through one pipeline.
//
//	dayflow brief -v            the brief of an invented person, step by step
//	dayflow brief --data DIR    the brief of your own mail and calendar
//	dayflow tools               what the model may call
//	dayflow call TOOL JSON      one call, as the model would make it
package main

import (
	"context"
	"os"
	_ "time/tzdata" // time zones on machines that have none

	"helve.dev/helve/cmd/helvecmd"
)

func main() {
	os.Exit(helvecmd.Run(context.Background(), newRoot(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
