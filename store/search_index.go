package store

import (
	"encoding/json"
	"strconv"

	"nexus/search"
)

var _ search.Tx = (*Tx)(nil)

// SearchState is how far the index is; the zero state where there is none.
func (t *Tx) SearchState() (search.State, error) {
	s, _, err := first(t, `
		SELECT epoch, revision, position, last_document, last_chunk, documents, chunks, words, rebuild, held_by, held_until, updated_at
		FROM search_state WHERE id = 1`, nil, func(r row) (s search.State, err error) {
		var rebuild json.RawMessage
		if err := r.scan(&s.Epoch, &s.Revision, &s.Position, &s.LastDocument, &s.LastChunk, &s.Documents, &s.Chunks, &s.Words,
			&rebuild, &s.HeldBy, &s.HeldUntil, &s.UpdatedAt); err != nil {
			return s, err
		}
		if rebuild != nil {
			s.Rebuild = &search.Rebuild{}
			err = json.Unmarshal(rebuild, s.Rebuild)
		}
		return s, err
	})
	return s, err
}

// HoldSearch is one statement, so that two can never hold the index at once.
func (t *Tx) HoldSearch(node, epoch, now, until string) (bool, error) {
	n, err := t.exec(`
		INSERT INTO search_state (id, epoch, held_by, held_until, updated_at) VALUES (1, $1, $2, $4, $3)
		ON CONFLICT (id) DO UPDATE SET held_by = $2, held_until = $4
		WHERE search_state.held_by IS NULL OR search_state.held_by = $2 OR search_state.held_until < $3`,
		epoch, node, now, until)
	return n == 1, err
}

// SaveSearchState writes the state, if it is still as it was read and held by
// the node.
func (t *Tx) SaveSearchState(node string, s search.State) (bool, error) {
	var rebuild any
	if s.Rebuild != nil {
		raw, err := json.Marshal(s.Rebuild)
		if err != nil {
			return false, err
		}
		rebuild = string(raw)
	}
	n, err := t.exec(`
		UPDATE search_state SET revision = revision + 1, position = $4, last_document = $5, last_chunk = $6, documents = $7, chunks = $8,
			words = $9, rebuild = $10, held_by = $11, held_until = $12, updated_at = $13
		WHERE id = 1 AND held_by = $1 AND epoch = $2 AND revision = $3`,
		node, s.Epoch, s.Revision, s.Position, s.LastDocument, s.LastChunk, s.Documents, s.Chunks,
		s.Words, rebuild, orNull(s.HeldBy), orNull(s.HeldUntil), s.UpdatedAt)
	return n == 1, err
}

// RequestRebuild also raises the revision, so that a batch under way is not
// written over it.
func (t *Tx) RequestRebuild(r search.Rebuild, epoch, now string) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return t.send(`
		INSERT INTO search_state (id, epoch, rebuild, updated_at) VALUES (1, $1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET rebuild = $2, revision = search_state.revision + 1`, epoch, string(raw), now)
}

