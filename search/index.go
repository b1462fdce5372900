package search

// A State is how far the index is. Only who holds it changes it, and each change
// raises its revision, so that whoever lost it meanwhile changes nothing.
type State struct {
	Epoch        string // another one is another index, whose numbers begin anew
	Revision     int64
	Position     int64 // the last event that was looked at
	LastDocument int64
	LastChunk    int64
	Documents    int64
	Chunks       int64
	Words        int64
	Rebuild      *Rebuild
	HeldBy       string
	HeldUntil    string
	UpdatedAt    string
}

// A Rebuild is an index in the making from the tables. Documents above the mark
// are new; when all tables have been read, those below it are of things that are
// gone.
type Rebuild struct {
	Mark      int64  `json:"mark"`
	Kind      string `json:"kind"`            // whose table is being read
	Place     string `json:"place,omitempty"` // of which only this; "" for all of all
	After     string `json:"after"`           // the last id that was read
	Sweeping  bool   `json:"sweeping,omitempty"`
	Done      int64  `json:"done"`
	Total     int64  `json:"total"`
	StartedAt string `json:"started_at"`
	// Gap says that the log did not tell of everything, so that there is more than
	// the index has. Otherwise somebody only wanted it.
	Gap bool `json:"gap,omitempty"`
}

// A Mention says that an event concerns a document or, without an id, all that
// is in a place; without a place either, everything.
type Mention struct {
	EventID int64
	Kind    string
	ID      string
	Place   string
}

// A LogSlice is a stretch of the log: what it mentions and how far it goes.
type LogSlice struct {
	First, Last int64 // of the whole log; see [store.DB.LogBounds]
	End         int64 // the last event that was looked at
	Mentions    []Mention
}

// An Indexed document is cut into pieces, each with its words.
type Indexed struct {
	Document
	Chunks []Chunk
}

// A Chunk is a piece of a document.
type Chunk struct {
	Span
	Words  []string
	Vector []byte // packed; nil where it comes later
}

// A chunk's number has its document's in it, so that nothing needs to be looked
// up on the way from one to the other.
const chunkBits = 12

// ChunkNo is the number of a piece of a document.
func ChunkNo(document int64, piece int) int64 { return document<<chunkBits | int64(piece) }

// DocumentOf is the number of a piece's document.
func DocumentOf(chunk int64) int64 { return chunk >> chunkBits }

// Removed is what was taken out of the index.
type Removed struct{ Documents, Chunks, Words int64 }

// A Model is whose vectors there are.
type Model struct {
	No      int64
	Name    string
	Dims    int
	Reached int64 // the last chunk that has one
	Serves  bool  // queries are held against its vectors
}

// A Piece is a chunk that is to get a vector.
type Piece struct {
	ChunkNo  int64
	Kind, ID string
	Span
}

// A StoredVector is a chunk's vector with what searches are narrowed by.
type StoredVector struct {
	ChunkNo                        int64
	Vector                         []byte
	Kind, Workspace, Place, Sender string
	CreatedAt                      string
}

// A Filter narrows a search. Of each list one must fit, where there are any;
// Spaces and Places are one list of two kinds.
type Filter struct {
	Kinds, Senders []string
	Spaces, Places []string // workspaces, and channels or topics
	Within         []string // the workspaces a key is limited to; nil for no limit
	After, Before  string   // from a moment on, and before another
	Must, Not      []Term   // in some piece of the document, and in none
	Where          *Expression
	Documents      []int64 // only these; nil for all
}

// Ranked is a chunk and how well its words fit.
type Ranked struct {
	ChunkNo int64
	Score   float64
}

// A Head is a document without its text.
type Head struct {
	No int64
	Document
}
