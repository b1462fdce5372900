package search

import (
	"context"

	"nexus"
)

// None is the input of an operation that takes no arguments.
type None struct{}

// Status is how the index is doing.
type Status struct {
	Documents int64          `json:"documents"`
	Chunks    int64          `json:"chunks"`
	Words     int64          `json:"words"`
	Position  int64          `json:"position" jsonschema:"the event up to which the log is indexed"`
	LastEvent int64          `json:"last_event"`
	UpToDate  bool           `json:"up_to_date" jsonschema:"whether all that was written can be found"`
	Rebuild   *RebuildStatus `json:"rebuild"`
	Models    []ModelStatus  `json:"models"`
	Embedder  string         `json:"embedder" jsonschema:"what new vectors are made with"`
	Trouble   string         `json:"trouble,omitempty" jsonschema:"why it does not answer"`
	HeldBy    *string        `json:"held_by"`
	UpdatedAt *string        `json:"updated_at"`
}

// RebuildStatus is how far a rebuild is.
type RebuildStatus struct {
	Done      int64  `json:"done"`
	Total     int64  `json:"total"`
	StartedAt string `json:"started_at"`
}

// ModelStatus is whose vectors there are and how far.
type ModelStatus struct {
	Name     string  `json:"name"`
	Dims     int     `json:"dims"`
	Serves   bool    `json:"serves"`
	Complete float64 `json:"complete" jsonschema:"the share of all chunks that have one, about"`
}

// Status tells how the index is doing.
func (s *Service) Status(ctx context.Context, _ None) (Status, error) {
	if err := nexus.ActorFrom(ctx).MayEnter(""); err != nil {
		return Status{}, err
	}
	return s.status(ctx)
}

func (s *Service) status(ctx context.Context) (Status, error) {
	status, err := nexus.View(ctx, s.store, func(tx Tx) (Status, error) {
		st, err := tx.SearchState()
		if err != nil {
			return Status{}, err
		}
		models, err := tx.SearchModels()
		if err != nil {
			return Status{}, err
		}
		slice, err := lookAhead(tx, st.Position)
		if err != nil {
			return Status{}, err
		}
		status := Status{
			Documents: st.Documents, Chunks: st.Chunks, Words: st.Words, Position: st.Position, LastEvent: slice.Last,
			UpToDate: st.Rebuild == nil && !behind(st, slice, slice.Last), HeldBy: orNil(st.HeldBy), UpdatedAt: orNil(st.UpdatedAt),
			Models: []ModelStatus{},
		}
		if r := st.Rebuild; r != nil {
			status.Rebuild = &RebuildStatus{r.Done, max(r.Done, r.Total), r.StartedAt}
		}
		for _, m := range models {
			share := 1.0
			if st.LastChunk > 0 {
				share = round(float64(DocumentOf(m.Reached)) / float64(st.LastDocument))
			}
			status.Models = append(status.Models, ModelStatus{m.Name, m.Dims, m.Serves, share})
		}
		return status, nil
	})
	status.Embedder = s.wanted().Name()
	if r := s.remote.Load(); r != nil {
		if t := r.trouble.Load(); t != nil {
			status.Trouble = nexus.AsError(t.err).Msg
		}
	}
	return status, err
}

// ReindexParams ask for a new index.
type ReindexParams struct {
	DryRun bool `json:"dry_run,omitempty" jsonschema:"only count what would be indexed"`
}

// ReindexResult is a rebuild that was begun, or would be.
type ReindexResult struct {
	DryRun    bool  `json:"dry_run"`
	Documents int64 `json:"documents"` // about how many
}

// Reindex makes the index anew in the background. Searches go on meanwhile.
func (s *Service) Reindex(ctx context.Context, p ReindexParams) (ReindexResult, error) {
	if err := operatorOnly(ctx); err != nil {
		return ReindexResult{}, err
	}
	total, err := nexus.ViewLong(ctx, s.store, Tx.CountDocuments)
	if err != nil || p.DryRun {
		return ReindexResult{p.DryRun, total}, err
	}
	now := s.now()
	result, err := nexus.Update(ctx, s.store, func(tx Tx) (ReindexResult, error) {
		if err := tx.Lock(indexLock); err != nil {
			return ReindexResult{}, err
		}
		st, err := tx.SearchState()
		if err != nil {
			return ReindexResult{}, err
		}
		r := Rebuild{Mark: st.LastDocument, Kind: tx.SearchKinds()[0], Total: total, StartedAt: nexus.Stamp(now)}
		if err := tx.RequestRebuild(r, s.newID("index"), nexus.Stamp(now)); err != nil {
			return ReindexResult{}, err
		}
		return ReindexResult{Documents: total}, tx.AppendEvent(&nexus.Event{
			Stream: nexus.StreamSystem, Type: "search.reindex", Actor: nexus.ActorFrom(ctx).Name(), CreatedAt: nexus.Stamp(now),
			Payload: nexus.JSON(`{}`),
		})
	})
	s.hurry()
	return result, err
}
