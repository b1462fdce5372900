package hub

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"nexus"
)

// told is the body of a request.
type told struct {
	ID        string    `json:"id"` // the same in every attempt
	Type      string    `json:"type"`
	CreatedAt string    `json:"created_at"`
	Attempt   int       `json:"attempt"`
	Event     toldEvent `json:"event"`
}

type toldEvent struct {
	ID          *int64     `json:"event_id"`
	WorkspaceID *string    `json:"workspace_id"`
	Stream      string     `json:"stream"`
	Type        string     `json:"type"`
	CreatedAt   string     `json:"created_at"`
	Actor       *string    `json:"actor_agent_id"`
	Payload     nexus.JSON `json:"payload"`
	TraceID     *string    `json:"trace_id"`
}

// An outcome is how an attempt ended.
type outcome struct {
	WebhookAttempt
	failed     string // in a few words, "" when it went well
	gone       bool   // the receiver wants to be told no more
	retryAfter time.Duration
}

// tell makes one attempt to tell a webhook of an event.
func (s *Service) tell(ctx context.Context, w Webhook, e nexus.Event) outcome {
	began := s.now()
	o := outcome{WebhookAttempt: WebhookAttempt{
		ID: s.newID("wha"), WebhookID: w.ID, EventID: eventNumber(e), EventType: e.Type, Attempt: w.Failures + 1, CreatedAt: nexus.Stamp(began),
	}}
	r, err := s.request(w, e, o.Attempt, began)
	if err == nil {
		var answer WebhookResponse
		answer, err = s.webhooks.Sender.Send(ctx, r)
		o.judge(answer)
	}
	if err != nil {
		o.failed = "It could not be sent: " + tidy(err.Error()) + "."
		o.Error = &o.failed
	}
	o.TookMS = s.now().Sub(began).Milliseconds()
	return o
}

// judge reads an answer: 2xx is well, everything else is not.
func (o *outcome) judge(r WebhookResponse) {
	if r.Status == 0 {
		return
	}
	o.Status, o.retryAfter, o.gone = &r.Status, r.RetryAfter, r.Status == 410
	switch {
	case r.Status >= 200 && r.Status < 300:
		return
	case r.Status >= 300 && r.Status < 400:
		o.failed = fmt.Sprintf("The receiver answered %d. Redirects are not followed: set the url it really has.", r.Status)
	default:
		o.failed = fmt.Sprintf("The receiver answered %d.", r.Status)
	}
	words := o.failed
	if said := tidy(r.Text); said != "" {
		words += " It said: " + said
	}
	o.Error = &words
}

// request writes and signs what is sent.
func (s *Service) request(w Webhook, e nexus.Event, attempt int, now time.Time) (WebhookRequest, error) {
	id := w.ID + "-" + strconv.FormatInt(e.ID, 10)
	if e.ID == 0 {
		id = s.newID(w.ID + "-test")
	}
	body, err := json.Marshal(told{id, e.Type, e.CreatedAt, attempt, toldEvent{
		eventNumber(e), textOrNil(e.WorkspaceID), e.Stream, e.Type, e.CreatedAt, textOrNil(e.Actor), e.Payload, textOrNil(e.Trace),
	}})
	if err != nil {
		return WebhookRequest{}, fmt.Errorf("the event is not valid JSON: %w", err)
	}
	timestamp := strconv.FormatInt(now.Unix(), 10)
	header := map[string]string{
		"Content-Type":            "application/json",
		"User-Agent":              "nexus-webhook/" + s.webhooks.Version,
		"Nexus-Webhook-Id":        id,
		"Nexus-Webhook-Timestamp": timestamp,
		"Nexus-Webhook-Signature": "v1=" + Signature(w.Secret, timestamp, body),
		"Nexus-Webhook-Attempt":   strconv.Itoa(attempt),
	}
	if e.Trace != "" {
		header["Traceparent"] = nexus.Trace{ID: e.Trace, Span: newSpan(), Sampled: true}.String()
	}
	return WebhookRequest{w.URL, header, body}, nil
}

// Signature is the HMAC-SHA256, in hex, of the timestamp, a dot and the body,
// under the secret as it was shown.
func Signature(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// newSpan is the span of one attempt in the trace of its event.
func newSpan() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	random[0] |= 1              // all zeros would be no span
	return hex.EncodeToString(random[:])
}

// TestWebhook sends a webhook.test event now, also to a webhook that is switched
// off. It counts as no failure and moves nothing on.
func (s *Service) TestWebhook(ctx context.Context, p WebhookParams) (WebhookAttempt, error) {
	w, err := s.Webhook(ctx, p)
	if err != nil {
		return WebhookAttempt{}, err
	}
	w.Failures = 0
	o := s.tell(ctx, w, nexus.Event{
		Stream: nexus.StreamSystem, Type: "webhook.test", Actor: nexus.ActorFrom(ctx).Name(), CreatedAt: nexus.Stamp(s.now()),
		Payload: nexus.JSON(`{"message":"This is a test. Nothing happened."}`),
	})
	if err := context.Cause(ctx); err != nil {
		return WebhookAttempt{}, err
	}
	return nexus.Update(ctx, s.store, func(tx Tx) (WebhookAttempt, error) {
		if err := tx.Lock(webhookLock(w.ID)); err != nil {
			return WebhookAttempt{}, err
		}
		if _, err := webhookIn(tx, w.ID); err != nil {
			return WebhookAttempt{}, err
		}
		return o.WebhookAttempt, tx.InsertWebhookAttempt(o.WebhookAttempt, keptAttempts)
	})
}

func eventNumber(e nexus.Event) *int64 {
	if e.ID == 0 {
		return nil
	}
	return &e.ID
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// tidy makes one line of what came from outside: valid text without control
// characters, and not much of it.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return clip(strings.Join(strings.Fields(s), " "), 500)
}
