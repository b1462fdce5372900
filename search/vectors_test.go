package search

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func filled(n, dims int) *vectorIndex {
	x := &vectorIndex{}
	x.reset("one", Model{No: 1, Dims: dims})
	r := rand.New(rand.NewPCG(1, 2))
	page := make([]StoredVector, n)
	for i := range page {
		page[i] = StoredVector{ChunkNo: ChunkNo(int64(i+1), 0), Vector: pack(randomVector(r, dims)), Kind: KindMessage, Sender: fmt.Sprint("agent", i%10)}
	}
	x.append(page)
	return x
}

func randomVector(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func BenchmarkNearest(b *testing.B) {
	x := filled(100_000, 128)
	query := randomVector(rand.New(rand.NewPCG(3, 4)), 128)
	b.ResetTimer()
	for b.Loop() {
		x.nearest(query, Filter{}, nil, nil, 500)
	}
}

func BenchmarkDot(b *testing.B) {
	x := filled(2, 128)
	wide := widen(x.blocks[0][:128])
	for b.Loop() {
		dot(wide, x.blocks[0][128:256])
	}
}
