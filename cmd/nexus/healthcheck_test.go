package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nexus"
	"nexus/client"
)

func TestHealthcheckAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		start  func(http.Handler) *httptest.Server
		want   string // part of the error; "" for none
	}{
		{"ready", http.StatusOK, httptest.NewServer, ""},
		{"ready, with a certificate for another name", http.StatusOK, httptest.NewTLSServer, ""},
		{"without its store", http.StatusServiceUnavailable, httptest.NewServer, "is not ready"},
		{"not a hub", http.StatusNotFound, httptest.NewServer, "is not ready"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" {
					t.Errorf("asked for %s", r.URL.Path)
				}
				w.WriteHeader(tt.status)
			}))
			defer s.Close()
			home := t.TempDir()
			if err := client.WriteHubInfo(home, client.HubInfo{Addresses: client.Addresses{Dashboard: s.URL}}); err != nil {
				t.Fatal(err)
			}
			err := checkHealth(t.Context(), home)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v, want it healthy", err)
			case tt.want != "" && (nexus.CodeOf(err) != nexus.Unavailable || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %s with %q", err, nexus.Unavailable, tt.want)
			}
		})
	}
}

func TestNearAddress(t *testing.T) {
	t.Parallel()
	for shown, want := range map[string]string{
		"http://0.0.0.0:8202":            "http://127.0.0.1:8202",
		"http://[::]:8202":               "http://[::1]:8202",
		"https://0.0.0.0:8202":           "https://127.0.0.1:8202",
		"http://127.0.0.1:8202":          "http://127.0.0.1:8202",
		"https://nexus.example.org:8202": "https://nexus.example.org:8202",
		"":                               "",
	} {
		if got := nearAddress(shown); got != want {
			t.Errorf("near %q is %q, want %q", shown, got, want)
		}
	}
}
