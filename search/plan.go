package search

import (
	"slices"
	"unicode/utf8"

	"nexus/search/embed"
)

const (
	batchDocuments = 48      // small, so that those who write hardly wait
	batchPieces    = 64      // that get a vector at a time
	sliceEvents    = 500     // of the log that are looked at in one go
	mostSlices     = 20      // in one transaction
	mostAhead      = 1000    // events without anything to index that may be looked at again
	batchSweep     = 200     // documents that are dropped at a time
	batchRetire    = 2000    // vectors
	mostText       = 1 << 20 // bytes of text in a batch; the last document may go beyond
)

// A job is what to do to the index next, as it was when that was read.
type job struct {
	state  State
	models []Model
	next   State // what the state will be
	head   int64 // of the log
	more   bool  // there is more to do behind it

	documents []Document          // to index anew
	named     map[string][]string // by kind: those, and what may be gone
	sweep     bool                // drop what the rebuild did not find
	pieces    []Piece             // to make vectors for
	texts     []string            // of pieces
	model     *Model              // that they are for
	retire    *Model              // whose vectors go
}

// plan reads what there is to do: first what the log tells of, then a rebuild
// that is under way, then vectors. It is nil when there is nothing.
func (s *Service) plan(tx Tx) (*job, error) {
	j := &job{named: map[string][]string{}}
	var err error
	if j.state, err = tx.SearchState(); err != nil {
		return nil, err
	}
	if j.models, err = tx.SearchModels(); err != nil {
		return nil, err
	}
	j.next = j.state
	slice, err := lookAhead(tx, j.state.Position)
	if err != nil {
		return nil, err
	}
	j.head = slice.Last
	switch {
	case slice.First > j.state.Position+1 && j.state.Rebuild == nil:
		return j, j.startRebuild(tx, slice.Last)
	case len(slice.Mentions) > 0:
		return j, j.follow(tx, slice)
	case j.state.Rebuild != nil:
		j.next.Position, j.more = max(slice.End, j.state.Position), true
		return j, j.rebuild(tx)
	}
	if found, err := s.planVectors(tx, j); found || err != nil {
		return j, err
	}
	if slice.End-j.state.Position > mostAhead {
		j.next.Position = slice.End
		return j, nil
	}
	return nil, nil
}

// lookAhead finds the next mentions in the log.
func lookAhead(tx Tx, after int64) (slice LogSlice, err error) {
	for range mostSlices {
		if slice, err = tx.SearchLog(after, sliceEvents); err != nil || len(slice.Mentions) > 0 || slice.End == after {
			return slice, err
		}
		after = slice.End
	}
	return slice, nil
}

// follow indexes what the log mentions next.
func (j *job) follow(tx Tx, slice LogSlice) error {
	j.next.Position = slice.End
	j.more = slice.End < slice.Last || j.state.Rebuild != nil
	size, count := 0, 0
	for i, m := range slice.Mentions {
		full := count >= batchDocuments || size >= mostText
		if full && slice.Mentions[i-1].EventID != m.EventID { // what one event mentions stays together
			j.next.Position, j.more = slice.Mentions[i-1].EventID, true
			return nil
		}
		if m.ID == "" { // the rest comes after it
			j.next.Position, j.more = m.EventID, true
			return j.rebuildPlace(tx, m)
		}
		if slices.Contains(j.named[m.Kind], m.ID) {
			continue
		}
		found, err := tx.SearchDocuments(m.Kind, []string{m.ID})
		if err != nil {
			return err
		}
		j.named[m.Kind] = append(j.named[m.Kind], m.ID)
		j.documents = append(j.documents, found...)
		count++
		for _, d := range found {
			size += len(d.Text)
		}
	}
	return nil
}

// startRebuild makes the index anew from the tables: the log does not go back as
// far as it would have to.
func (j *job) startRebuild(tx Tx, head int64) error {
	total, err := tx.CountDocuments()
	j.next.Rebuild = &Rebuild{Mark: j.state.LastDocument, Kind: tx.SearchKinds()[0], Total: total, Gap: true}
	j.next.Position, j.more = head, true
	return err
}

// rebuildPlace makes anew what is indexed of one place. If a rebuild is under way
// already, all of it begins again.
func (j *job) rebuildPlace(tx Tx, m Mention) error {
	if j.state.Rebuild != nil || m.Place == "" {
		return j.startRebuild(tx, j.next.Position)
	}
	j.next.Rebuild = &Rebuild{Mark: j.state.LastDocument, Kind: m.Kind, Place: m.Place, Gap: true}
	return nil
}

