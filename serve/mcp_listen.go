package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// listen acknowledges that nothing was subscribed to and ends the subscription
// with it, which is all that can be done in a batch.
func (t *toolset) listen(r *request, buf []byte) reply {
	return reply{body: t.listened(r, buf), note: acknowledged(r, nil)}
}

// listened ends a subscription.
func (t *toolset) listened(r *request, buf []byte) []byte {
	return fmt.Appendf(openResult(buf, r.id), `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":%s,`+
		`"io.modelcontextprotocol/serverInfo":%s}}}`, r.id, t.identity)
}

// acknowledged is the first thing said on a subscription: what was granted.
func acknowledged(r *request, granted []string) []byte {
	what := []byte(`{}`)
	if len(granted) > 0 {
		what, _ = json.Marshal(map[string]any{"resourceSubscriptions": granted}) // text always marshals
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",`+
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}}`, r.id, what)
}

// granted is what we announce of what a client asks for: inboxes it may read.
func (m *MCP) granted(ctx context.Context, t *toolset, r *request) (uris []string) {
	const most = 256
	for _, uri := range r.listens {
		if _, ok := inboxOwner(uri); !ok || m.watcher == nil || len(uris) == most {
			continue
		}
		if _, f := m.readInbox(ctx, t, uri); f == nil {
			uris = append(uris, uri)
		}
	}
	return uris
}

// attend serves subscriptions/listen: it tells of the inboxes that were granted
// until ctx ends. The pulse is felt now and then.
func (m *MCP) attend(ctx context.Context, t *toolset, r *request, tell func([]byte), pulse func()) {
	uris := m.granted(ctx, t, r)
	tell(acknowledged(r, uris))
	if len(uris) == 0 {
		return
	}
	bell := m.newBell(t)
	bell.subscription = r.id
	defer bell.close()
	bell.watch(uris)
	ticks := time.NewTicker(streamPulse)
	defer ticks.Stop()
	for {
		for _, note := range bell.look(ctx) {
			tell(note)
		}
		select {
		case <-bell.ready:
		case <-ticks.C:
			pulse()
		case <-ctx.Done():
			return
		}
	}
}

// attend serves subscriptions/listen over HTTP, as a stream that ends with the
// answer.
func (v *visit) attend(r *request) {
	v.noDeadline()
	v.openStream()
	ctx, f := v.mcp.flights.start(v.context(), v.conn(), r.id)
	defer f.leave()
	detach := context.AfterFunc(v.opts.Stopping, func() { f.end(nil) })
	defer detach()
	v.mcp.attend(ctx, v.tools, r, v.event, v.comment)
	v.event(v.tools.listened(r, nil))
}
