module helve.dev/helve/bench/cases

go 1.26.0
