// Command bench measures Nexus against bare baselines in the same run and
// prints ratios. Machines are noisy and differ; ratios travel better than rates.
//
//	go run ./bench            everything
//	go run ./bench -run wake  only what has "wake" in its name
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"
)

// A benchmark measures one thing and its baseline.
type benchmark struct {
	name  string
	reach string
	run   func() (result, error)
}

// A result is what one benchmark found.
type result struct {
	ours, base float64
	unit       string // of ours and base
	ratio      float64
	figure     string // instead of a ratio
}

// rates compares two rates; more is better.
func rates(ours, base float64) result {
	return result{ours: ours, base: base, unit: "/s", ratio: ours / base}
}

// times compares two durations; less is better.
func times(ours, base time.Duration) result {
	return result{
		ours: float64(ours.Nanoseconds()) / 1e3, base: float64(base.Nanoseconds()) / 1e3, unit: "µs",
		ratio: float64(ours) / float64(base),
	}
}

var (
	only     = flag.String("run", "", "run only benchmarks that match this `pattern`")
	duration = flag.Duration("for", 3*time.Second, "how long each measurement runs")
	rounds   = flag.Int("rounds", 3, "how often each is measured; the median counts")
)

func main() {
	debug.SetGCPercent(400) // as the program itself does
	if len(os.Args) > 2 && strings.HasPrefix(os.Args[1], "nexus-bench-") {
		if err := playRole(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var all []benchmark
	all = append(all, serviceBenchmarks()...)
	all = append(all, httpBenchmarks()...)
	all = append(all, authBenchmarks()...)
	all = append(all, restBenchmarks()...)
	all = append(all, workBenchmarks()...)
	all = append(all, wakeBenchmarks()...)
	all = append(all, streamBenchmarks()...)
	all = append(all, topicBenchmarks()...)
	all = append(all, searchBenchmarks()...)
	all = append(all, processBenchmarks()...)

	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tNexus\tbaseline\tratio\treach")
	failed := false
	for _, b := range all {
		if !pattern.MatchString(b.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "… %s\n", b.name)
		r, err := median(b.run)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", b.name, err)
			failed = true
			continue
		}
		fmt.Fprintln(table, b.row(r))
	}
	_ = table.Flush()
	leaveCrowd()
	if failed {
		os.Exit(1)
	}
}

func (b benchmark) row(r result) string {
	if r.figure != "" {
		return strings.Join([]string{b.name, r.figure, "–", "–", b.reach}, "\t")
	}
	digits := 2
	if r.ratio < 0.1 {
		digits = 3
	}
	return strings.Join([]string{
		b.name, fmt.Sprintf("%.0f %s", r.ours, r.unit), fmt.Sprintf("%.0f %s", r.base, r.unit), fmt.Sprintf("%.*f", digits, r.ratio), b.reach,
	}, "\t")
}

// median runs a benchmark several times and takes the middle result by ratio.
func median(run func() (result, error)) (result, error) {
	var all []result
	for range *rounds {
		r, err := run()
		if err != nil {
			return r, err
		}
		all = append(all, r)
		for i := len(all) - 1; i > 0 && all[i].ratio < all[i-1].ratio; i-- {
			all[i], all[i-1] = all[i-1], all[i]
		}
		if r.figure != "" {
			return r, nil
		}
	}
	return all[len(all)/2], nil
}
