package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"nexus"
)

const (
	maxHeader   = 64 << 10
	hardHeader  = 4 * maxHeader // beyond it net/http answers, in its own words
	idleTime    = 2 * time.Minute
	stopTime    = 10 * time.Second
	maxHandover = 64<<20 + 1<<20 // a line of stdio and what is around it
)

// Options are the settings of a hub.
type Options struct {
	// Addr is what the listener given to [Server.Serve] is bound to. Whether
	// that is a loopback address decides who may come in without a key.
	Addr net.Addr
	// TrustedHosts are names, with or without a port, under which a reverse
	// proxy on this machine passes requests on.
	TrustedHosts []string
	// TrustedProxies are addresses and networks whose X-Forwarded headers are
	// believed.
	TrustedProxies []string
	// UserHeader is where those proxies say whom they let in, "" for nowhere.
	UserHeader string
	// MaxBody is the largest HTTP body taken, [DefaultMaxBody] when zero.
	MaxBody int64
	// MaxWaiters is how many calls may wait, [DefaultMaxWaiters] when zero.
	MaxWaiters int
	// TLS makes the hub speak HTTPS; nil for plain HTTP.
	TLS *tls.Config
	// MaxConnections is how many may be open, no matter how many when zero.
	MaxConnections int
	// Rates are asked with every request, so that they may change.
	Rates func() Rates
	// MaxStreams is how many streams may be open, [DefaultMaxStreams] when zero.
	MaxStreams int
	// StopTime is how long running calls may take when the hub stops; 10 s when
	// zero.
	StopTime time.Duration
	// Instance tells this run of the hub from every other.
	Instance string
	// DB names the database, without a password, so that a process that wants
	// another one does not hand its calls over.
	DB string
	// Gauges are shown at /metrics.
	Gauges []Gauges
	// OTLPEndpoint is where traces are sent, such as http://127.0.0.1:4318; ""
	// for nowhere.
	OTLPEndpoint string
}

// A Server is the hub on the wire.
type Server struct {
	deps     Deps
	opts     Options
	loopback bool

	guard     *guard
	proxies   proxies
	auth      *authenticator
	metrics   *metrics
	traces    *exporter // nil when traces are not exported
	parked    *parking
	guests    guests
	limits    *limits
	streams   *parking
	feed      *feed
	mcp       http.Handler
	mux       *http.ServeMux
	openapi   func() []byte
	docs      func() (docsPage, error)
	headers   []header
	dashboard dashboard
	times     requestTimes
	backups   sync.Mutex // held while one is made and sent

	// stopping ends when the hub begins to stop. It is the hub's own lifetime,
	// not that of a call, which is why it is kept here.
	stopping context.Context
	stop     context.CancelFunc
}

// New makes the hub. It listens to nothing yet.
func New(d Deps, opts Options) (*Server, error) {
	s := &Server{deps: withDefaults(d), opts: opts, times: usualRequestTimes()}
	s.stopping, s.stop = context.WithCancel(context.Background())
	if s.opts.MaxBody == 0 {
		s.opts.MaxBody = DefaultMaxBody
	}
	if s.opts.MaxWaiters == 0 {
		s.opts.MaxWaiters = DefaultMaxWaiters
	}
	if s.opts.MaxStreams == 0 {
		s.opts.MaxStreams = DefaultMaxStreams
	}
	if s.opts.StopTime == 0 {
		s.opts.StopTime = stopTime
	}
	s.loopback = opts.Addr != nil && isLoopbackAddr(opts.Addr.String())
	var err error
	if s.guard, err = newGuard(s.loopback, opts.TrustedHosts); err != nil {
		return nil, err
	}
	if s.proxies, err = newProxies(opts.TrustedProxies, opts.UserHeader); err != nil {
		return nil, err
	}
	if s.auth, err = newAuthenticator(d.Keys, d.OperatorKeyHash, s.deps.Now); err != nil {
		return nil, err
	}
	if s.opts.Rates == nil {
		s.opts.Rates = func() Rates { return Rates{} }
	}
	s.limits = &limits{rates: s.opts.Rates, now: s.deps.Now}
	s.parked = newParking(s.opts.MaxWaiters)
	s.streams = newParking(s.opts.MaxStreams)
	s.feed = newFeed(s.stopping, s.deps)
	s.metrics = newMetrics(s.parked.count, append(opts.Gauges[:len(opts.Gauges):len(opts.Gauges)], openStreams{s.streams}))
	s.metrics.says(d.Version)
	if s.traces, err = newExporter(opts.OTLPEndpoint, s.deps, opts.Instance, s.metrics); err != nil {
		return nil, err
	}
	s.openapi = sync.OnceValue(s.describe)
	s.docs = sync.OnceValues(func() (docsPage, error) { return newDocsPage(s.openapi()) })
	if s.dashboard, err = newDashboard(d.Dashboard); err != nil {
		return nil, err
	}
	s.headers = safeHeaders()
	s.mcp = NewMCP(d.Catalogue, face{s, "mcp"}.call, d.Watcher, d.Version, s.deps.Log).
		Handler(d.Sessions, HTTPOptions{MaxBody: s.opts.MaxBody, Stopping: s.stopping})
	if err := s.mount(); err != nil {
		return nil, err
	}
	return s, nil
}

