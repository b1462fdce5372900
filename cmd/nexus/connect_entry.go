package main

import (
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"nexus"
	"nexus/client"
	"nexus/op"
)

// An entry is how a host reaches Nexus, whatever its file calls the parts: a
// command that it starts, or an address.
type entry struct {
	Command string
	Args    []string
	Env     map[string]string

	URL     string
	Headers map[string]string
}

// apiKeyVariable binds a stdio process to the agent whose key it holds.
const apiKeyVariable = "NEXUS_API_KEY"

// readEntry understands the entry of any host.
func readEntry(fields map[string]any) (e entry, ok bool) {
	e.Env, e.Headers = map[string]string{}, map[string]string{}
	switch command := fields["command"].(type) {
	case string:
		e.Command, e.Args = command, texts(fields["args"])
	case []any:
		if all := texts(command); len(all) > 0 {
			e.Command, e.Args = all[0], all[1:]
		}
	}
	for _, name := range []string{"url", "httpUrl", "serverUrl"} {
		if address, ok := fields[name].(string); ok && e.Command == "" {
			e.URL = address
		}
	}
	for _, name := range []string{"env", "environment"} {
		maps.Copy(e.Env, textMap(fields[name]))
	}
	for _, name := range []string{"headers", "http_headers"} {
		maps.Copy(e.Headers, textMap(fields[name]))
	}
	return e, e.Command != "" || e.URL != ""
}

func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func textMap(v any) map[string]string {
	out := map[string]string{}
	m, _ := v.(map[string]any)
	for name, value := range m {
		if s, ok := value.(string); ok {
			out[name] = s
		}
	}
	return out
}

// key is the key that an entry holds, "" for none.
func (e entry) key() string {
	if e.Command != "" {
		return e.Env[apiKeyVariable]
	}
	for name, value := range e.Headers {
		switch strings.ToLower(name) {
		case "authorization":
			if key, ok := strings.CutPrefix(value, "Bearer "); ok {
				return strings.TrimSpace(key)
			}
		case "x-api-key":
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// withKey is the entry with another key.
func (e entry) withKey(key string) entry {
	if e.URL != "" {
		e.Headers = withText(e.Headers, "Authorization", "Bearer "+key)
	} else {
		e.Env = withText(e.Env, apiKeyVariable, key)
	}
	return e
}

func withText(m map[string]string, name, value string) map[string]string {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]string{}
	}
	m[name] = value
	return m
}

// over adds what somebody wrote into the entry that was there: variables, with
// the key of a process that has no other, and headers that are not ours.
func (e entry) over(old entry) entry {
	for name, value := range old.Env {
		if e.Command != "" && name != "NEXUS_HOME" && name != "NEXUS_DB" && e.Env[name] == "" {
			e.Env = withText(e.Env, name, value)
		}
	}
	for name, value := range old.Headers {
		if lower := strings.ToLower(name); e.URL != "" && lower != "authorization" && lower != "x-api-key" {
			e.Headers = withText(e.Headers, name, value)
		}
	}
	return e
}

// stdioEntry starts this very program, on this home and this store.
func (a *app) stdioEntry(cfg *Config, profile string) (entry, error) {
	command, err := ownPath()
	if err != nil {
		return entry{}, err
	}
	e := entry{Command: command, Args: []string{"mcp"}}
	if profile != op.ProfileAll {
		e.Args = append(e.Args, "--profile", profile)
	}
	usual, err := homeOnly(nil, a.userOnly)
	if err != nil {
		return entry{}, err
	}
	if cfg.Home != usual.Home {
		e.Args = append(e.Args, "--home", cfg.Home)
	}
	home := map[string]given{"home": {origin: fromFlag, where: "--home", text: cfg.Home}}
	switch plain, err := loadConfig(home, a.userOnly); {
	case err == nil && plain.DB == cfg.DB:
	case isPostgres(cfg.DB):
		e.Env = map[string]string{"NEXUS_DB": cfg.DB} // arguments are there for everybody to see
	default:
		e.Args = append(e.Args, "--db", cfg.DB)
	}
	return e, nil
}

// userOnly is the environment that a host can be counted on to pass on.
func (a *app) userOnly(name string) (string, bool) {
	if strings.HasPrefix(name, "NEXUS_") || strings.HasPrefix(name, "OKTO_NEXUS_") {
		return "", false
	}
	return a.env(name)
}

// ownPath is where this program is: the name it was started under, if that is a
// link to it, since links outlive what they point to.
func ownPath() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", nexus.Errorf(nexus.ConfigError, "cannot find out where this program is: %v", err)
	}
	real, err := filepath.EvalSymlinks(exe)
	if err != nil {
		return exe, nil //nolint:nilerr // the name is all we have
	}
	if found, err := exec.LookPath(os.Args[0]); err == nil {
		if found, err = filepath.Abs(found); err == nil {
			if target, err := filepath.EvalSymlinks(found); err == nil && target == real {
				return found, nil
			}
		}
	}
	return exe, nil
}

// httpEntry is the address of a hub, without its key.
func httpEntry(cfg *Config, address, profile string) (entry, error) {
	if address == "" {
		var err error
		if address, err = hubAddress(cfg); err != nil {
			return entry{}, err
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return entry{}, nexus.Errorf(nexus.ConfigError, "bad value %q for flag --url: need an address such as http://127.0.0.1:8202", shorten(address))
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/mcp"
	}
	if profile != op.ProfileAll {
		q := u.Query()
		q.Set("profile", profile)
		u.RawQuery = q.Encode()
	}
	return entry{URL: u.String()}, nil
}

// hubAddress is where the hub of the home is, or will be.
func hubAddress(cfg *Config) (string, error) {
	if info, err := client.ReadHubInfo(cfg.Home); err == nil && processAlive(info.PID) {
		return reachable(info.Addresses.MCP), nil
	}
	if cfg.Port == 0 {
		return "", nexus.Errorf(nexus.ConfigError, "the hub takes any free port and does not run: start it with nexus serve, or give its address with --url")
	}
	return reachable("http://" + net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port)) + "/mcp"), nil
}

// reachable names this machine where a hub listens on all its addresses.
func reachable(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	}
	return u.String()
}
