package serve

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"nexus"
	"nexus/op"
)

// traced is ctx in the trace that a caller's headers name. What is not
// well-formed is no trace, and nothing to complain about.
func traced(ctx context.Context, h http.Header) context.Context {
	given := h["Traceparent"]
	if len(given) != 1 {
		return ctx
	}
	return inTrace(ctx, given[0], strings.Join(h["Tracestate"], ","))
}

func inTrace(ctx context.Context, parent, state string) context.Context {
	t, ok := nexus.ParseTrace(parent)
	if !ok {
		return ctx
	}
	return nexus.WithTrace(ctx, t.WithState(state))
}

// within is ctx in the trace that an MCP message names. It outranks that of the
// HTTP request, which may carry many messages, or be a proxy's.
func (m requestMeta) within(ctx context.Context) context.Context {
	return inTrace(ctx, m.traceparent, m.tracestate)
}

// A span is a piece of work in a trace. It never has arguments, paths or keys.
type span struct {
	trace      nexus.Trace // Span is its own id
	parent     string
	name       string
	server     bool // it answers somebody else's request
	failed     bool // by our fault
	began      time.Time
	ended      time.Time
	attributes []attribute
}

type attribute struct {
	key    string
	text   string
	number int64 // where there is no text
}

// begin opens a span in the trace of ctx, or in a new one. It returns a context
// inside the span, and the span it was made from. Where spans are not exported
// there is nothing to open.
func (e *exporter) begin(ctx context.Context) (inside context.Context, own nexus.Trace, parent string) {
	own = nexus.TraceFrom(ctx)
	parent = own.Span
	switch {
	case e == nil:
		return ctx, nexus.Trace{}, ""
	case own.ID == "":
		own = nexus.Trace{ID: hexDigits(rand.Uint64()) + hexDigits(rand.Uint64()|1), Sampled: true} // never all zero
	}
	own.Span = hexDigits(rand.Uint64() | 1)
	return nexus.WithTrace(ctx, own), own, parent
}

// endRequest records the span of an HTTP request.
func (e *exporter) endRequest(p *passage) {
	if e == nil || !p.trace.Sampled {
		return
	}
	kind, _ := p.actor()
	method, route, status := method(p.r.Method), p.route(), p.outcome()
	if _, path, ok := strings.Cut(route, " "); ok {
		route = path
	}
	e.record(span{
		trace: p.trace, parent: p.parent, name: method + " " + route, server: true, failed: status >= http.StatusInternalServerError,
		began: p.began, ended: time.Now(),
		attributes: []attribute{
			{key: "http.request.method", text: method},
			{key: "http.route", text: route},
			{key: "http.response.status_code", number: int64(status)},
			{key: "nexus.actor.kind", text: string(kind)},
			{key: "nexus.request_id", text: p.id},
		},
	})
}

// endOp records the span of an operation.
func (e *exporter) endOp(ctx context.Context, own nexus.Trace, parent, face string, o *op.Op, code nexus.Code, began time.Time) {
	if e == nil || !own.Sampled {
		return
	}
	e.record(span{
		trace: own, parent: parent, name: "nexus.op " + o.Name, failed: code != "" && httpStatus(code) >= http.StatusInternalServerError,
		began: began, ended: time.Now(),
		attributes: []attribute{
			{key: "nexus.operation", text: o.Name},
			{key: "nexus.face", text: face},
			{key: "nexus.code", text: codeLabel(code)},
			{key: "nexus.actor.kind", text: string(nexus.ActorFrom(ctx).Kind)},
		},
	})
}