// PutIndexed adds a document under a number. Its vectors are of the model, if
// there is one.
func (t *Tx) PutIndexed(no int64, d search.Indexed, modelNo int64) error {
	if err := t.send(`
		INSERT INTO search_documents (document_no, kind, document_id, workspace_id, place, sender, title, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		no, d.Kind, d.ID, orNull(d.Workspace), orNull(d.Place), d.Sender, d.Title, d.CreatedAt); err != nil {
		return err
	}
	for i, c := range d.Chunks {
		chunk := search.ChunkNo(no, i)
		if err := t.send(`INSERT INTO search_chunks (chunk_no, start_at, end_at, words) VALUES ($1, $2, $3, $4)`,
			chunk, c.Start, c.End, len(c.Words)); err != nil {
			return err
		}
		if err := t.dialect().words.put(t, chunk, c.Words); err != nil {
			return err
		}
		if modelNo != 0 && c.Vector != nil {
			if err := t.PutVector(modelNo, chunk, c.Vector); err != nil {
				return err
			}
		}
	}
	return nil
}

// DropIndexed takes documents out of the index, as far as they are in it.
func (t *Tx) DropIndexed(kind string, ids []string) (search.Removed, error) {
	numbers, err := list(t, `SELECT document_no FROM search_documents WHERE kind = $1 AND `+t.dialect().oneOf("document_id", 2)+` ORDER BY document_no`,
		args(kind, elements(ids)), number)
	if err != nil {
		return search.Removed{}, err
	}
	return t.dropDocuments(numbers)
}

// SweepIndexed takes documents of a place, or all, out of the index that have a
// number up to a mark, at most so many.
func (t *Tx) SweepIndexed(mark int64, place string, limit int) (search.Removed, error) {
	where, a := "document_no <= $1", args(mark, limit)
	if place != "" {
		where, a = "place = $3 AND "+where, append(a, place)
	}
	numbers, err := list(t, `SELECT document_no FROM search_documents WHERE `+where+` ORDER BY document_no LIMIT $2`, a, number)
	if err != nil {
		return search.Removed{}, err
	}
	return t.dropDocuments(numbers)
}

func (t *Tx) dropDocuments(numbers []int64) (gone search.Removed, err error) {
	for _, no := range numbers {
		from, to := search.ChunkNo(no, 0), search.ChunkNo(no+1, 0)
		var chunks, words int64
		if _, err := t.one(`SELECT count(*), CAST(coalesce(sum(words), 0) AS BIGINT) FROM search_chunks WHERE chunk_no >= $1 AND chunk_no < $2`,
			args(from, to), &chunks, &words); err != nil {
			return gone, err
		}
		gone.Documents, gone.Chunks, gone.Words = gone.Documents+1, gone.Chunks+chunks, gone.Words+words
		for _, sql := range []string{
			t.dialect().words.drop,
			`DELETE FROM search_vectors WHERE model_no IN (SELECT model_no FROM search_models) AND chunk_no >= $1 AND chunk_no < $2`,
			`DELETE FROM search_chunks WHERE chunk_no >= $1 AND chunk_no < $2`,
		} {
			if err := t.send(sql, from, to); err != nil {
				return gone, err
			}
		}
		if err := t.send(`DELETE FROM search_documents WHERE document_no = $1`, no); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

func number(r row) (n int64, err error) {
	err = r.scan(&n)
	return n, err
}

// SearchModels lists whose vectors there are.
func (t *Tx) SearchModels() ([]search.Model, error) {
	return list(t, `SELECT model_no, name, dims, reached, serves FROM search_models ORDER BY model_no`, nil,
		func(r row) (m search.Model, err error) {
			err = r.scan(&m.No, &m.Name, &m.Dims, &m.Reached, &m.Serves)
			return m, err
		})
}

// SaveModel adds or changes a model.
func (t *Tx) SaveModel(m search.Model) error {
	return t.send(`
		INSERT INTO search_models (model_no, name, dims, reached, serves) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (model_no) DO UPDATE SET dims = $3, reached = $4, serves = $5`, m.No, m.Name, m.Dims, m.Reached, m.Serves)
}

// DropVectors deletes vectors of a model, at most so many, and the model with
// the last of them. It tells whether any are left.
func (t *Tx) DropVectors(modelNo int64, limit int) (more bool, err error) {
	n, err := t.exec(`
		DELETE FROM search_vectors WHERE model_no = $1 AND chunk_no IN (
			SELECT chunk_no FROM search_vectors WHERE model_no = $1 ORDER BY chunk_no LIMIT $2)`, modelNo, limit)
	if err != nil || n == int64(limit) {
		return true, err
	}
	return false, t.send(`DELETE FROM search_models WHERE model_no = $1`, modelNo)
}

// PutVector keeps the vector of a chunk.
func (t *Tx) PutVector(modelNo, chunkNo int64, vector []byte) error {
	return t.send(`
		INSERT INTO search_vectors (model_no, chunk_no, vector) VALUES ($1, $2, $3)
		ON CONFLICT (model_no, chunk_no) DO UPDATE SET vector = $3`, modelNo, chunkNo, vector)
}

// Pieces are the chunks above a number, in their order.
func (t *Tx) Pieces(after int64, limit int) ([]search.Piece, error) {
	return list(t, `
		SELECT c.chunk_no, d.kind, d.document_id, c.start_at, c.end_at FROM search_chunks c
		JOIN search_documents d ON d.document_no = c.chunk_no >> 12
		WHERE c.chunk_no > $1 ORDER BY c.chunk_no LIMIT $2`, args(after, limit), scanPiece)
}

func scanPiece(r row) (p search.Piece, err error) {
	err = r.scan(&p.ChunkNo, &p.Kind, &p.ID, &p.Start, &p.End)
	return p, err
}

// Vectors are those of a model above the number of a chunk, in their order.
func (t *Tx) Vectors(modelNo, after int64, limit int) ([]search.StoredVector, error) {
	return list(t, `
		SELECT v.chunk_no, v.vector, d.kind, d.workspace_id, d.place, d.sender, d.created_at
		FROM search_vectors v JOIN search_documents d ON d.document_no = v.chunk_no >> 12
		WHERE v.model_no = $1 AND v.chunk_no > $2 ORDER BY v.chunk_no LIMIT $3`, args(modelNo, after, limit),
		func(r row) (v search.StoredVector, err error) {
			err = r.scan(&v.ChunkNo, &v.Vector, &v.Kind, &v.Workspace, &v.Place, &v.Sender, &v.CreatedAt)
			return v, err
		})
}

// numberElements is a list of integers as [dialect.oneNumber] takes it.
func numberElements(list []int64) string {
	raw, _ := json.Marshal(list) // integers always marshal
	if list == nil {
		return "[]"
	}
	return string(raw)
}

// placeholderFor is the n-th argument where a list of conditions is built.
func placeholderFor(n int) string { return "$" + strconv.Itoa(n) }
