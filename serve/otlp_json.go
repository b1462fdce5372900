package serve

import (
	"strconv"
	"strings"
	"time"
)

// The JSON form of OTLP: 64-bit numbers are strings, ids are hex. It is written by
// hand: this is all of it that we need, and the official library is large.

const (
	spanInternal = 1
	spanServer   = 2
	spanError    = 2
)

func serviceAttributes(version, instance string) []attribute {
	return []attribute{
		{key: "service.name", text: "nexus"},
		{key: "service.version", text: version},
		{key: "service.instance.id", text: instance},
	}
}

// encode writes the body of a request with one batch of spans.
func (e *exporter) encode(batch []span) []byte {
	b := make([]byte, 0, len(batch)*600+len(e.resource)+200)
	b = append(b, `{"resourceSpans":[{"resource":{"attributes":`...)
	b = append(b, e.resource...)
	b = append(b, `},"scopeSpans":[{"scope":{"name":"nexus"},"spans":[`...)
	for i, s := range batch {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendSpan(b, s)
	}
	return append(b, `]}]}]}`...)
}

func appendSpan(b []byte, s span) []byte {
	b = appendMember(append(b, '{'), "traceId", s.trace.ID)
	b = appendMember(append(b, ','), "spanId", s.trace.Span)
	if s.parent != "" {
		b = appendMember(append(b, ','), "parentSpanId", s.parent)
	}
	if s.trace.State != "" {
		b = appendMember(append(b, ','), "traceState", s.trace.State)
	}
	b = appendMember(append(b, ','), "name", s.name)
	kind := spanInternal
	if s.server {
		kind = spanServer
	}
	b = strconv.AppendInt(append(b, `,"kind":`...), int64(kind), 10)
	b = appendMember(append(b, ','), "startTimeUnixNano", nanoseconds(s.began))
	b = appendMember(append(b, ','), "endTimeUnixNano", nanoseconds(s.ended))
	b = appendAttributes(append(b, `,"attributes":`...), s.attributes)
	if s.failed {
		b = strconv.AppendInt(append(b, `,"status":{"code":`...), spanError, 10)
		b = append(b, '}')
	}
	return append(b, '}')
}

func appendAttributes(b []byte, all []attribute) []byte {
	b = append(b, '[')
	for i, a := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendMember(append(b, '{'), "key", a.key), `,"value":{`...)
		if a.text == "" && a.number != 0 {
			b = appendMember(b, "intValue", strconv.FormatInt(a.number, 10))
		} else {
			b = appendMember(b, "stringValue", a.text)
		}
		b = append(b, `}}`...)
	}
	return append(b, ']')
}

func appendMember(b []byte, key, value string) []byte {
	b = append(appendQuoted(b, key), ':')
	return appendQuoted(b, strings.ToValidUTF8(value, "�"))
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
