package search

import "math"

const (
	// lanes is how many vectors are compared at a time.
	lanes = 8
	// blockSize is how many vectors lie in one piece of memory.
	blockSize = 4096
)

// A block holds vectors of small integers across: a word has one dimension of
// eight vectors, a byte each. One multiplication then serves two of them, and
// multiplying is what a search by meaning spends its time on.
//
// Bytes must not be negative for that, nor must what they are multiplied with:
// both are moved up, and what this adds to a product is taken off in the end.
type block struct {
	dims  int
	words []uint64 // those of eight vectors together
	sums  []int32  // of the bytes of each vector
}

// lift is what is added to the numbers of a vector.
const lift = 128

func newBlock(dims int) block {
	return block{dims: dims, words: make([]uint64, blockSize/lanes*dims), sums: make([]int32, blockSize)}
}

func (b *block) put(at int, small []int8) {
	group := b.words[at/lanes*b.dims:][:b.dims]
	for i, x := range small {
		lifted := int32(x) + lift
		group[i] |= uint64(lifted) << (8 * (at % lanes))
		b.sums[at] += lifted
	}
}

// A probe is a query in the form in which blocks are compared with it. Its
// numbers are as fine as they can be without a sum growing beyond 32 bits: there
// is one query and many vectors, which are coarse.
type probe struct {
	numbers []uint64
	scale   float32
	lift    int64 // what is added to the numbers
	sum     int64 // of the numbers
	unit    []float32
}

func newProbe(v []float32) *probe {
	p := &probe{numbers: make([]uint64, len(v)), unit: make([]float32, len(v))}
	most, length := extent(v)
	if most == 0 {
		return p
	}
	p.lift = min(1<<14, math.MaxUint32/int64(2*255*len(v)))
	p.scale = float32(most / float64(p.lift) / length)
	for i, x := range v {
		n := int64(math.Round(float64(x)/most*float64(p.lift))) + p.lift
		p.numbers[i] = uint64(n)
		p.sum += n
		p.unit[i] = float32(float64(x) / length)
	}
	return p
}

// dots are the products with the eight vectors among which a place is. They want
// the scale of each vector.
func (p *probe) dots(b *block, at int) (dots [lanes]float32) {
	const every = 0x000000FF_000000FF // two bytes of a word, far apart
	group := b.words[at/lanes*b.dims:][:b.dims]
	numbers := p.numbers[:len(group)]
	var s0, s1, s2, s3 uint64
	for i, w := range group {
		n := numbers[i]
		s0 += (w & every) * n
		s1 += (w >> 8 & every) * n
		s2 += (w >> 16 & every) * n
		s3 += (w >> 24 & every) * n
	}
	rest := lift*p.lift*int64(b.dims) - lift*p.sum
	for i, s := range [4]uint64{s0, s1, s2, s3} {
		first := at/lanes*lanes + i
		dots[i] = float32(int64(s&math.MaxUint32)-p.lift*int64(b.sums[first])+rest) * p.scale
		dots[i+4] = float32(int64(s>>32)-p.lift*int64(b.sums[first+4])+rest) * p.scale
	}
	return dots
}
