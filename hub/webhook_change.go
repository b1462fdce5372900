package hub

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"time"

	"nexus"
)

// mostWebhooks bounds what every event is held against.
const mostWebhooks = 100

// CreateWebhookParams describe a webhook.
type CreateWebhookParams struct {
	URL       string          `json:"url" jsonschema:"where to POST events to, https:// or http://"`
	Events    nexus.OneOrMore `json:"events" jsonschema:"types such as handoff.created, patterns such as handoff.*, or * for all"`
	Name      *string         `json:"name,omitempty" jsonschema:"what to call it"`
	Workspace *string         `json:"workspace,omitempty" jsonschema:"id of the only workspace to tell of; default all of them, and the system's own events"`
	Secret    string          `json:"secret,omitempty" jsonschema:"what to sign with, 16 to 256 characters; default one is made" secret:"true"`
}

// CreateWebhook makes a webhook that is told of everything from now on.
func (s *Service) CreateWebhook(ctx context.Context, p CreateWebhookParams) (WebhookSecret, error) {
	made, err := s.newWebhook(ctx, p)
	if err != nil {
		return WebhookSecret{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (WebhookSecret, error) {
		w := made
		if err := tx.Lock("webhooks"); err != nil {
			return WebhookSecret{}, err
		}
		all, err := tx.Webhooks()
		if err == nil && len(all) >= mostWebhooks {
			err = nexus.Errorf(nexus.Conflict, "There are %d webhooks already, which is as many as can be. Delete one first.", len(all))
		}
		if err := cmp.Or(err, checkWorkspace(tx, w.Workspace)); err != nil {
			return WebhookSecret{}, err
		}
		if w.Position, err = tx.LastEvent(); err != nil {
			return WebhookSecret{}, err
		}
		if err := tx.InsertWebhook(w); err != nil {
			return WebhookSecret{}, err
		}
		return WebhookSecret{w, w.Secret}, s.webhookEvent(ctx, tx, now, "webhook.created", w, nil)
	})
}

// newWebhook checks what can be checked without the store.
func (s *Service) newWebhook(ctx context.Context, p CreateWebhookParams) (Webhook, error) {
	if err := operatorOnly(ctx); err != nil {
		return Webhook{}, err
	}
	events, err := checkEvents(p.Events)
	if err := cmp.Or(checkURL(p.URL, s.webhooks.AllowPrivate()), err, checkName(p.Name), checkSecret(p.Secret)); err != nil {
		return Webhook{}, err
	}
	now := nexus.Stamp(s.now())
	return Webhook{
		ID: s.newID("whk"), Name: notBlank(p.Name), URL: p.URL, Events: events, Workspace: notBlank(p.Workspace), IsActive: true,
		DueAt: now, CreatedAt: now, UpdatedAt: now, Secret: cmp.Or(p.Secret, newSecret()),
	}, nil
}

// UpdateWebhookParams name a webhook and what is to change in it.
type UpdateWebhookParams struct {
	WebhookParams
	URL       *string         `json:"url,omitempty" jsonschema:"where to POST events to"`
	Events    nexus.OneOrMore `json:"events,omitempty" jsonschema:"types, patterns such as handoff.*, or * for all"`
	Name      *string         `json:"name,omitempty" jsonschema:"what to call it; blank for nothing"`
	Workspace *string         `json:"workspace,omitempty" jsonschema:"id of the only workspace to tell of; blank for all"`
	IsActive  *bool           `json:"is_active,omitempty" jsonschema:"false to pause; true to go on where it stopped, at once and with no failures counted"`
}

// UpdateWebhook changes what is given and keeps the rest. A new address, or
// being switched on, is a new start: what failed is tried again at once.
func (s *Service) UpdateWebhook(ctx context.Context, p UpdateWebhookParams) (Webhook, error) {
	if err := p.check(ctx); err != nil {
		return Webhook{}, err
	}
	if p.URL != nil {
		if err := checkURL(*p.URL, s.webhooks.AllowPrivate()); err != nil {
			return Webhook{}, err
		}
	}
	if p.Events != nil {
		events, err := checkEvents(p.Events)
		if err != nil {
			return Webhook{}, err
		}
		p.Events = events
	}
	if err := checkName(p.Name); err != nil {
		return Webhook{}, err
	}
	return s.changeWebhook(ctx, p.WebhookID, func(tx Tx, w *Webhook, now string) (string, map[string]any, error) {
		kind, changed := p.apply(w, now)
		return kind, map[string]any{"changed": changed}, checkWorkspace(tx, p.Workspace)
	})
}

// apply changes the webhook, and tells which event that is and what changed.
func (p UpdateWebhookParams) apply(w *Webhook, now string) (kind string, changed []string) {
	kind, changed = "webhook.updated", []string{}
	if p.URL != nil {
		w.URL, changed = *p.URL, append(changed, "url")
	}
	if p.Events != nil {
		w.Events, changed = p.Events, append(changed, "events")
	}
	if p.Name != nil {
		w.Name, changed = notBlank(p.Name), append(changed, "name")
	}
	if p.Workspace != nil {
		w.Workspace, changed = notBlank(p.Workspace), append(changed, "workspace")
	}
	if p.IsActive != nil {
		if *p.IsActive != w.IsActive {
			kind = map[bool]string{true: "webhook.enabled", false: "webhook.disabled"}[*p.IsActive]
		}
		w.IsActive, w.DisabledReason, changed = *p.IsActive, nil, append(changed, "is_active")
	}
	if p.URL != nil || p.IsActive != nil && *p.IsActive {
		w.Failures, w.DueAt = 0, now
	}
	return kind, changed
}

// RotateWebhookSecret gives a webhook a new secret. The old one is dead at once.
func (s *Service) RotateWebhookSecret(ctx context.Context, p WebhookParams) (WebhookSecret, error) {
	if err := p.check(ctx); err != nil {
		return WebhookSecret{}, err
	}
	secret, now := newSecret(), s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (WebhookSecret, error) {
		w, err := s.change(ctx, tx, p.WebhookID, now, func(_ Tx, w *Webhook, _ string) (string, map[string]any, error) {
			w.Secret = secret
			return "webhook.secret_rotated", nil, nil
		})
		return WebhookSecret{w, secret}, err
	})
}

