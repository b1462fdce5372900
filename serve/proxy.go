package serve

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"nexus"
)

// proxies are the machines whose word is taken for where a request came from
// and, if they name a header for it, for who made it. Nobody else's is.
type proxies struct {
	from []netip.Prefix
	// userHeader names the header that holds who a proxy let in, "" for none.
	userHeader string
}

func newProxies(from []string, userHeader string) (proxies, error) {
	p := proxies{userHeader: userHeader}
	for _, text := range from {
		prefix, err := netip.ParsePrefix(text)
		if addr, single := netip.ParseAddr(text); single == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return p, nexus.Errorf(nexus.ConfigError, "%q is no address or network of a proxy, such as 10.0.0.7 or 10.0.0.0/8.", text)
		}
		p.from = append(p.from, prefix.Masked())
	}
	if userHeader != "" && len(p.from) == 0 {
		return p, nexus.Errorf(nexus.ConfigError, "A header that says who somebody is can be trusted from known proxies only: name them in trusted_proxies.")
	}
	return p, nil
}

func (p proxies) trusts(addr netip.Addr) bool {
	for _, prefix := range p.from {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// peer is the address at the other end of the connection.
func peer(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}

// client is the address a request came from: the peer's or, where trusted
// proxies passed it on, the last one that none of them has.
func (p proxies) client(r *http.Request) netip.Addr {
	at := peer(r)
	if !p.trusts(at) {
		return at
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if host, _, err := net.SplitHostPort(hop); err == nil {
			hop = host
		}
		addr, err := netip.ParseAddr(strings.Trim(hop, "[]"))
		if err != nil {
			return at
		}
		at = addr.Unmap().WithZone("")
		if !p.trusts(at) {
			return at
		}
	}
	return at
}

// secure tells whether the client's connection is encrypted.
func (p proxies) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return p.trusts(peer(r)) && strings.EqualFold(strings.TrimSpace(r.Header.Get("X-Forwarded-Proto")), "https")
}

// forwarded is the request under the name that the client used, where a trusted
// proxy says what that was.
func (p proxies) forwarded(r *http.Request) *http.Request {
	host := strings.TrimSpace(r.Header.Get("X-Forwarded-Host"))
	if host == "" || len(p.from) == 0 || !p.trusts(peer(r)) || strings.ContainsAny(host, ", /\\@") {
		return r
	}
	copied := *r
	copied.Host = host
	return &copied
}

// user is who a trusted proxy says it let in, "" for nobody.
func (p proxies) user(r *http.Request) string {
	if p.userHeader == "" || !p.trusts(peer(r)) {
		return ""
	}
	name := strings.TrimSpace(r.Header.Get(p.userHeader))
	if len(name) > 256 {
		return ""
	}
	return name
}
