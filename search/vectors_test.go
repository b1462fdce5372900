package search

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func filled(n, dims int) (*vectorIndex, [][]float32) {
	x := &vectorIndex{}
	x.reset("one", Model{No: 1, Dims: dims})
	r := rand.New(rand.NewPCG(1, 2))
	page, vectors := make([]StoredVector, n), make([][]float32, n)
	for i := range page {
		vectors[i] = randomVector(r, dims)
		page[i] = StoredVector{
			ChunkNo: ChunkNo(int64(i/2+1), i%2), Vector: pack(vectors[i]), Kind: KindMessage, Sender: fmt.Sprint("agent", i%10),
			CreatedAt: fmt.Sprintf("2026-01-%02dT00:00:00.000000Z", 1+i%28),
		}
	}
	x.append(page)
	return x, vectors
}

func randomVector(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// What is found in memory is what comparing the vectors themselves finds, but for
// what was lost when they were made small.
func TestNearest(t *testing.T) {
	for _, dims := range []int{128, 100, 1537} {
		t.Run(fmt.Sprint(dims), func(t *testing.T) {
			x, vectors := filled(blockSize+1000, dims)
			query := randomVector(rand.New(rand.NewPCG(3, 4)), dims)
			type scored struct {
				chunk int64
				score float64
			}
			exact := map[int64]float64{}
			var best []scored
			for i, v := range vectors {
				s := scored{x.numbers[i], cosine(query, v)}
				exact[s.chunk] = s.score
				best = append(best, s)
			}
			slices.SortFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
			got := x.nearest(query, Filter{}, nil, nil, 50, 3)
			if len(got) != 50 {
				t.Fatalf("%d found, want 50", len(got))
			}
			for i, g := range got {
				if math.Abs(g.Score-exact[g.ChunkNo]) > 0.005 || g.Score < best[i].score-0.005 {
					t.Errorf("place %d: %v, exactly %v, want about %v", i, g, exact[g.ChunkNo], best[i])
				}
			}
			for _, m := range x.meanings(query, []int64{DocumentOf(best[0].chunk)}) {
				if math.Abs(m.Score-exact[m.ChunkNo]) > 0.005 {
					t.Errorf("%v, want %v", m, exact[m.ChunkNo])
				}
			}
		})
	}
}

func TestSieve(t *testing.T) {
	x, vectors := filled(1000, 16)
	tests := []struct {
		name      string
		filter    Filter
		only, not map[int64]bool
		want      int
	}{
		{"everything", Filter{}, nil, nil, 1000},
		{"a sender", Filter{Senders: []string{"agent3"}}, nil, nil, 100},
		{"nobody", Filter{Senders: []string{"nobody"}}, nil, nil, 0},
		{"a kind there is none of", Filter{Kinds: []string{KindHandoff}}, nil, nil, 0},
		{"other workspaces", Filter{Within: []string{}}, nil, nil, 0},
		{"a place", Filter{Places: []string{"x"}}, nil, nil, 0},
		{"days", Filter{After: "2026-01-02T00:00:00.000000Z", Before: "2026-01-04T00:00:00.000000Z"}, nil, nil, 72},
		{"some documents", Filter{}, map[int64]bool{1: true, 2: true}, nil, 4},
		{"all but one", Filter{}, nil, map[int64]bool{1: true}, 998},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := len(x.nearest(vectors[0], tt.filter, tt.only, tt.not, 2000, 1)); got != tt.want {
				t.Errorf("%d found, want %d", got, tt.want)
			}
		})
	}
}

func TestPack(t *testing.T) {
	for _, v := range [][]float32{{0, 0}, {1, -1}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}, {1e-30, 2e-30}, {3e38, 3e38}} {
		scale, rows, fine := unpack(pack(v))
		if math.IsNaN(float64(scale)) || math.IsInf(float64(scale), 0) || len(rows) != len(v) || len(fine) != len(v) {
			t.Errorf("%v: scale %v, rows %v, %v", v, scale, rows, fine)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	x, _ := filled(100_000, 128)
	query := randomVector(rand.New(rand.NewPCG(3, 4)), 128)
	b.ResetTimer()
	for b.Loop() {
		x.nearest(query, Filter{}, nil, nil, mostRanked, runtime.GOMAXPROCS(0))
	}
}

func BenchmarkDots(b *testing.B) {
	x, vectors := filled(lanes, 128)
	q := newProbe(vectors[0])
	for b.Loop() {
		q.dots(&x.blocks[0], 0)
	}
}
