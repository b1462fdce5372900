package remote_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/search/remote"
)

func TestEmbed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model  string   `json:"model"`
			Input  []string `json:"input"`
			Format string   `json:"encoding_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		got := fmt.Sprint(r.Method, r.URL.Path, r.Header.Get("Authorization"), asked)
		if want := "POST/v1/embeddingsBearer key{small [a - c] float}"; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
		_, _ = io.WriteString(w, `{"data":[{"index":2,"embedding":[3,3]},{"index":0,"embedding":[1,1]},{"index":1,"embedding":[2,2]}]}`)
	}))
	defer server.Close()
	e := remote.New(remote.Options{BaseURL: server.URL + "/v1/", Model: "small", Key: "key"})
	got, err := e.Embed(t.Context(), []string{"a", " ", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{1, 1}, {2, 2}, {3, 3}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, want := e.Name(), "small@"+strings.TrimPrefix(server.URL, "http://"); got != want {
		t.Errorf("name %q, want %q", got, want)
	}
}

func TestEmbedFails(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"an error", 429, `{"error":{"message":"slow\ndown"}}`, "slow down"},
		{"an error that is no JSON", 502, `<html>`, "502"},
		{"no JSON", 200, `<html>`, "no JSON"},
		{"too few", 200, `{"data":[{"index":0,"embedding":[1]}]}`, "vector 1 has 0"},
		{"too many", 200, `{"data":[{"index":7,"embedding":[1]}]}`, "numbers a vector 7"},
		{"none", 200, `{}`, "has 0"},
		{"of different length", 200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, "has 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer server.Close()
			_, err := remote.New(remote.Options{BaseURL: server.URL, Model: "m", Key: "sesame"}).Embed(t.Context(), []string{"a", "b"})
			if nexus.CodeOf(err) != nexus.Unavailable || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		_, err := remote.New(remote.Options{BaseURL: server.URL, Model: "m"}).Embed(t.Context(), []string{"a"})
		if nexus.CodeOf(err) != nexus.Unavailable {
			t.Errorf("got %v", err)
		}
	})
}
