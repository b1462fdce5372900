package search

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"nexus"
)

// A vectorIndex holds the vectors of one model in memory, to be compared one by
// one: for a hundred thousand that takes milliseconds, and misses nothing. It is
// read when it is first needed, and then what came since. What was deleted stays
// in it until there is too much of that; whoever finds it there sees that it is
// gone.
type vectorIndex struct {
	loading sync.Mutex // one at a time reads the store

	mu      sync.RWMutex
	epoch   string
	model   Model
	last    int64 // the number of the last chunk
	numbers []int64
	scales  []float32
	traits  []traits
	blocks  []block
	fine    []int8 // what the bytes in the blocks leave over
	names   map[string]int32
}

// traits are what searches are narrowed by, as numbers.
type traits struct {
	kind, space, place, sender int32
	created                    int64
}

const loadBatch = 4000

// refresh reads what the store has and memory has not.
func (x *vectorIndex) refresh(ctx context.Context, store nexus.Store[Tx], st State, m Model) error {
	x.loading.Lock()
	defer x.loading.Unlock()
	if x.stale(st, m) {
		x.reset(st.Epoch, m)
	}
	for x.last < m.Reached {
		page, err := nexus.ViewLong(ctx, store, func(tx Tx) ([]StoredVector, error) {
			return tx.Vectors(m.No, x.last, loadBatch)
		})
		if err != nil {
			return err
		}
		x.append(page)
		if len(page) < loadBatch {
			x.last = m.Reached
		}
	}
	return nil
}

// stale tells whether memory holds something else, or too much that is gone.
func (x *vectorIndex) stale(st State, m Model) bool {
	return x.epoch != st.Epoch || x.model.No != m.No || x.model.Name != m.Name || x.last > m.Reached ||
		int64(len(x.numbers)) > st.Chunks+st.Chunks/4+blockSize
}

func (x *vectorIndex) reset(epoch string, m Model) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.epoch, x.model, x.last, x.names = epoch, m, 0, map[string]int32{}
	x.numbers, x.scales, x.traits, x.blocks, x.fine = nil, nil, nil, nil, nil
}

func (x *vectorIndex) append(page []StoredVector) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, v := range page {
		x.last = v.ChunkNo
		if len(v.Vector) != packedSize(x.model.Dims) { // of the same name, and yet another model
			continue
		}
		at := len(x.numbers)
		if at%blockSize == 0 {
			x.blocks = append(x.blocks, newBlock(x.model.Dims))
		}
		scale, small, fine := unpack(v.Vector)
		x.blocks[at/blockSize].put(at%blockSize, small)
		x.fine = append(x.fine, fine...)
		x.numbers, x.scales = append(x.numbers, v.ChunkNo), append(x.scales, scale)
		x.traits = append(x.traits, traits{
			kind: x.name(v.Kind), space: x.name(v.Workspace), place: x.name(v.Place), sender: x.name(v.Sender),
			created: moment(v.CreatedAt).UnixMicro(),
		})
	}
}

func (x *vectorIndex) name(s string) int32 {
	n, ok := x.names[s]
	if !ok {
		n = int32(len(x.names))
		x.names[s] = n
	}
	return n
}

// A sieve is a filter as numbers.
type sieve struct {
	open               bool // lets everything through
	kinds, senders     []int32
	within             []int32
	spaces, places     []int32
	somewhere          bool // spaces and places count
	after, before      int64
	only, not          map[int64]bool // documents; only is nil for all
	kindsOn, sendersOn bool
	withinOn           bool
}

// sieve makes a filter fast. only and not are documents.
func (x *vectorIndex) sieve(f Filter, only, not map[int64]bool) *sieve {
	numbers := func(names []string) (all []int32) {
		for _, s := range names {
			if n, ok := x.names[s]; ok {
				all = append(all, n)
			}
		}
		return all
	}
	v := &sieve{
		kinds: numbers(f.Kinds), kindsOn: len(f.Kinds) > 0, senders: numbers(f.Senders), sendersOn: len(f.Senders) > 0,
		within: numbers(f.Within), withinOn: f.Within != nil, spaces: numbers(f.Spaces), places: numbers(f.Places),
		somewhere: len(f.Spaces)+len(f.Places) > 0, only: only, not: not, before: 1 << 62,
	}
	if f.After != "" {
		v.after = moment(f.After).UnixMicro()
	}
	if f.Before != "" {
		v.before = moment(f.Before).UnixMicro()
	}
	v.open = !v.kindsOn && !v.sendersOn && !v.withinOn && !v.somewhere && f.After == "" && f.Before == "" && only == nil && len(not) == 0
	return v
}

