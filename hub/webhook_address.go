package hub

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"nexus"
)

const longestURL = 2048

// checkURL refuses an address that can never be told. A name may still turn out
// to stand for a private address: that is for the [Sender] to find out.
func checkURL(raw string, allowPrivate bool) error {
	if strings.TrimSpace(raw) == "" {
		return nexus.Invalid("url", "url is required: where to send events, such as https://example.com/hooks/nexus.")
	}
	if len(raw) > longestURL {
		return nexus.Invalid("url", "url has %d bytes; at most %d are allowed.", len(raw), longestURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nexus.Invalid("url", "url is not a well-formed address.")
	}
	port, badPort := strconv.Atoi(u.Port())
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nexus.Invalid("url", "url must begin with https:// or http://.")
	case u.User != nil:
		return nexus.Invalid("url", "url holds a user name or password: leave it out, and verify the signature instead.")
	case u.Hostname() == "" || u.Opaque != "":
		return nexus.Invalid("url", "url names no host.")
	case u.Fragment != "":
		return nexus.Invalid("url", "url has a part after #, which is never sent: leave it out.")
	case u.Port() != "" && (badPort != nil || port < 1 || port > 65535):
		return nexus.Invalid("url", "url has no usable port: use 1 to 65535.")
	}
	return checkHost(u.Hostname(), allowPrivate)
}

func checkHost(host string, allowPrivate bool) error {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(name)
	switch {
	case err != nil && endsInNumber(name):
		return nexus.Invalid("url", "The host %q is neither a name nor a usual IP address.", clip(host, 64))
	case allowPrivate:
		return nil
	case err == nil && !IsPublic(ip), name == "localhost", strings.HasSuffix(name, ".localhost"):
		return nexus.Invalid("url", "%s is not a public address. Use one that is, or allow private ones with the setting webhook_allow_private.", clip(host, 64))
	}
	return nil
}

// endsInNumber finds the old spellings of IPv4 addresses, such as 127.1 and
// 0x7f000001, which some resolvers take and no name of a host looks like.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || last != "" && strings.Trim(last, "0123456789") == ""
}

// IsPublic tells whether an address is one of the open Internet: not of this
// machine, not of a network around it, and none of those that only stand for
// such an address.
func IsPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if nat64.Contains(ip) { // an IPv4 address in the eyes of a network that has none
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !ip.IsValid() || ip.Zone() != "" || ip.Is6() && !global6.Contains(ip) {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

var (
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	global6 = netip.MustParsePrefix("2000::/3") // nothing beyond it is given to hosts of the Internet
	special = prefixes(
		"0.0.0.0/8",       // this network
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // shared by customers of a provider
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, and where clouds tell secrets
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocols
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // relays of 6to4
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, and broadcast
		"2001::/23",       // protocols, Teredo among them
		"2001:db8::/32",   // documentation
		"2002::/16",       // 6to4, which holds an IPv4 address
		"3fff::/20",       // documentation
	)
)

func prefixes(all ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(all))
	for i, p := range all {
		out[i] = netip.MustParsePrefix(p)
	}
	return out
}
