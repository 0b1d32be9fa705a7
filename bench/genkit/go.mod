module helve.dev/helve/bench/genkit

go 1.26.0

replace helve.dev/helve/bench => ../

replace helve.dev/helve => ../../

require (
	github.com/firebase/genkit/go v1.4.0
	helve.dev/helve/bench v0.0.0
)
