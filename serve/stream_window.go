package serve

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"

	"nexus"
	"nexus/op"
)

const (
	// What the feed keeps for readers that are nearly up to date. Whoever is
	// further behind reads the store.
	windowFrames = 8192
	windowBytes  = 4 << 20
	blockBytes   = 64 << 10
)

// A frame is one event as it goes out, inside a block.
type frame struct {
	event nexus.Event // what a filter looks at: no payload, no target
	from  int         // where it begins in the block
	data  int         // where its JSON begins
	to    int         // where it ends
}

// A block holds frames one behind the other, so that a reader who wants them all
// sends a piece of it as it is. What was written into it never changes; more may
// be written behind it, which those who have an older block do not see.
type block struct {
	bytes  []byte
	frames []frame
}

func (b *block) last() int64 { return b.frames[len(b.frames)-1].event.ID }

// after are the frames with numbers above n.
func (b *block) after(n int64) []frame {
	return b.frames[sort.Search(len(b.frames), func(i int) bool { return b.frames[i].event.ID > n }):]
}

// json is the event of a frame.
func (b *block) json(f *frame) []byte { return b.bytes[f.data : f.to-len(frameEnd)] }

const frameEnd = "\n\n"

// add writes a frame at the end of the block.
func (b *block) add(e *nexus.Event) {
	f := frame{event: *e, from: len(b.bytes)}
	f.event.Payload, f.event.Target = nil, nil
	b.bytes = strconv.AppendInt(append(b.bytes, "id: "...), e.ID, 10)
	b.bytes = append(b.bytes, "\nevent: nexus\ndata: "...)
	f.data = len(b.bytes)
	b.bytes = append(append(b.bytes, eventJSON(e)...), frameEnd...)
	f.to = len(b.bytes)
	b.frames = append(b.frames, f)
}

// streamEvent is an event as operators see it: with whom it is for, and whoever
// that is.
type streamEvent struct {
	ID          int64           `json:"event_id"`
	WorkspaceID *string         `json:"workspace_id"`
	Stream      string          `json:"stream"`
	Type        string          `json:"type"`
	CreatedAt   string          `json:"created_at"`
	Actor       *string         `json:"actor_agent_id"`
	Payload     json.RawMessage `json:"payload"`
	Trace       *string         `json:"trace_id"`
	Visibility  string          `json:"visibility"`
	Target      json.RawMessage `json:"target"`
}

// eventJSON is an event on one line.
func eventJSON(e *nexus.Event) []byte {
	out := streamEvent{
		ID: e.ID, WorkspaceID: textOrNull(e.WorkspaceID), Stream: e.Stream, Type: e.Type, CreatedAt: e.CreatedAt,
		Actor: textOrNull(e.Actor), Payload: e.Payload, Trace: textOrNull(e.Trace), Visibility: e.Visibility, Target: e.Target,
	}
	if out.Visibility == "" {
		out.Visibility = nexus.VisibilityPublic
	}
	b, err := op.Marshal(out)
	if err != nil { // what was stored is no JSON; the event happened all the same
		out.Payload, out.Target = nil, nil
		b, _ = op.Marshal(out) // text always marshals
	}
	return b
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// A window is the newest part of the log as frames, as it stood at one moment.
// It never changes, so any number of readers look at it without a lock.
type window struct {
	after  int64 // all events above it, up to last, are in the blocks
	last   int64
	blocks []*block
	// ended says that there will be no other window, and that readers must go.
	ended bool
	// changed is closed when there is another window.
	changed chan struct{}
}

func newWindow(at int64) *window {
	return &window{after: at, last: at, changed: make(chan struct{})}
}

// with is the window that has these events too and is kept within its bounds.
func (w *window) with(events []nexus.Event) *window {
	next := &window{after: w.after, last: w.last, blocks: slices.Clone(w.blocks), changed: make(chan struct{})}
	for i := range events {
		next.add(&events[i])
	}
	next.trim()
	return next
}

// add puts an event into the room that the newest block has left, or into a new
// one. The block is copied, not its contents: the old one stays as it was.
func (w *window) add(e *nexus.Event) {
	const around = 512 // what a frame has besides payload and target, more or less
	size := len(e.Payload) + len(e.Target) + around
	newest := len(w.blocks) - 1
	if newest < 0 || cap(w.blocks[newest].bytes)-len(w.blocks[newest].bytes) < size {
		w.blocks = append(w.blocks, &block{bytes: make([]byte, 0, max(size, blockBytes))})
		newest++
	}
	b := *w.blocks[newest]
	b.add(e)
	w.blocks[newest] = &b
	w.last = e.ID
}

// trim takes the oldest blocks away.
func (w *window) trim() {
	frames, size := 0, 0
	for _, b := range w.blocks {
		frames += len(b.frames)
		size += cap(b.bytes)
	}
	for len(w.blocks) > 1 && (frames > windowFrames || size > windowBytes) {
		oldest := w.blocks[0]
		frames -= len(oldest.frames)
		size -= cap(oldest.bytes)
		w.after = oldest.last()
		w.blocks = w.blocks[1:]
	}
}

// blockAfter is the block in which the numbers above n begin; n is inside the
// window and not its end.
func (w *window) blockAfter(n int64) *block {
	return w.blocks[sort.Search(len(w.blocks), func(i int) bool { return w.blocks[i].last() > n })]
}
