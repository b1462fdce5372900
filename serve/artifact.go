package serve

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"nexus/bus"
)

// Artifacts opens what agents show to others.
type Artifacts interface {
	OpenArtifact(ctx context.Context, id string) (*bus.OpenedArtifact, error)
}

// serveArtifact sends the bytes of an artifact. An agent wrote them and a person's
// browser gets them, so they come as pictures, as plain text or as a file to keep,
// and never as something that a browser runs.
func (s *Server) serveArtifact(w http.ResponseWriter, r *http.Request) {
	if s.deps.Artifacts == nil {
		s.fail(w, r, noSuchPath(r))
		return
	}
	a, err := s.deps.Artifacts.OpenArtifact(r.Context(), r.PathValue("artifact_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer func() { _ = a.Close() }()
	h := w.Header()
	h.Set("Content-Type", a.MediaType)
	h.Set("Content-Disposition", disposition(a))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeContent(w, r, "", a.ModTime, a)
}

// disposition says whether a browser may show an artifact, and what it calls a
// file of it.
func disposition(a *bus.OpenedArtifact) string {
	how := "inline"
	if a.MediaType == bus.TypeBytes {
		how = "attachment"
	}
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, a.Name)
	if line := mime.FormatMediaType(how, map[string]string{"filename": name}); line != "" {
		return line
	}
	return how
}
