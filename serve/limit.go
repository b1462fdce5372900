package serve

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"nexus"
)

// Rates are how many requests a second are taken; 0 is no limit.
type Rates struct {
	PerKey     int // of one key, or of one who needs none
	PerAddress int // from one address
}

const (
	// Wrong keys from one address: a few are mistakes, many are guesses.
	wrongKeysBurst = 60
	wrongKeysRate  = 1 // a second

	// bucketCount bounds the memory of who asked how often.
	bucketCount = 50_000

	// refusalTime is how long a connection too many may take to hear so.
	refusalTime = time.Second
	// mostRefusals is how many are told at a time.
	mostRefusals = 1000
)

// limits keep one noisy client from taking what is for all.
type limits struct {
	rates   func() Rates
	now     func() time.Time
	keys    buckets[string]
	origins buckets[netip.Addr]
	wrong   buckets[netip.Addr]
}

// buckets hold a token bucket for each who asks. When there are too many, those
// that are full again are forgotten: they say nothing.
type buckets[K comparable] struct {
	mu  sync.Mutex
	all map[K]*rate.Limiter
}

func (b *buckets[K]) of(who K, perSecond, burst int, now time.Time) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.all[who]
	if l == nil {
		b.makeRoom(now)
		l = rate.NewLimiter(rate.Limit(perSecond), burst)
		b.all[who] = l
	} else if l.Limit() != rate.Limit(perSecond) {
		l.SetLimitAt(now, rate.Limit(perSecond))
		l.SetBurstAt(now, burst)
	}
	return l
}

func (b *buckets[K]) makeRoom(now time.Time) {
	if b.all == nil {
		b.all = map[K]*rate.Limiter{}
	}
	if len(b.all) < bucketCount {
		return
	}
	for who, l := range b.all {
		if l.TokensAt(now) >= float64(l.Burst()) {
			delete(b.all, who)
		}
	}
	if len(b.all) >= bucketCount {
		clear(b.all)
	}
}

// take takes a token, or says which limit was reached and when to come back.
func (b *buckets[K]) take(who K, perSecond int, now time.Time, limit, what string) error {
	if perSecond <= 0 {
		return nil
	}
	l := b.of(who, perSecond, 2*perSecond, now)
	if l.AllowN(now, 1) {
		return nil
	}
	wait := time.Duration((1 - l.TokensAt(now)) / float64(perSecond) * float64(time.Second))
	return limited(limit, wait, "%s: %d requests a second are taken.", what, perSecond)
}

func limited(limit string, wait time.Duration, format string, args ...any) *nexus.Error {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	e := nexus.Errorf(nexus.RateLimited, format, args...)
	e.Msg += fmt.Sprintf(" Come back in %d s.", seconds)
	return e.With("limit", limit).With("retry_after_seconds", seconds)
}

// arrive counts a request by where it came from.
func (l *limits) arrive(from netip.Addr) error {
	return l.origins.take(from, l.rates().PerAddress, l.now(), "rate_per_address", "Too many requests come from your address")
}

// known counts a request by who made it.
func (l *limits) known(a nexus.Actor) error {
	who := a.KeyID
	if who == "" {
		who = string(a.Kind) + "/" + a.AgentID + "/" + a.Person
	}
	return l.keys.take(who, l.rates().PerKey, l.now(), "rate_per_key", "You make too many requests")
}

// wrongKey counts a key that was wrong, and says so when there were too many.
// Others at the same address, with keys that are good, are not kept waiting.
func (l *limits) wrongKey(from netip.Addr) error {
	if now := l.now(); !l.wrong.of(from, wrongKeysRate, wrongKeysBurst, now).AllowN(now, 1) {
		return limited("wrong_keys", time.Second/wrongKeysRate, "Too many wrong keys came from your address.")
	}
	return nil
}

// A cappedListener has a largest number of connections. One too many is told so
// and closed.
type cappedListener struct {
	net.Listener
	most    int64
	open    atomic.Int64
	turned  atomic.Int64 // those that are being told
	refused func()       // is called for each
}

func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &countedConn{Conn: c, left: sync.OnceFunc(func() { l.open.Add(-1) })}, nil
		}
		l.open.Add(-1)
		l.refused()
		go l.refuse(c) // ends within refusalTime
	}
}

// refuse tells a connection that it is one too many, unless very many are being
// told: those are closed without a word.
func (l *cappedListener) refuse(c net.Conn) {
	defer func() { _ = c.Close() }()
	defer l.turned.Add(-1)
	if l.turned.Add(1) <= mostRefusals {
		turnAway(c, l.most)
	}
}

// turnAway says in plain HTTP that there is no room. A client that speaks TLS only
// sees a connection that ends. An answer that comes before the question, or that is
// followed by a reset because some of the question was not read, is lost on many
// clients.
func turnAway(c net.Conn, most int64) {
	_ = c.SetDeadline(time.Now().Add(refusalTime))
	body := fmt.Sprintf(`{"ok":false,"error":{"code":"RATE_LIMITED","message":"All %d connections of this hub are taken. Come back in 1 s.",`+
		`"details":{"limit":"max_connections","retry_after_seconds":1}}}`, most)
	_, _ = c.Read(make([]byte, 1024))
	_, _ = fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, c)
}

type countedConn struct {
	net.Conn
	left func()
}

func (c *countedConn) Close() error {
	c.left()
	return c.Conn.Close()
}
