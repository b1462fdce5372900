package serve

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"nexus/op"
)

// The versions of MCP. Up to 2025-11-25 a client opens a session with
// initialize; 2026-07-28 has no sessions and every request says its version.
const (
	version20250326 = "2025-03-26" // what a request without a version header speaks
	version20250618 = "2025-06-18" // since then there are no batches
	version20251125 = "2025-11-25"
	version20260728 = "2026-07-28"
)

// protocolVersions lists what we speak, newest first.
func protocolVersions() []string {
	return []string{version20260728, version20251125, version20250618, version20250326, "2024-11-05"}
}

func knownVersion(v string) bool { return slices.Contains(protocolVersions(), v) }

// negotiated is the version of a session whose client asked for v.
func negotiated(v string) string {
	if v < version20260728 && knownVersion(v) {
		return v
	}
	return version20251125
}

// A request is a message with its params read and its tool found.
type request struct {
	message
	fault *fault

	name      string
	arguments json.RawMessage
	cursor    string
	uri       string
	level     string
	wanted    string   // the protocolVersion that initialize asks for
	cancels   []byte   // the id that notifications/cancelled names
	listens   []string // the resources that subscriptions/listen names
	meta      requestMeta

	modern bool // it speaks 2026-07-28 or later
	tool   *op.Op
	// waits tells that the call may wait, for at most the time in wait; zero
	// means that the operation's own default counts.
	waits bool
	wait  time.Duration
}

// requestMeta is what _meta says, as far as it concerns us.
type requestMeta struct {
	version      string
	capabilities bool // the client's capabilities are there
	badClient    bool // clientInfo is there and no object
	progress     bool
	traceparent  string
	tracestate   string
}

// read makes a request of a message that is valid JSON.
func (t *toolset) read(raw []byte) *request {
	r := &request{}
	r.message, r.fault = parseMessage(bytes.TrimSpace(raw))
	r.readParams()
	r.modern = r.kind == requestMessage && r.meta.version >= version20260728
	if r.method == "tools/call" {
		if r.tool = t.byName[r.name]; r.tool != nil {
			r.waits, r.wait = r.tool.Waits(r.arguments)
		}
	}
	return r
}

func (r *request) readParams() {
	if len(r.params) == 0 {
		return
	}
	for key, value := range members(r.params) {
		switch string(key) {
		case "name":
			r.name = unquoted(value)
		case "arguments":
			r.arguments = value
		case "cursor":
			r.cursor = unquoted(value)
		case "uri":
			r.uri = unquoted(value)
		case "level":
			r.level = unquoted(value)
		case "protocolVersion":
			r.wanted = unquoted(value)
		case "requestId":
			r.cancels = value
		case "notifications":
			r.listens = readListens(value)
		case "_meta":
			r.meta = readMeta(value)
		}
	}
}

func readListens(raw []byte) []string {
	var wanted struct {
		Resources []string `json:"resourceSubscriptions"`
	}
	_ = json.Unmarshal(raw, &wanted) // what is not understood is not granted
	return wanted.Resources
}

func readMeta(raw []byte) requestMeta {
	var m requestMeta
	if raw[0] != '{' {
		return m
	}
	const ours = "io.modelcontextprotocol/"
	for key, value := range members(raw) {
		switch string(key) {
		case ours + "protocolVersion":
			m.version = unquoted(value)
		case ours + "clientCapabilities":
			m.capabilities = value[0] == '{'
		case ours + "clientInfo":
			m.badClient = value[0] != '{'
		case "progressToken":
			m.progress = true
		case "traceparent":
			m.traceparent = unquoted(value)
		case "tracestate":
			m.tracestate = unquoted(value)
		}
	}
	return m
}

// unanswered tells whether it is a notification, or a response, which has no
// answer.
func (r *request) unanswered() bool { return r.kind != requestMessage && r.fault == nil }

// check finds what makes a request unanswerable whatever its method does.
func (r *request) check() *fault {
	switch {
	case r.fault != nil:
		return r.fault
	case !r.modern && (r.method == "server/discover" || r.method == "subscriptions/listen"):
		return unknownMethod(r.method, "is only there since "+version20260728)
	case !r.modern:
		return nil
	case !knownVersion(r.meta.version):
		data, _ := json.Marshal(map[string]any{"supported": protocolVersions(), "requested": r.meta.version})
		return &fault{mcpBadVersion, "This protocol version is not supported.", data}
	case !r.meta.capabilities:
		return invalidParams("_meta lacks io.modelcontextprotocol/clientCapabilities.")
	case r.meta.badClient:
		return invalidParams("io.modelcontextprotocol/clientInfo in _meta must be an object.")
	}
	switch r.method {
	case "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return unknownMethod(r.method, "is gone since "+version20260728)
	}
	return nil
}

func invalidParams(msg string) *fault { return &fault{code: mcpInvalidParams, msg: msg} }

func unknownMethod(method, why string) *fault {
	if len(method) > 128 {
		method = "…" // nothing that long is worth repeating
	}
	return &fault{code: mcpMethodNotFound, msg: "Method " + strconv.Quote(method) + " " + why + "."}
}
