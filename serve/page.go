package serve

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"

	"nexus"
	"nexus/op"
)

//go:embed page.html
var pageHTML string

const iconSVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">` +
	`<circle cx="8" cy="8" r="7" fill="#8d2f7d"/><circle cx="8" cy="8" r="2.5" fill="#fff"/></svg>`

// A page is the hub's own web page: what runs here, where, and how to connect.
type page struct {
	text   *template.Template
	policy string
}

func newPage() page {
	_, rest, _ := strings.Cut(pageHTML, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	return page{
		text: template.Must(template.New("page").Parse(pageHTML)),
		policy: "default-src 'none'; img-src 'self'; style-src '" + hashSource(style) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
}

// hashSource names a style or script in a policy, by its text.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// address is how the hub was called in this request.
func (s *Server) address(r *http.Request) string {
	if s.proxies.secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	err := s.page.text.Execute(&b, map[string]any{
		"Version":   s.deps.Version,
		"TrustMode": s.deps.TrustMode(),
		"Address":   s.address(r),
		"Loopback":  s.loopback,
		"Tools":     len(s.deps.Catalogue.On(op.MCP)),
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", s.page.policy)
	_, _ = w.Write(b.Bytes()) // nobody is left to tell
}

func serveIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "max-age=86400")
	_, _ = w.Write([]byte(iconSVG))
}

// serveHealth says that the process lives, whatever the store does.
func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request) {
	writeData(w, map[string]any{"status": "alive"})
}

// serveReady says whether calls make sense here: the store answers, and the hub
// is not about to go.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	if s.isStopping() {
		s.fail(w, r, nexus.Errorf(nexus.Unavailable, "The hub is stopping."))
		return
	}
	if err := s.deps.Ready(r.Context()); err != nil {
		s.fail(w, r, &nexus.Error{Code: nexus.DBError, Msg: "The store does not answer.", Err: err})
		return
	}
	writeData(w, map[string]any{"status": "ready"})
}

func (s *Server) serveInfo(w http.ResponseWriter, _ *http.Request) {
	var workspace any
	if s.deps.DefaultWorkspace != "" {
		workspace = s.deps.DefaultWorkspace
	}
	writeData(w, map[string]any{
		"service":              "nexus",
		"package_version":      s.deps.Version,
		"schema_version":       s.deps.SchemaVersion,
		"trust_mode":           s.deps.TrustMode(),
		"default_workspace_id": workspace,
	})
}

func (s *Server) serveLicense(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(s.deps.License)
}

func (s *Server) serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.openapi())
}

func writeData(w http.ResponseWriter, data any) {
	writeJSON(w, http.StatusOK, op.Bus.Answer(data, nil).Body)
}
