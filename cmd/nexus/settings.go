package main

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"nexus"
)

// A kind is what the value of a setting may be.
type kind string

const (
	kindInteger  kind = "integer"
	kindBoolean  kind = "boolean"
	kindChoice   kind = "choice"
	kindText     kind = "text"
	kindList     kind = "list"     // names of hosts, comma-separated, or an array in the file
	kindNetworks kind = "networks" // the same of addresses and networks
	kindName     kind = "name"     // of something elsewhere: no blanks
	kindURL      kind = "url"
	kindPath     kind = "path"     // ~ is expanded, the result is absolute
	kindDatabase kind = "database" // a path or a PostgreSQL URL
	kindSecret   kind = "secret"   // environment only, never printed
)

// A setting is one row of the table: a name that is a flag, an environment
// variable and a key of the configuration file at once.
type setting struct {
	key      string
	alias    string // a second name for the same thing
	kind     kind
	def      string // as a user would write it; {home} stands for the home directory
	min      int
	max      int // 0 for no limit
	choices  []string
	synonyms map[string]string // other words for choices
	bus      bool              // changes how the bus answers, not only how it is reached
	live     bool              // can be changed while a hub runs, as all of the bus can
	topics   bool              // known as AGENT_BUS_… too
	late     bool              // a bad number in the environment reads as -1, and those who use it say so
	restart  bool              // but then holds from the next start on only
	doc      string
	field    func(*Config) any // where the value lives, as a pointer
}

