package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"nexus"
	"nexus/op"
)

// The inboxes are the resources that change, so they are what a client may
// subscribe to. What is in one is told by the operation that counts.
const (
	inboxURI   = "nexus://inbox/"
	inboxType  = "application/json"
	inboxCount = "inbox_count"

	inboxTitle       = "Your mail in numbers"
	inboxDescription = "How many messages are unread, in flight and read. Subscribe to be told when there is new mail."
	inboxTemplate    = `[{"uriTemplate":"` + inboxURI + `{agent_id}","name":"inbox","title":"` + inboxTitle +
		`","description":"` + inboxDescription + `","mimeType":"` + inboxType + `"}]`
)

// inboxOwner is the agent whose inbox a uri names.
func inboxOwner(uri string) (agent string, ok bool) {
	rest, ok := strings.CutPrefix(uri, inboxURI)
	if !ok {
		return "", false
	}
	agent, err := url.PathUnescape(rest)
	return agent, err == nil && agent != "" && !strings.Contains(rest, "/")
}

// templates lists the resources that are there for every agent.
func (t *toolset) templates() []byte {
	if t.byName[inboxCount] == nil {
		return []byte(`[]`)
	}
	return []byte(inboxTemplate)
}

// readInbox is what an inbox holds, in numbers. Whether the caller may know is
// the operation's business.
func (m *MCP) readInbox(ctx context.Context, t *toolset, uri string) (counts []byte, f *fault) {
	agent, ok := inboxOwner(uri)
	count := t.byName[inboxCount]
	if !ok || count == nil {
		return nil, &fault{code: mcpResourceNotFound, msg: "There is no such resource."}
	}
	arguments, _ := op.Marshal(map[string]string{"agent_id": agent}) // text always marshals
	a := m.run(ctx, count, arguments)
	var said struct {
		Data  json.RawMessage `json:"data"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(a.Body, &said); err != nil {
		return nil, &fault{code: mcpInternalError, msg: "The inbox could not be read."}
	}
	if a.Code != "" {
		return nil, &fault{code: rpcCode(a.Code), msg: string(a.Code) + ": " + said.Error.Message}
	}
	return said.Data, nil
}

// inboxContents is an inbox as resources/read answers it.
func (m *MCP) inboxContents(ctx context.Context, t *toolset, uri string) ([]byte, *fault) {
	counts, f := m.readInbox(ctx, t, uri)
	if f != nil {
		return nil, f
	}
	b, _ := op.Marshal([]map[string]string{{"uri": uri, "mimeType": inboxType, "text": string(counts)}}) // text always marshals
	return b, nil
}

// addInboxes gives the SDK's server the same resources.
func (m *MCP) addInboxes(server *sdk.Server, t *toolset) {
	if t.byName[inboxCount] == nil {
		return
	}
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: inboxURI + "{agent_id}", Name: "inbox", Title: inboxTitle, Description: inboxDescription, MIMEType: inboxType,
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		counts, f := m.readInbox(ctx, t, r.Params.URI)
		if f != nil {
			return nil, sdk.ResourceNotFoundError(r.Params.URI)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: inboxType, Text: string(counts)}}}, nil
	})
}

// subscribe keeps in the session what a client wants to be told of. It must be
// there, and the client's to read; a guide never changes.
func (m *MCP) subscribe(ctx context.Context, x *exchange, r *request) ([]byte, *fault) {
	if r.uri == "" {
		return nil, invalidParams("The uri is missing.")
	}
	on := r.method == "resources/subscribe"
	if _, guide := x.tools.resources.texts[r.uri]; on && !guide {
		if _, inbox := inboxOwner(r.uri); !inbox {
			return nil, noResource(r)
		}
		if _, f := m.readInbox(ctx, x.tools, r.uri); f != nil {
			return nil, f
		}
	}
	return m.keep(ctx, x, func(s *sessionState) { s.subscribe(r.uri, on) })
}

// A mailbell tells one client of the inboxes it subscribed to. It belongs to one
// goroutine.
type mailbell struct {
	mcp   *MCP
	tools *toolset
	// subscription is the id of the request that asked, nil where a session did.
	subscription []byte
	// ready has a value when it is time to look. Without anything to watch it is
	// nil.
	ready <-chan struct{}

	also []string          // keys to watch besides those of the inboxes
	keys []string          // what is watched
	stop func()            // ends the watch
	seen map[string]string // what each inbox held when it was last looked at, by uri
	// failed says that the last look was not whole, and must be made again
	// although nothing wakes it.
	failed bool
}

func (m *MCP) newBell(t *toolset, also ...string) *mailbell {
	return &mailbell{mcp: m, tools: t, also: also, stop: func() {}, seen: map[string]string{}}
}

// watch makes it the bell of these inboxes, and of no others. Look after that:
// what came before is told by no wake-up.
func (b *mailbell) watch(uris []string) {
	keys := slices.Clone(b.also)
	wanted := map[string]string{}
	for _, uri := range uris {
		if agent, ok := inboxOwner(uri); ok && b.mcp.watcher != nil {
			keys = append(keys, nexus.InboxKey(agent))
			wanted[uri] = b.seen[uri]
		}
	}
	b.seen = wanted
	if slices.Equal(keys, b.keys) {
		return
	}
	old := b.stop
	b.keys, b.ready, b.stop = keys, nil, func() {}
	if len(keys) > 0 {
		b.ready, b.stop = b.mcp.watcher.Watch(keys...)
	}
	old()
}

func (b *mailbell) close() { b.stop() }

// look returns a notification for each inbox that has changed since it was last
// looked at. An inbox that is looked at for the first time has changed if there
// is mail in it, which may have come while nobody listened.
//
// A wake-up is only a hint, and every few seconds there is one for no reason:
// hence the comparison.
func (b *mailbell) look(ctx context.Context) (notes [][]byte) {
	b.failed = false
	for uri, before := range b.seen {
		counts, f := b.mcp.readInbox(ctx, b.tools, uri)
		b.failed = b.failed || f != nil
		if f != nil || string(counts) == before {
			continue
		}
		b.seen[uri] = string(counts)
		if before != "" || hasMail(counts) {
			notes = append(notes, b.note(uri))
		}
	}
	return notes
}

func hasMail(counts []byte) bool {
	var c struct {
		Unread int `json:"unread"`
	}
	return json.Unmarshal(counts, &c) == nil && c.Unread > 0
}

func (b *mailbell) note(uri string) []byte {
	meta := ""
	if b.subscription != nil {
		meta = fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/subscriptionId":%s},`, b.subscription)
	}
	note := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{%s"uri":`, meta)
	return append(appendQuoted(note, uri), `}}`...)
}
