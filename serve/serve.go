// Package serve puts the catalogue on the wire: MCP over HTTP and over standard
// input and output, REST, and the hand-over socket on which a hub takes the
// calls of other processes of the same home.
package serve

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"nexus"
	"nexus/op"
)

// A Caller runs one operation and returns its answer in the envelope of its
// family. It runs here ([Local]) or in the hub that owns the store.
type Caller func(ctx context.Context, o *op.Op, arguments json.RawMessage) op.Answer

// Sessions keeps MCP sessions where every node finds them and a restart
// forgets none. What is in the state is this package's business.
type Sessions interface {
	SaveSession(ctx context.Context, id, agentID string, state json.RawMessage) error
	Session(ctx context.Context, id string) (agentID string, state json.RawMessage, found bool, err error)
	DropSession(ctx context.Context, id string) error
}

// Keys tells who comes with an API key, by the SHA-256 of the key in hex, and
// until when that is so (zero for ever).
type Keys interface {
	KeyActor(ctx context.Context, hash string) (a nexus.Actor, until time.Time, found bool, err error)
	// KeyUsed notes that a key is used, and WriteKeyUses writes down what was noted.
	KeyUsed(keyID string)
	WriteKeyUses(ctx context.Context) error
}

// SignIns keeps the people who are signed in, by the SHA-256 of their token in
// hex.
type SignIns interface {
	SignInActor(ctx context.Context, hash string) (a nexus.Actor, until time.Time, found bool, err error)
	// SignIn makes a sign-in for an actor that came with a key.
	SignIn(ctx context.Context, a nexus.Actor, tokenHash, userAgent, address string) (id string, until time.Time, err error)
	// SignOut ends it.
	SignOut(ctx context.Context, id string) error
}

// Deps is what the hub serves and what it needs for that.
type Deps struct {
	Catalogue *op.Catalogue
	Sessions  Sessions
	Keys      Keys
	SignIns   SignIns
	Watcher   nexus.Watcher
	// Events is the log that clients may follow, nil for none.
	Events EventLog
	// Exports is the log that can be taken away; nil for none.
	Exports WorkspaceLog
	// Artifacts are what agents show to others; nil for none.
	Artifacts Artifacts
	// Ready tells whether the store answers and is migrated.
	Ready func(ctx context.Context) error
	// Backup makes a copy of the whole database and tells its size. Closing it
	// removes it. Nil where there is nothing to copy.
	Backup func(ctx context.Context) (copied io.ReadCloser, size int64, err error)
	// Connect tells how MCP hosts are connected to a hub at an address; nil where
	// nobody knows.
	Connect func(address string) ([]ConnectSnippet, error)
	// OperatorKeyHash is the SHA-256, in hex, of the operator's own key.
	OperatorKeyHash string
	Version         string
	SchemaVersion   int
	// TrustMode is open or strict; it may change while the hub runs.
	TrustMode func() string
	// DefaultWorkspace is the id of the workspace of --project-root, or "".
	DefaultWorkspace string
	License          []byte
	Dashboard        fs.FS // the built web pages; nil for none
	Log              *slog.Logger
	Now              func() time.Time
}
