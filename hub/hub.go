// Package hub is what a running hub keeps about itself, beside the bus: the
// settings that change at run time, the people who are signed in, and the
// webhooks that are told of the log. It knows no SQL and no HTTP.
package hub

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"nexus"
)

// A Tx is what the hub asks of a transaction.
type Tx interface {
	settingRows
	signInRows
	webhookRows
	AppendEvent(*nexus.Event) error
	Lock(names ...string) error
	Wake(keys ...string)
}

// Service is the hub.
type Service struct {
	store        nexus.Store[Tx]
	now          func() time.Time
	newID        func(prefix string) string
	log          *slog.Logger
	board        Board
	keys         Keys
	operatorHash string
	node         string
	webhooks     WebhookConfig
	// loading lets one reading of the settings be applied at a time: an older one
	// must not come last.
	loading sync.Mutex
}

// Config is what a [Service] is made of.
type Config struct {
	Store nexus.Store[Tx]
	Now   func() time.Time
	// NewID makes an id that nobody else makes, ascending with time.
	NewID func(prefix string) string
	Log   *slog.Logger
	Board Board
	Keys  Keys
	// Node names this hub among those that share the database, the same after a
	// restart; "" for a name that nobody else has.
	Node string
	// OperatorHash is the SHA-256, in hex, of the operator's own key.
	OperatorHash string
	Webhooks     WebhookConfig
}

// New makes a hub.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		store: c.Store, now: c.Now, newID: c.NewID, log: c.Log, board: c.Board, keys: c.Keys, operatorHash: c.OperatorHash, node: c.Node,
		webhooks: c.Webhooks.withDefaults(c.Now),
	}
}

// None is the input of an operation that takes no arguments.
type None struct{}

// operatorOnly refuses everybody who may not run the hub.
func operatorOnly(ctx context.Context) error {
	return nexus.ActorFrom(ctx).Administers()
}

// system makes an event that only operators see.
func (s *Service) system(tx Tx, now time.Time, kind, actor string, payload any) error {
	raw, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	return tx.AppendEvent(&nexus.Event{
		Stream: nexus.StreamSystem, Type: kind, Actor: actor, Payload: raw, CreatedAt: nexus.Stamp(now),
	})
}
