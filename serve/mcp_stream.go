package serve

import (
	"context"
	"errors"
	"net/http"
	"time"

	"nexus"
)

const (
	// streamPulse is how often a silent stream says that it is alive, for the
	// sake of everything between us and the client.
	streamPulse = 15 * time.Second
	// longWait is the wait from which on an answer is a stream. Node gives up
	// after 300 s without a byte, some hosts earlier. Shorter waits are plain
	// JSON, which has no limit of size on any client.
	longWait = 45 * time.Second
)

// answerWait answers a call that may wait.
func (v *visit) answerWait(ctx context.Context, x *exchange, r *request) {
	v.noDeadline()
	if r.wait <= longWait {
		v.send(v.mcp.answer(ctx, x, r, nil))
		return
	}
	done := make(chan reply, 1)
	go func() { done <- v.mcp.answer(ctx, x, r, nil) }() // ends with ctx; waited for below
	v.openStream()
	pulse := time.NewTicker(streamPulse)
	defer pulse.Stop()
	for {
		select {
		case <-pulse.C:
			v.comment()
		case reply := <-done:
			if !reply.silent {
				v.event(reply.body)
			}
			return
		}
	}
}

// stream serves the GET on which a client of a session listens: it is told here
// of the resources it subscribed to, wherever it did that. The stream carries no
// ids: there is nothing to resume, and what a client missed it is told when it
// comes back, which clients do at once.
func (v *visit) stream() {
	if _, stream := accepts(v.r.Header["Accept"]); !stream {
		v.sendFault(http.StatusNotAcceptable, invalidRequest("A stream must be asked for as text/event-stream."))
		return
	}
	if _, ok := v.admit(&request{}); !ok {
		return
	}
	ctx, f := v.mcp.flights.start(v.context(), v.session, nil)
	defer f.leave()
	v.noDeadline()
	v.openStream()
	bell := v.mcp.newBell(v.tools)
	defer bell.close()
	if v.mcp.announces(v.tools) {
		bell.also = []string{nexus.MCPSessionKey(sessionName(v.session))}
		bell.watch(nil) // before the first look at the session
	}
	pulse := time.NewTicker(streamPulse)
	defer pulse.Stop()
	for v.announce(ctx, bell) && v.rest(ctx, bell, pulse.C) {
	}
}

// rest waits until it is time to look, which is false when it is time to go.
func (v *visit) rest(ctx context.Context, bell *mailbell, pulse <-chan time.Time) bool {
	for {
		select {
		case <-bell.ready:
			return true
		case <-pulse:
			v.comment()
			if bell.failed {
				return true
			}
		case <-v.opts.Stopping.Done():
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// announce tells what is new about what the session subscribes to now. It is
// false when there is no such session any more.
func (v *visit) announce(ctx context.Context, bell *mailbell) bool {
	if bell.ready == nil {
		return true // nothing ever is
	}
	_, state, err := v.sessions.load(ctx, v.session)
	if err != nil {
		bell.failed = true
		return !errors.Is(err, errNoSession) // the store will be back
	}
	bell.watch(state.Subscriptions)
	for _, note := range bell.look(ctx) {
		v.event(note)
	}
	return true
}

// openStream sends the headers and a first comment at once: clients and proxies
// count until they see a byte.
func (v *visit) openStream() {
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	v.w.WriteHeader(http.StatusOK)
	v.comment()
}

func (v *visit) comment() { v.flush([]byte(": \n\n")) }

func (v *visit) event(body []byte) {
	b := append(append([]byte("event: message\ndata: "), body...), "\n\n"...)
	v.flush(b)
}

// flush writes to a stream. A client that is gone ends the request's context,
// so nothing is done about an error here.
func (v *visit) flush(b []byte) {
	if _, err := v.w.Write(b); err == nil {
		_ = http.NewResponseController(v.w).Flush()
	}
}

// noDeadline lifts the server's time-out for writing, which began to run when
// the request came in.
func (v *visit) noDeadline() {
	_ = http.NewResponseController(v.w).SetWriteDeadline(time.Time{}) // not there is as good as none
}
