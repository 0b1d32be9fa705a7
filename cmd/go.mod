module helve.dev/helve/cmd

go 1.26.0

require helve.dev/helve v0.0.0

replace helve.dev/helve => ../
