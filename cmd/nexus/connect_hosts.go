package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"nexus"
)

// A host is a program that connects to MCP servers, with the way it writes them
// down.
type host struct {
	id      string
	title   string
	files   func(u userDirs) []string // where its user's file may be, the usual place first
	project string                    // where a project's file is, seen from the project; "" for none
	format  format
	at      []string // which object of the file holds the entries
	fields  func(entry) object
	// stdioOnly is a host that starts servers and connects to none.
	stdioOnly bool
	// next says what makes the host notice.
	next string
}

// userDirs are the places that hosts keep their files in.
type userDirs struct {
	home   string
	config string // ~/.config, or what stands for it
	env    lookup
}

// hosts is the table. Each row follows the host's own documentation.
var hosts = []host{
	{
		id: "claude-code", title: "Claude Code", format: jsonFile{}, at: []string{"mcpServers"}, project: ".mcp.json",
		files: func(u userDirs) []string {
			return []string{filepath.Join(u.or("CLAUDE_CONFIG_DIR", u.home), ".claude.json")}
		},
		fields: typed("stdio", "http"),
		next:   "Start claude anew, or say /mcp in it.",
	},
	{
		id: "claude-desktop", title: "Claude Desktop", format: jsonFile{}, at: []string{"mcpServers"}, stdioOnly: true,
		files: func(u userDirs) []string {
			return []string{filepath.Join(u.config, "Claude", "claude_desktop_config.json")}
		},
		fields: plainFields("url"),
		next:   "Quit Claude Desktop altogether and start it again.",
	},
	{
		id: "codex", title: "Codex", format: tomlFile{}, at: []string{"mcp_servers"}, project: ".codex/config.toml",
		files: func(u userDirs) []string {
			return []string{filepath.Join(u.or("CODEX_HOME", filepath.Join(u.home, ".codex")), "config.toml")}
		},
		fields: codexFields,
		next:   "Start codex anew; /mcp in it lists the servers.",
	},
	{
		id: "cursor", title: "Cursor", format: jsonFile{}, at: []string{"mcpServers"}, project: ".cursor/mcp.json",
		files:  func(u userDirs) []string { return []string{filepath.Join(u.home, ".cursor", "mcp.json")} },
		fields: plainFields("url"),
		next:   "Switch the server on in Cursor's settings, under MCP.",
	},
	{
		id: "vscode", title: "VS Code", format: jsonFile{}, at: []string{"servers"}, project: ".vscode/mcp.json",
		files:  func(u userDirs) []string { return []string{filepath.Join(u.config, "Code", "User", "mcp.json")} },
		fields: typed("stdio", "http"),
		next:   "Run MCP: List Servers in VS Code and start it there.",
	},
	{
		id: "windsurf", title: "Windsurf", format: jsonFile{}, at: []string{"mcpServers"},
		files: func(u userDirs) []string {
			return []string{filepath.Join(u.home, ".codeium", "windsurf", "mcp_config.json")}
		},
		fields: plainFields("serverUrl"),
		next:   "Refresh the list of MCP servers in Windsurf.",
	},
	{
		id: "devin", title: "Devin Desktop", format: jsonFile{}, at: []string{"mcpServers"}, project: ".devin/mcp_config.json",
		files:  func(u userDirs) []string { return []string{filepath.Join(u.xdg(), "devin", "mcp_config.json")} },
		fields: plainFields("url"),
		next:   "Open the list of MCP servers in Devin Desktop, which Windsurf is called now.",
	},
	{
		id: "gemini", title: "Gemini CLI", format: jsonFile{}, at: []string{"mcpServers"}, project: ".gemini/settings.json",
		files:  func(u userDirs) []string { return []string{filepath.Join(u.home, ".gemini", "settings.json")} },
		fields: plainFields("httpUrl"),
		next:   "Start gemini anew; /mcp in it lists the servers.",
	},
	{
		id: "zed", title: "Zed", format: jsonFile{}, at: []string{"context_servers"}, project: ".zed/settings.json",
		files:  func(u userDirs) []string { return []string{filepath.Join(u.xdg(), "zed", "settings.json")} },
		fields: plainFields("url"),
		next:   "Zed notices by itself; the settings of its agent show the server.",
	},
	{
		id: "opencode", title: "opencode", format: jsonFile{}, at: []string{"mcp"}, project: "opencode.json",
		files: func(u userDirs) []string {
			dir := filepath.Join(u.dotConfig(), "opencode")
			return []string{filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc")}
		},
		fields: opencodeFields,
		next:   "Start opencode anew; opencode mcp list shows the server.",
	},
	{
		id: "cline", title: "Cline", format: jsonFile{}, at: []string{"mcpServers"},
		files: func(u userDirs) []string {
			if file, _ := u.env("CLINE_MCP_SETTINGS_PATH"); file != "" {
				return []string{file}
			}
			return []string{
				filepath.Join(u.config, "Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json"),
				filepath.Join(u.home, ".cline", "data", "settings", "cline_mcp_settings.json"),
			}
		},
		fields: typed("stdio", "streamableHttp"),
		next:   "Cline notices by itself; its list of MCP servers shows it.",
	},
	{
		id: "generic", title: "Any other host", format: jsonFile{}, at: []string{"mcpServers"},
		files:  func(userDirs) []string { return nil },
		fields: typed("stdio", "http"),
		next:   "Put it where your host keeps its MCP servers, and start the host anew.",
	},
}

func hostNamed(id string) (host, error) {
	i := slices.IndexFunc(hosts, func(h host) bool { return h.id == id })
	if i < 0 {
		return host{}, usageErrorf("unknown host %q%s; nexus connect lists them", shorten(id), didYouMean(id, hostIDs(), ""))
	}
	return hosts[i], nil
}

func hostIDs() (ids []string) {
	for _, h := range hosts {
		ids = append(ids, h.id)
	}
	return ids
}

// typed is an entry that says which kind it is.
func typed(stdio, http string) func(entry) object {
	return func(e entry) object {
		kind := stdio
		if e.URL != "" {
			kind = http
		}
		return append(object{{"type", kind}}, plainFields("url")(e)...)
	}
}

// plainFields is an entry as most hosts want it; they differ in what they call
// the address.
func plainFields(url string) func(entry) object {
	return func(e entry) object {
		if e.URL != "" {
			return object{{url, e.URL}, {"headers", words(e.Headers)}}
		}
		fields := object{{"command", e.Command}, {"args", e.Args}}
		if len(e.Env) > 0 {
			fields = append(fields, member{"env", words(e.Env)})
		}
		return fields
	}
}

func codexFields(e entry) object {
	if e.URL != "" {
		return object{{"url", e.URL}, {"http_headers", words(e.Headers)}}
	}
	return plainFields("url")(e)
}

// opencodeFields leaves "enabled" out: it is the default of one version of
// opencode, and unknown to the next.
func opencodeFields(e entry) object {
	if e.URL != "" {
		return object{{"type", "remote"}, {"url", e.URL}, {"headers", words(e.Headers)}}
	}
	fields := object{{"type", "local"}, {"command", append([]string{e.Command}, e.Args...)}}
	if len(e.Env) > 0 {
		fields = append(fields, member{"environment", words(e.Env)})
	}
	return fields
}

// ownFields are what an entry may be made of in any host. One of them that the
// entry at hand does not need, such as the command beside an address, goes.
var ownFields = []string{
	"type", "transport", "command", "args", "env", "environment",
	"url", "httpUrl", "serverUrl", "headers", "http_headers", "bearer_token_env_var", "env_http_headers",
}

// entriesAt is the object that holds the entries of a file. The second version of
// opencode keeps them one level deeper, and reads those of the first.
func (h host) entriesAt(doc map[string]any) []string {
	if h.id != "opencode" {
		return h.at
	}
	servers, ok := lookUp(doc, []string{"mcp", "servers"}).(map[string]any)
	if _, isServer := servers["type"].(string); ok && !isServer {
		return []string{"mcp", "servers"}
	}
	return h.at
}

func newUserDirs(env lookup) (userDirs, error) {
	home, err := userDirectory(env)
	if err != nil {
		return userDirs{}, nexus.Errorf(nexus.ConfigError, "cannot find your home directory: %v; set HOME", err)
	}
	return userDirsIn(home, env), nil
}

// userDirsIn are the places under a home directory.
func userDirsIn(home string, env lookup) userDirs {
	u := userDirs{home: home, env: env}
	switch runtime.GOOS {
	case "darwin":
		u.config = filepath.Join(home, "Library", "Application Support")
	case "windows":
		u.config = u.or("APPDATA", filepath.Join(home, "AppData", "Roaming"))
	default:
		u.config = u.dotConfig()
	}
	return u
}

// or is the directory that a variable names, or another.
func (u userDirs) or(variable, other string) string {
	if dir, _ := u.env(variable); dir != "" {
		return dir
	}
	return other
}

// dotConfig is for hosts that go by the XDG rules on every system, xdg for those
// that do so except on Windows.
func (u userDirs) dotConfig() string {
	return u.or("XDG_CONFIG_HOME", filepath.Join(u.home, ".config"))
}

func (u userDirs) xdg() string {
	if runtime.GOOS == "windows" {
		return u.config
	}
	return u.dotConfig()
}

// userFile is the file of the user: the first that exists, else the first whose
// directory does, else where it usually is.
func (h host) userFile(u userDirs) string {
	files := h.files(u)
	if len(files) == 0 {
		return ""
	}
	for _, exists := range []func(file string) bool{
		pathExists,
		func(file string) bool { return pathExists(filepath.Dir(file)) },
	} {
		if i := slices.IndexFunc(files, exists); i >= 0 {
			return files[i]
		}
	}
	return files[0]
}

// projectFile is the file of a project. A file that may end in one letter more,
// with comments in it, is taken where it exists.
func (h host) projectFile(dir string) string {
	file := filepath.Join(dir, filepath.FromSlash(h.project))
	if strings.HasSuffix(file, "opencode.json") && !pathExists(file) && pathExists(file+"c") {
		return file + "c"
	}
	return file
}

func pathExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
