package serve

import (
	"cmp"
	"errors"
	"io"
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
	// A body may take longer to arrive the longer it is.
	bodySlowness = time.Second / bodyStep // for every byte
	bodyStep     = 64 << 10

	// lateBody is how much of a body is read that nobody wanted, and hugeBody how
	// much of one that was too large, for hugeTime at most: many clients read no
	// answer before they have sent all.
	lateBody = 256 << 10
	hugeBody = 256 << 20
	hugeTime = 10 * time.Second
)

// requestTimes are how long a client may take to send a request.
type requestTimes struct {
	header time.Duration
	body   time.Duration // of no great length
}

func usualRequestTimes() requestTimes {
	return requestTimes{header: 10 * time.Second, body: 30 * time.Second}
}

// Handler is the hub as an HTTP handler.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := s.enter(w, r)
		defer s.finish(p)
		p.r = s.proxies.forwarded(p.r)
		err := s.guard.check(p.r)
		if err == nil {
			p.r, err = s.admit(p.r)
		}
		if err != nil {
			s.fail(p, p.r, err)
			return
		}
		s.route(p, p.r)
	})
}

// admit lets a request in, or says why not: it comes too often, or nobody knows
// from whom.
func (s *Server) admit(r *http.Request) (*http.Request, error) {
	if headerSize(r) > maxHeader {
		return r, &nexus.Error{
			Code: nexus.ContentTooLarge, Err: errHeaders, Msg: "The address and the headers are too large together; 64 KiB are taken. Put what is long into the body.",
			Details: map[string]any{"limit": "max_header_bytes", "max_bytes": maxHeader},
		}
	}
	from := s.proxies.client(r)
	if err := s.limits.arrive(from); err != nil {
		return r, s.metrics.refused(err)
	}
	known, err := s.identify(r)
	err = s.judgeKey(r, err)
	if err != nil {
		return r, err
	}
	return known, s.metrics.refused(s.limits.known(nexus.ActorFrom(known.Context())))
}

// headerSize is about how many bytes came before the body.
func headerSize(r *http.Request) int {
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v) + len(": \r\n")
		}
	}
	return size
}

// judgeKey counts a key that was wrong against the address that it came from.
func (s *Server) judgeKey(r *http.Request, err error) error {
	if !errors.Is(err, errWrongKey) {
		return err
	}
	s.metrics.wrongKeys.Inc()
	if s.loopback {
		return err
	}
	return cmp.Or(s.limits.wrongKey(s.proxies.client(r)), err)
}

// finish ends a passage: it answers for a handler that panicked, and counts,
// traces and logs the request.
func (s *Server) finish(p *passage) {
	if v := recover(); v != nil {
		if v == http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http does
			panic(v)
		}
		s.deps.Log.ErrorContext(p.r.Context(), "a request panicked", "method", method(p.r.Method), "path", withoutKeys(p.r.URL.Path),
			"panic", v, "stack", string(debug.Stack()))
		if p.status == 0 {
			s.fail(p, p.r, nexus.Errorf(nexus.Internal, "An unexpected internal error occurred."))
		}
	}
	if p.status == http.StatusRequestEntityTooLarge && p.own.Header.Get("Expect") == "" {
		p.Flush()
		_ = http.NewResponseController(p.ResponseWriter).SetReadDeadline(time.Now().Add(hugeTime))
		_, _ = io.CopyN(io.Discard, p.own.Body, hugeBody)
	} else if r := p.own; r.Close && r.ContentLength != 0 && r.Header.Get("Expect") == "" {
		p.Flush() // the answer does not wait for the rest of the question
		// A client that sends its last request gets a reset instead of our answer
		// if we close before it is done. Reading on, or being seen to reach a
		// limit, makes net/http wait; otherwise it does so only for connections
		// that go on.
		_, _ = io.Copy(io.Discard, http.MaxBytesReader(p.ResponseWriter, r.Body, lateBody))
	}
	s.metrics.answered(p)
	s.traces.endRequest(p)
	s.accessLog(p)
}

// aKey is what a key looks like where it does not belong.
var aKey = regexp.MustCompile(`(` + keyPrefix + `|` + tokenPrefix + `)[0-9a-fA-F]+`)

// withoutKeys is a path as it may be logged and repeated.
func withoutKeys(path string) string { return aKey.ReplaceAllString(path, "$1…") }

// A guard keeps foreign web pages from using the browser of somebody on this
// machine to reach the hub.
//
// On a loopback bind, where no key is asked for, it stands in front of every
// route: only pages served from this machine may call, and only under names of
// this machine, so that a name an attacker points at 127.0.0.1 does not help.
// Elsewhere every call needs a key, which a page cannot guess; there it refuses
// changes that a page of another origin asks for, and its WebSockets.
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
	if !isLoopbackHost(r.Host) && !g.trusts(r.Host) && !isHostless(r) {
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
	if isUpgrade(r) && r.Method == http.MethodGet {
		change := *r
		change.Method = http.MethodPost
		r = &change
	}
	if g.origins.Check(r) != nil {
		return blocked("a page of another origin may neither change anything here nor open a WebSocket")
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
	return r.Method == http.MethodGet && (r.URL.Path == docsPath || opensDashboard(r)) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isHostless tells whether a request names no host, which only HTTP/1.0 allows.
// Every browser names one.
func isHostless(r *http.Request) bool {
	return r.Host == "" && !r.ProtoAtLeast(1, 1) && len(r.Header["Origin"])+len(r.Header["Sec-Fetch-Site"]) == 0
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

// A patientBody has the largest size that is taken, and gives a client time to
// send it, but not for ever. The deadline is lifted with the last byte: one that
// passes later would look like a client that hung up.
type patientBody struct {
	io.ReadCloser
	to    *http.ResponseController
	least time.Duration // that it may take
	size  int64         // negative when unknown
	since time.Time
	read  int64
	next  int64 // how much must be read before the deadline is moved
	whole bool
}

// newPatientBody sets the clock running at once: also a body that nobody reads
// holds a connection. The writer must be the server's own: it is told when a
// body is too long.
func newPatientBody(w http.ResponseWriter, r *http.Request, most int64, least time.Duration) *patientBody {
	b := &patientBody{
		ReadCloser: http.MaxBytesReader(w, r.Body, most), to: http.NewResponseController(w), least: least,
		size: r.ContentLength, since: time.Now(),
	}
	b.extend()
	return b
}

func (b *patientBody) extend() {
	b.next = b.read + bodyStep
	_ = b.to.SetReadDeadline(b.since.Add(b.least + time.Duration(b.read)*bodySlowness))
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
