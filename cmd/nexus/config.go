package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"nexus"
)

// A Config holds every setting, resolved and checked. See the table in
// settings.go for what each one means.
type Config struct {
	Home         string
	DB           string // an absolute path or a PostgreSQL URL, which may hold a password
	Host         string
	Port         int
	ProjectRoot  string // "" for none
	TrustedHosts []string

	TrustedProxies    []string
	TrustedUserHeader string // "" for none
	TLSCert, TLSKey   string // "" for none
	RatePerKey        int
	RatePerAddress    int
	MaxConnections    int
	MaxWaiters        int

	WebhookAllowPrivate bool
	OTLPEndpoint        string // "" for none

	EmbeddingURL    string // "" for none
	EmbeddingModel  string
	EmbeddingKeyEnv string // "" for none

	LogLevel string
	NoBanner bool
	APIKey   string // "" for none; never print it

	BusyTimeoutMS                   int
	PollIntervalMS                  int
	MaxWaitTimeoutSeconds           int
	HandoffLeaseTTLSeconds          int
	MaxInlineBytes                  int
	InboxLeaseTTLSeconds            int
	SessionStaleTTLSeconds          int
	PresenceTTLSeconds              int
	SessionReapSeconds              int
	MaxSharedMDEvents               int
	MaxEventLimit                   int
	TrustMode                       string
	RetentionEventsKeepDays         int
	RetentionReadDeliveriesKeepDays int
	RetentionClosedSessionsKeepDays int
	AutoPruneOnStart                bool
	InboxReadReceipts               bool

	MaxOutbox             int
	MaxMessageChars       int
	MaxSyncItems          int // -1 where it was set to what is no number
	ToolTextIncludeBodies bool
	ToolTextMaxChars      int

	winners map[string]given
}

// An origin is where a value came from; the later ones win.
type origin int

const (
	fromDefault origin = iota
	fromStore
	fromFile
	fromEnv
	fromFlag
)

// A given is one value for a setting, as somebody wrote it.
type given struct {
	origin origin
	where  string // the file, variable or flag
	line   int    // in the file
	text   string
	wrong  bool // of a type in the file that the setting cannot have
}

func (g given) String() string {
	switch g.origin {
	case fromStore:
		return "stored"
	case fromFile:
		return "file " + g.where
	case fromEnv:
		return "env " + g.where
	case fromFlag:
		return "flag " + g.where
	}
	return "default"
}

// Source tells where the value of a setting came from: "default", "stored", "file PATH",
// "env NAME" or "flag --name".
func (c *Config) Source(key string) string {
	return c.winners[key].String()
}

// Path is the configuration file, whether it exists or not.
func (c *Config) Path() string {
	return filepath.Join(c.Home, "config.toml")
}

// BusSettingsGiven tells whether flags or environment of this very process
// change the bus or name a store. Then its calls must not be answered by a hub
// that was started with other settings.
func (c *Config) BusSettingsGiven() bool {
	return slices.ContainsFunc(settings, func(s setting) bool {
		return (s.bus || s.key == "db") && c.winners[s.key].origin >= fromEnv
	})
}

// Value is a setting as it may be printed: no passwords, no keys.
func (c *Config) Value(s setting) any {
	switch p := s.field(c).(type) {
	case *int:
		return *p
	case *bool:
		return *p
	case *[]string:
		return *p
	case *string:
		switch s.kind {
		case kindSecret:
			if *p != "" {
				return "(set)"
			}
		case kindDatabase:
			return withoutPassword(*p)
		default:
			return *p
		}
	}
	return ""
}

// lookup finds a variable of the environment, like [os.LookupEnv].
type lookup func(name string) (value string, ok bool)

// loadConfig resolves every setting: defaults, then the file under home, then
// the environment, then flags. Only the value that wins is checked, so a good
// flag repairs a bad variable; an unknown key in the file is always an error.
func loadConfig(flags map[string]given, env lookup) (*Config, error) {
	r := resolver{flags: flags, env: env, config: &Config{winners: map[string]given{}}}
	if err := r.resolve(settings[0]); err != nil {
		return nil, err
	}
	file, err := readConfigFile(r.config.Path())
	if err != nil {
		return nil, err
	}
	r.file = file
	for _, s := range settings[1:] {
		if err := r.resolve(s); err != nil {
			return nil, err
		}
	}
	return r.config, nil
}

// homeOnly resolves nothing but the home directory.
func homeOnly(flags map[string]given, env lookup) (*Config, error) {
	r := resolver{flags: flags, env: env, config: &Config{winners: map[string]given{}}}
	return r.config, r.resolve(settings[0])
}

