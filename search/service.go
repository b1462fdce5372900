package search

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"nexus"
)

// A Tx is what the search asks of a transaction.
type Tx interface {
	sourceRows
	indexRows
	modelRows
	findRows
	AppendEvent(*nexus.Event) error
	Lock(names ...string) error
	Wake(keys ...string)
}

// sourceRows are what is indexed, and the log that tells of it.
type sourceRows interface {
	// SearchKinds lists the kinds of documents that there are tables for.
	SearchKinds() []string
	// SearchLog looks at events after a number and tells what they mention.
	SearchLog(after int64, limit int) (LogSlice, error)
	// SearchDocuments finds documents by id; those that are gone are left out.
	SearchDocuments(kind string, ids []string) ([]Document, error)
	// ScanDocuments reads the documents of a kind, those of a place or all, in the
	// order of their ids.
	ScanDocuments(kind, place, after string, limit int) ([]Document, error)
	// CountDocuments is about how many documents there are.
	CountDocuments() (int64, error)
}

type indexRows interface {
	SearchState() (State, error)
	// HoldSearch makes a node the one that changes the index, unless another is.
	HoldSearch(node, epoch, now, until string) (bool, error)
	// SaveSearchState writes the state, if it is as it was read and the node's.
	SaveSearchState(node string, s State) (bool, error)
	// RequestRebuild writes that a rebuild is wanted, whoever is at the index.
	RequestRebuild(r Rebuild, epoch, now string) error
	PutIndexed(no int64, d Indexed, modelNo int64) error
	DropIndexed(kind string, ids []string) (Removed, error)
	// SweepIndexed drops documents of a place, or all, that have a number up to a
	// mark, at most so many.
	SweepIndexed(mark int64, place string, limit int) (Removed, error)
}

type modelRows interface {
	SearchModels() ([]Model, error)
	SaveModel(Model) error
	// DropVectors deletes vectors of a model, at most so many, and the model with
	// the last of them.
	DropVectors(modelNo int64, limit int) (more bool, err error)
	PutVector(modelNo, chunkNo int64, vector []byte) error
	// Pieces are the chunks above a number, in their order.
	Pieces(after int64, limit int) ([]Piece, error)
	// Vectors are those of a model above the number of a chunk, in their order.
	Vectors(modelNo, after int64, limit int) ([]StoredVector, error)
}

type findRows interface {
	// WordFrequencies tell in how many chunks each term is, counting no further
	// than most.
	WordFrequencies(terms []Term, most int) ([]int, error)
	// RankWords are the chunks that have any of the terms, best first; average is
	// how many words a chunk has.
	RankWords(terms []WeighedTerm, average float64, f Filter, limit int) ([]Ranked, error)
	// DocumentsWith are the documents that have a term, at most so many.
	DocumentsWith(term Term, limit int) ([]int64, error)
	// NewestIndexed are the documents that a filter lets through, newest first.
	NewestIndexed(f Filter, limit int) ([]int64, error)
	// IndexedHeads are documents by their numbers, as far as they are there.
	IndexedHeads(numbers []int64) ([]Head, error)
	// PieceSpans are where chunks are in the text of their documents.
	PieceSpans(chunks []int64) (map[int64]Span, error)
	// ReadableDocuments are those of the ids that an agent may read who may not
	// read the log.
	ReadableDocuments(kind, agentID string, ids []string) ([]string, error)
	// VisibleDocuments are those that one may read who may read the log: its own,
	// and those that the log shows it.
	VisibleDocuments(kind, agentID string, ids []string, now time.Time) ([]string, error)
	// SearchPlaces finds workspaces, channels and topics by name.
	SearchPlaces(names []string) (workspaces, places []string, err error)
}

// ChangedKey wakes those who wait for the index.
const ChangedKey = "search"

// usualPatience is how long a search waits for what was written before it.
const usualPatience = 2 * time.Second

// Config is what a [Service] is made of.
type Config struct {
	Store nexus.Store[Tx]
	Now   func() time.Time
	// NewID makes an id that nobody else makes.
	NewID func(prefix string) string
	Log   *slog.Logger
	// Patience is how long a search waits for the index; 0 for two seconds.
	Patience time.Duration
}

// A Service finds things, and keeps the index that it needs for that.
type Service struct {
	store    nexus.Store[Tx]
	now      func() time.Time
	newID    func(prefix string) string
	log      *slog.Logger
	node     string
	patience time.Duration

	batch    sync.Mutex    // one batch of this process at a time
	kick     chan struct{} // there is work that is no event
	remote   atomic.Pointer[remoteModel]
	vectors  vectorIndex
	counts   counts
	lastHead int64 // of the log, when the last batch was made; with batch
	// embedding tells that vectors are being made; changed with batch.
	embedding atomic.Bool
}

// New makes a service. [Service.Run] keeps its index up to date; without it a
// search does so itself.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		store: c.Store, now: c.Now, newID: c.NewID, log: c.Log, patience: c.Patience,
		kick: make(chan struct{}, 1),
	}
	if c.NewID != nil {
		s.node = c.NewID("node")
	}
	if s.patience == 0 {
		s.patience = usualPatience
	}
	return s
}

// Call names this node, before anything uses it. Whoever comes back under the
// name of one that was killed takes up what that one held; "" is no name.
func (s *Service) Call(name string) {
	if name != "" {
		s.node = name
	}
}

// hurry makes the worker look at once.
func (s *Service) hurry() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// operatorOnly refuses everybody who may not run the hub.
func operatorOnly(ctx context.Context) error { return nexus.ActorFrom(ctx).Administers() }
