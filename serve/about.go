package serve

import (
	"net/http"

	"nexus"
	"nexus/op"
)

// address is how the hub was called in this request.
func (s *Server) address(r *http.Request) string {
	if s.proxies.secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
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
