package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"

	"helve.dev/helve"
	"helve.dev/helve/store/sqlite"
)

// store makes a store as a program leaves it: two approvals that wait, a call
// that was carried out, one whose outcome is unknown, and a run: store FILE [TENANT].
func store(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: store FILE [TENANT]")
	}
	tenant := ""
	if len(args) == 2 {
		tenant = args[1]
	}
	ctx := helve.WithScope(context.Background(), helve.Scope{Tenant: tenant, Run: "monday", Autonomy: helve.Auto})
	s, err := sqlite.Open(ctx, ts.MkAbs(args[0]), nil)
	ts.Check(err)
	defer func() { ts.Check(s.Close()) }()
	type mail struct {
		To   string `json:"to"`
		Text string `json:"text,omitzero"`
	}
	sending := helve.Contract{Name: "send", Effect: helve.Write, Description: "Sends a mail to one person and says so."}
	asking := helve.Contract{Name: "pay", Effect: helve.Destructive, Description: "Pays an invoice out of the account."}
	fn := func(_ context.Context, in mail) (string, error) {
		if in.To == "lost" {
			return "", errors.New("connection reset; password=hunter22")
		}
		return "sent", nil
	}
	tools, err := helve.NewRegistry(helve.Must(helve.Func(sending, fn)), helve.Must(helve.Func(asking, fn)))
	ts.Check(err)
	x, err := helve.NewExecutor(tools, &helve.Config{Store: s})
	ts.Check(err)
	call := func(id, tool, arguments string) {
		x.Execute(ctx, &helve.Call{ID: id, Tool: tool, Arguments: jsontext.Value(arguments)})
	}
	call("c1", "send", `{"to":"ann","text":"hello"}`)
	call("c2", "send", `{"to":"lost"}`)
	call("c3", "pay", `{"to":"bob","text":"invoice 7\u001b[31m"}`)
	call("c4", "pay", `{"to":"eve"}`)
	ts.Check(s.SaveRun(ctx, &helve.RunRecord{Tenant: tenant, ID: "monday", Kind: "agent/1", Title: "The brief of Monday", State: "suspended", Data: []byte(`{"secret":1}`)}))
	for i, id := range []string{"c3", "c4"} {
		list, err := s.ListApprovals(ctx, helve.ApprovalFilter{Tenant: tenant})
		ts.Check(err)
		if list[i].CallID != id {
			ts.Fatalf("approval %d is of call %s", i, list[i].CallID)
		}
		ts.Setenv([]string{"FIRST", "SECOND"}[i], list[i].ID)
	}
	entries, err := s.Entries(ctx, helve.EntryFilter{Tenant: tenant, State: helve.EntryUnknown})
	ts.Check(err)
	ts.Setenv("LOST", entries[0].Key)
}

// tamper runs SQL on a file: tamper FILE SQL.
func tamper(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tamper FILE SQL")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { ts.Check(db.Close()) }()
	_, err = db.ExecContext(context.Background(), args[1])
	ts.Check(err)
}