type webhookChange func(tx Tx, w *Webhook, now string) (kind string, payload map[string]any, err error)

func (s *Service) changeWebhook(ctx context.Context, id string, change webhookChange) (Webhook, error) {
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (Webhook, error) { return s.change(ctx, tx, id, now, change) })
}

// change loads a webhook, changes it, stores it and notes what happened.
func (s *Service) change(ctx context.Context, tx Tx, id string, now time.Time, change webhookChange) (Webhook, error) {
	if err := tx.Lock(webhookLock(id)); err != nil {
		return Webhook{}, err
	}
	w, err := webhookIn(tx, id)
	if err != nil {
		return Webhook{}, err
	}
	stamp := nexus.Stamp(now)
	kind, payload, err := change(tx, &w, stamp)
	if err != nil {
		return Webhook{}, err
	}
	w.UpdatedAt = max(stamp, w.UpdatedAt)
	if err := tx.UpdateWebhook(w); err != nil {
		return Webhook{}, err
	}
	return w, s.webhookEvent(ctx, tx, now, kind, w, payload)
}

// DeletedWebhook says which webhook is gone.
type DeletedWebhook struct {
	WebhookID string `json:"webhook_id"`
	Deleted   bool   `json:"deleted"`
}

// DeleteWebhook deletes a webhook and the record of its attempts.
func (s *Service) DeleteWebhook(ctx context.Context, p WebhookParams) (DeletedWebhook, error) {
	if err := p.check(ctx); err != nil {
		return DeletedWebhook{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (DeletedWebhook, error) {
		if err := tx.Lock(webhookLock(p.WebhookID)); err != nil {
			return DeletedWebhook{}, err
		}
		w, err := webhookIn(tx, p.WebhookID)
		if err != nil {
			return DeletedWebhook{}, err
		}
		if err := tx.DeleteWebhook(w.ID); err != nil {
			return DeletedWebhook{}, err
		}
		return DeletedWebhook{w.ID, true}, s.webhookEvent(ctx, tx, now, "webhook.deleted", w, nil)
	})
}

// webhookEvent notes a change, and tells those who work for webhooks of it. Of
// the address only the beginning is noted: the rest may be as good as a secret.
func (s *Service) webhookEvent(ctx context.Context, tx Tx, now time.Time, kind string, w Webhook, more map[string]any) error {
	payload := map[string]any{"webhook_id": w.ID, "name": w.Name, "origin": origin(w.URL), "events": w.Events, "workspace": w.Workspace}
	maps.Copy(payload, more)
	tx.Wake(nexus.WebhooksKey)
	return s.system(tx, now, kind, nexus.ActorFrom(ctx).Name(), payload)
}

func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func webhookLock(id string) string { return "webhook/" + id }