// settings is the table. Everything about a setting is said here and nowhere
// else: flags, environment, file, checks, help and "nexus config" read it.
var settings = []setting{
	{
		key: "home", kind: kindPath, def: "~/.nexus", field: func(c *Config) any { return &c.Home },
		doc: "Directory for everything Nexus keeps, config.toml included.",
	},
	{
		key: "db", alias: "db_path", topics: true, kind: kindDatabase, def: "{home}/nexus.db", field: func(c *Config) any { return &c.DB },
		doc: "The store: a SQLite file or a postgres:// URL.",
	},
	{
		key: "host", kind: kindText, def: "127.0.0.1", field: func(c *Config) any { return &c.Host },
		doc: "Address the hub listens on. Beyond loopback every request needs a key.",
	},
	{
		key: "port", kind: kindInteger, def: "8202", max: 65535, field: func(c *Config) any { return &c.Port },
		doc: "Port the hub listens on; 0 takes any free one.",
	},
	{
		key: "project_root", kind: kindPath, field: func(c *Config) any { return &c.ProjectRoot },
		doc: "Project the hub opens its pages with.",
	},
	{
		key: "trusted_hosts", kind: kindList, field: func(c *Config) any { return &c.TrustedHosts },
		doc: "Names besides loopback under which a browser may reach the hub, as behind a proxy.",
	},
	{
		key: "trusted_proxies", kind: kindNetworks, field: func(c *Config) any { return &c.TrustedProxies },
		doc: "Addresses and networks of reverse proxies whose X-Forwarded headers are believed.",
	},
	{
		key: "trusted_user_header", kind: kindText, field: func(c *Config) any { return &c.TrustedUserHeader },
		doc: "Header in which those proxies say whom they let in, such as X-Forwarded-User. Whoever it names is an operator.",
	},
	{
		key: "tls_cert", kind: kindPath, field: func(c *Config) any { return &c.TLSCert },
		doc: "Certificate with which the hub speaks HTTPS, in PEM, with those that vouch for it.",
	},
	{
		key: "tls_key", kind: kindPath, field: func(c *Config) any { return &c.TLSKey },
		doc: "Private key of that certificate, in PEM.",
	},
	{
		key: "rate_per_key", kind: kindInteger, def: "-1", min: -1, live: true, field: func(c *Config) any { return &c.RatePerKey },
		doc: "Requests a second that one key may make; 0 for no limit, -1 for none on loopback and 500 elsewhere.",
	},
	{
		key: "rate_per_address", kind: kindInteger, def: "-1", min: -1, live: true, field: func(c *Config) any { return &c.RatePerAddress },
		doc: "Requests a second that may come from one address; 0 for no limit, -1 for none on loopback and 1000 elsewhere.",
	},
	{
		key: "max_connections", kind: kindInteger, def: "20000", min: 1, field: func(c *Config) any { return &c.MaxConnections },
		doc: "Connections that may be open at the same time.",
	},
	{
		key: "max_waiters", kind: kindInteger, def: "10000", min: 1, field: func(c *Config) any { return &c.MaxWaiters },
		doc: "Calls that may wait at the same time. One key gets three quarters of them at most.",
	},
	{
		key: "webhook_allow_private", kind: kindBoolean, def: "false", live: true, field: func(c *Config) any { return &c.WebhookAllowPrivate },
		doc: "Let webhooks be sent to addresses of private networks and of this machine.",
	},
	{
		key: "embedding_url", kind: kindURL, field: func(c *Config) any { return &c.EmbeddingURL },
		doc: "OpenAI-compatible service that makes vectors for searches, such as http://127.0.0.1:9000/v1; nothing is sent anywhere without it.",
	},
	{
		key: "embedding_model", kind: kindName, def: "text-embedding-3-small", field: func(c *Config) any { return &c.EmbeddingModel },
		doc: "Model that service is asked for. Another one means new vectors for everything, made in the background.",
	},
	{
		key: "embedding_key_env", kind: kindName, field: func(c *Config) any { return &c.EmbeddingKeyEnv },
		doc: "Environment variable that holds the key of that service.",
	},
	{
		key: "otlp_endpoint", kind: kindURL, field: func(c *Config) any { return &c.OTLPEndpoint },
		doc: "Where traces are sent, over OTLP/HTTP, such as http://127.0.0.1:4318.",
	},
	{
		key: "log_level", live: true, kind: kindChoice, def: "warn", choices: []string{"debug", "info", "warn", "error"},
		synonyms: map[string]string{"warning": "warn"}, field: func(c *Config) any { return &c.LogLevel },
		doc: "The least important messages that are still logged.",
	},
	{
		key: "no_banner", kind: kindBoolean, def: "false", field: func(c *Config) any { return &c.NoBanner },
		doc: "Start the hub without its banner.",
	},
	{
		key: "api_key", kind: kindSecret, field: func(c *Config) any { return &c.APIKey },
		doc: "Key that binds a stdio process to one agent. Read from the environment only.",
	},

	{
		key: "busy_timeout_ms", kind: kindInteger, def: "5000", bus: true, restart: true, field: func(c *Config) any { return &c.BusyTimeoutMS },
		doc: "How long a write waits for another process to release the store, in milliseconds.",
	},
	{
		key: "poll_interval_ms", kind: kindInteger, def: "200", min: 1, bus: true, restart: true, field: func(c *Config) any { return &c.PollIntervalMS },
		doc: "How often a waiting call looks again when no wake-up reaches it, in milliseconds.",
	},
	{
		key: "max_wait_timeout_seconds", kind: kindInteger, def: "30", bus: true, field: func(c *Config) any { return &c.MaxWaitTimeoutSeconds },
		doc: "The longest a call may wait for something to happen.",
	},
	{
		key: "handoff_lease_ttl_seconds", kind: kindInteger, def: "300", min: 1, bus: true, field: func(c *Config) any { return &c.HandoffLeaseTTLSeconds },
		doc: "How long a claimed hand-off stays with its claimant.",
	},
	{
		key: "max_inline_bytes", kind: kindInteger, def: "65536", min: 1, bus: true, field: func(c *Config) any { return &c.MaxInlineBytes },
		doc: "The most bytes of UTF-8 that content may have when it is sent inline.",
	},
	{
		key: "inbox_lease_ttl_seconds", kind: kindInteger, def: "300", min: 1, bus: true, field: func(c *Config) any { return &c.InboxLeaseTTLSeconds },
		doc: "How long a pulled delivery stays with its reader, unless the pull asks otherwise.",
	},
	{
		key: "session_stale_ttl_seconds", kind: kindInteger, def: "60", min: 1, bus: true, field: func(c *Config) any { return &c.SessionStaleTTLSeconds },
		doc: "Silence after which a session is shown as stale.",
	},
	{
		key: "presence_ttl_seconds", kind: kindInteger, def: "1800", min: 1, bus: true, field: func(c *Config) any { return &c.PresenceTTLSeconds },
		doc: "Silence after which a session no longer receives broadcasts.",
	},
	{
		key: "session_reap_seconds", kind: kindInteger, def: "86400", min: 1, bus: true, field: func(c *Config) any { return &c.SessionReapSeconds },
		doc: "Silence after which a session is closed.",
	},
	{
		key: "max_shared_md_events", kind: kindInteger, def: "1000", min: 1, bus: true, field: func(c *Config) any { return &c.MaxSharedMDEvents },
		doc: "The most events that shared.md may list.",
	},
	{
		key: "max_event_limit", kind: kindInteger, def: "1000", min: 1, bus: true, field: func(c *Config) any { return &c.MaxEventLimit },
		doc: "The most events on one page of the log.",
	},
	{
		key: "trust_mode", kind: kindChoice, def: "open", choices: []string{"open", "strict"}, bus: true, field: func(c *Config) any { return &c.TrustMode },
		doc: "Whether sensitive calls must prove their session: open checks a secret that is given, strict demands one.",
	},
	{
		key: "retention_events_keep_days", kind: kindInteger, def: "30", bus: true, field: func(c *Config) any { return &c.RetentionEventsKeepDays },
		doc: "Age at which events may be pruned.",
	},
	{
		key: "retention_read_deliveries_keep_days", kind: kindInteger, def: "14", bus: true, field: func(c *Config) any { return &c.RetentionReadDeliveriesKeepDays },
		doc: "Age at which acknowledged deliveries may be pruned.",
	},
	{
		key: "retention_closed_sessions_keep_days", kind: kindInteger, def: "7", bus: true, field: func(c *Config) any { return &c.RetentionClosedSessionsKeepDays },
		doc: "Age at which closed sessions may be pruned.",
	},
	{
		key: "auto_prune_on_start", kind: kindBoolean, def: "false", bus: true, restart: true, field: func(c *Config) any { return &c.AutoPruneOnStart },
		doc: "Prune a bounded amount whenever the hub starts.",
	},
	{
		key: "inbox_read_receipts", kind: kindBoolean, def: "false", bus: true, field: func(c *Config) any { return &c.InboxReadReceipts },
		doc: "Tell a sender when a message has been acknowledged.",
	},

	{
		key: "max_outbox", kind: kindInteger, def: "50", min: 1, topics: true, bus: true, field: func(c *Config) any { return &c.MaxOutbox },
		doc: "The most messages that one sync may send to a topic.",
	},
	{
		key: "max_message_chars", kind: kindInteger, def: "65536", min: 1, topics: true, bus: true, field: func(c *Config) any { return &c.MaxMessageChars },
		doc: "The most characters that a message in a topic may have.",
	},
	{
		key: "max_sync_items", kind: kindInteger, def: "20", min: 1, topics: true, late: true, bus: true, restart: true, field: func(c *Config) any { return &c.MaxSyncItems },
		doc: "The most messages that one sync may return. A bad value does not stop the start: sync answers that it is bad.",
	},
	{
		key: "tool_text_include_bodies", kind: kindBoolean, def: "true", topics: true, bus: true, field: func(c *Config) any { return &c.ToolTextIncludeBodies },
		doc: "Whether the text of a sync has the bodies of the messages.",
	},
	{
		key: "tool_text_max_chars", kind: kindInteger, def: "64000", min: 80, topics: true, bus: true, field: func(c *Config) any { return &c.ToolTextMaxChars },
		doc: "The most characters of one body in the text of a sync.",
	},
}

