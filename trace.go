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
}

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
