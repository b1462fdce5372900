package serve

import (
	"context"
	"time"

	"nexus"
)

// tellMail tells a client on stdio of the inboxes it subscribed to, until ctx
// ends.
func (s *stdioServer) tellMail(ctx context.Context) {
	bell := s.mcp.newBell(s.exchange.tools)
	defer bell.close()
	pulse := time.NewTicker(streamPulse)
	defer pulse.Stop()
	for {
		select {
		case <-s.changed:
			s.mu.Lock()
			uris := s.state.Subscriptions
			s.mu.Unlock()
			bell.watch(uris)
		case <-bell.ready:
		case <-pulse.C:
			if !bell.failed {
				continue
			}
		case <-ctx.Done():
			return
		}
		for _, note := range bell.look(ctx) {
			s.write(reply{body: note})
		}
	}
}

// attend serves subscriptions/listen. One that the client ends, or takes with it
// when it goes, is not answered.
func (s *stdioServer) attend(ctx context.Context, r *request) reply {
	if !s.exchange.waiters.enter() {
		return refuse(nil, r.id, &fault{code: rpcCode(nexus.RateLimited), msg: "Too many calls of this connection are waiting."})
	}
	defer s.exchange.waiters.leave()
	s.mcp.attend(ctx, s.exchange.tools, r, func(note []byte) { s.write(reply{body: note}) }, func() {})
	if ctx.Err() != nil {
		return reply{silent: true}
	}
	return reply{body: s.exchange.tools.listened(r, nil)}
}