// reservedTables are the top-level tables of the configuration file that
// belong to other parts of Nexus.
var reservedTables = []string{"model", "providers"}

// names lists the names of s, the first one first.
func (s setting) names() []string {
	if s.alias == "" {
		return []string{s.key}
	}
	return []string{s.key, s.alias}
}

// flags lists the flags that set s, without their dashes.
func (s setting) flags() []string {
	if s.kind == kindSecret {
		return nil
	}
	var flags []string
	for _, name := range s.names() {
		flags = append(flags, strings.ReplaceAll(name, "_", "-"))
	}
	return flags
}

// variables lists the environment variables that set s; the first one that is
// present wins.
func (s setting) variables() []string {
	var vars []string
	for _, prefix := range []string{"NEXUS_", "OKTO_NEXUS_"} {
		for _, name := range s.names() {
			vars = append(vars, prefix+strings.ToUpper(name))
		}
	}
	if s.topics {
		vars = append(vars, "AGENT_BUS_"+strings.ToUpper(s.key))
	}
	return vars
}

// inFile tells whether the configuration file may set s. Home is what the file
// is found through, and secrets do not belong in it.
func (s setting) inFile() bool {
	return s.key != "home" && s.kind != kindSecret
}

// emptyIsUnset tells whether an empty environment variable counts as none. It
// does where a value is free text; an empty number, choice or boolean is a
// mistake.
func (s setting) emptyIsUnset() bool {
	switch s.kind {
	case kindInteger, kindBoolean, kindChoice:
		return false
	}
	return true
}

// placeholder stands for the value in the help of a flag.
func (s setting) placeholder() string {
	switch s.kind {
	case kindInteger:
		return "n"
	case kindBoolean:
		return "yes|no"
	case kindChoice:
		return strings.Join(s.choices, "|")
	case kindList:
		return "names"
	case kindNetworks:
		return "networks"
	case kindDatabase:
		return "path|url"
	}
	return string(s.kind)
}

