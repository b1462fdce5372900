package serve

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// What a collector says decides whether a batch is offered again.
func TestDeliver(t *testing.T) {
	tests := []struct {
		name          string
		answers       []int // and then 200
		asked         int
		sent, dropped string
		warnings      int
	}{
		{"taken", nil, 1, "1", "0", 0},
		{"accepted", []int{202}, 1, "1", "0", 0},
		{"busy at first", []int{429, 503}, 3, "1", "0", 1},
		{"busy for too long", []int{503, 503, 503, 503, 503}, 5, "0", "1", 1},
		{"refused", []int{400}, 1, "0", "1", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				if asked <= len(tt.answers) {
					w.WriteHeader(tt.answers[asked-1])
				}
			}))
			defer c.Close()
			var log bytes.Buffer
			m := newMetrics(func() int { return 0 }, nil)
			e, err := newExporter(c.URL, Deps{Log: slog.New(slog.NewTextHandler(&log, nil))}, "", m)
			if err != nil {
				t.Fatal(err)
			}
			defer e.client.CloseIdleConnections()
			e.pause = time.Nanosecond
			e.deliver(t.Context(), []span{{name: "x"}})
			w := httptest.NewRecorder()
			m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			page := w.Body.String()
			if asked != tt.asked || !strings.Contains(page, "nexus_spans_sent_total "+tt.sent+"\n") || !strings.Contains(page, "nexus_spans_dropped_total "+tt.dropped+"\n") {
				t.Errorf("asked %d times", asked)
			}
			if n := strings.Count(log.String(), "level=WARN"); n != tt.warnings {
				t.Errorf("%d warnings: %s", n, log.String())
			}
		})
	}
}
