package helve_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"helve.dev/helve"
)

// newExecutor keeps the examples short; a program handles the errors.
func newExecutor(cfg *helve.Config, tools ...*helve.Tool) *helve.Executor {
	reg, err := helve.NewRegistry(tools...)
	if err != nil {
		panic(err)
	}
	x, err := helve.NewExecutor(reg, cfg)
	if err != nil {
		panic(err)
	}
	return x
}

func show(res *helve.Result) {
	envelope, err := res.MarshalJSON()
	if err != nil {
		panic(err)
	}
	fmt.Println(string(envelope))
}

func Example() {
	type Query struct {
		City string `json:"city" doc:"Name of the city, in English."`
	}
	population, err := helve.Func(helve.Contract{
		Name:        "city_population",
		Description: "Returns how many people live in a city, as a bare number; 0 for a city it does not know.",
		Effect:      helve.Read,
		Idempotent:  true,
	}, func(_ context.Context, q Query) (int, error) {
		return map[string]int{"Lisbon": 545000, "Porto": 231000}[q.City], nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := newExecutor(nil, population)
	defer x.Close(context.Background())

	ctx := context.Background()
	show(x.Execute(ctx, &helve.Call{Tool: "city_population", Arguments: jsontext.Value(`{"city":"Lisbon"}`)}))
	show(x.Execute(ctx, &helve.Call{Tool: "city_population", Arguments: jsontext.Value(`{"town":"Lisbon"}`)}))
	// Output:
	// {"ok":true,"data":545000}
	// {"ok":false,"error":{"code":"invalid_input","message":"2 problems with the arguments","retryable":false,"faults":[{"path":"/town","problem":"unknown; accepted: city"},{"path":"/city","problem":"missing; wants a string"}],"suggestion":"Send the call again with these corrected."}}
}

func ExampleFunc() {
	type Payment struct {
		To     string `json:"to" doc:"Who gets it." minLength:"1"`
		Amount int    `json:"amount" doc:"In cents." minimum:"1"`
		Memo   string `json:"memo" default:"-"`
	}
	pay, err := helve.Func(helve.Contract{
		Name:        "pay",
		Description: "Pays an amount to somebody. Returns the number of the receipt.",
		Effect:      helve.Write,
	}, func(context.Context, Payment) (string, error) { return "r-1", nil })
	fmt.Println(pay.Contract().Input, err)

	// What is wrong with a contract is told at once, with the mend.
	_, err = helve.Func(helve.Contract{Name: "pay now", Description: "Pays."}, func(context.Context, Payment) (string, error) { return "", nil })
	fmt.Println(err)
	// Output:
	// {"type":"object","properties":{"to":{"type":"string","description":"Who gets it.","minLength":1},"amount":{"type":"integer","description":"In cents.","minimum":1},"memo":{"type":"string","default":"-"}},"required":["to","amount"],"additionalProperties":false} <nil>
	// helve: tool "pay now": the name must be 1 to 64 letters, digits, _ or -, and start with a letter or _
	// helve: tool "pay now": the model would read 5 characters ("Pays.") of its description, and needs at least 30: say what comes back, and when to call it
	// helve: tool "pay now": no effect is declared: set Effect to helve.Read, helve.Write or helve.Destructive
}

func sendEmail() *helve.Tool {
	type Mail struct {
		To   string `json:"to"`
		Body string `json:"body"`
	}
	return helve.Must(helve.Func(helve.Contract{
		Name:        "send_email",
		Description: "Sends an email, which cannot be unsent. Returns a confirmation.",
		Effect:      helve.Write,
		OpenWorld:   true,
	}, func(_ context.Context, m Mail) (string, error) { return "sent to " + m.To, nil }))
}

func ExampleExecutor_Decide() {
	x := newExecutor(nil, sendEmail())
	ctx := helve.WithScope(context.Background(), helve.Scope{Run: "run_1"})
	call := &helve.Call{ID: "call_1", Tool: "send_email", Arguments: jsontext.Value(`{"to":"ann@example.org","body":"Hi"}`)}

	res := x.Execute(ctx, call)
	fmt.Println("pending:", res.Pending.Reason)
	approval, _ := x.Store().Approval(ctx, "", res.Pending.Approval)
	fmt.Println(helve.RenderCall(approval, helve.Terminal))

	if _, err := x.Decide(ctx, approval.ID, helve.Decision{Approve: true, By: "sam"}); err != nil {
		fmt.Println(err)
	}
	show(x.Execute(ctx, call)) // runs once
	show(x.Execute(ctx, call)) // and is replayed from then on
	// Output:
	// pending: writes need a person's approval
	// send_email (write)
	//   to: ann@example.org
	//   body: Hi
	// {"ok":true,"data":"sent to ann@example.org"}
	// {"ok":true,"data":"sent to ann@example.org","replayed":true}
}

func ExampleResult_Err() {
	errNoSuchOrder := errors.New("no such order")
	status := helve.Must(helve.Func(helve.Contract{
		Name: "order_status", Effect: helve.Read, Attempts: 1,
		Description: "Tells where an order is and when it arrives.",
	}, func(context.Context, struct {
		ID int `json:"id"`
	},
	) (string, error) {
		return "", fmt.Errorf("look up: %w", errNoSuchOrder)
	}))
	x := newExecutor(nil, status)
	res := x.Execute(context.Background(), &helve.Call{Tool: "order_status", Arguments: jsontext.Value(`{"id":7}`)})

	// A program may stop at the error,
	err := res.Err()
	var failed *helve.CallError
	fmt.Println(errors.As(err, &failed), failed.Code, errors.Is(err, errNoSuchOrder))
	// or let the model cope with the envelope.
	show(res)
	// Output:
	// true tool_failed true
	// {"ok":false,"error":{"code":"tool_failed","message":"look up: no such order","retryable":true}}
}

func ExampleExecuteAs() {
	x := newExecutor(nil, cityPopulation())
	n, err := helve.ExecuteAs[int](context.Background(), x, &helve.Call{Tool: "city_population", Arguments: jsontext.Value(`{"city":"Porto"}`)})
	fmt.Println(n, err)
	// Output: 231000 <nil>
}

func ExampleExecutor_ExecuteAll() {
	x := newExecutor(nil, cityPopulation())
	for _, res := range x.ExecuteAll(context.Background(), []*helve.Call{
		{ID: "a", Tool: "city_population", Arguments: jsontext.Value(`{"city":"Lisbon"}`)},
		{ID: "b", Tool: "city_size", Arguments: jsontext.Value(`{"city":"Lisbon"}`)},
	}) {
		fmt.Printf("%s %v %q\n", res.CallID, res.OK(), res.Code())
	}
	// Output:
	// a true ""
	// b false "unknown_tool"
}

func ExampleRules() {
	x := newExecutor(&helve.Config{Policy: helve.Rules{
		{Name: "mail is fine", Tools: []string{"send_email"}, Verdict: helve.Preapprove},
		{Name: "not to eve", Verdict: helve.Deny, Reason: "eve gets no mail", When: func(_ context.Context, r *helve.Request) (bool, error) {
			var to struct {
				To string `json:"to"`
			}
			return jsonGet(r.Arguments, &to) == nil && to.To == "eve@example.org", nil
		}},
	}}, sendEmail())
	for _, to := range []string{"ann@example.org", "eve@example.org"} {
		show(x.Execute(context.Background(), &helve.Call{Tool: "send_email", Arguments: jsontext.Value(`{"to":"` + to + `","body":"Hi"}`)}))
	}
	// Output:
	// {"ok":true,"data":"sent to ann@example.org"}
	// {"ok":false,"error":{"code":"denied","message":"eve gets no mail","retryable":false,"suggestion":"Do not send it again. Go on without it, or tell the user what you may not do."}}
}

func ExampleNotDone() {
	tries := 0
	book := helve.Must(helve.Func(helve.Contract{
		Name: "book_room", Effect: helve.Write, Attempts: 3,
		Description: "Books a room for a meeting. Returns its number.",
	}, func(context.Context, struct{}) (int, error) {
		if tries++; tries == 1 {
			return 0, helve.NotDone(errors.New("the booking system is restarting"))
		}
		return 204, nil
	}))
	x := newExecutor(nil, book)
	ctx := helve.WithScope(context.Background(), helve.Scope{Autonomy: helve.Auto})
	res := x.Execute(ctx, &helve.Call{Tool: "book_room"})
	fmt.Println(string(res.Data), res.Attempts)
	// Output: 204 2
}

func ExampleCredential() {
	weather := helve.Must(helve.Func(helve.Contract{
		Name: "weather", Effect: helve.Read, Attempts: 1,
		Description: "Tells the weather of the day in one sentence.",
		Credentials: []string{"weather-api-key"},
	}, func(ctx context.Context, _ struct{}) (string, error) {
		key, err := helve.Credential(ctx, "weather-api-key")
		if err != nil {
			return "", err
		}
		return "", fmt.Errorf("GET https://api.example.com/today?appid=%s: 500", key.Reveal())
	}))
	x := newExecutor(&helve.Config{Credentials: helve.CredentialFunc(
		func(context.Context, helve.Scope, string) (helve.Secret, error) {
			return helve.NewSecret("wk-123456"), nil
		},
	)}, weather)
	show(x.Execute(context.Background(), &helve.Call{Tool: "weather"}))
	// Output: {"ok":false,"error":{"code":"tool_failed","message":"GET https://api.example.com/today?appid=[redacted]: 500","retryable":true}}
}

func ExampleInvoke() {
	replace := helve.Must(helve.Func(helve.Contract{
		Name: "double_population", Effect: helve.Read, Uses: []string{"city_population"},
		Description: "Returns twice as many people as live in a city.",
	}, func(ctx context.Context, in struct {
		City string `json:"city"`
	},
	) (int, error) {
		var n int
		err := helve.Invoke(ctx, "city_population", in).Decode(&n)
		return 2 * n, err
	}))
	x := newExecutor(nil, cityPopulation(), replace)
	show(x.Execute(context.Background(), &helve.Call{Tool: "double_population", Arguments: jsontext.Value(`{"city":"Porto"}`)}))
	// Output: {"ok":true,"data":462000}
}

func ExampleRegistry_Only() {
	reg, _ := helve.NewRegistry(cityPopulation(), sendEmail())
	for t := range reg.Only(helve.Read).All() {
		fmt.Println(t.Name())
	}
	// Output: city_population
}

func ExampleProgress() {
	scan := helve.Must(helve.Func(helve.Contract{
		Name: "scan", Effect: helve.Read, Stall: 10 * time.Second, Timeout: time.Hour,
		Description: "Scans all files for a word. Ended when it gets on no more.",
	}, func(ctx context.Context, _ struct{}) (int, error) {
		for i := range 3 {
			helve.Progress(ctx, float64(i+1), 3, "file")
		}
		return 3, nil
	}))
	show(newExecutor(nil, scan).Execute(context.Background(), &helve.Call{Tool: "scan"}))
	// Output: {"ok":true,"data":3}
}
