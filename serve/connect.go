package serve

import (
	"net/http"

	"nexus"
)

// KeyPlaceholder stands in a [ConnectSnippet] where a key belongs.
const KeyPlaceholder = "{{api_key}}"

// A ConnectSnippet is how one MCP host is connected to the hub.
type ConnectSnippet struct {
	ID        string  `json:"id"`
	Title     string  `json:"title"`
	File      *string `json:"file"`   // null where only the host knows
	Format    string  `json:"format"` // json or toml
	Transport string  `json:"transport"`
	Snippet   string  `json:"snippet"`
	// Command is what writes the snippet into the file, null where nothing can.
	Command *string `json:"command"`
	Next    string  `json:"next"`
}

// serveConnect tells how MCP hosts are connected to the hub at the address under
// which it was called.
func (s *Server) serveConnect(w http.ResponseWriter, r *http.Request) {
	if s.deps.Connect == nil {
		s.fail(w, r, noSuchPath(r))
		return
	}
	if err := nexus.ActorFrom(r.Context()).Needs(nexus.ScopeRead, "this"); err != nil {
		s.fail(w, r, err)
		return
	}
	all, err := s.deps.Connect(s.address(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeData(w, map[string]any{"items": all, "next_cursor": nil, "key_placeholder": KeyPlaceholder})
}

func describeConnect() doc {
	snippet := record(doc{
		"id": typed("string"), "title": typed("string"), "file": typed("string", "null"), "format": doc{"type": "string", "enum": []string{"json", "toml"}},
		"transport": doc{"type": "string", "enum": []string{"stdio", "http"}}, "snippet": typed("string"), "command": typed("string", "null"), "next": typed("string"),
	})
	d := hubPath("connect", "How MCP hosts are connected", answers(record(doc{
		"items": doc{"type": "array", "items": snippet}, "next_cursor": typed("string", "null"), "key_placeholder": typed("string"),
	}), http.StatusNotFound))
	d["get"].(doc)["description"] = "For every host that nexus connect knows, the entry for its file, with the hub's address as it was called and a placeholder for the key."
	return d
}
