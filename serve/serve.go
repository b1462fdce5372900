// Package serve puts the catalogue on the wire: MCP over HTTP and over standard
// input and output, REST, and the hand-over socket on which a hub takes the
// calls of other processes of the same home.
package serve

import (
	"context"
	"encoding/json"
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

// Keys tells whose API key it is, by the SHA-256 of the key in hex.
type Keys interface {
	KeyOwner(ctx context.Context, hash string) (agentID string, found bool, err error)
}

// Deps is what the hub serves and what it needs for that.
type Deps struct {
	Catalogue *op.Catalogue
	Sessions  Sessions
	Keys      Keys
	Watcher   nexus.Watcher
	// Events is the log that can be exported; nil for none.
	Events EventLog
	// Ready tells whether the store answers and is migrated.
	Ready func(ctx context.Context) error
	// OperatorKeyHash is the SHA-256, in hex, of the operator's own key.
	OperatorKeyHash string
	Version         string
	SchemaVersion   int
	TrustMode       string
	// DefaultWorkspace is the id of the workspace of --project-root, or "".
	DefaultWorkspace string
	License          []byte
	Log              *slog.Logger
	Now              func() time.Time
}
