package serve

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"nexus"
)

const (
	// A body may take this long to arrive, and longer the longer it is.
	bodyTime     = 30 * time.Second
	bodySlowness = time.Second / bodyStep // for every byte
	bodyStep     = 64 << 10

	// lateBody is how much of a body is read that nobody wanted.
	lateBody = 256 << 10
)

// Handler is the hub as an HTTP handler.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &recorder{ResponseWriter: w}
		defer s.finish(out, r, time.Now())
		if r.ContentLength != 0 {
			// A copy: the server looks at the body of its own request to tell
			// whether it must be read before an answer can leave.
			patient := *r
			patient.Body = newPatientBody(w, r, s.opts.MaxBody)
			r = &patient
		}
		for _, h := range s.headers {
			out.Header()[h.name] = h.value
		}
		r = s.proxies.forwarded(r)
		if err := s.guard.check(r); err != nil {
			s.fail(out, r, err)
			return
		}
		known, err := s.admit(r)
		if err != nil {
			s.fail(out, r, err)
			return
		}
		s.route(out, known)
	})
}

// admit lets a request in, or says why not: it comes too often, or nobody knows
// from whom.
func (s *Server) admit(r *http.Request) (*http.Request, error) {
	from := s.proxies.client(r)
	if err := s.limits.arrive(from); err != nil {
		return r, err
	}
	known, err := s.identify(r)
	s.noteWrongKey(r, err)
	if err != nil {
		return r, err
	}
	return known, s.limits.known(nexus.ActorFrom(known.Context()))
}

// noteWrongKey counts against an address that a key from there was wrong.
func (s *Server) noteWrongKey(r *http.Request, err error) {
	if errors.Is(err, errWrongKey) && !s.loopback {
		s.limits.wrongKey(s.proxies.client(r))
	}
}

// finish writes the access log, which never has the query: keys may be in it.
func (s *Server) finish(w *recorder, r *http.Request, began time.Time) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http does
			panic(p)
		}
		s.deps.Log.Error("a request panicked", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
		if w.status == 0 {
			s.fail(w, r, nexus.Errorf(nexus.Internal, "An unexpected internal error occurred."))
		}
	}
	if r.Close && r.ContentLength != 0 && r.Header.Get("Expect") == "" {
		w.Flush() // the answer does not wait for the rest of the question
		// A client that sends its last request gets a reset instead of our answer
		// if we close before it is done. Reading on, or being seen to reach a
		// limit, makes net/http wait; otherwise it does so only for connections
		// that go on.
		_, _ = io.Copy(io.Discard, http.MaxBytesReader(w.ResponseWriter, r.Body, lateBody))
	}
	if !s.deps.Log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	s.deps.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("path", withoutKeys(r.URL.Path)),
		slog.Int("status", w.status), slog.Duration("took", time.Since(began)))
}

// aKey is what a key looks like where it does not belong.
var aKey = regexp.MustCompile(keyPrefix + `[0-9a-fA-F]+`)

// withoutKeys is a path as it may be logged and repeated.
func withoutKeys(path string) string { return aKey.ReplaceAllString(path, keyPrefix+"…") }

// A guard keeps foreign web pages from using the browser of somebody on this
// machine to reach the hub.
//
// On a loopback bind, where no key is asked for, it stands in front of every
// route: only pages served from this machine may call, and only under names of
// this machine, so that a name an attacker points at 127.0.0.1 does not help.
// Elsewhere every call needs a key, which a page cannot guess; there it refuses
// changes that a page of another origin asks for.
type guard struct {
	loopback bool
	trusted  map[string]bool // hosts, with or without a port, in lower case
	origins  http.CrossOriginProtection
}

func newGuard(loopback bool, trusted []string) (*guard, error) {
	g := &guard{loopback: loopback, trusted: map[string]bool{}}
	for _, host := range trusted {
		g.trusted[strings.ToLower(host)] = true
		for _, scheme := range []string{"http://", "https://"} {
			if err := g.origins.AddTrustedOrigin(scheme + host); err != nil {
				return nil, nexus.Errorf(nexus.ConfigError, "%q is no host name, with or without a port, to trust.", host)
			}
		}
	}
	return g, nil
}

