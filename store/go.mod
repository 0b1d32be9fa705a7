module helve.dev/helve/store

go 1.26.0

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
	golang.org/x/mod v0.43.0
	helve.dev/helve v0.0.0
)

require (
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/dlclark/regexp2 v1.12.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace helve.dev/helve => ../