// A resolver picks one value for each setting.
type resolver struct {
	flags  map[string]given
	env    lookup
	file   map[string]given
	config *Config
}

func (r resolver) resolve(s setting) error {
	g := r.pick(s)
	r.config.winners[s.key] = g
	if g.origin == fromDefault && g.text == "" {
		r.clear(s)
		return nil
	}
	if g.wrong {
		return badValue(s, g)
	}
	return r.assign(s, g)
}

// pick finds the strongest value for s without looking at what it says.
func (r resolver) pick(s setting) given {
	if g, ok := r.flags[s.key]; ok {
		return g
	}
	for _, name := range s.variables() {
		v, ok := r.env(name)
		if ok && (v != "" || !s.emptyIsUnset()) {
			return given{origin: fromEnv, where: name, text: v}
		}
	}
	if g, ok := r.file[s.key]; ok {
		return g
	}
	return given{text: strings.ReplaceAll(s.def, "{home}", r.config.Home)}
}

// clear gives a setting that has no default its empty value.
func (r resolver) clear(s setting) {
	if p, ok := s.field(r.config).(*[]string); ok {
		*p = []string{}
	}
}

// assign checks a value and stores it.
func (r resolver) assign(s setting, g given) error {
	ok := true
	switch p := s.field(r.config).(type) {
	case *int:
		*p, ok = parseInteger(g.text, s.min, s.max)
	case *bool:
		*p, ok = parseBoolean(g.text)
	case *[]string:
		parse := parseHosts
		if s.kind == kindNetworks {
			parse = parseNetworks
		}
		*p, ok = parse(g.text)
	case *string:
		var err error
		if *p, ok, err = r.parseString(s, g); err != nil {
			return err
		}
	}
	if p, late := s.field(r.config).(*int); !ok && late && s.late && g.origin == fromEnv {
		*p = -1
		return nil
	}
	if !ok {
		return badValue(s, g)
	}
	return nil
}

// parseString reads a setting that is a string of some kind.
func (r resolver) parseString(s setting, g given) (value string, ok bool, err error) {
	v := strings.TrimSpace(g.text)
	switch s.kind {
	case kindSecret:
		return v, true, nil
	case kindText:
		return v, isHost(v), nil
	case kindName:
		return v, isName(v), nil
	case kindURL:
		return v, isWebURL(v), nil
	case kindChoice:
		v = strings.ToLower(v)
		v = cmp.Or(s.synonyms[v], v)
		return v, slices.Contains(s.choices, v), nil
	case kindDatabase:
		if strings.Contains(v, "://") {
			return v, isPostgres(v), nil
		}
	}
	if g.text == "" || strings.ContainsRune(g.text, 0) {
		return "", false, nil
	}
	value, err = r.absolute(g)
	return value, true, err
}

// absolute expands ~ and makes a path absolute. A relative path in the file
// starts at the home directory, since the file is read from anywhere; others
// start where the process was started.
func (r resolver) absolute(g given) (string, error) {
	p, err := expandTilde(g.text, r.env)
	if err != nil {
		return "", err
	}
	if g.origin == fromFile && !filepath.IsAbs(p) {
		p = filepath.Join(r.config.Home, p)
	}
	if p, err = filepath.Abs(p); err != nil {
		return "", nexus.Errorf(nexus.ConfigError, "cannot make %q (%s) absolute: %v", g.text, g, err)
	}
	return p, nil
}

// badValue is the error for a value that won and cannot be used.
func badValue(s setting, g given) error {
	shown := g.text
	if s.kind == kindDatabase {
		shown = withoutPassword(shown)
	}
	source := g.String()
	if g.line > 0 {
		source += ", line " + strconv.Itoa(g.line)
	}
	return nexus.Errorf(nexus.ConfigError, "bad value %q for %s (%s): need %s", shorten(shown), s.key, source, s.allowed())
}

// shorten keeps a message readable when somebody pasted a page.
func shorten(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// readConfigFile reads the settings in a configuration file by key. A file
// that does not exist holds none.
func readConfigFile(file string) (map[string]given, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, nexus.Errorf(nexus.ConfigError, "cannot read the configuration file: %v", err)
	}
	var doc map[string]any
	if err := toml.Unmarshal(data, &doc); err != nil {
		return nil, malformed(file, err)
	}
	values := map[string]given{}
	for _, k := range topKeys(data) {
		s, err := fileSetting(file, k)
		if err != nil {
			return nil, err
		}
		if s.key == "" {
			continue
		}
		if earlier, ok := values[s.key]; ok {
			return nil, nexus.Errorf(nexus.ConfigError, "%s, lines %d and %d: %s is set twice; keep one", file, earlier.line, k.line, s.key)
		}
		text, ok := fileText(s.kind, doc[k.name])
		values[s.key] = given{origin: fromFile, where: file, line: k.line, text: text, wrong: !ok}
	}
	return values, nil
}