// check refuses a request that a foreign page may have caused.
func (g *guard) check(r *http.Request) error {
	if !g.loopback {
		return g.checkChange(r)
	}
	if !isLoopbackHost(r.Host) && !g.trusts(r.Host) {
		return blocked("the Host header names another machine; use 127.0.0.1 or localhost, or add the name to the trusted hosts")
	}
	for _, origin := range r.Header["Origin"] {
		if !g.ownOrigin(origin) {
			return blocked("the page that asked comes from another origin")
		}
	}
	if strings.EqualFold(r.Header.Get("Sec-Fetch-Site"), "cross-site") && !opensPage(r) {
		return blocked("a page of another site asked")
	}
	return nil
}

// checkChange refuses changes that a page of another origin asks for. A WebSocket
// counts as one: it begins with a GET, and a browser lets any page read it.
func (g *guard) checkChange(r *http.Request) error {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		change := *r
		change.Method = http.MethodPost
		r = &change
	}
	if g.origins.Check(r) != nil {
		return blocked("a page of another origin may not change anything here")
	}
	return nil
}

func blocked(why string) *nexus.Error {
	return nexus.Errorf(nexus.CrossOriginBlocked, "Request refused: %s.", why)
}

// ownOrigin tells whether a page of this origin is one of ours. Any port will
// do: whoever can serve pages from this machine can call us without a browser.
func (g *guard) ownOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	return isLoopbackHost(u.Host) || g.trusts(u.Host)
}

func (g *guard) trusts(host string) bool {
	host = strings.ToLower(host)
	return g.trusted[host] || g.trusted[hostname(host)]
}

// opensPage tells whether somebody followed a link to a page of ours. Pages
// change nothing, and the page that has the link cannot read them.
func opensPage(r *http.Request) bool {
	return r.Method == http.MethodGet && (r.URL.Path == "/" || r.URL.Path == docsPath) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isLoopbackHost tells whether a Host header, with or without a port, names this
// machine in a way that no name server has a say in.
func isLoopbackHost(host string) bool {
	name := hostname(host)
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Zone() == "" && addr.Unmap().IsLoopback()
}

// hostname takes the port and the brackets off a host.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		return strings.TrimSuffix(inner, "]")
	}
	return host
}

// isLoopbackAddr tells whether an address that a listener is bound to, or that a
// peer has, is of this machine only.
func isLoopbackAddr(addr string) bool {
	ap, err := netip.ParseAddrPort(addr)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

type header struct {
	name  string
	value []string
}

// safeHeaders go out with every answer; a page replaces the policy with its own.
// The values are shared between answers, so they are replaced, never changed.
func safeHeaders() []header {
	return []header{
		{"X-Content-Type-Options", []string{"nosniff"}},
		{"Cache-Control", []string{"no-store"}},
		{"Referrer-Policy", []string{"no-referrer"}},
		{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
		{"Content-Security-Policy", []string{"default-src 'none'; frame-ancestors 'none'"}},
	}
}

// A recorder remembers how a request was answered.
type recorder struct {
	http.ResponseWriter
	status int
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

func (w *recorder) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A patientBody has the largest size that is taken, and gives a client time to
// send it, but not for ever. The deadline is lifted with the last byte: one that
// passes later would look like a client that hung up.
type patientBody struct {
	io.ReadCloser
	to    *http.ResponseController
	size  int64 // negative when unknown
	since time.Time
	read  int64
	next  int64 // how much must be read before the deadline is moved
	whole bool
}

// newPatientBody sets the clock running at once: also a body that nobody reads
// holds a connection. The writer must be the server's own: it is told when a
// body is too long.
func newPatientBody(w http.ResponseWriter, r *http.Request, most int64) *patientBody {
	b := &patientBody{
		ReadCloser: http.MaxBytesReader(w, r.Body, most), to: http.NewResponseController(w),
		size: r.ContentLength, since: time.Now(),
	}
	b.extend()
	return b
}

func (b *patientBody) extend() {
	b.next = b.read + bodyStep
	_ = b.to.SetReadDeadline(b.since.Add(bodyTime + time.Duration(b.read)*bodySlowness))
}

func (b *patientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	switch {
	case b.whole:
	case errors.Is(err, io.EOF) || b.read == b.size:
		b.whole = true
		_ = b.to.SetReadDeadline(time.Time{})
	case err != nil: // the deadline stays, so that nobody waits for the rest
	case b.read >= b.next:
		b.extend()
	}
	return n, err
}
