package search

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"nexus"
	"nexus/search/embed"
)

// An Embedder makes vectors of texts. Vectors of one name can be compared with
// each other and with no others.
type Embedder interface {
	Name() string
	// Embed makes a vector for each text, all of the same length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// builtin is the embedder that is always there.
type builtin struct{}

func (builtin) Name() string { return embed.Model }

func (builtin) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		v := embed.Text(text)
		vectors[i] = v[:]
	}
	return vectors, nil
}

// A remoteModel is an embedder that may not answer.
type remoteModel struct {
	Embedder
	trouble atomic.Pointer[trouble]
}

// trouble is why an embedder did not answer, and when to ask again.
type trouble struct {
	err   error
	since time.Time
	until time.Time
}

// remoteRest is how long an embedder that did not answer is left alone.
const remoteRest = 15 * time.Second

// Use makes vectors with another embedder from now on; nil is the one that is
// always there. What is indexed gets new vectors in the background, and searches
// go by the old ones until all are made.
func (s *Service) Use(e Embedder) {
	if e == nil {
		s.remote.Store(nil)
	} else {
		s.remote.Store(&remoteModel{Embedder: e})
	}
	s.hurry()
}

// wanted is the embedder that vectors are made with.
func (s *Service) wanted() Embedder {
	if r := s.remote.Load(); r != nil {
		return r.Embedder
	}
	return builtin{}
}

// resting is the moment before which the wanted embedder is not asked again, the
// zero time if it may be.
func (s *Service) resting() time.Time {
	if r := s.remote.Load(); r != nil {
		if t := r.trouble.Load(); t != nil && s.now().Before(t.until) {
			return t.until
		}
	}
	return time.Time{}
}

// embedder finds the embedder of a name, nil if it is not to be had any more.
func (s *Service) embedder(name string) Embedder {
	for _, e := range []Embedder{s.wanted(), builtin{}} {
		if e.Name() == name {
			return e
		}
	}
	return nil
}

// embed asks an embedder and remembers whether it answered.
func (s *Service) embed(ctx context.Context, e Embedder, texts []string) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts)
	if err == nil && (len(vectors) != len(texts) || slices.ContainsFunc(vectors, func(v []float32) bool { return len(v) == 0 })) {
		err = nexus.Errorf(nexus.Unavailable, "The embedder %s made no vector for some texts.", e.Name())
	}
	r := s.remote.Load()
	if r == nil || r.Name() != e.Name() {
		return vectors, err
	}
	if err == nil {
		r.trouble.Store(nil)
		return vectors, nil
	}
	now := s.now()
	t := &trouble{err: err, since: now, until: now.Add(remoteRest)}
	if before := r.trouble.Load(); before != nil {
		t.since = before.since
	} else {
		s.log.Warn("the embedding service does not answer; searches go by words until it does", "err", err)
	}
	r.trouble.Store(t)
	return nil, err
}

// pack makes a vector of length 1 into bytes: a scale, a signed byte for each
// dimension, by which vectors are compared, and another one for what the first
// leaves over, by which the best are put into their exact order.
func pack(v []float32) []byte {
	scale, small, fine := quantise(v)
	packed := binary.LittleEndian.AppendUint32(make([]byte, 0, packedSize(len(v))), math.Float32bits(scale))
	for _, x := range small {
		packed = append(packed, byte(x))
	}
	for _, x := range fine {
		packed = append(packed, byte(x))
	}
	return packed
}

// packedSize is how many bytes a vector of so many dimensions has.
func packedSize(dims int) int { return 4 + 2*dims }

// unpack takes a packed vector apart again.
func unpack(packed []byte) (scale float32, small, fine []int8) {
	dims := (len(packed) - 4) / 2
	all := make([]int8, 2*dims)
	for i, b := range packed[4:] {
		all[i] = int8(b)
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(packed)), all[:dims], all[dims:]
}

// fineness is how many parts a step between two small integers is divided into.
const fineness = 254

// quantise divides a vector, made to be of length 1, into a scale, small integers
// and what they leave over.
func quantise(v []float32) (scale float32, small, fine []int8) {
	small, fine = make([]int8, len(v)), make([]int8, len(v))
	most, length := extent(v)
	if most == 0 {
		return 0, small, fine
	}
	for i, x := range v {
		exact := float64(x) / most * 127
		near := math.Round(exact)
		small[i], fine[i] = int8(near), int8(math.Round((exact-near)*fineness))
	}
	return float32(most / 127 / length), small, fine
}

// extent is the largest number of a vector and its length; nothing for one that
// cannot be compared.
func extent(v []float32) (most, length float64) {
	square := 0.0
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
		square += float64(x) * float64(x)
	}
	if most == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return 0, 0
	}
	return most, math.Sqrt(square)
}
