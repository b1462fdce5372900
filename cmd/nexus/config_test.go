package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus"
)

// A start is what a process is started with.
type start struct {
	args []string
	env  map[string]string
	file string // config.toml; "" for none
}

// load resolves a start in a home of its own, which {home} stands for; HOME is
// its parent.
func (s start) load(t *testing.T) (cfg *Config, home string, err error) {
	t.Helper()
	user := t.TempDir()
	home = filepath.Join(user, ".nexus")
	if s.file != "" {
		if err := os.Mkdir(home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(s.file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := newApp()
	root := rootCommand(a)
	if err := root.ParseFlags(s.args); err != nil {
		return nil, home, flagError(root, err)
	}
	cfg, err = loadConfig(a.flags, func(name string) (string, bool) {
		if name == "HOME" {
			return user, true
		}
		v, ok := s.env[name]
		return v, ok
	})
	return cfg, home, err
}

func args(words ...string) []string { return words }

func env(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	cfg, home, err := start{}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Home: home, DB: filepath.Join(home, "nexus.db"), Host: "127.0.0.1", Port: 8202,
		TrustedHosts: []string{}, TrustedProxies: []string{}, LogLevel: "warn",
		RatePerKey: -1, RatePerAddress: -1, MaxConnections: 20000, MaxWaiters: 10000, EmbeddingModel: "text-embedding-3-small",
		BusyTimeoutMS: 5000, PollIntervalMS: 200, MaxWaitTimeoutSeconds: 30, HandoffLeaseTTLSeconds: 300,
		MaxInlineBytes: 65536, InboxLeaseTTLSeconds: 300, SessionStaleTTLSeconds: 60, PresenceTTLSeconds: 1800,
		SessionReapSeconds: 86400, MaxSharedMDEvents: 1000, MaxEventLimit: 1000, TrustMode: "open",
		RetentionEventsKeepDays: 30, RetentionReadDeliveriesKeepDays: 14, RetentionClosedSessionsKeepDays: 7,
		MaxOutbox: 50, MaxMessageChars: 65536, MaxSyncItems: 20, ToolTextIncludeBodies: true, ToolTextMaxChars: 64000,
	}
	got := *cfg
	got.winners = nil
	if diff := cmp.Diff(want, &got, cmp.AllowUnexported(Config{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	for _, s := range settings {
		if got := cfg.Source(s.key); got != "default" {
			t.Errorf("source of %s is %q", s.key, got)
		}
	}
}

func TestConfigPrecedence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		start  start
		key    string
		value  any    // {home} is replaced
		source string // {home} is replaced
	}{
		{"file beats default", start{file: "port = 1"}, "port", 1, "file {home}/config.toml"},
		{"environment beats file", start{file: "port = 1", env: env("OKTO_NEXUS_PORT", "2")}, "port", 2, "env OKTO_NEXUS_PORT"},
		{"our variable beats the old one", start{env: env("OKTO_NEXUS_PORT", "2", "NEXUS_PORT", "3")}, "port", 3, "env NEXUS_PORT"},
		{"flag beats all", start{file: "port = 1", env: env("NEXUS_PORT", "2"), args: args("--port", "4")}, "port", 4, "flag --port"},
		{"flag with equals sign", start{args: args("--port=4")}, "port", 4, "flag --port"},
		{"last flag wins", start{args: args("--port=4", "--port", "5")}, "port", 5, "flag --port"},
		{"good flag beats bad variable", start{env: env("NEXUS_PORT", "x"), args: args("--port", "4")}, "port", 4, "flag --port"},
		{"good variable beats bad file", start{file: "port = 1.5", env: env("NEXUS_PORT", "2")}, "port", 2, "env NEXUS_PORT"},
		{"good variable beats bad old one", start{env: env("OKTO_NEXUS_PORT", "x", "NEXUS_PORT", "3")}, "port", 3, "env NEXUS_PORT"},
		{"unknown variables are not ours", start{env: env("NEXUS_PROT", "x")}, "port", 8202, "default"},

		{"db by flag", start{args: args("--db", "/d")}, "db", "/d", "flag --db"},
		{"db by its other flag", start{args: args("--db-path", "/d")}, "db", "/d", "flag --db-path"},
		{"last db flag wins", start{args: args("--db-path", "/d", "--db", "/e")}, "db", "/e", "flag --db"},
		{"db by variable", start{env: env("NEXUS_DB", "/d")}, "db", "/d", "env NEXUS_DB"},
		{"db by its other variable", start{env: env("NEXUS_DB_PATH", "/d")}, "db", "/d", "env NEXUS_DB_PATH"},
		{"db by the old variable", start{env: env("OKTO_NEXUS_DB_PATH", "/d")}, "db", "/d", "env OKTO_NEXUS_DB_PATH"},
		{"db in file", start{file: `db = "/d"`}, "db", "/d", "file {home}/config.toml"},
		{"db in file, other key", start{file: `db_path = "/d"`}, "db", "/d", "file {home}/config.toml"},
		{"db follows home", start{args: args("--home", "/h")}, "db", "/h/nexus.db", "default"},
		{"db on a server", start{args: args("--db", "postgres://h/n")}, "db", "postgres://h/n", "flag --db"},
		{"password of db is hidden", start{args: args("--db", "postgresql://u:geheim@h/n")}, "db", "postgresql://u:xxxxx@h/n", "flag --db"},
		{"password in the query is hidden", start{args: args("--db", "postgres://h/n?password=geheim")}, "db", "postgres://h/n?password=xxxxx", "flag --db"},
		{"relative db in file starts at home", start{file: `db = "x.db"`}, "db", "{home}/x.db", "file {home}/config.toml"},

		{"tilde in flag", start{args: args("--db", "~/x.db")}, "db", "{home}/../x.db", "flag --db"},
		{"tilde in variable", start{env: env("NEXUS_DB", "~/x.db")}, "db", "{home}/../x.db", "env NEXUS_DB"},
		{"tilde in file", start{file: `project_root = "~/p"`}, "project_root", "{home}/../p", "file {home}/config.toml"},
		{"tilde alone", start{args: args("--project-root=~")}, "project_root", "{home}/..", "flag --project-root"},
		{"tilde inside is a tilde", start{args: args("--db", "/a/~/b")}, "db", "/a/~/b", "flag --db"},
		{"another user's tilde is left", start{args: args("--db", "/~x/b")}, "db", "/~x/b", "flag --db"},

		{"empty path variable is unset", start{env: env("NEXUS_DB", "", "OKTO_NEXUS_DB_PATH", "/d")}, "db", "/d", "env OKTO_NEXUS_DB_PATH"},
		{"empty home variable is unset", start{env: env("NEXUS_HOME", "")}, "home", "{home}", "default"},
		{"blanks around an integer", start{env: env("NEXUS_PORT", " 7\t")}, "port", 7, "env NEXUS_PORT"},
		{"integer as text in file", start{file: `port = "7"`}, "port", 7, "file {home}/config.toml"},
		{"any free port", start{args: args("--port", "0")}, "port", 0, "flag --port"},
		{"smallest value", start{args: args("--poll-interval-ms", "1")}, "poll_interval_ms", 1, "flag --poll-interval-ms"},
		{"boolean word", start{args: args("--auto-prune-on-start", "YES")}, "auto_prune_on_start", true, "flag --auto-prune-on-start"},
		{"boolean number", start{env: env("NEXUS_NO_BANNER", "1")}, "no_banner", true, "env NEXUS_NO_BANNER"},
		{"boolean off", start{file: "no_banner = true", env: env("NEXUS_NO_BANNER", "off")}, "no_banner", false, "env NEXUS_NO_BANNER"},
		{"boolean in file", start{file: "inbox_read_receipts = true"}, "inbox_read_receipts", true, "file {home}/config.toml"},
		{"choice", start{env: env("OKTO_NEXUS_TRUST_MODE", "Strict")}, "trust_mode", "strict", "env OKTO_NEXUS_TRUST_MODE"},
		{"the old word for a level", start{args: args("--log-level", "warning")}, "log_level", "warn", "flag --log-level"},
		{"list", start{args: args("--trusted-hosts", "a.example, B.example")}, "trusted_hosts", []string{"a.example", "b.example"}, "flag --trusted-hosts"},
		{"list piece by piece", start{args: args("--trusted-hosts", "a", "--trusted-hosts", "b")}, "trusted_hosts", []string{"a", "b"}, "flag --trusted-hosts"},
		{"list in file", start{file: `trusted_hosts = ["a", "b"]`}, "trusted_hosts", []string{"a", "b"}, "file {home}/config.toml"},
		{"other parts' tables", start{file: "port = 9\n[model]\nport = 'x'\n[providers.work]\nwire = 'openai'"}, "port", 9, "file {home}/config.toml"},
		{"the original's name", start{env: env("AGENT_BUS_MAX_OUTBOX", "7")}, "max_outbox", 7, "env AGENT_BUS_MAX_OUTBOX"},
		{"ours beats the original's", start{env: env("AGENT_BUS_MAX_OUTBOX", "7", "NEXUS_MAX_OUTBOX", "8")}, "max_outbox", 8, "env NEXUS_MAX_OUTBOX"},
		{"a bad number that is told later", start{env: env("AGENT_BUS_MAX_SYNC_ITEMS", "many")}, "max_sync_items", -1, "env AGENT_BUS_MAX_SYNC_ITEMS"},
		{"a key is never shown", start{env: env("NEXUS_API_KEY", "nxs_1")}, "api_key", "(set)", "env NEXUS_API_KEY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg, home, err := tt.start.load(t)
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := tt.value.(string); ok && strings.Contains(p, "{home}") {
				tt.value = filepath.Clean(strings.ReplaceAll(p, "{home}", home))
			}
			s, _ := settingNamed(tt.key)
			if diff := cmp.Diff(tt.value, cfg.Value(s)); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if got, want := cfg.Source(tt.key), strings.ReplaceAll(tt.source, "{home}", home); got != want {
				t.Errorf("source %q, want %q", got, want)
			}
		})
	}
}

// Every setting can be given in every form.
func TestConfigForms(t *testing.T) {
	t.Parallel()
	for _, s := range settings {
		value := map[kind]string{
			kindInteger: "177", kindBoolean: "true", kindText: "h.example", kindName: "vendor/model-1", kindList: "h.example", kindNetworks: "10.0.0.0/8", kindURL: "http://h.example",
			kindPath: "/p", kindDatabase: "/p", kindSecret: "nxs_1",
		}[s.kind]
		if s.kind == kindChoice {
			value = s.choices[1]
		}
		starts := map[string]start{}
		for _, v := range s.variables() {
			starts["env "+v] = start{env: env(v, value)}
		}
		for _, f := range s.flags() {
			starts["flag --"+f] = start{args: args("--"+f, value)}
		}
		for _, k := range s.names() {
			if s.inFile() {
				starts["file "+k] = start{file: k + ` = "` + value + `"`}
			}
		}
		for name, in := range starts {
			cfg, _, err := in.load(t)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := plain(cfg.Value(s)); got != value && s.kind != kindSecret {
				t.Errorf("%s: %s is %q, want %q", name, s.key, got, value)
			}
			if !strings.HasPrefix(cfg.Source(s.key), strings.Fields(name)[0]) {
				t.Errorf("%s: source is %q", name, cfg.Source(s.key))
			}
		}
	}
}

func TestConfigBadValue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		start start
		want  string // the message; {home} is replaced
	}{
		{"not a number", start{args: args("--port", "abc")}, `bad value "abc" for port (flag --port): need an integer from 0 to 65535`},
		{"told later only from the environment", start{args: args("--max-sync-items", "many")}, `bad value "many" for max_sync_items (flag --max-sync-items): need an integer of at least 1`},
		{"float", start{env: env("NEXUS_PORT", "1.0")}, `bad value "1.0" for port (env NEXUS_PORT): need an integer from 0 to 65535`},
		{"underscore", start{env: env("NEXUS_PORT", "8_202")}, `bad value "8_202" for port (env NEXUS_PORT): need an integer from 0 to 65535`},
		{"port too large", start{args: args("--port=65536")}, `bad value "65536" for port (flag --port): need an integer from 0 to 65535`},
		{"negative", start{args: args("--busy-timeout-ms", "-1")}, `bad value "-1" for busy_timeout_ms (flag --busy-timeout-ms): need an integer of at least 0`},
		{"below the minimum", start{args: args("--max-event-limit", "0")}, `bad value "0" for max_event_limit (flag --max-event-limit): need an integer of at least 1`},
		{"overflow", start{env: env("OKTO_NEXUS_MAX_INLINE_BYTES", "9223372036854775808")}, `bad value "9223372036854775808" for max_inline_bytes (env OKTO_NEXUS_MAX_INLINE_BYTES): need an integer of at least 1`},
		{"empty integer variable", start{env: env("NEXUS_PORT", "")}, `bad value "" for port (env NEXUS_PORT): need an integer from 0 to 65535`},
		{"empty choice variable", start{env: env("NEXUS_TRUST_MODE", "")}, `bad value "" for trust_mode (env NEXUS_TRUST_MODE): need open or strict`},
		{"empty boolean variable", start{env: env("NEXUS_NO_BANNER", "")}, `bad value "" for no_banner (env NEXUS_NO_BANNER): need true, 1, yes, on, false, 0, no or off`},
		{"empty path flag", start{args: args("--db=")}, `bad value "" for db (flag --db): need a file path or a postgres:// URL`},
		{"choice", start{args: args("--trust-mode", "closed")}, `bad value "closed" for trust_mode (flag --trust-mode): need open or strict`},
		{"boolean", start{args: args("--auto-prune-on-start", "maybe")}, `bad value "maybe" for auto_prune_on_start (flag --auto-prune-on-start): need true, 1, yes, on, false, 0, no or off`},
		{"another database", start{args: args("--db", "mysql://u:geheim@h/n")}, `bad value "mysql://u:xxxxx@h/n" for db (flag --db): need a file path or a postgres:// URL`},
		{"unreadable URL", start{args: args("--db", "postgres://u:ge%heim@h/n")}, `bad value "postgres://…" for db (flag --db): need a file path or a postgres:// URL`},
		{"URL for a host", start{args: args("--host", "http://x")}, `bad value "http://x" for host (flag --host): need a host name or an IP address`},
		{"host in a list", start{args: args("--trusted-hosts", "a,b c")}, `bad value "a,b c" for trusted_hosts (flag --trusted-hosts): need host names separated by commas`},
		{"NUL in a path", start{file: `db = "a\u0000b"`}, `bad value "a\x00b" for db (file {home}/config.toml, line 1): need a file path or a postgres:// URL`},
		{"float in file", start{file: "\nport = 1.5"}, `bad value "1.5" for port (file {home}/config.toml, line 2): need an integer from 0 to 65535`},
		{"number for a path in file", start{file: "db = 5"}, `bad value "5" for db (file {home}/config.toml, line 1): need a file path or a postgres:// URL`},
		{"table for a number in file", start{file: "[port]\nx = 1"}, `bad value "map[x:1]" for port (file {home}/config.toml, line 1): need an integer from 0 to 65535`},

		{"unknown key in file", start{file: "# mine\nprot = 1"}, `unknown key "prot" in {home}/config.toml, line 2; did you mean port?`},
		{"unknown key is always an error", start{file: "prot = 1", args: args("--port", "1")}, `unknown key "prot" in {home}/config.toml, line 1; did you mean port?`},
		{"unknown table in file", start{file: "[providrs.x]\na = 1"}, `unknown key "providrs" in {home}/config.toml, line 1; did you mean providers?`},
		{"nothing near", start{file: "qqqqqqqq = 1"}, `unknown key "qqqqqqqq" in {home}/config.toml, line 1`},
		{"home in file", start{file: "home = '/x'"}, `key "home" in {home}/config.toml, line 1 cannot be set there; use NEXUS_HOME`},
		{"key in file", start{file: "api_key = 'nxs_1'"}, `key "api_key" in {home}/config.toml, line 1 cannot be set there; use NEXUS_API_KEY`},
		{"both names in file", start{file: "db = 'a'\ndb_path = 'b'"}, `{home}/config.toml, lines 1 and 2: db is set twice; keep one`},
		{"malformed file", start{file: "port = 1\nhost = \n"}, `{home}/config.toml, line 2, column 8: `},
		{"same key twice in file", start{file: "port = 1\nport = 2\n"}, `{home}/config.toml`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, home, err := tt.start.load(t)
			if nexus.CodeOf(err) != nexus.ConfigError || exitStatus(err) != exitFailed {
				t.Fatalf("got %v, want a CONFIG_ERROR with status 1", err)
			}
			got, want := nexus.AsError(err).Msg, strings.ReplaceAll(tt.want, "{home}", home)
			exact := !strings.Contains(tt.name, "malformed") && !strings.Contains(tt.name, "twice")
			if got != want && (exact || !strings.HasPrefix(got, want)) {
				t.Errorf("message\n  %s\nwant\n  %s", got, want)
			}
			if strings.Contains(got, "geheim") || strings.ContainsAny(got, "\n\r") {
				t.Errorf("message leaks or breaks: %q", got)
			}
		})
	}
}

