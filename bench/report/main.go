// Command report runs the benchmarks round by round, so that noise spreads over
// the participants, and prints medians and ratios. It writes the targets with
// what was measured to out/targets.json.
//
//	go run ./report [-rounds 6] [-time 100ms]
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A suite is a test binary, built in the module that holds it. One that syncs to a
// disk needs more time for each benchmark.
type suite struct{ name, dir, bench, time string }

var suites = []suite{
	{"validate", "validate", ".", ""},
	{"call", "call", ".", ""},
	{"genkit", "genkit", ".", ""},
	{"ledger", "../store/proof", "Ledger", "400ms"},
}

func main() {
	rounds := flag.Int("rounds", 6, "how often every benchmark runs")
	length := flag.String("time", "100ms", "how long a benchmark runs in a round")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *rounds, *length)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, length string) error {
	out, err := filepath.Abs("out")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, s := range suites {
		fmt.Fprintln(os.Stderr, "building", s.name)
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", filepath.Join(out, s.name+".test"), ".")
		cmd.Dir, cmd.Env, cmd.Stderr = s.dir, append(os.Environ(), "GOWORK=off"), os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("build %s: %w", s.name, err)
		}
	}
	all := results{}
	for r := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", r+1, rounds)
		for _, s := range suites {
			cmd := exec.CommandContext(ctx, filepath.Join(out, s.name+".test"), "-test.run=^$", "-test.bench="+s.bench, "-test.benchmem", "-test.benchtime="+cmp.Or(s.time, length))
			cmd.Dir, cmd.Stderr = s.dir, os.Stderr
			text, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("run %s: %w\n%s", s.name, err, text)
			}
			all.read(s.name, string(text))
		}
	}
	all.print(os.Stdout)
	return writeTargets(filepath.Join(out, "targets.json"), all)
}

// A sample is what one benchmark took in one round.
type sample struct{ ns, bytes, allocs, commits float64 }

// results are the samples of each benchmark, by suite and name, round by round.
type results map[string][]sample

// read takes the lines of one run.
func (r results) read(suite, text string) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(f[0], "Benchmark"), " ")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name = name[:i]
			}
		}
		var s sample
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				continue
			}
			switch f[i+1] {
			case "ns/op":
				s.ns = v
			case "B/op":
				s.bytes = v
			case "allocs/op":
				s.allocs = v
			case "commits/op":
				s.commits = v
			}
		}
		key := suite + "/" + name
		r[key] = append(r[key], s)
	}
}

// median returns the median of what of takes from the samples of a benchmark.
func (r results) median(key string, of func(sample) float64) (float64, bool) {
	samples := r[key]
	if len(samples) == 0 {
		return 0, false
	}
	var v []float64
	for _, s := range samples {
		v = append(v, of(s))
	}
	return middle(v), true
}

// ratio returns the median over the rounds of a benchmark's time over another's
// of the same round: what the machine did meanwhile is the same for both.
func (r results) ratio(a, b string) (float64, bool) {
	x, y := r[a], r[b]
	if len(x) == 0 || len(x) != len(y) {
		return 0, false
	}
	var v []float64
	for i := range x {
		v = append(v, x[i].ns/y[i].ns)
	}
	return middle(v), true
}

func middle(v []float64) float64 {
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

func (r results) print(w *os.File) {
	keys := make([]string, 0, len(r))
	for k := range r {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "benchmark\tmedian ns\tB/op\tallocs/op\tover helve\t")
	for _, k := range keys {
		ns, _ := r.median(k, func(s sample) float64 { return s.ns })
		b, _ := r.median(k, func(s sample) float64 { return s.bytes })
		a, _ := r.median(k, func(s sample) float64 { return s.allocs })
		over := ""
		if ratio, ok := r.ratio(k, helveOf(k)); ok {
			over = fmt.Sprintf("%.2f", ratio)
		}
		fmt.Fprintf(tw, "%s\t%.0f\t%.0f\t%.0f\t%s\t\n", k, ns, b, a, over)
	}
	_ = tw.Flush()
}

// helveOf names the benchmark of this project that another one is compared with.
func helveOf(key string) string {
	dir := key[:strings.LastIndexByte(key, '/')]
	if strings.HasPrefix(dir, "ledger/") {
		return dir + "/call"
	}
	return strings.Replace(dir, "genkit/", "call/", 1) + "/helve"
}

// A target is one thing that was promised, with what was measured.
type target struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Bound float64 `json:"bound"`
	OK    bool    `json:"ok"`
	Unit  string  `json:"unit"`
}

func writeTargets(file string, r results) error {
	targets := measureTargets(r)
	raw, err := json.MarshalIndent(targets, "", "  ")
	if err != nil {
		return err
	}
	fmt.Println()
	for _, t := range targets {
		verdict := "ok  "
		if !t.OK {
			verdict = "MISS"
		}
		fmt.Printf("%s %s: %.2f %s (bound %.2f)\n", verdict, t.Name, t.Value, t.Unit, t.Bound)
	}
	return os.WriteFile(file, append(raw, '\n'), 0o644)
}
