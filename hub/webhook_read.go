package hub

import (
	"cmp"
	"context"
	"strings"

	"nexus"
)

const (
	usualAttempts = 50
	keptAttempts  = 100 // of each webhook
)

// WebhookParams name a webhook.
type WebhookParams struct {
	WebhookID string `json:"webhook_id" jsonschema:"the webhook"`
}

// WebhookList is every webhook there is.
type WebhookList struct {
	Items []Webhook `json:"items"`
	nexus.OnePage
}

// WebhookSecret is a webhook with its secret, which is shown only here.
type WebhookSecret struct {
	Webhook
	Secret string `json:"secret"`
}

// MadeID is what a repeated call is told instead of the secret.
func (w WebhookSecret) MadeID() string { return w.ID }

// Webhooks lists all webhooks.
func (s *Service) Webhooks(ctx context.Context, _ None) (WebhookList, error) {
	if err := operatorOnly(ctx); err != nil {
		return WebhookList{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (WebhookList, error) {
		all, err := tx.Webhooks()
		return WebhookList{Items: all}, err
	})
}

// Webhook shows one webhook.
func (s *Service) Webhook(ctx context.Context, p WebhookParams) (Webhook, error) {
	if err := p.check(ctx); err != nil {
		return Webhook{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Webhook, error) { return webhookIn(tx, p.WebhookID) })
}

func (p WebhookParams) check(ctx context.Context) error {
	if err := operatorOnly(ctx); err != nil {
		return err
	}
	if strings.TrimSpace(p.WebhookID) == "" {
		return nexus.Invalid("webhook_id", "webhook_id is required.")
	}
	return nil
}

func webhookIn(tx Tx, id string) (Webhook, error) {
	w, found, err := tx.Webhook(id)
	if err == nil && !found {
		err = nexus.Errorf(nexus.NotFound, "There is no webhook %q. List them with webhook_list.", clip(id, longestName)).With("webhook_id", id)
	}
	return w, err
}

// WebhookAttemptsParams ask for a page of attempts.
type WebhookAttemptsParams struct {
	WebhookParams
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before, as it was"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"how many to show, 1 to 100; default 50"`
}

// WebhookAttemptPage is a page of attempts, newest first.
type WebhookAttemptPage struct {
	Items      []WebhookAttempt `json:"items"`
	NextCursor *string          `json:"next_cursor"`
}

// WebhookAttempts pages through the newest hundred attempts.
func (s *Service) WebhookAttempts(ctx context.Context, p WebhookAttemptsParams) (WebhookAttemptPage, error) {
	if err := p.check(ctx); err != nil {
		return WebhookAttemptPage{}, err
	}
	limit := usualAttempts
	if p.Limit != nil {
		limit = min(*p.Limit, keptAttempts)
	}
	if limit < 1 {
		return WebhookAttemptPage{}, nexus.Invalid("limit", "limit must be at least 1.")
	}
	const newest = "~" // after every id
	return nexus.View(ctx, s.store, func(tx Tx) (WebhookAttemptPage, error) {
		if _, err := webhookIn(tx, p.WebhookID); err != nil {
			return WebhookAttemptPage{}, err
		}
		items, err := tx.WebhookAttempts(p.WebhookID, cmp.Or(p.Cursor, newest), limit+1)
		if err != nil || len(items) <= limit {
			return WebhookAttemptPage{Items: items}, err
		}
		return WebhookAttemptPage{items[:limit], &items[limit-1].ID}, nil
	})
}
