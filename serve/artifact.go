package serve

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"nexus"
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
	answer := &rangeAnswer{ResponseWriter: w}
	http.ServeContent(answer, r, "", a.ModTime, a)
	if answer.refused {
		s.failRange(w, r, a)
	}
}

// A rangeAnswer keeps back what net/http says to a range that does not exist,
// which is text.
type rangeAnswer struct {
	http.ResponseWriter
	refused bool
}

func (a *rangeAnswer) WriteHeader(status int) {
	if a.refused = status == http.StatusRequestedRangeNotSatisfiable; !a.refused {
		a.ResponseWriter.WriteHeader(status)
	}
}

func (a *rangeAnswer) Write(b []byte) (int, error) {
	if a.refused {
		return len(b), nil
	}
	return a.ResponseWriter.Write(b)
}

// failRange says that an artifact has no such part, and how long it is.
func (s *Server) failRange(w http.ResponseWriter, r *http.Request, a *bus.OpenedArtifact) {
	size, err := a.Seek(0, io.SeekEnd)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Del("Content-Disposition")
	s.makeSafe(h)
	h.Set("Content-Range", fmt.Sprintf("bytes */%d", size))
	s.fail(w, r, &nexus.Error{
		Code: nexus.ValidationError, Err: errRange,
		Msg: fmt.Sprintf("The artifact has %d bytes, and no such part as the header Range asks for.", size),
	})
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
