package serve

import (
	"encoding/json"
	"net/http"
	"strings"

	"nexus"
)

// watched is what another process of the same home wants to hear of. It may
// listen for mail, and for nothing else.
type watched struct {
	Conn string   `json:"conn"`
	Keys []string `json:"keys"`
}

// serveWatch tells a process that handed its calls over when one of its keys was
// woken: an empty line each time, and one to begin with. It ends when the hub
// begins to stop.
func (s *Server) serveWatch(w http.ResponseWriter, r *http.Request) {
	if s.isStopping() {
		http.Error(w, "the hub is draining", http.StatusServiceUnavailable)
		return
	}
	var c watched
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHeader)).Decode(&c); err != nil {
		http.Error(w, "the keys could not be read", http.StatusBadRequest)
		return
	}
	for _, key := range c.Keys {
		if !strings.HasPrefix(key, nexus.InboxKey("")) {
			http.Error(w, "only inboxes can be watched", http.StatusForbidden)
			return
		}
	}
	leave, err := s.streams.enter(nexus.Actor{Kind: nexus.KindProcess, Conn: c.Conn}, "")
	if err != nil || s.deps.Watcher == nil {
		http.Error(w, "there is no place left", http.StatusTooManyRequests)
		return
	}
	defer leave()
	ready, stop := s.deps.Watcher.Watch(c.Keys...)
	defer stop()
	for to := http.NewResponseController(w); ; {
		if _, err := w.Write([]byte{'\n'}); err != nil || to.Flush() != nil {
			return
		}
		select {
		case <-ready:
		case <-s.stopping.Done():
			return
		case <-r.Context().Done():
			return
		}
	}
}
