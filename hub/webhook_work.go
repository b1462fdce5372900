package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"nexus"
)

const (
	holdTime  = time.Minute // how long a node may be silent before another one takes over
	holdLeast = holdTime / 2
	// A courier makes way for others after so many events, or so much time.
	turnEvents = 100
	turnTime   = 10 * time.Second

	firstRest    = 5 * time.Second
	longestRest  = time.Hour
	mostFailures = 20 // in a row; with the rests between them that takes about half a day
)

// A courier works for one webhook for a while: it tells it of events in order,
// one at a time, until there is no more to tell, one could not be told, or its
// turn is over.
type courier struct {
	*Service
	node     string
	id       string
	stopping <-chan struct{}

	hook Webhook // as it was last read
	seen int64   // up to where the log holds nothing for it
}

func (c *courier) work(ctx context.Context) report {
	end := c.now().Add(turnTime)
	for n := 0; n < turnEvents && c.now().Before(end) && !c.isStopping(); {
		e, found, err := c.next(ctx)
		if err != nil || !found {
			return c.report(false, time.Time{}, err)
		}
		held, after, err := c.hold(ctx)
		if err != nil || !after.IsZero() {
			return c.report(true, after, err)
		}
		if !held {
			continue
		}
		o := c.tell(ctx, c.hook, e)
		if o.failed != "" && ctx.Err() != nil { // cut off by the stop: nobody's failure
			break
		}
		if err := c.record(context.WithoutCancel(ctx), e, o); err != nil {
			return c.report(true, time.Time{}, err)
		}
		n++
	}
	return c.report(true, time.Time{}, nil)
}

func (c *courier) isStopping() bool {
	select {
	case <-c.stopping:
		return true
	default:
		return false
	}
}

func (c *courier) report(hungry bool, after time.Time, err error) report {
	if err != nil {
		c.webhooks.Log.Warn("a webhook waits: the store does not answer", "webhook_id", c.id, "err", err)
		hungry, after = true, c.now().Add(storeRest)
	}
	return report{c.id, c.hook.Position, hungry, after}
}

// next reads the webhook and finds the next event it wants, a page of the log at
// a time. An inactive webhook wants none.
func (c *courier) next(ctx context.Context) (e nexus.Event, found bool, err error) {
	for more := true; more && !found && err == nil; {
		err = c.store.View(ctx, func(tx Tx) error {
			w, _, err := tx.Webhook(c.id)
			if err != nil {
				return err
			}
			if w.UpdatedAt != c.hook.UpdatedAt { // it may want other events now
				c.seen = 0
			}
			c.hook = w
			if more = w.IsActive; !more {
				return nil
			}
			heads, err := tx.EventHeads(max(c.seen, w.Position), headsPage)
			more = len(heads) == headsPage
			for _, head := range heads {
				if w.wants(head) {
					e, found, err = tx.LogEvent(head.ID)
					return err
				}
				c.seen = head.ID
			}
			return err
		})
	}
	return e, found, err
}

// hold makes sure that it is this node that works for the webhook, and that it
// is time to. Otherwise it tells when to come back, or that things have changed.
func (c *courier) hold(ctx context.Context) (held bool, after time.Time, err error) {
	now := c.now()
	due, until := moment(c.hook.DueAt), moment(c.hook.HeldUntil)
	mine := c.hook.HeldBy == c.node
	switch {
	case due.After(now):
		return false, due, nil
	case mine && until.After(now.Add(holdLeast)):
		return true, time.Time{}, nil
	case !mine && !until.Before(now):
		return false, until.Add(time.Microsecond), nil
	}
	held, err = nexus.Update(ctx, c.store, func(tx Tx) (bool, error) {
		return tx.HoldWebhook(c.id, c.node, nexus.Stamp(now), nexus.Stamp(now.Add(holdTime)))
	})
	return held, time.Time{}, err
}

// moment reads what [nexus.Stamp] wrote; the zero time where it wrote nothing.
func moment(stamp string) time.Time {
	t, _ := nexus.ParseStamp(stamp)
	return t
}

// record notes an attempt and what follows from it. If the webhook was deleted
// meanwhile, or another node took it over, it is no longer ours to note.
func (c *courier) record(ctx context.Context, e nexus.Event, o outcome) error {
	now := c.now()
	_, err := nexus.Update(ctx, c.store, func(tx Tx) (None, error) {
		if err := tx.Lock(webhookLock(c.id)); err != nil {
			return None{}, err
		}
		w, found, err := tx.Webhook(c.id)
		if err != nil || !found || w.HeldBy != c.node {
			return None{}, err
		}
		w.HeldUntil = nexus.Stamp(now.Add(holdTime))
		if o.failed != "" {
			w.HeldUntil = nexus.Stamp(now) // it rests, and whoever is there when it is due tries again
		}
		disabled := w.settle(e.ID, o, now)
		if settled, err := tx.SettleWebhook(w); err != nil || !settled {
			return None{}, err
		}
		if err := tx.InsertWebhookAttempt(o.WebhookAttempt, keptAttempts); err != nil || !disabled {
			return None{}, err
		}
		return None{}, c.webhookEvent(ctx, tx, now, "webhook.disabled", w, map[string]any{"reason": w.DisabledReason})
	})
	return err
}

// settle changes the webhook as an attempt demands, and tells whether that
// switched it off.
func (w *Webhook) settle(eventID int64, o outcome, now time.Time) (disabled bool) {
	if o.failed == "" {
		w.Position, w.Failures, w.DueAt = max(w.Position, eventID), 0, nexus.Stamp(now)
		return false
	}
	w.Failures++
	w.DueAt = nexus.Stamp(now.Add(rest(w.Failures, o.retryAfter)))
	reason := "The receiver answered 410: it is gone for good."
	if !o.gone {
		reason = fmt.Sprintf("%d attempts in a row failed, the last one so: %s", w.Failures, o.failed)
	}
	if !w.IsActive || !o.gone && w.Failures < mostFailures {
		return false
	}
	w.IsActive, w.DisabledReason, w.UpdatedAt = false, &reason, max(nexus.Stamp(now), w.UpdatedAt)
	return true
}

// rest is how long to wait after so many failures: twice as long each time and a
// little more, so that those who failed together do not come back together. A
// receiver may ask for longer; nobody waits for more than an hour.
func rest(failures int, asked time.Duration) time.Duration {
	d := min(firstRest<<min(failures-1, mostFailures), longestRest)
	d += rand.N(d / 4)
	return min(max(d, asked), longestRest)
}
