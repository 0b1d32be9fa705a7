module helve.dev/helve

go 1.26.0

require (
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/dlclark/regexp2 v1.12.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
	golang.org/x/time v0.16.0
)
