package serve

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"nexus/op"
)

const guideType = "text/markdown"

// resources are the guides, as bytes that go out as they are.
type resources struct {
	listed []byte            // the entries of the list
	texts  map[string][]byte // the contents, by uri
	guides []op.Guide
}

func newResources(guides []op.Guide) *resources {
	type entry struct {
		URI      string `json:"uri"`
		Name     string `json:"name"`
		Title    string `json:"title"`
		MIMEType string `json:"mimeType"`
	}
	r := &resources{texts: map[string][]byte{}, guides: guides}
	entries := []entry{}
	for _, g := range guides {
		entries = append(entries, entry{g.URI, g.Name, g.Title, guideType})
		contents, _ := op.Marshal([]map[string]string{{"uri": g.URI, "mimeType": guideType, "text": g.Text}}) // strings always marshal
		r.texts[g.URI] = contents
	}
	r.listed, _ = json.Marshal(entries) // likewise
	return r
}

// readResource is the text of a guide, or an inbox.
func (m *MCP) readResource(ctx context.Context, x *exchange, r *request) ([]byte, *fault) {
	contents, found := x.tools.resources.texts[r.uri]
	if _, inbox := inboxOwner(r.uri); inbox && x.tools.byName[inboxCount] != nil {
		var f *fault
		if contents, f = m.inboxContents(ctx, x.tools, r.uri); f != nil {
			return nil, f
		}
		found = true
	}
	switch {
	case !found:
		return nil, noResource(r)
	case r.modern:
		return fmt.Appendf(nil, `{%s,"ttlMs":0,"cacheScope":"private","contents":%s}`, x.tools.head, contents), nil
	}
	return fmt.Appendf(nil, `{"contents":%s}`, contents), nil
}

// addTo gives the SDK's server the same resources.
func (r *resources) addTo(server *sdk.Server) {
	for _, g := range r.guides {
		server.AddResource(&sdk.Resource{URI: g.URI, Name: g.Name, Title: g.Title, MIMEType: guideType},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: g.URI, MIMEType: guideType, Text: g.Text}}}, nil
			})
	}
}
