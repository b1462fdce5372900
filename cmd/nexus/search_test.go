package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// found asks the hub for words.
func (n *testNode) found(q, mode string) string {
	n.t.Helper()
	return n.call("GET", "/api/v1/search?"+url.Values{"q": {q}, "mode": {mode}, "limit": {"100"}}.Encode(), "")
}

// A hub that was killed while it indexed goes on where it was, and everything is
// found, once.
func TestSearchOutlivesHub(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	n := startNode(t, home)
	const letters = 90
	for i := range letters {
		n.mail(fmt.Sprintf("pangolin%d pangolin", i))
	}
	n.kill()
	n = startNode(t, home)
	n.mail("pangolin again")
	got := n.found("pangolin", "fts")
	if count := strings.Count(got, `"type":"message"`); count != letters+1 || !strings.Contains(got, `"warnings":[]`) {
		t.Errorf("found %d of %d: %s", count, letters+1, got)
	}
	if got := n.found("pangolin17", "fts"); strings.Count(got, `"type":"message"`) != 1 {
		t.Errorf("one of them: %s", got)
	}
}

// Vectors come from the service that is set up, and searches survive its end.
func TestSearchEmbeddingService(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Model != "tiny" || r.URL.Path != "/v1/embeddings" {
			t.Errorf("asked %s %+v, %v", r.URL, asked, err)
		}
		if down.Load() {
			http.Error(w, "{}", http.StatusServiceUnavailable)
			return
		}
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := make([]vector, len(asked.Input))
		for i, text := range asked.Input {
			data[i] = vector{i, []float32{float32(strings.Count(text, "x")), float32(strings.Count(text, "y")), 0.01}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	defer service.Close()
	n := startNode(t, t.TempDir(), "--embedding-url", service.URL+"/v1", "--embedding-model", "tiny")
	n.mail("xxx")
	n.mail("yyy")
	serves := fmt.Sprintf(`{"name":"tiny@%s","dims":3,"serves":true,"complete":1}`, strings.TrimPrefix(service.URL, "http://"))
	if !eventually(func() bool { return strings.Contains(n.call("GET", "/api/v1/search/status", ""), serves) }) {
		t.Fatalf("status %s, want %s", n.call("GET", "/api/v1/search/status", ""), serves)
	}
	if got := n.found("y", "semantic"); !strings.Contains(got, `"items":[{"type":"message"`) || strings.Index(got, "yyy") > strings.Index(got, "xxx") {
		t.Errorf("by meaning: %s", got)
	}
	down.Store(true)
	if got := n.found("xxx", "hybrid"); !strings.Contains(got, `"title":"xxx"`) || !strings.Contains(got, "WORDS_ONLY") {
		t.Errorf("without the service: %s", got)
	}
}
