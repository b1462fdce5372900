package nexus

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// A Figure is one number about how the hub is doing, for those who watch it. Its
// name ends in the base unit, such as store_commit_seconds, and in _total where
// the number only grows.
type Figure struct {
	Name string
	Help string
	// Label and Value tell figures of one name apart, such as lane and unread.
	// There are few values, none of which a caller chooses; "" is no label.
	Label, Value string
	Number       float64
	Spread       *Histogram // instead of Number
}

// A Histogram counts how often something took how long, or was how large. It is
// safe for concurrent use and cheap enough to be kept always.
type Histogram struct {
	bounds []float64       // ascending, the last value of each bucket
	counts []atomic.Uint64 // one more: what is beyond
	sum    atomic.Uint64   // the bits of a float64
}

// NewHistogram makes a histogram with the given upper bounds, which ascend.
func NewHistogram(bounds ...float64) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// NewTimes makes a histogram of durations in seconds, from 10 microseconds to
// 10 seconds.
func NewTimes() *Histogram {
	return NewHistogram(.00001, .000025, .00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10)
}

// Observe counts a value.
func (h *Histogram) Observe(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.counts[i].Add(1)
	for {
		old := h.sum.Load()
		if h.sum.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+v)) {
			return
		}
	}
}

// Since counts the time that has passed.
func (h *Histogram) Since(began time.Time) { h.Observe(time.Since(began).Seconds()) }

// Read returns how many values were counted, their sum, and how many of them
// were at most as large as each bound.
func (h *Histogram) Read() (count uint64, sum float64, upTo map[float64]uint64) {
	upTo = make(map[float64]uint64, len(h.bounds))
	for i, bound := range h.bounds {
		count += h.counts[i].Load()
		upTo[bound] = count
	}
	count += h.counts[len(h.bounds)].Load()
	return count, math.Float64frombits(h.sum.Load()), upTo
}
