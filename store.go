package nexus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Store runs functions in transactions. T is a service's own small view of a
// transaction: the methods it needs and no more.
type Store[T any] interface {
	// Update runs fn in one writing transaction and returns fn's answer once
	// the commit is durable. fn may run more than once: it touches nothing but
	// tx and returns its answer.
	Update(ctx context.Context, fn func(tx T) (any, error)) (any, error)
	// View runs fn on one consistent snapshot.
	View(ctx context.Context, fn func(tx T) error) error
	Watcher
}

// A Watcher tells when something changed.
type Watcher interface {
	// Watch returns a channel that gets a value after a commit that touched one
	// of the keys. It may also get one for no reason. Register first, scan
	// after: then nothing is missed.
	Watch(keys ...string) (ready <-chan struct{}, stop func())
}

// A wakeMeter is a [Watcher] that wants to know when those whom it woke are
// awake, to measure how long that takes.
type wakeMeter interface {
	Awake(ready <-chan struct{})
}

// Update runs fn in one writing transaction of s. If the context carries an
// [Idempotency] key that was used before, fn does not run and the first answer
// is returned again.
func Update[R, T any](ctx context.Context, s Store[T], fn func(tx T) (R, error)) (R, error) {
	var zero R
	answer, err := s.Update(ctx, func(tx T) (any, error) { return fn(tx) })
	if err != nil {
		return zero, err
	}
	if kept, ok := answer.(KeptAnswer); ok {
		var r R
		if err := json.Unmarshal(kept, &r); err != nil {
			return zero, fmt.Errorf("read the kept answer: %w", err)
		}
		return r, nil
	}
	return answer.(R), nil
}

// View runs fn on one snapshot of s and returns its answer.
func View[R, T any](ctx context.Context, s Store[T], fn func(tx T) (R, error)) (R, error) {
	var r R
	err := s.View(ctx, func(tx T) (err error) {
		r, err = fn(tx)
		return err
	})
	return r, err
}

// ViewLong is [View] for a read that may take long. A store that has a lane for
// such reads runs it there, where it keeps no short one waiting.
func ViewLong[R, T any](ctx context.Context, s Store[T], fn func(tx T) (R, error)) (R, error) {
	long, ok := s.(interface {
		ViewLong(ctx context.Context, fn func(tx T) error) error
	})
	if !ok {
		return View(ctx, s, fn)
	}
	var r R
	err := long.ViewLong(ctx, func(tx T) (err error) {
		r, err = fn(tx)
		return err
	})
	return r, err
}

// Idempotency names one writing call so that repeating it is safe. The store
// keeps the first answer under these names in the same transaction.
type Idempotency struct {
	Op    string
	Scope string // whose key it is
	Key   string
	Body  string // hash of the arguments; another one under the same key is a conflict
	// Secret answers are not kept: a repeat is told what was made instead.
	Secret bool
	// Proof is what a repeat must pass, in the transaction, before it learns
	// anything of the first call; see [WithProof].
	Proof func(tx any) error
}

// KeptAnswer is the JSON of an answer that an earlier call with the same
// [Idempotency] key got.
type KeptAnswer json.RawMessage

// A Maker is an answer that carries a secret. Its id is what a repeated call
// is told.
type Maker interface{ MadeID() string }

type idempotencyKey struct{}

// WithIdempotency puts the key into the context, for [Update] to find.
func WithIdempotency(ctx context.Context, k Idempotency) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, k)
}

// IdempotencyFrom is the key of the context, if there is one.
func IdempotencyFrom(ctx context.Context) (Idempotency, bool) {
	k, ok := ctx.Value(idempotencyKey{}).(Idempotency)
	return k, ok
}

// WithProof says what whoever repeats the call must pass before it gets the first
// answer. A key alone proves nothing: anybody may name the same one.
func WithProof[T any](ctx context.Context, proof func(tx T) error) context.Context {
	k, ok := IdempotencyFrom(ctx)
	if !ok {
		return ctx
	}
	k.Proof = func(tx any) error { return proof(tx.(T)) }
	return WithIdempotency(ctx, k)
}

// WithoutIdempotency takes the key out of the context: what follows has another
// way of acting once.
func WithoutIdempotency(ctx context.Context) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, nil)
}

// ErrStopping is the cause with which a stopping hub ends the waits it must
// answer itself: they answer as if their time were up.
var ErrStopping = errors.New("the hub is stopping")

// Await looks until it finds, a wake-up at a time. It registers the keys before
// the first look, so no commit is missed; a look also says when to come back
// although nothing was committed (a lease that lapses then; zero for never).
// It returns the last answer and whether the time was up before found.
func Await[R any](ctx context.Context, w Watcher, keys []string, wait time.Duration,
	look func(ctx context.Context) (answer R, found bool, due time.Time, err error),
) (answer R, timedOut bool, err error) {
	ready, stop := w.Watch(keys...)
	defer stop()
	end := time.NewTimer(wait)
	defer end.Stop()
	unhurried := context.WithoutCancel(ctx) // a look is short, and its answer is wanted also by one who stops
	for {
		answer, found, due, err := look(unhurried)
		if err != nil || found {
			return answer, false, err
		}
		var again <-chan time.Time
		if !due.IsZero() {
			again = time.After(time.Until(due))
		}
		select {
		case <-ready:
			if m, ok := w.(wakeMeter); ok {
				m.Awake(ready)
			}
		case <-again:
		case <-end.C:
			return answer, true, nil
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrStopping) {
				return answer, true, nil
			}
			return answer, false, context.Cause(ctx)
		}
	}
}
