package nexus

import (
	"slices"
	"strings"
)

// The scopes of a key. A key may do what one of its scopes names and nothing
// else; [ScopeAdmin] includes reading and writing.
const (
	ScopeRead  = "read"
	ScopeWrite = "write"
	ScopeAdmin = "admin"
	ScopeMCP   = "mcp" // come in at /mcp
	ScopeRPC   = "rpc" // come in over JSON-RPC

	// scopeWorkspace begins a scope that narrows all others to one workspace.
	scopeWorkspace = "workspace:"
)

// Scopes are the scopes of a key: sorted words with a space between them, so
// that they can be compared. None at all is no limit.
type Scopes string

// UsualScopes are those of a key that was made without naming any.
const UsualScopes Scopes = "mcp read rpc write"

// ParseScopes checks and sorts scopes. None are the usual ones.
func ParseScopes(words []string) (Scopes, error) {
	if len(words) == 0 {
		return UsualScopes, nil
	}
	words = slices.Clone(words)
	named := false
	for i, w := range words {
		w = strings.TrimSpace(w)
		words[i] = w
		id, narrows := strings.CutPrefix(w, scopeWorkspace)
		switch {
		case narrows && id != "" && !strings.ContainsAny(id, " \t\r\n"):
		case slices.Contains([]string{ScopeRead, ScopeWrite, ScopeAdmin, ScopeMCP, ScopeRPC}, w):
			named = true
		default:
			return "", Invalid("scopes", "There is no scope %q: use read, write, admin, mcp, rpc or workspace:ID.", shorten(w))
		}
	}
	if !named { // a workspace narrows what there is
		words = append(words, UsualScopes.List()...)
	}
	slices.Sort(words)
	return Scopes(strings.Join(slices.Compact(words), " ")), nil
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// List is every scope by itself.
func (s Scopes) List() []string { return strings.Fields(string(s)) }

// Allow tells whether something that needs a scope may be done.
func (s Scopes) Allow(scope string) bool {
	if s == "" {
		return true
	}
	words := s.List()
	return slices.Contains(words, scope) ||
		(scope == ScopeRead || scope == ScopeWrite) && slices.Contains(words, ScopeAdmin)
}

// Workspaces lists the workspaces that a key is limited to, nil when it is not.
func (s Scopes) Workspaces() []string {
	if !strings.Contains(string(s), scopeWorkspace) {
		return nil
	}
	var ids []string
	for _, w := range s.List() {
		if id, narrows := strings.CutPrefix(w, scopeWorkspace); narrows {
			ids = append(ids, id)
		}
	}
	return ids
}
