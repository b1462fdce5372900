package nexus_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus"
)

func TestHistogram(t *testing.T) {
	h := nexus.NewHistogram(1, 2, 4)
	for _, v := range []float64{0, 1, 1.5, 2, 3, 4, 5, 100} {
		h.Observe(v)
	}
	count, sum, upTo := h.Read()
	if count != 8 || sum != 116.5 {
		t.Errorf("%d values add up to %v", count, sum)
	}
	if diff := cmp.Diff(upTo, map[float64]uint64{1: 2, 2: 4, 4: 6}); diff != "" {
		t.Errorf("the buckets differ: %s", diff)
	}
}

func TestHistogramConcurrently(t *testing.T) {
	h := nexus.NewHistogram(1)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 1000 {
				h.Observe(0.5)
			}
		})
	}
	all.Wait()
	if count, sum, upTo := h.Read(); count != 4000 || sum != 2000 || upTo[1] != 4000 {
		t.Errorf("%d values add up to %v, %v", count, sum, upTo)
	}
}
