module helve.dev/helve

go 1.26.0

require github.com/go-json-experiment/json v1.27.2

require (
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/dlclark/regexp2 v1.12.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)
