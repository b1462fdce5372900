package hub

import (
	"context"
	"log/slog"
	"time"

	"nexus"
)

// A Webhook is an address that is told of the log: every event it wants, in
// order, each at least once.
type Webhook struct {
	ID             string   `json:"webhook_id"`
	Name           *string  `json:"name"`
	URL            string   `json:"url"`
	Events         []string `json:"events"`    // types, or patterns such as handoff.*
	Workspace      *string  `json:"workspace"` // the only one it is told of; nil for all, and for the system's events
	IsActive       bool     `json:"is_active"`
	DisabledReason *string  `json:"disabled_reason"`
	Position       int64    `json:"position"` // the last event it has done with
	Failures       int      `json:"failures"` // in a row
	DueAt          string   `json:"due_at"`   // no attempt is made before
	CreatedAt      string   `json:"created_at"`
	UpdatedAt      string   `json:"updated_at"` // when it was last changed, other than by attempts

	Secret    string `json:"-"`
	HeldBy    string `json:"-"` // the node that works for it
	HeldUntil string `json:"-"`
}

// WebhookAttempt is one time that somebody was told, or was not.
type WebhookAttempt struct {
	ID        string  `json:"attempt_id"`
	WebhookID string  `json:"webhook_id"`
	EventID   *int64  `json:"event_id"` // nil for a test
	EventType string  `json:"event_type"`
	Attempt   int     `json:"attempt"`
	Status    *int    `json:"status"` // nil where nobody answered
	Error     *string `json:"error"`  // nil where all went well
	TookMS    int64   `json:"took_ms"`
	CreatedAt string  `json:"created_at"`
}

type webhookRows interface {
	webhookDefinitions
	webhookWork
	webhookLog
}

type webhookDefinitions interface {
	InsertWebhook(Webhook) error
	Webhook(id string) (Webhook, bool, error)
	Webhooks() ([]Webhook, error)
	// UpdateWebhook writes what operators change, and nothing that attempts do
	// but failures and due_at.
	UpdateWebhook(Webhook) error
	DeleteWebhook(id string) error
}

type webhookWork interface {
	// HoldWebhook takes an active webhook that is due for a node, unless another
	// one holds it.
	HoldWebhook(id, node, now, until string) (bool, error)
	// ReleaseWebhooks lets go of all that a node holds.
	ReleaseWebhooks(node string) (released bool, err error)
	// SettleWebhook writes what an attempt changed, if the node still holds it.
	SettleWebhook(Webhook) (bool, error)
	// AdvanceWebhook moves the position on, if nobody else has moved it and the
	// webhook is still what it was.
	AdvanceWebhook(w Webhook, to int64) (bool, error)
	// InsertWebhookAttempt also throws away all but the newest.
	InsertWebhookAttempt(a WebhookAttempt, keep int) error
	// WebhookAttempts are those before an id, newest first.
	WebhookAttempts(webhookID, before string, limit int) ([]WebhookAttempt, error)
}

type webhookLog interface {
	// EventHeads are the events after a number, without what they say.
	EventHeads(after int64, limit int) ([]nexus.Event, error)
	LogEvent(id int64) (nexus.Event, bool, error)
	LastEvent() (int64, error)
	WorkspaceExists(id string) (bool, error)
}

// A Sender makes the requests that tell webhooks.
type Sender interface {
	// Send makes one attempt and follows no redirect. An error is shown to the
	// operator, so it says what to do and does not hold the URL.
	Send(ctx context.Context, r WebhookRequest) (WebhookResponse, error)
}

// A WebhookRequest is a POST.
type WebhookRequest struct {
	URL    string
	Header map[string]string
	Body   []byte
}

// A WebhookResponse is what a receiver answered.
type WebhookResponse struct {
	Status     int
	Text       string        // how the body begins
	RetryAfter time.Duration // 0 where it did not say
}

// WebhookConfig is what it takes to tell webhooks.
type WebhookConfig struct {
	Sender  Sender
	Version string // of Nexus, for the receivers
	// AllowPrivate tells whether addresses that are not public may be told; nil
	// for no.
	AllowPrivate func() bool
	// Alarm gives a channel that gets a value at a moment; nil for the real
	// clock's.
	Alarm func(at time.Time) <-chan time.Time
	Log   *slog.Logger
}

func (c WebhookConfig) withDefaults(now func() time.Time) WebhookConfig {
	if c.AllowPrivate == nil {
		c.AllowPrivate = func() bool { return false }
	}
	if c.Alarm == nil {
		c.Alarm = func(at time.Time) <-chan time.Time { return time.After(at.Sub(now())) }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
