package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// errNotOffered says that the hub cannot tell of anything, and that asking again
// at once will not help.
var errNotOffered = errors.New("the hub does not take watches over")

// Watch tells when mail came, from wherever the calls go: the hub of the home,
// or the store; see [nexus.Watcher]. It also tells when it has had to look for
// another place, since something may have been missed there.
func (r *Relay) Watch(keys ...string) (<-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}, 1), make(chan struct{})
	go func() { // until stop
		defer close(done)
		r.watch(ctx, keys, ready)
	}()
	return ready, sync.OnceFunc(func() {
		cancel()
		<-done
	})
}

func (r *Relay) watch(ctx context.Context, keys []string, ready chan struct{}) {
	for ctx.Err() == nil {
		hub := r.find(ctx)
		switch {
		case hub != nil:
			err := hub.watch(ctx, r.opts.Conn, keys, ready)
			if errors.Is(err, errNotOffered) {
				pause(ctx, r.opts.LookAgain)
				continue
			}
			if ctx.Err() == nil {
				r.lose(hub, errors.Is(err, ErrDraining))
			}
		case r.maySoonBeBack():
			pause(ctx, lookEvery)
		default:
			r.watchLocal(ctx, keys, ready)
		}
	}
}

// watchLocal watches the store itself. It stays there when a hub comes: the
// store hears what the hub commits.
func (r *Relay) watchLocal(ctx context.Context, keys []string, ready chan struct{}) {
	local, err := r.open(ctx)
	if err != nil {
		pause(ctx, r.opts.LookAgain) // the next call says what is wrong
		return
	}
	woken, stop := local.Watch(keys...)
	defer stop()
	for {
		wake(ready)
		select {
		case <-woken:
		case <-ctx.Done():
			return
		}
	}
}

// watch passes on what the hub tells. A hub that ends it is draining.
func (h *Hub) watch(ctx context.Context, conn string, keys []string, ready chan struct{}) error {
	body, err := marshal(map[string]any{"conn": conn, "keys": keys})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://hub/watch", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := h.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusServiceUnavailable:
		return ErrDraining
	default:
		return errNotOffered
	}
	for line := make([]byte, 16); ; {
		n, err := resp.Body.Read(line)
		if n > 0 {
			wake(ready)
		}
		if errors.Is(err, io.EOF) {
			return ErrDraining
		}
		if err != nil {
			return err
		}
	}
}

// wake leaves a value in a channel of capacity one, if none is there yet.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
