package serve

import (
	"context"
	"time"

	"nexus"
)

// streamPiece is from what size on frames are sent without looking for more.
const streamPiece = 64 << 10

// Why numbers are missing.
const (
	gapRetention = "retention"      // retention deleted them
	gapUnknown   = "unknown_cursor" // the log never got that far
)

// A gap tells a client what it cannot have any more: whatever lay behind the
// number After and before ResumesAt.
type gap struct {
	After     int64  `json:"after"`
	ResumesAt int64  `json:"resumes_at"`
	Reason    string `json:"reason"`
}

// An outlet puts events on one wire. What is written may wait until the flush,
// for which the client has its time.
type outlet interface {
	write(b *block, frames []frame) error
	gap(g gap) error
	// ping says that all is well, and that everything up to a number was looked
	// at.
	ping(upTo int64) error
	flush() error
}

// A streamReader is one client that follows the log.
type streamReader struct {
	feed   *feed
	filter nexus.LogFilter
	out    outlet
	// allowed tells whether it may still follow, and doubt when to ask.
	allowed func(ctx context.Context) error
	doubt   func() <-chan struct{}

	cursor  int64     // everything up to it was looked at
	spoke   time.Time // when something was sent
	checked time.Time // when allowed was asked
}

// follow sends events until the client or the hub goes, at a border of frames.
func (r *streamReader) follow(ctx context.Context) error {
	r.spoke = time.Now()
	r.checked = r.spoke
	doubt := r.doubt()
	for ctx.Err() == nil {
		w := r.feed.window.Load()
		if w.ended {
			return nil
		}
		now := time.Now()
		var err error
		switch {
		case now.Sub(r.checked) >= r.feed.times.silence:
			r.checked = now
			err = r.allowed(ctx)
		case now.Sub(r.spoke) >= r.feed.times.silence-r.feed.times.beat: // the next look would be too late
			err = r.sent(r.out.ping(r.cursor))
		case r.cursor < w.after:
			err = r.catchUp(ctx)
		case r.cursor < w.last:
			err = r.copy(w)
		default:
			select {
			case <-w.changed:
			case <-doubt:
				doubt = r.doubt()
				r.checked = time.Now()
				err = r.allowed(ctx)
			case <-ctx.Done():
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sent flushes what was written without an error.
func (r *streamReader) sent(err error) error {
	if err != nil {
		return err
	}
	r.spoke = time.Now()
	return r.out.flush()
}

// copy sends what the window has, one piece of it.
func (r *streamReader) copy(w *window) error {
	wrote := 0
	for r.cursor < w.last && wrote < streamPiece {
		b := w.blockAfter(r.cursor)
		n, err := r.pick(b, b.after(r.cursor))
		if err != nil {
			return err
		}
		wrote += n
		r.cursor = b.last()
	}
	if wrote == 0 {
		return nil
	}
	return r.sent(nil)
}

// catchUp sends a page of the store.
func (r *streamReader) catchUp(ctx context.Context) error {
	page, err := r.feed.page(ctx, r.cursor, r.filter)
	if err != nil {
		return err
	}
	wrote := 0
	if r.cursor > 0 && page.First > r.cursor+1 {
		wrote++
		if err := r.out.gap(gap{r.cursor, page.First, gapRetention}); err != nil {
			return err
		}
	}
	if len(page.Events) > 0 {
		b := &block{}
		for i := range page.Events {
			b.add(&page.Events[i])
		}
		n, err := r.pick(b, b.frames)
		if err != nil {
			return err
		}
		wrote += n
	}
	r.cursor = max(page.Next, page.First-1)
	if wrote == 0 {
		return nil
	}
	return r.sent(nil)
}

// pick writes those of the frames that are wanted, as many as lie together at a
// time, and tells how many bytes that were.
func (r *streamReader) pick(b *block, frames []frame) (wrote int, err error) {
	for len(frames) > 0 {
		n := 0
		for n < len(frames) && r.filter.Matches(&frames[n].event) {
			n++
		}
		if n == 0 {
			frames = frames[1:]
			continue
		}
		if err := r.out.write(b, frames[:n]); err != nil {
			return wrote, err
		}
		wrote += frames[n-1].to - frames[0].from
		frames = frames[n:]
	}
	return wrote, nil
}
