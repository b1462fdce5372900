package serve

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"nexus"
)

const (
	headerRequestID  = "X-Request-Id"
	longestRequestID = 64
	// longestPath is how much of a path is logged.
	longestPath = 200
)

// A passage is one request on its way through the hub, and what there is to say
// about it when it is over.
type passage struct {
	http.ResponseWriter
	own    *http.Request // the server's
	r      *http.Request // as far as it is known by now
	id     string
	began  time.Time
	trace  nexus.Trace // its own span, where spans are exported
	parent string      // the span it was made from
	status int
	bytes  int64
}

type passageKey struct{}

// enter makes the passage of a request. Its request is a copy: the server looks
// at the body of its own one to tell whether it must be read before an answer
// can leave.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) *passage {
	p := &passage{ResponseWriter: w, own: r, id: requestID(r.Header), began: time.Now()}
	ctx := context.WithValue(r.Context(), passageKey{}, p)
	ctx, p.trace, p.parent = s.traces.begin(traced(ctx, r.Header))
	p.r = r.WithContext(ctx)
	if r.ContentLength != 0 {
		p.r.Body = newPatientBody(w, r, s.opts.MaxBody, s.times.body)
	}
	s.makeSafe(w.Header())
	w.Header()[headerRequestID] = []string{p.id}
	return p
}

// makeSafe sets the headers that go out with every answer.
func (s *Server) makeSafe(h http.Header) {
	for _, safe := range s.headers {
		h[safe.name] = safe.value
	}
}

// requestID is the name of a request in the log: the client's, if it gave one
// that is fit to be logged.
func requestID(h http.Header) string {
	if given := h[headerRequestID]; len(given) == 1 && isRequestID(given[0]) {
		return given[0]
	}
	return hexDigits(rand.Uint64())
}

// isRequestID tells whether a name may be logged and repeated. Whoever puts a
// key there did not mean it.
func isRequestID(id string) bool {
	return id != "" && len(id) <= longestRequestID && !aKey.MatchString(id) &&
		strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// hexDigits writes 16 of them.
func hexDigits(n uint64) string {
	var b [16]byte
	for i := range b {
		b[i] = "0123456789abcdef"[n>>60]
		n <<= 4
	}
	return string(b[:])
}

// route is the pattern of the route that was taken. There are as many as the
// program has, whatever clients ask for.
func (p *passage) route() string {
	switch {
	case p.r.Pattern != "":
		return p.r.Pattern
	case p.r.URL.Path == "/mcp" || p.r.URL.Path == "/mcp/":
		return "/mcp"
	}
	return "none"
}

// outcome is the status that the client sees.
func (p *passage) outcome() int {
	if p.status == 0 {
		return http.StatusOK // what net/http says for one who says nothing
	}
	return p.status
}

// actor is who made the request; on HTTP a process without a name is nobody that
// is known.
func (p *passage) actor() (kind nexus.ActorKind, agent string) {
	a := nexus.ActorFrom(p.r.Context())
	if a.Kind == nexus.KindProcess || a.Kind == "" {
		return "anonymous", ""
	}
	return a.Kind, a.AgentID
}

// accessLog writes the access log, which never has the query: keys may be in it.
func (s *Server) accessLog(p *passage) {
	ctx := p.r.Context()
	if !s.deps.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	path := withoutKeys(p.r.URL.Path)
	if len(path) > longestPath {
		path = strings.ToValidUTF8(path[:longestPath], "") + "…"
	}
	kind, agent := p.actor()
	s.deps.Log.LogAttrs(ctx, slog.LevelInfo, "request",
		slog.String("method", method(p.r.Method)), slog.String("path", path), slog.String("route", p.route()),
		slog.Int("status", p.outcome()), slog.Int64("bytes", p.bytes), slog.Duration("took", time.Since(p.began)),
		slog.String("actor", string(kind)), slog.String("agent", agent), slog.String("client", s.proxies.client(p.own).String()))
}

// method is a method of HTTP, and one word for whatever else somebody sent.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE":
		return m
	}
	return "_OTHER"
}

func (p *passage) WriteHeader(status int) {
	if p.status == 0 && status >= 200 {
		p.status = status
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *passage) Write(b []byte) (int, error) {
	if p.status == 0 {
		p.status = http.StatusOK
	}
	n, err := p.ResponseWriter.Write(b)
	p.bytes += int64(n)
	return n, err
}

func (p *passage) Flush() { _ = http.NewResponseController(p.ResponseWriter).Flush() }

func (p *passage) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// stamped makes a logger say which request, and which trace, a line belongs to.
type stamped struct{ slog.Handler }

func (h stamped) Handle(ctx context.Context, r slog.Record) error {
	if p, ok := ctx.Value(passageKey{}).(*passage); ok {
		r.AddAttrs(slog.String("request_id", p.id))
	}
	if t := nexus.TraceFrom(ctx); t.ID != "" {
		r.AddAttrs(slog.String("trace_id", t.ID))
	}
	return h.Handler.Handle(ctx, r)
}

func (h stamped) WithAttrs(attrs []slog.Attr) slog.Handler {
	return stamped{h.Handler.WithAttrs(attrs)}
}

func (h stamped) WithGroup(name string) slog.Handler { return stamped{h.Handler.WithGroup(name)} }

func statusText(status int) string {
	if status == http.StatusOK {
		return "200"
	}
	return strconv.Itoa(status)
}
