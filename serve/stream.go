package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"nexus"
	"nexus/op"
)

// DefaultMaxStreams is how many streams may be open in one hub at the same time.
const DefaultMaxStreams = 10_000

// streamGreeting comes first, at once, so that nothing on the way holds the
// stream back; and it tells a browser how soon to come back. Whoever asked for the
// end of the log is also told where that was, or it could not come back there.
const streamGreeting = "retry: 2000\n: the log of this hub\n"

func (q streamQuery) greeting(cursor int64) []byte {
	if q.given || !q.end {
		return []byte(streamGreeting + "\n")
	}
	return fmt.Appendf(nil, "%sid: %d\n\n", streamGreeting, cursor)
}

// serveStream serves the log as it grows, as server-sent events or, if the
// client asks for that, over a WebSocket. Whoever comes back with the number of
// the last event it has gets what follows it, each event once.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	query, err := readStreamQuery(r)
	if err == nil {
		err = narrow(nexus.ActorFrom(r.Context()), &query.filter)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	leave, err := s.enterStream(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	reader, missed, err := s.startStream(r.Context(), query)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if isUpgrade(r) {
		s.followOnSocket(w, r, reader, missed)
		return
	}
	s.followOnEvents(w, r, reader, query.greeting(reader.cursor), missed)
}

// narrow leaves of a filter what the actor may see. What the hub says of itself
// is for those who run it, and a key may be limited to some workspaces.
func narrow(a nexus.Actor, f *nexus.LogFilter) error {
	if err := cmp.Or(a.Needs(nexus.ScopeRead, "the stream"), a.MayReadLog()); err != nil {
		return err
	}
	if !a.MayAdminister() {
		if slices.Contains(f.Streams, nexus.StreamSystem) {
			return a.Administers()
		}
		if len(f.Streams) == 0 {
			f.Streams = []string{nexus.StreamWorkspace, nexus.StreamAgent, nexus.StreamHandoff}
		}
	}
	for _, id := range f.Workspaces {
		if err := a.MayEnter(id); err != nil {
			return err
		}
	}
	if len(f.Workspaces) == 0 {
		f.Workspaces = a.Scopes.Workspaces()
	}
	return nil
}

type credentialKey struct{}

// withCredential lets a request that lasts ask again whether who made it is still
// welcome.
func withCredential(ctx context.Context, again func(ctx context.Context) error) context.Context {
	return context.WithValue(ctx, credentialKey{}, again)
}

// stillWelcome asks whether the key or the sign-in that a request came with is
// still good.
func stillWelcome(ctx context.Context) error {
	if again, ok := ctx.Value(credentialKey{}).(func(context.Context) error); ok {
		return again(ctx)
	}
	return nil
}

// enterStream takes one of the places for streams, and part in the feed.
func (s *Server) enterStream(ctx context.Context) (leave func(), err error) {
	if s.deps.Events == nil || s.deps.Watcher == nil {
		return nil, nexus.Errorf(nexus.Unavailable, "This hub has no log to follow.")
	}
	free, err := s.streams.enter(nexus.ActorFrom(ctx), "")
	if err != nil {
		return nil, nexus.Errorf(nexus.RateLimited,
			"Too many streams are open: %d in all and %d for one caller is the most. Close one, or come back later.", s.streams.most, s.streams.share()).
			With("limit", "streams").With("retry_after_seconds", 1)
	}
	part, err := s.feed.join(ctx)
	if err != nil {
		free()
		return nil, err
	}
	return func() { part(); free() }, nil
}

// openStreams shows how many streams there are.
type openStreams struct{ *parking }

// Stats are figures for the metrics page.
func (o openStreams) Stats() map[string]float64 {
	return map[string]float64{"streams": float64(o.count())}
}

// startStream finds where a stream begins. It also tells what the client asks
// for and nobody has: numbers that the log never reached. Such a client comes
// from another store, and goes on with what happens from now on in this one.
func (s *Server) startStream(ctx context.Context, q streamQuery) (r *streamReader, missed *gap, err error) {
	r = &streamReader{
		feed: s.feed, filter: q.filter, cursor: q.cursor,
		allowed: stillWelcome, doubt: s.auth.untilForgotten,
	}
	if q.given && q.cursor == 0 || !q.given && !q.end {
		return r, nil, nil
	}
	_, last, err := s.deps.Events.LogBounds(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case !q.given:
		r.cursor = last
	case q.cursor > last:
		missed = &gap{q.cursor, last + 1, gapUnknown}
		r.cursor = last
	}
	return r, missed, nil
}

func (s *Server) followOnEvents(w http.ResponseWriter, r *http.Request, reader *streamReader, greeting []byte, missed *gap) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	out := &eventOutlet{w: w, to: http.NewResponseController(w), patience: s.feed.times.patience, told: reader.cursor}
	reader.out = out
	err := out.put(greeting)
	if err == nil && missed != nil {
		err = out.gap(*missed)
	}
	if err = reader.sent(err); err == nil {
		err = reader.follow(r.Context())
	}
	s.endStream(r.Context(), err)
}

// endStream writes down why a stream ended, if that was not for the client.
func (s *Server) endStream(ctx context.Context, err error) {
	if e, ours := errors.AsType[*nexus.Error](err); ours {
		s.deps.Log.WarnContext(ctx, "a stream was ended; its client will come back", "code", e.Code, "cause", e)
	}
}

// An eventOutlet sends server-sent events.
type eventOutlet struct {
	w  http.ResponseWriter
	to *http.ResponseController
	// patience is how long the client may take what is sent to it.
	patience time.Duration
	// pending says that something was written since the last flush.
	pending bool
	told    int64 // the number that the client would come back with
}

// put writes. What does not fit into the buffers is on its way at once, so the
// client's time runs from the first byte on.
func (o *eventOutlet) put(b []byte) error {
	if !o.pending {
		_ = o.to.SetWriteDeadline(time.Now().Add(o.patience)) // a recorder in a test has none
		o.pending = true
	}
	_, err := o.w.Write(b)
	return err
}

func (o *eventOutlet) write(b *block, frames []frame) error {
	o.told = frames[len(frames)-1].event.ID
	return o.put(b.bytes[frames[0].from:frames[len(frames)-1].to])
}

func (o *eventOutlet) gap(g gap) error {
	data, _ := op.Marshal(g) // numbers and text always marshal
	o.told = g.ResumesAt - 1
	return o.put(fmt.Appendf(nil, "id: %d\nevent: gap\ndata: %s\n\n", o.told, data))
}

// ping is a comment. If a filter has looked further than the client knows, the
// number goes with it: an id without data is no event, but a client remembers it and does not make us
// look through the same again.
func (o *eventOutlet) ping(upTo int64) error {
	if upTo == o.told {
		return o.put([]byte(": ping\n\n"))
	}
	o.told = upTo
	return o.put(fmt.Appendf(nil, ": ping\nid: %d\n\n", upTo))
}

func (o *eventOutlet) flush() error {
	o.pending = false
	return o.to.Flush()
}
