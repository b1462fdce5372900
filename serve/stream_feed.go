package serve

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"nexus"
)

const (
	// feedPage is how many events are read from the log at a time.
	feedPage = 500
	// catchingUp is how many readers may read the store at once, so that streams
	// leave room for calls.
	catchingUp = 4
	// A store that does not answer is asked again after this long, and after
	// twice as long each time.
	feedPause   = 100 * time.Millisecond
	longestHalt = 2 * time.Second
	// After something new the next waits so long for each reader, at most.
	breathEach    = 10 * time.Microsecond
	longestBreath = 20 * time.Millisecond
)

// streamTimes are the clockwork of the streams.
type streamTimes struct {
	// beat is how often readers that hear nothing look at the clock.
	beat time.Duration
	// silence is the longest that a stream says nothing.
	silence time.Duration
	// patience is how long a client may take what is sent to it. One that takes
	// longer is dropped; it comes back where it was.
	patience time.Duration
}

func usualStreamTimes() streamTimes {
	return streamTimes{beat: 5 * time.Second, silence: streamPulse, patience: 10 * time.Second}
}

// An EventLog is the log as the store keeps it.
type EventLog interface {
	// LogAfter looks through the log behind a number.
	LogAfter(ctx context.Context, after int64, f nexus.LogFilter, limit int) (nexus.LogPage, error)
	// LogBounds are the numbers of the oldest event that is left and of the
	// newest that ever was; see [nexus.LogPage].
	LogBounds(ctx context.Context) (first, last int64, err error)
}

// A feed reads the log once for all who follow it and makes each event a frame
// once. It runs while it has readers and the hub does not stop.
type feed struct {
	events  EventLog
	watcher nexus.Watcher
	log     *slog.Logger
	times   streamTimes
	// stopping is the hub's own lifetime, as in [Server].
	stopping context.Context

	window atomic.Pointer[window]
	places chan struct{} // for readers that read the store

	published time.Time    // when there was something new; for run alone
	crowd     atomic.Int64 // the readers once more, for run, which must not wait for mu

	mu      sync.Mutex
	readers int
	end     context.CancelFunc
	done    chan struct{}
}

func newFeed(stopping context.Context, d Deps) *feed {
	return &feed{
		events: d.Events, watcher: d.Watcher, log: d.Log, times: usualStreamTimes(), stopping: stopping,
		places: make(chan struct{}, catchingUp),
	}
}

// join adds a reader, who leaves in the end. From then on the window is there.
func (f *feed) join(ctx context.Context) (leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers == 0 {
		if err := f.begin(ctx); err != nil {
			return nil, err
		}
	}
	f.readers++
	f.crowd.Store(int64(f.readers))
	return f.leave, nil
}

func (f *feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers--
	f.crowd.Store(int64(f.readers))
	if f.readers == 0 {
		f.end()
		<-f.done
	}
}

// begin starts at the end of the log. It watches first and looks after, so that
// nothing falls between the two.
func (f *feed) begin(ctx context.Context) error {
	ready, stop := f.watcher.Watch(nexus.EveryEventKey)
	_, last, err := f.events.LogBounds(ctx)
	if err != nil {
		stop()
		return fmt.Errorf("find the end of the log: %w", err)
	}
	f.window.Store(newWindow(last))
	var running context.Context
	running, f.end = context.WithCancel(f.stopping)
	f.done = make(chan struct{})
	go func() { // ends with the last reader, who waits for it
		defer close(f.done)
		defer stop()
		f.run(running, ready)
	}()
	return nil
}

// run reads what is new until ctx ends, and then tells the readers to go.
func (f *feed) run(ctx context.Context, ready <-chan struct{}) {
	defer f.publish(&window{ended: true})
	beat := time.NewTicker(f.times.beat)
	defer beat.Stop()
	halt := feedPause
	for {
		full, err := f.read(ctx)
		var again <-chan time.Time
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.log.Warn("the log cannot be read for the streams; trying again", "in", halt, "cause", err)
			again = time.After(halt)
			halt = min(2*halt, longestHalt)
		case full:
			continue
		default:
			halt = feedPause
		}
		if !f.wait(ctx, ready, again, beat.C) || !f.breathe(ctx) {
			return
		}
	}
}

// breathe lets more come together where many are to be woken for it. They take
// longer than this to send what they have just got, so nobody waits in vain; and
// what comes after a silence is not held up.
func (f *feed) breathe(ctx context.Context) bool {
	left := time.Until(f.published.Add(min(time.Duration(f.crowd.Load())*breathEach, longestBreath)))
	if left <= 0 {
		return true
	}
	select {
	case <-time.After(left):
		return true
	case <-ctx.Done():
		return false
	}
}

// wait returns when it is time to read again, which is false when ctx ended.
func (f *feed) wait(ctx context.Context, ready <-chan struct{}, again, beat <-chan time.Time) bool {
	if again != nil {
		ready = nil // the store is to be left alone for a while
	}
	for {
		select {
		case <-ready:
			return true
		case <-again:
			return true
		case <-ctx.Done():
			return false
		case <-beat:
			same := *f.window.Load()
			same.changed = make(chan struct{})
			f.publish(&same)
		}
	}
}

// read takes the next page of the log into the window and tells whether there
// may be more.
func (f *feed) read(ctx context.Context) (full bool, err error) {
	w := f.window.Load()
	page, err := f.events.LogAfter(ctx, w.last, nexus.LogFilter{}, feedPage)
	if err != nil {
		return false, err
	}
	if len(page.Events) > 0 {
		f.publish(w.with(page.Events))
		f.published = time.Now()
	}
	return page.Next < page.Last, nil
}

// publish shows the readers another window. They are woken by the end of the old
// one: all at once, with nobody in a queue.
func (f *feed) publish(next *window) {
	old := f.window.Swap(next)
	close(old.changed)
}

// page reads the store for a reader that is behind the window.
func (f *feed) page(ctx context.Context, after int64, filter nexus.LogFilter) (nexus.LogPage, error) {
	select {
	case f.places <- struct{}{}:
	case <-ctx.Done():
		return nexus.LogPage{}, context.Cause(ctx)
	}
	defer func() { <-f.places }()
	return f.events.LogAfter(ctx, after, filter, feedPage)
}
