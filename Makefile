# `make test` runs every check; CI runs the same. The steps are in .ci/check.

.DEFAULT_GOAL := help
.PHONY: help test quick fmt fix lint fuzz race cross arch license bench crash api vuln release clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /:/' | awk -F: '{printf "  %-9s %s\n", $$1, $$2}'

test: ## every check and every test of every module
	@.ci/check all

quick: ## formatting, vet, build and the short tests
	@.ci/check quick

fmt: ## format all Go files in place
	@GOWORK=off go tool -modfile=internal/tools/go.mod gofumpt -l -w .

fix: ## rewrite code to newer Go forms, in place
	@for dir in $$(go work edit -json | sed -n 's/.*"DiskPath": "\(.*\)".*/\1/p'); do (cd $$dir && go fix ./...); done

lint: ## golangci-lint
	@.ci/check lint

fuzz: ## every fuzz target, FUZZTIME=10s each
	@.ci/check fuzz

race: ## the race detector where goroutines meet
	@.ci/check race

cross: ## build every module for linux, darwin and windows
	@.ci/check cross

arch: ## layers, third parties, sizes, docs
	@.ci/check arch

license: ## the licences of what is compiled in
	@.ci/check license

bench: ## this project beside its peers; BENCH=pattern: its own benchmarks alone
	@.ci/check bench

crash: ## kill workers in the middle of calls and count what became of them; out/crash.json
	@cd store && go run ./crash --out ../out/crash.json $(CRASH)

api: ## changes of the exported API since the last release
	@.ci/check api

vuln: ## known vulnerabilities; needs the network
	@.ci/check vuln

release: ## what a release needs, checked in a worktree of its own: make release VERSION=v0.1.0
	@internal/release/release.sh $(VERSION)

clean: ## remove the tools built into .bin
	@rm -rf .bin