func (v *sieve) passes(t traits, chunk int64) bool {
	if v.open {
		return true
	}
	return t.created >= v.after && t.created < v.before &&
		(!v.kindsOn || slices.Contains(v.kinds, t.kind)) &&
		(!v.sendersOn || slices.Contains(v.senders, t.sender)) &&
		(!v.withinOn || slices.Contains(v.within, t.space)) &&
		(!v.somewhere || slices.Contains(v.spaces, t.space) || slices.Contains(v.places, t.place)) &&
		(v.only == nil || v.only[DocumentOf(chunk)]) && !v.not[DocumentOf(chunk)]
}

// nearest are the chunks whose vectors are nearest to one, best first. It looks
// at all of them, on so many processors.
func (x *vectorIndex) nearest(query []float32, f Filter, only, not map[int64]bool, limit, processors int) []Ranked {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(query) != x.model.Dims || len(x.numbers) == 0 {
		return nil
	}
	q, v := newProbe(query), x.sieve(f, only, not)
	workers := min(processors, len(x.blocks))
	tops := make([]top, workers)
	var all sync.WaitGroup
	for w := range workers {
		tops[w] = top{limit: limit, least: -2} // no cosine is too low
		all.Go(func() {
			for b := w; b < len(x.blocks); b += workers {
				x.scan(b, q, v, &tops[w])
			}
		})
	}
	all.Wait()
	var best []Ranked
	for _, t := range tops {
		best = append(best, t.heap...)
	}
	for i, r := range best {
		at, _ := slices.BinarySearch(x.numbers, r.ChunkNo)
		best[i].Score += float64(x.rest(q, at))
	}
	slices.SortFunc(best, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ChunkNo, a.ChunkNo))
	})
	return best[:min(limit, len(best))]
}

// scan compares the vectors of a block, eight at a time.
func (x *vectorIndex) scan(b int, q *probe, v *sieve, t *top) {
	for at := b * blockSize; at < min(len(x.numbers), (b+1)*blockSize); at += lanes {
		n := min(lanes, len(x.numbers)-at)
		if !v.open && !v.passesAny(x.traits[at:at+n], x.numbers[at:at+n]) {
			continue
		}
		dots := q.dots(&x.blocks[b], at%blockSize)
		for i := range n {
			score := dots[i] * x.scales[at+i]
			if score > t.least && v.passes(x.traits[at+i], x.numbers[at+i]) {
				t.add(Ranked{x.numbers[at+i], float64(score)})
			}
		}
	}
}

// rest is what the bytes in the blocks leave over of a product.
func (x *vectorIndex) rest(q *probe, at int) float32 {
	dot := float32(0)
	for i, f := range x.fine[at*x.model.Dims:][:x.model.Dims] {
		dot += q.unit[i] * float32(f)
	}
	return dot / fineness * x.scales[at]
}

func (v *sieve) passesAny(some []traits, numbers []int64) bool {
	for i, t := range some {
		if v.passes(t, numbers[i]) {
			return true
		}
	}
	return false
}

// meanings are the cosines of all pieces of documents with a vector.
func (x *vectorIndex) meanings(query []float32, documents []int64) []Ranked {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(query) != x.model.Dims {
		return nil
	}
	var all []Ranked
	q := newProbe(query)
	for _, no := range documents {
		at, _ := slices.BinarySearch(x.numbers, ChunkNo(no, 0))
		for ; at < len(x.numbers) && DocumentOf(x.numbers[at]) == no; at++ {
			dots := q.dots(&x.blocks[at/blockSize], at%blockSize)
			all = append(all, Ranked{x.numbers[at], float64(dots[at%lanes]*x.scales[at] + x.rest(q, at))})
		}
	}
	return all
}

// A top keeps the best so many, the least of them first.
type top struct {
	limit int
	least float32
	heap  []Ranked
}

func (t *top) add(r Ranked) {
	if len(t.heap) < t.limit {
		t.heap = append(t.heap, r)
		if len(t.heap) == t.limit {
			for i := len(t.heap)/2 - 1; i >= 0; i-- {
				t.sink(i)
			}
			t.least = float32(t.heap[0].Score)
		}
		return
	}
	t.heap[0] = r
	t.sink(0)
	t.least = float32(t.heap[0].Score)
}

func (t *top) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}
		if child+1 < len(t.heap) && t.heap[child+1].Score < t.heap[child].Score {
			child++
		}
		if t.heap[i].Score <= t.heap[child].Score {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}
