package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"nexus"
	"nexus/op"
)

// MCP serves the catalogue as MCP tools, over HTTP and over standard input and
// output. Both go through one implementation of the protocol, which answers
// versions 2024-11-05 to 2026-07-28.
type MCP struct {
	call    Caller
	watcher nexus.Watcher
	version string
	log     *slog.Logger

	profiles map[string]*toolset
	flights  flights
	buffers  sync.Pool
}

// capabilities are what we deliver and nothing else: a client that is promised a
// notification waits for it.
func (m *MCP) capabilities(t *toolset) string {
	resources := `{}`
	if m.announces(t) {
		resources = `{"subscribe":true}`
	}
	return `{"logging":{},"resources":` + resources + `,"tools":{}}`
}

// announces tells whether there is something to subscribe to.
func (m *MCP) announces(t *toolset) bool { return m.watcher != nil && t.byName[inboxCount] != nil }

// NewMCP makes the tools of a catalogue. The watcher tells of new mail; without
// one nothing is announced. The version is the program's.
func NewMCP(c *op.Catalogue, call Caller, w nexus.Watcher, version string, log *slog.Logger) *MCP {
	m := &MCP{call: call, watcher: w, version: version, log: log, profiles: map[string]*toolset{}}
	m.buffers.New = func() any { return new([]byte) }
	entries := sync.OnceValue(func() toolEntries { return writeTools(c, op.ProfileAll) })
	for _, profile := range op.Profiles() {
		t := newToolset(c, profile, version, entries)
		t.discovery = m.discovery(t)
		m.profiles[profile] = t
	}
	return m
}

// An exchange is what the protocol must know about where a message came from.
type exchange struct {
	tools *toolset
	// conn names the connection by which a later message can cancel this one;
	// "" when there is none.
	conn string
	memory
	// waiters caps the calls that wait; nil when somebody else does.
	waiters slots
	// stopping is done when waits must be answered; nil when that never happens.
	stopping context.Context
	// finish lets reads finish although the client is gone.
	finish bool
}

// A memory keeps what outlives a message.
type memory interface {
	// begin opens the session that initialize asked for.
	begin(ctx context.Context, version string) error
	// remember changes the session, if there is one.
	remember(ctx context.Context, change func(*sessionState)) error
	// joined are the names that it has in topics; as the store has them now, if
	// asked to look again.
	joined(ctx context.Context, again bool) []nexus.Membership
}

// A reply is what a message is answered with.
type reply struct {
	body []byte
	code int    // the JSON-RPC error it carries, 0 when it carries a result
	note []byte // a notification to send before it
	// silent means that nobody wants an answer any more.
	silent bool
}

// answer runs one request. The reply is appended to buf, which may be nil.
func (m *MCP) answer(ctx context.Context, x *exchange, r *request, buf []byte) reply {
	if f := r.check(); f != nil {
		return refuse(buf, r.id, f)
	}
	var result []byte
	var f *fault
	switch r.method {
	case "tools/call":
		return m.callTool(ctx, x, r, buf)
	case "tools/list":
		list := x.tools.list
		if r.modern {
			list = x.tools.modernList
		}
		result, f = list(), r.onlyPage()
	case "subscriptions/listen":
		return x.tools.listen(r, buf)
	default:
		result, f = m.result(ctx, x, r)
	}
	if f != nil {
		return refuse(buf, r.id, f)
	}
	buf = slices.Grow(buf, len(result)+len(r.id)+64)
	return reply{body: append(append(openResult(buf, r.id), result...), '}')}
}