func TestConfigFlagError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"unknown", args("--prot", "5"), `unknown flag --prot for "nexus"; did you mean --port?`},
		{"nothing near", args("--qqqqqqqqqq"), `unknown flag --qqqqqqqqqq for "nexus"`},
		{"one dash", args("-port", "5"), `unknown flag -port for "nexus"; did you mean --port?`},
		{"no value", args("--port"), `flag --port needs a value`},
		{"a flag for a value", args("--home", "--port", "5"), `flag --home needs a value`},
		{"no value for a boolean", args("--auto-prune-on-start"), `flag --auto-prune-on-start needs a value`},
		{"keys are no flags", args("--api-key", "nxs_1"), `unknown flag --api-key for "nexus"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := start{args: tt.args}.load(t)
			if got := nexus.AsError(err); got == nil || got.Msg != tt.want || exitStatus(err) != exitUsage {
				t.Errorf("got %v with status %d, want %q with status 2", err, exitStatus(err), tt.want)
			}
		})
	}
}

func TestConfigBusSettingsGiven(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		start start
		want  bool
	}{
		{"nothing", start{}, false},
		{"file", start{file: "max_inline_bytes = 5\ndb = 'x'"}, false},
		{"flag", start{args: args("--max-inline-bytes", "5")}, true},
		{"flag with the default", start{args: args("--max-inline-bytes", "65536")}, true},
		{"environment", start{env: env("OKTO_NEXUS_TRUST_MODE", "open")}, true},
		{"store", start{env: env("NEXUS_DB_PATH", "/x")}, true},
		{"other settings", start{args: args("--port", "5", "--log-level", "debug"), env: env("NEXUS_API_KEY", "k")}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg, _, err := tt.start.load(t)
			if err != nil {
				t.Fatal(err)
			}
			if got := cfg.BusSettingsGiven(); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestEnsureHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, "a", "b")
	for range 2 {
		if err := ensureHome(home); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(home)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("mode %o, want 700", got)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, filepath.Join(file, "home")} {
		if err := ensureHome(bad); nexus.CodeOf(err) != nexus.ConfigError {
			t.Errorf("home %s: %v, want a CONFIG_ERROR", bad, err)
		}
	}
}

func FuzzConfigFile(f *testing.F) {
	f.Add("port = 1\n[model]\nx = 1\n")
	f.Add("db.x = 1\n'a b'.c = 2\n[[providers]]\n")
	f.Fuzz(func(t *testing.T, data string) {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readConfigFile(file); err != nil && nexus.CodeOf(err) != nexus.ConfigError {
			t.Errorf("%q: %v, want a CONFIG_ERROR", data, err)
		}
	})
}
