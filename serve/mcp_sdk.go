package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"nexus/op"
)

// sdkHandler answers with the official SDK what our own path does not take. It
// keeps no sessions: those are ours. One server per profile is made when it is
// first needed and serves for ever, since making one costs more than a thousand
// calls.
func (m *MCP) sdkHandler(maxBody int64) http.Handler {
	servers := map[string]func() *sdk.Server{}
	for profile, tools := range m.profiles {
		servers[profile] = sync.OnceValue(func() *sdk.Server { return m.sdkServer(tools) })
	}
	return sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		return servers[profileOf(r)]()
	}, &sdk.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true,
		DisableLocalhostProtection:   true, // the guard stands in front of us
		MaxRequestBodyBytes:          maxBody,
		PropagateRequestCancellation: true,
	})
}

func (m *MCP) sdkServer(t *toolset) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: t.name, Title: t.title, Version: m.version}, &sdk.ServerOptions{
		Instructions: t.guide,
		Capabilities: &sdk.ServerCapabilities{
			Logging:   &sdk.LoggingCapabilities{}, //nolint:staticcheck // older clients may set their level
			Resources: &sdk.ResourceCapabilities{Subscribe: m.announces(t)},
			Tools:     &sdk.ToolCapabilities{},
		},
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	for _, o := range t.ops {
		s.AddTool(sdkTool(o, t.profile), m.sdkCall(o))
	}
	t.resources.addTo(s)
	m.addInboxes(s, t)
	return s
}

func sdkTool(o *op.Op, profile string) *sdk.Tool {
	e := entryFor(o, profile)
	tool := &sdk.Tool{
		Name:        e.Name,
		Title:       e.Title,
		Description: e.Description,
		InputSchema: e.InputSchema,
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint:    e.Annotations.ReadOnly,
			DestructiveHint: e.Annotations.Destructive,
			OpenWorldHint:   &e.Annotations.OpenWorld,
		},
	}
	if e.OutputSchema != nil {
		tool.OutputSchema = e.OutputSchema
	}
	return tool
}

func (m *MCP) sdkCall(o *op.Op) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if o.Effect != op.Read {
			ctx = context.WithoutCancel(ctx)
		}
		parent, _ := req.Params.Meta["traceparent"].(string)
		state, _ := req.Params.Meta["tracestate"].(string)
		a := m.run(inTrace(ctx, parent, state), o, req.Params.Arguments)
		result := &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: cmp.Or(a.Text, string(a.Body))}},
			IsError: a.IsError,
		}
		if isObject(a.Body) {
			result.StructuredContent = json.RawMessage(a.Body)
		}
		return result, nil
	}
}

// ours tells whether our own path answers a request. The SDK gets those whose
// headers and body do not agree, to say so in its own words, and tool calls with
// something about them that we do not read. Calls that wait are always ours: the
// SDK could neither cancel them nor end them when the hub stops.
func (v *visit) ours(r *request) bool {
	switch {
	case v.modern() != r.modern && r.fault == nil:
		return false
	case v.modern() && !v.agrees(r):
		return r.fault != nil
	case r.tool != nil && !r.waits:
		return !r.extra && !r.meta.progress
	}
	return true
}

// agrees tells whether the headers repeat what the body says, as they must
// since 2026-07-28.
func (v *visit) agrees(r *request) bool {
	if r.meta.version != v.version || !r.meta.capabilities || r.meta.badClient || v.r.Header.Get(headerMethod) != r.method {
		return false
	}
	switch r.method {
	case "tools/call", "prompts/get":
		return r.name != "" && headerText(v.r.Header.Get(headerName)) == r.name
	case "resources/read":
		return r.uri != "" && headerText(v.r.Header.Get(headerName)) == r.uri
	}
	return true
}

// headerText undoes the coding of a header value that is not plain ASCII.
func headerText(value string) string {
	if coded, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if coded, ok = strings.CutSuffix(coded, "?="); ok {
			if plain, err := base64.StdEncoding.DecodeString(coded); err == nil {
				return string(plain)
			}
		}
	}
	return value
}

// passOn hands the request to the SDK as it came.
func (v *visit) passOn(body []byte) {
	r := v.r.WithContext(v.context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	if name := r.Header.Get(headerName); headerText(name) != name {
		r.Header = r.Header.Clone()
		r.Header.Set(headerName, headerText(name)) // the SDK takes it only like this
	}
	v.sdk.ServeHTTP(v.w, r)
}
