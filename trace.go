package nexus

import (
	"context"
	"strings"
)

// A Trace is where a call stands in a W3C trace: which trace, and which of its
// spans the call was made from.
type Trace struct {
	ID      string // 32 lower-case hex digits, "" for none
	Span    string // 16 of them
	Sampled bool
	// State is what the caller's tracing systems pass along, as they wrote it.
	State string
}

// longestState is how much of it every system must pass along.
const longestState = 512

type traceKey struct{}

// WithTrace puts the trace into the context. Events that the call causes carry
// its id.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom is the trace of the context; without one, the zero value.
func TraceFrom(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

// ParseTrace reads a traceparent header. What is not well-formed is no trace.
func ParseTrace(header string) (Trace, bool) {
	parts := strings.Split(strings.TrimSpace(header), "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 {
		return Trace{}, false
	}
	version, id, span, flags := parts[0], parts[1], parts[2], parts[3]
	if !isHex(version, 2) || !isHex(id, 32) || !isHex(span, 16) || !isHex(flags, 2) ||
		strings.Trim(id, "0") == "" || strings.Trim(span, "0") == "" {
		return Trace{}, false
	}
	return Trace{ID: id, Span: span, Sampled: strings.ContainsRune("13579bdf", rune(flags[1]))}, true
}

// WithState is the trace with a tracestate header. One that is too long, or that
// no header can hold, is left out: the trace is whole without it.
func (t Trace) WithState(header string) Trace {
	t.State = ""
	if len(header) <= longestState && !strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.State = header
	}
	return t
}

// String is the trace as a traceparent header, "" for none.
func (t Trace) String() string {
	if t.ID == "" {
		return ""
	}
	if t.Sampled {
		return "00-" + t.ID + "-" + t.Span + "-01"
	}
	return "00-" + t.ID + "-" + t.Span + "-00"
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}
