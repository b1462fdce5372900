// Package hub is what a running hub keeps about itself, beside the bus: the
// settings that change at run time, the people who are signed in, and the
// webhooks that are told of the log. It knows no SQL and no HTTP.
package hub

import (
	"encoding/json"
	"time"

	"nexus"
)

// A Tx is what the hub asks of a transaction.
type Tx interface {
	webhookRows
	AppendEvent(*nexus.Event) error
	Lock(names ...string) error
	Wake(keys ...string)
}

// Service is the hub.
type Service struct {
	store nexus.Store[Tx]
	now   func() time.Time
	newID func(prefix string) string

	webhooks WebhookConfig
}

// Config is what a [Service] is made of.
type Config struct {
	Store nexus.Store[Tx]
	Now   func() time.Time
	// NewID makes an id that nobody else makes, ascending with time.
	NewID    func(prefix string) string
	Webhooks WebhookConfig
}

// New makes a hub.
func New(c Config) *Service {
	return &Service{store: c.Store, now: c.Now, newID: c.NewID, webhooks: c.Webhooks.withDefaults(c.Now)}
}

// None is the input of an operation that takes no arguments.
type None struct{}

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
