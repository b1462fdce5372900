package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A measure is a rate, measured for a while.
type measure func(d time.Duration) (float64, error)

const (
	turns = 6
	// A virtual machine shares its processors with others. What is measured while
	// they are taken away says little: threads that wait for each other lose more
	// than those that run alone. Such a turn is repeated.
	disturbing = 0.05 // the share of their time from which on
	patience   = 6    // up to so many turns for each that counts
)

// inTurn compares two rates that are measured by turns, so that a machine or a disk
// that becomes slower or faster does so for both. The quietest turns count.
func inTurn(ours, base measure) (result, error) {
	type turn struct{ ours, base, taken float64 }
	var all []turn
	for quiet := 0; quiet < turns && len(all) < turns*patience; {
		before := processors()
		o, err := ours(*duration / turns)
		if err != nil {
			return result{}, err
		}
		b, err := base(*duration / turns)
		if err != nil {
			return result{}, err
		}
		taken := processors().takenSince(before)
		if taken < disturbing {
			quiet++
		}
		all = append(all, turn{o, b, taken})
	}
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.taken, b.taken) })
	all = all[:turns]
	var mean turn
	for _, t := range all {
		mean = turn{mean.ours + t.ours/turns, mean.base + t.base/turns, t.taken}
	}
	if mean.taken >= disturbing {
		fmt.Fprintf(os.Stderr, "  disturbed: up to %.0f %% of the processors' time went elsewhere\n", mean.taken*100)
	}
	return rates(mean.ours, mean.base), nil
}

// ticks is what the system says of its processors' time: all of it, and what was
// taken away. Where it does not say, nothing was.
type ticks struct{ all, taken float64 }

func processors() (t ticks) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t
	}
	first, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(first)
	for i, f := range fields[1:min(9, len(fields))] { // user nice system idle iowait irq softirq steal
		n, _ := strconv.ParseFloat(f, 64)
		t.all += n
		if i == 7 {
			t.taken = n
		}
	}
	return t
}

func (t ticks) takenSince(before ticks) float64 {
	return (t.taken - before.taken) / max(1, t.all-before.all)
}