func withDefaults(d Deps) Deps {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	d.Log = slog.New(stamped{d.Log.Handler()})
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.TrustMode == nil {
		d.TrustMode = func() string { return "open" }
	}
	if d.Ready == nil {
		d.Ready = func(context.Context) error { return nil }
	}
	return d
}

// Run keeps the hub's memory of keys true to the store and exports traces, until
// ctx ends. Without it a key that another node rotated is good for some seconds
// more.
func (s *Server) Run(ctx context.Context) error {
	var writing sync.WaitGroup
	defer writing.Wait()
	if s.deps.Keys != nil {
		writing.Go(func() { s.auth.writeUse(ctx) })
	}
	if s.traces != nil {
		writing.Go(func() { s.traces.run(ctx) })
	}
	if s.deps.Watcher == nil {
		<-ctx.Done()
		return nil
	}
	changed, stop := s.deps.Watcher.Watch(nexus.KeysKey)
	defer stop()
	s.auth.watch(changed)
	defer s.auth.watch(nil)
	// The same once more, for those who are in already: a call that waits, or a
	// stream, uses its key no more.
	again, stopAgain := s.deps.Watcher.Watch(nexus.KeysKey)
	defer stopAgain()
	for {
		select {
		case <-again:
			s.ForgetKeys()
		case <-ctx.Done():
			return nil
		}
	}
}

// ForgetKeys makes the next use of every key ask the store whose it is. Whoever
// changes keys past the hub's operations calls it before anybody is told.
func (s *Server) ForgetKeys() {
	s.auth.forget()
	s.guests.review()
}

// Serve answers HTTP on l until ctx ends. Then calls that wait are answered as
// if their time were up, running ones finish, and so does whatever arrives in
// the meantime; what is not done after [Options.StopTime] is cut off.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.loopback && !isLoopbackAddr(l.Addr().String()) {
		return fmt.Errorf("the hub was made for a loopback address and cannot listen on %s", l.Addr())
	}
	if s.opts.MaxConnections > 0 {
		l = &cappedListener{Listener: l, most: int64(s.opts.MaxConnections), refused: s.metrics.limited.WithLabelValues("max_connections").Inc}
	}
	if s.opts.TLS != nil {
		l = tls.NewListener(l, s.opts.TLS)
	}
	return s.serve(ctx, l, s.Handler())
}

func (s *Server) serve(ctx context.Context, l net.Listener, h http.Handler) error {
	running := &tally{}
	hs := &http.Server{
		Handler:                      s.counted(running, h),
		ReadHeaderTimeout:            s.times.header,
		IdleTimeout:                  idleTime,
		MaxHeaderBytes:               hardHeader,
		ConnState:                    s.metrics.connected,
		ErrorLog:                     slog.NewLogLogger(s.deps.Log.Handler(), slog.LevelDebug),
		DisableGeneralOptionsHandler: true, // it would answer past the guard
	}
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.stop()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.StopTime)
	defer cancel()
	// Shutdown turns new calls away, so it waits until the old ones are done.
	running.wait(limit)
	if err := hs.Shutdown(limit); err != nil {
		s.deps.Log.Warn("calls were cut off because the hub stopped", "after", s.opts.StopTime)
		_ = hs.Close()
	}
	<-ended
	return nil
}

// counted keeps the tally. A stopping hub asks its clients to come back on a new
// connection, where they may find its successor.
func (s *Server) counted(running *tally, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.add(1)
		defer running.add(-1)
		if s.isStopping() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

func (s *Server) isStopping() bool { return s.stopping.Err() != nil }

// A tally is the number of requests that run.
type tally struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to 0; nil while nobody waits
}

func (t *tally) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n += n; t.n == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// wait returns when nothing runs, or when ctx ends.
func (t *tally) wait(ctx context.Context) {
	t.mu.Lock()
	if t.n == 0 {
		t.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	t.idle = idle
	t.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