// allowed says in words what s may be.
func (s setting) allowed() string {
	switch s.kind {
	case kindInteger:
		if s.max > 0 {
			return fmt.Sprintf("an integer from %d to %d", s.min, s.max)
		}
		return fmt.Sprintf("an integer of at least %d", s.min)
	case kindBoolean:
		return "true, 1, yes, on, false, 0, no or off"
	case kindChoice:
		last := len(s.choices) - 1
		return strings.Join(s.choices[:last], ", ") + " or " + s.choices[last]
	case kindList:
		return "host names separated by commas"
	case kindNetworks:
		return "addresses and networks separated by commas, such as 10.0.0.7,10.1.0.0/16"
	case kindURL:
		return "an http:// or https:// URL"
	case kindPath:
		return "a path"
	case kindDatabase:
		return "a file path or a postgres:// URL"
	}
	if s.key == "host" {
		return "a host name or an IP address"
	}
	return "text"
}

// initial is the default of s as a value of its own type.
func (s setting) initial() any {
	switch s.kind {
	case kindInteger:
		n, _ := parseInteger(s.def, s.min, s.max)
		return n
	case kindBoolean:
		return s.def == "true"
	case kindList, kindNetworks:
		return []string{}
	}
	return s.def
}

// settingNamed finds a setting by key or alias.
func settingNamed(name string) (setting, bool) {
	for _, s := range settings {
		if name != "" && (name == s.key || name == s.alias) {
			return s, true
		}
	}
	return setting{}, false
}

// settingKeys lists every name a setting may have, for suggestions.
func settingKeys(include func(setting) bool) []string {
	var keys []string
	for _, s := range settings {
		if include(s) {
			keys = append(keys, s.names()...)
		}
	}
	return keys
}

// parseInteger reads a decimal integer, blanks around it allowed, and checks
// its range; a max of 0 is no limit.
func parseInteger(s string, least, most int) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if most == 0 {
		most = math.MaxInt
	}
	return n, err == nil && n >= least && n <= most
}

// parseBoolean reads the eight words for yes and no, in any case.
func parseBoolean(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off":
		return false, true
	}
	return false, false
}

// parseHosts reads host names separated by commas.
func parseHosts(s string) ([]string, bool) {
	hosts := []string{}
	for h := range strings.SplitSeq(s, ",") {
		h = strings.ToLower(strings.TrimSpace(h))
		if h == "" {
			continue
		}
		if !isHost(h) {
			return nil, false
		}
		hosts = append(hosts, h)
	}
	return hosts, true
}

// parseNetworks reads addresses and networks separated by commas.
func parseNetworks(s string) ([]string, bool) {
	networks := []string{}
	for n := range strings.SplitSeq(s, ",") {
		if n = strings.TrimSpace(n); n == "" {
			continue
		}
		_, notAddr := netip.ParseAddr(n)
		if _, notNetwork := netip.ParsePrefix(n); notAddr != nil && notNetwork != nil {
			return nil, false
		}
		networks = append(networks, n)
	}
	return networks, true
}

// isWebURL tells whether something can be sent to.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// isName refuses what is empty or has blanks in it.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7F })
}

// isHost refuses what cannot be a host, such as a URL given in its place. The
// network has the last word.
func isHost(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t\r\n/\\@?#,\x00")
}

// expandTilde replaces a leading ~ by the user's directory. Other users'
// directories (~name) are not looked up.
func expandTilde(p string, env lookup) (string, error) {
	rest, ok := strings.CutPrefix(p, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return p, nil
	}
	dir, err := userDirectory(env)
	if err != nil {
		return "", nexus.Errorf(nexus.ConfigError, "cannot expand ~ in %q: %v; set HOME or give a full path", p, err)
	}
	return filepath.Join(dir, rest), nil
}

// userDirectory is $HOME or, for programs started without one, what the
// system knows.
func userDirectory(env lookup) (string, error) {
	if dir, ok := env("HOME"); ok && dir != "" {
		return dir, nil
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return os.UserHomeDir()
}

// isPostgres tells whether a store's URL is one we can open.
func isPostgres(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql")
}

// withoutPassword hides the secrets of a URL and leaves anything else alone.
func withoutPassword(s string) string {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	u, err := url.Parse(s)
	if err != nil {
		return scheme + "://…"
	}
	q := u.Query()
	for _, key := range []string{"password", "sslpassword"} {
		if q.Has(key) {
			q.Set(key, "xxxxx")
			u.RawQuery = q.Encode()
		}
	}
	return u.Redacted()
}
