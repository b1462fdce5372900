package store

import "sync"

// wakes knows who waits for what in this process.
type wakes struct {
	mu      sync.Mutex
	waiters map[string]map[*waiter]struct{}
	count   int
	// busy gets a value when the first waiter comes, for those who only need to
	// look around while somebody waits.
	busy chan struct{}
}

type waiter struct {
	ready chan struct{}
	keys  []string
}

func newWakes() *wakes {
	return &wakes{waiters: map[string]map[*waiter]struct{}{}, busy: make(chan struct{}, 1)}
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
	w.count++
	if w.count == 1 {
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
	w.count--
}

// wake tells those who wait for one of the keys, and nobody else; all of them,
// if one of the keys is everybody's.
func (w *wakes) wake(keys []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range keys {
		if k == everything {
			w.wakeAllLocked()
			return
		}
		for me := range w.waiters[k] {
			notify(me.ready)
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
	for _, waiters := range w.waiters {
		for me := range waiters {
			notify(me.ready)
		}
	}
}

func (w *wakes) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// notify leaves a value in a channel of capacity one, if none is there yet.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