// result answers the methods that are seldom called.
func (m *MCP) result(ctx context.Context, x *exchange, r *request) ([]byte, *fault) {
	switch r.method {
	case "initialize":
		return m.initialize(ctx, x, r)
	case "server/discover":
		return x.tools.discovery, nil
	case "ping":
		return []byte(`{}`), nil
	case "resources/list":
		return x.tools.listResult("resources", x.tools.resources.listed, r.modern), r.onlyPage()
	case "resources/templates/list":
		return x.tools.listResult("resourceTemplates", x.tools.templates(), r.modern), r.onlyPage()
	case "prompts/list":
		return x.tools.listResult("prompts", []byte(`[]`), r.modern), r.onlyPage()
	case "resources/read":
		return m.readResource(ctx, x, r)
	case "prompts/get":
		return nil, invalidParams("There is no such prompt.")
	case "logging/setLevel":
		return m.setLevel(ctx, x, r)
	case "resources/subscribe", "resources/unsubscribe":
		return m.subscribe(ctx, x, r)
	}
	return nil, unknownMethod(r.method, "is not known")
}

// notice takes a notification. Those we do not know are none of our business.
func (m *MCP) notice(x *exchange, r *request) {
	if r.method == "notifications/cancelled" {
		m.flights.cancel(x.conn, r.cancels)
	}
}

func (m *MCP) initialize(ctx context.Context, x *exchange, r *request) ([]byte, *fault) {
	version := negotiated(r.wanted)
	if err := x.begin(ctx, version); err != nil {
		return nil, m.notKept(ctx, err)
	}
	b := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"serverInfo":%s,"instructions":`, version, m.capabilities(x.tools), x.tools.identity)
	return append(appendQuoted(b, x.tools.guide), '}'), nil
}

func (m *MCP) discovery(t *toolset) []byte {
	versions, _ := json.Marshal(protocolVersions())
	b := fmt.Appendf(nil, `{%s,"ttlMs":0,"cacheScope":"private","supportedVersions":%s,"capabilities":%s,"instructions":`, t.head, versions, m.capabilities(t))
	return append(appendQuoted(b, t.guide), '}')
}

// listResult is a list that is one page. It is private, since what a key may
// see is the key's business.
func (t *toolset) listResult(name string, items []byte, modern bool) []byte {
	if !modern {
		return fmt.Appendf(nil, `{%q:%s}`, name, items)
	}
	return fmt.Appendf(nil, `{%s,"ttlMs":0,"cacheScope":"private",%q:%s}`, t.head, name, items)
}

func (r *request) onlyPage() *fault {
	if r.cursor != "" {
		return invalidParams("There is no such cursor: the list has one page.")
	}
	return nil
}

func noResource(r *request) *fault {
	code := mcpResourceNotFound
	if r.modern {
		code = mcpInvalidParams
	}
	data := append(appendQuoted([]byte(`{"uri":`), r.uri), '}')
	return &fault{code, "There is no such resource.", data}
}

func (m *MCP) setLevel(ctx context.Context, x *exchange, r *request) ([]byte, *fault) {
	levels := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	if !slices.Contains(levels, r.level) {
		return nil, invalidParams("The level must be one of " + strings.Join(levels, ", ") + ".")
	}
	return m.keep(ctx, x, func(s *sessionState) { s.Level = r.level })
}

func (m *MCP) keep(ctx context.Context, x *exchange, change func(*sessionState)) ([]byte, *fault) {
	if err := x.remember(ctx, change); err != nil {
		return nil, m.notKept(ctx, err)
	}
	return []byte(`{}`), nil
}

func (m *MCP) notKept(ctx context.Context, err error) *fault {
	m.log.ErrorContext(ctx, "an MCP session was not stored", "error", err)
	return &fault{code: mcpInternalError, msg: "The session could not be stored. Try again."}
}

func openResult(b, id []byte) []byte {
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	return append(b, `,"result":`...)
}

// refuse is an error answer. Without an id that can be echoed, the id is null.
func refuse(b, id []byte, f *fault) reply {
	if id == nil {
		id = []byte("null")
	}
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = strconv.AppendInt(append(b, `,"error":{"code":`...), int64(f.code), 10)
	b = appendQuoted(append(b, `,"message":`...), f.msg)
	if f.data != nil {
		b = append(append(b, `,"data":`...), f.data...)
	}
	return reply{body: append(b, `}}`...), code: f.code}
}
