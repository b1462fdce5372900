package store

import (
	"sync"
	"time"

	"nexus"
)

// wakes knows who waits for what in this process.
type wakes struct {
	mu      sync.Mutex
	waiters map[string]map[*waiter]struct{}
	byReady map[<-chan struct{}]*waiter
	// latency is how long it took those who were told to be awake.
	latency *nexus.Histogram
	// busy gets a value when the first waiter comes, for those who only need to
	// look around while somebody waits.
	busy chan struct{}
}

type waiter struct {
	ready chan struct{}
	keys  []string
	told  time.Time // when it was last told; zero once it is awake
}

func newWakes() *wakes {
	return &wakes{
		waiters: map[string]map[*waiter]struct{}{},
		byReady: map[<-chan struct{}]*waiter{},
		latency: nexus.NewTimes(),
		busy:    make(chan struct{}, 1),
	}
}

func (w *wakes) watch(keys []string) (<-chan struct{}, func()) {
	me := &waiter{ready: make(chan struct{}, 1), keys: keys}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range keys {
		if w.waiters[k] == nil {
			w.waiters[k] = map[*waiter]struct{}{}
		}
		w.waiters[k][me] = struct{}{}
	}
	w.byReady[me.ready] = me
	if len(w.byReady) == 1 {
		notify(w.busy)
	}
	return me.ready, sync.OnceFunc(func() { w.forget(me) })
}

func (w *wakes) forget(me *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range me.keys {
		delete(w.waiters[k], me)
		if len(w.waiters[k]) == 0 {
			delete(w.waiters, k)
		}
	}
	delete(w.byReady, me.ready)
}

// awake notes how long somebody who was told needed to be awake.
func (w *wakes) awake(ready <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if me := w.byReady[ready]; me != nil && !me.told.IsZero() {
		w.latency.Since(me.told)
		me.told = time.Time{}
	}
}

// wake tells those who wait for one of the keys, and nobody else; all of them,
// if one of the keys is everybody's.
func (w *wakes) wake(keys []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var now time.Time
	for _, k := range keys {
		if k == everything {
			w.wakeAllLocked()
			return
		}
		for me := range w.waiters[k] {
			if now.IsZero() {
				now = time.Now()
			}
			me.tell(now)
		}
	}
}

// wakeAll is for when it is not known what changed.
func (w *wakes) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wakeAllLocked()
}

func (w *wakes) wakeAllLocked() {
	now := time.Now()
	for _, me := range w.byReady {
		me.tell(now)
	}
}

func (w *wakes) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.byReady)
}

// tell leaves word that there is something to look at. One who was told and is
// not awake yet was told earlier.
func (me *waiter) tell(now time.Time) {
	notify(me.ready)
	if me.told.IsZero() {
		me.told = now
	}
}

// notify leaves a value in a channel of capacity one, if none is there yet.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