// rebuild indexes the next documents of the tables, and drops what is not in
// them when all have been read.
func (j *job) rebuild(tx Tx) error {
	r := *j.state.Rebuild
	j.next.Rebuild = &r
	if r.Sweeping {
		j.sweep = true
		return nil
	}
	found, err := tx.ScanDocuments(r.Kind, r.Place, r.After, batchDocuments)
	if err != nil {
		return err
	}
	for _, d := range found {
		j.named[d.Kind] = append(j.named[d.Kind], d.ID)
		r.After = d.ID
	}
	j.documents = found
	r.Done += int64(len(found))
	if len(found) < batchDocuments {
		r.nextKind(tx.SearchKinds())
	}
	return nil
}

// nextKind goes on with the next table; after the last one comes the sweep.
func (r *Rebuild) nextKind(kinds []string) {
	i := slices.Index(kinds, r.Kind) + 1
	r.After = ""
	if r.Sweeping = r.Place != "" || i == 0 || i == len(kinds); !r.Sweeping {
		r.Kind = kinds[i]
	}
}

// planVectors finds chunks that lack a vector of the wanted model, or vectors of
// a model that nobody wants any more.
func (s *Service) planVectors(tx Tx, j *job) (found bool, err error) {
	wanted := s.wanted().Name()
	m := j.modelNamed(wanted)
	if m == nil {
		m = &Model{No: j.nextModel(), Name: wanted}
	}
	if s.embedding.Load() {
		return false, nil
	}
	if m.Reached < j.state.LastChunk && s.resting().IsZero() {
		j.model = m
		if j.pieces, err = tx.Pieces(m.Reached, batchPieces); err != nil {
			return true, err
		}
		j.texts, err = pieceTexts(tx, j.pieces)
		j.more = len(j.pieces) == batchPieces
		return true, err
	}
	if m.Reached >= j.state.LastChunk && j.state.LastChunk > 0 {
		for i := range j.models {
			if other := &j.models[i]; other.Name != wanted && !other.Serves {
				j.retire, j.more = other, true
				return true, nil
			}
		}
	}
	return false, nil
}

func (j *job) modelNamed(name string) *Model {
	for i := range j.models {
		if j.models[i].Name == name {
			return &j.models[i]
		}
	}
	return nil
}

func (j *job) nextModel() int64 {
	last := int64(0)
	for _, m := range j.models {
		last = max(last, m.No)
	}
	return last + 1
}

// inline is the model whose vectors are made together with the words, since that
// costs next to nothing: the builtin one, where it lacks no chunk.
func (j *job) inline(wanted string) *Model {
	m := j.modelNamed(embed.Model)
	switch {
	case m != nil && m.Reached == j.state.LastChunk:
		return m
	case m == nil && wanted == embed.Model && j.state.LastChunk == 0:
		return &Model{No: j.nextModel(), Name: embed.Model, Dims: embed.Dims, Serves: len(j.models) == 0}
	}
	return nil
}

// pieceTexts reads the texts of chunks where they are. One that has changed
// since is indexed again soon, and its vector does not matter.
func pieceTexts(tx Tx, pieces []Piece) ([]string, error) {
	byKind := map[string][]string{}
	for _, p := range pieces {
		if !slices.Contains(byKind[p.Kind], p.ID) {
			byKind[p.Kind] = append(byKind[p.Kind], p.ID)
		}
	}
	documents := map[[2]string]Document{}
	for kind, ids := range byKind {
		found, err := tx.SearchDocuments(kind, ids)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			documents[[2]string{kind, d.ID}] = d
		}
	}
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = documents[[2]string{p.Kind, p.ID}].passage(p.Span)
	}
	return texts, nil
}

// passage is what a vector is made of: the title, and a part of the text.
func (d Document) passage(s Span) string {
	end := min(s.End, len(d.Text))
	text := d.Text[min(s.Start, end):end]
	if d.Title == "" || d.Borrowed {
		return text
	}
	return shorten(d.Title, longestTitle) + "\n" + text
}

// longestTitle is how many bytes of a title count.
const longestTitle = 500

// shorten is the beginning of a text, so many bytes of it at most.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