// malformed is the error for a file that is not TOML.
func malformed(file string, err error) error {
	msg := strings.TrimPrefix(err.Error(), "toml: ")
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := e.Position()
		return nexus.Errorf(nexus.ConfigError, "%s, line %d, column %d: %s", file, line, column, msg)
	}
	return nexus.Errorf(nexus.ConfigError, "%s: %s", file, msg)
}

// A fileKey is a name at the top level of the file.
type fileKey struct {
	name string
	line int
}

// topKeys lists the names at the top level, each where it first occurs. The
// data must be valid.
func topKeys(data []byte) []fileKey {
	var p unstable.Parser
	var keys []fileKey
	inTable := false
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue && inTable || e.Kind == unstable.Comment {
			continue
		}
		inTable = inTable || e.Kind != unstable.KeyValue
		parts := e.Key()
		if !parts.Next() {
			continue
		}
		name := string(parts.Node().Data)
		if !slices.ContainsFunc(keys, func(k fileKey) bool { return k.name == name }) {
			keys = append(keys, fileKey{name, p.Shape(parts.Node().Raw).Start.Line})
		}
	}
	return keys
}

// fileSetting finds the setting a key of the file names, or none for a table
// that belongs to another part of Nexus.
func fileSetting(file string, k fileKey) (setting, error) {
	if slices.Contains(reservedTables, k.name) {
		return setting{}, nil
	}
	s, ok := settingNamed(k.name)
	switch {
	case !ok:
		known := append(settingKeys(setting.inFile), reservedTables...)
		return s, nexus.Errorf(nexus.ConfigError, "unknown key %q in %s, line %d%s", k.name, file, k.line, didYouMean(k.name, known, ""))
	case !s.inFile():
		return s, nexus.Errorf(nexus.ConfigError, "key %q in %s, line %d cannot be set there; use %s", k.name, file, k.line, s.variables()[0])
	}
	return s, nil
}

// fileText is a TOML value as the text a flag would carry, and whether the
// kind of setting may be written that way.
func fileText(k kind, value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), k == kindInteger || k == kindBoolean
	case bool:
		return strconv.FormatBool(v), k == kindBoolean
	case []any:
		return listText(v), (k == kindList || k == kindNetworks) && !slices.ContainsFunc(v, notString)
	}
	return fmt.Sprint(value), false
}

func listText(items []any) string {
	var words []string
	for _, item := range items {
		words = append(words, fmt.Sprint(item))
	}
	return strings.Join(words, ",")
}

func notString(v any) bool {
	_, ok := v.(string)
	return !ok
}

// didYouMean ends a message with the nearest known name, if one is near.
func didYouMean(word string, known []string, prefix string) string {
	if near := nexus.Nearest(word, known); near != "" {
		return "; did you mean " + prefix + near + "?"
	}
	return ""
}

// ensureHome makes the home directory, which is nobody else's business: whoever
// could write there could pass for the hub and be handed keys.
func ensureHome(home string) error {
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return nexus.Errorf(nexus.ConfigError, "cannot create the home directory: %v", err)
	}
	err := os.Mkdir(home, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nexus.Errorf(nexus.ConfigError, "cannot create the home directory: %v", err)
	}
	info, err := os.Stat(home)
	if err != nil {
		return nexus.Errorf(nexus.ConfigError, "cannot use the home directory: %v", err)
	}
	if !info.IsDir() {
		return nexus.Errorf(nexus.ConfigError, "the home directory %s is not a directory", home)
	}
	if info.Mode().Perm()&0o077 != 0 && isHome(home) {
		if err := os.Chmod(home, 0o700); err != nil {
			slog.Warn("the home directory is open to others and cannot be closed", "home", home, "err", err)
		}
	}
	return nil
}

// isHome tells whether a directory is empty or holds what Nexus keeps in a home.
// Any other one, named as home by mistake, keeps its mode.
func isHome(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return slices.Contains([]string{"nexus.db", "config.toml", "nexus.serve.lock", "operator.key"}, e.Name())
	})
}
