package search

import (
	"context"
	"errors"
	"slices"

	"nexus"
	"nexus/search/embed"
)

// indexLock keeps two who change the index apart.
const indexLock = "search/index"

// A batch is a job whose work outside of the transaction is done.
type batch struct {
	indexed []Indexed
	inline  *Model // whose vectors indexed has
}

// prepare does what takes long: it cuts texts, finds their words and makes
// vectors where that costs little.
func (s *Service) prepare(j *job) batch {
	var b batch
	if len(j.documents) > 0 {
		b.inline = j.inline(s.wanted().Name())
	}
	for _, d := range j.documents {
		b.indexed = append(b.indexed, index(d, b.inline != nil))
	}
	return b
}

// vectorsFor makes the vectors of a job's pieces.
func (s *Service) vectorsFor(ctx context.Context, j *job) ([][]float32, error) {
	e := s.embedder(j.model.Name)
	if e == nil || len(j.pieces) == 0 { // another one is wanted since, or nothing is left
		return nil, nil
	}
	return s.embed(ctx, e, j.texts)
}

// index cuts a document and finds the words of its pieces. The title belongs to
// the first piece; each piece's vector knows it.
func index(d Document, vectors bool) Indexed {
	all := Indexed{Document: d}
	for i, span := range chunks(d.Text) {
		c := Chunk{Span: span}
		if i == 0 {
			c.Words = Words(d.passage(span))
		} else {
			c.Words = Words(d.Text[span.Start:span.End])
		}
		if vectors {
			v := embed.Text(d.passage(span))
			c.Vector = pack(v[:])
		}
		all.Chunks = append(all.Chunks, c)
	}
	return all
}

// commit writes a batch, unless the index is not as it was when the job was
// read. It gives the index up when nothing is left to do.
func (s *Service) commit(ctx context.Context, j *job, b batch) error {
	now := s.now()
	_, err := nexus.Update(ctx, s.store, func(tx Tx) (bool, error) {
		if err := tx.Lock(indexLock); err != nil {
			return false, err
		}
		st, err := tx.SearchState()
		if err != nil || st.HeldBy != s.node || st.Revision != j.state.Revision || st.Epoch != j.state.Epoch {
			return false, err // lost: the next step reads it anew
		}
		next := j.next
		next.HeldBy, next.HeldUntil, next.UpdatedAt = s.node, nexus.Stamp(now.Add(s.leaseTime())), nexus.Stamp(now)
		if !j.more && !s.embedding.Load() {
			next.HeldBy, next.HeldUntil = "", ""
		}
		if err := j.write(tx, b, &next); err != nil {
			return false, err
		}
		if next.Rebuild != nil && next.Rebuild.StartedAt == "" {
			started := *next.Rebuild
			started.StartedAt = nexus.Stamp(now)
			next.Rebuild = &started
		}
		tx.Wake(ChangedKey)
		saved, err := tx.SaveSearchState(s.node, next)
		if err == nil && !saved { // nobody else could have changed it; but what is written must be noted
			err = errors.New("the search index changed under a batch")
		}
		return saved, err
	})
	return err
}

func (j *job) write(tx Tx, b batch, next *State) error {
	for _, kind := range kindsOf(j.named) {
		gone, err := tx.DropIndexed(kind, j.named[kind])
		if err != nil {
			return err
		}
		next.remove(gone)
	}
	if j.sweep {
		gone, err := tx.SweepIndexed(next.Rebuild.Mark, next.Rebuild.Place, batchSweep)
		if err != nil {
			return err
		}
		next.remove(gone)
		if gone.Documents == 0 {
			next.Rebuild = nil
		}
	}
	if err := next.add(tx, b); err != nil {
		return err
	}
	if j.retire != nil {
		_, err := tx.DropVectors(j.retire.No, batchRetire)
		return err
	}
	return nil
}

func kindsOf(named map[string][]string) []string {
	var kinds []string
	for kind := range named {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

func (st *State) remove(gone Removed) {
	st.Documents -= gone.Documents
	st.Chunks -= gone.Chunks
	st.Words -= gone.Words
}

// add writes documents under new numbers.
func (st *State) add(tx Tx, b batch) error {
	modelNo := int64(0)
	if b.inline != nil {
		modelNo = b.inline.No
	}
	for _, d := range b.indexed {
		st.LastDocument++
		if err := tx.PutIndexed(st.LastDocument, d, modelNo); err != nil {
			return err
		}
		st.Documents++
		st.Chunks += int64(len(d.Chunks))
		st.LastChunk = ChunkNo(st.LastDocument, len(d.Chunks)-1)
		for _, c := range d.Chunks {
			st.Words += int64(len(c.Words))
		}
	}
	if b.inline == nil {
		return nil
	}
	m := *b.inline
	m.Reached = st.LastChunk
	return tx.SaveModel(m)
}

// commitVectors writes vectors, unless somebody else has meanwhile. Words may have
// been: it does not depend on the rest of the state.
func (s *Service) commitVectors(ctx context.Context, j *job, vectors [][]float32) error {
	if len(vectors) != len(j.pieces) {
		return nil
	}
	_, err := nexus.Update(ctx, s.store, func(tx Tx) (bool, error) {
		if err := tx.Lock(indexLock); err != nil {
			return false, err
		}
		now := *j
		var err error
		if now.state, err = tx.SearchState(); err != nil || now.state.Epoch != j.state.Epoch {
			return false, err
		}
		if now.models, err = tx.SearchModels(); err != nil {
			return false, err
		}
		m := now.modelNamed(j.model.Name)
		if m == nil {
			m = &Model{No: now.nextModel(), Name: j.model.Name}
		}
		if m.Reached != j.model.Reached {
			return false, nil
		}
		tx.Wake(ChangedKey)
		return true, now.writeVectors(tx, *m, vectors, j.state.LastChunk)
	})
	return err
}

// writeVectors keeps the vectors of pieces that are still there. The model serves
// from the moment on in which it lacks none.
func (j *job) writeVectors(tx Tx, m Model, vectors [][]float32, planned int64) error {
	numbers := make([]int64, len(j.pieces))
	for i, p := range j.pieces {
		numbers[i] = p.ChunkNo
	}
	there, err := tx.PieceSpans(numbers)
	if err != nil {
		return err
	}
	for i, no := range numbers {
		m.Reached, m.Dims = no, len(vectors[i])
		if _, ok := there[no]; !ok {
			continue
		}
		if err := tx.PutVector(m.No, no, pack(vectors[i])); err != nil {
			return err
		}
	}
	if !j.more {
		m.Reached = max(m.Reached, planned)
	}
	complete := m.Reached >= j.state.LastChunk
	for _, other := range j.models {
		if complete && other.Serves && other.No != m.No {
			other.Serves = false
			if err := tx.SaveModel(other); err != nil {
				return err
			}
		}
	}
	none := !slices.ContainsFunc(j.models, func(m Model) bool { return m.Serves })
	m.Serves = m.Serves || complete || none
	return tx.SaveModel(m)
}
