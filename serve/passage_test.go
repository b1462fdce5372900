package serve_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"nexus/serve"
)

func TestRequestID(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	made := regexp.MustCompile(`^[0-9a-f]{16}$`)
	for _, given := range []string{"", "a b", strings.Repeat("x", 65), "a\nb", "<script>", "ä", alicesKey, "x-" + alicesKey} {
		got := ask(t, s, "GET", "/healthz", "", "X-Request-Id", given).Header().Get("X-Request-Id")
		if !made.MatchString(got) {
			t.Errorf("%q is answered with %q", given, got)
		}
	}
	for _, given := range []string{"a", "Req_1.2-3", strings.Repeat("x", 64)} {
		if got := ask(t, s, "GET", "/nonesuch", "", "X-Request-Id", given).Header().Get("X-Request-Id"); got != given {
			t.Errorf("%q is answered with %q", given, got)
		}
	}
}

// lines reads a log of JSON lines.
func lines(t *testing.T, log *bytes.Buffer) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, v)
	}
	return all
}

func TestAccessLog(t *testing.T) {
	var log bytes.Buffer
	d := newToys().deps(t)
	d.Log = slog.New(slog.NewJSONHandler(&log, nil))
	s := newHub(t, d, serve.Options{Addr: publicAddr, TrustedProxies: []string{"127.0.0.1"}})
	got := ask(t, s, "GET", "/api/v1/echo/hello?api_key="+alicesKey, "", "Host", "hub.example.org", "X-Request-Id", "r1",
		"X-Forwarded-For", "203.0.113.9", "Traceparent", "00-"+traceID+"-"+spanID+"-01")
	ask(t, s, "POST", "/api/v1/op/fail", `{"code":"plain"}`, "Host", "hub.example.org", "X-Request-Id", "r2", "X-Api-Key", operatorKey)
	ask(t, s, "GET", "/api/v1/echo/"+unknownKey, "", "Host", "hub.example.org", "X-Request-Id", "r3")
	all := lines(t, &log)
	if len(all) != 4 {
		t.Fatalf("%d lines: %s", len(all), log.String())
	}
	want := map[string]any{
		"msg": "request", "request_id": "r1", "trace_id": traceID, "method": "GET", "path": "/api/v1/echo/hello", "route": "GET /api/v1/echo/{text}",
		"status": 200.0, "bytes": float64(got.Body.Len()), "actor": "agent", "agent": "alice", "client": "203.0.113.9",
	}
	for key, value := range want {
		if all[0][key] != value {
			t.Errorf("%s is %v, want %v", key, all[0][key], value)
		}
	}
	if all[1]["msg"] != "an operation failed" || all[1]["request_id"] != "r2" || all[2]["request_id"] != "r2" || all[2]["status"] != 500.0 {
		t.Errorf("the failure is logged as %v and %v", all[1], all[2])
	}
	if all[3]["actor"] != "anonymous" || all[3]["path"] != "/api/v1/echo/nxs_…" || all[3]["route"] != "none" || all[3]["trace_id"] != nil {
		t.Errorf("a stranger is logged as %v", all[3])
	}
	for _, key := range []string{alicesKey, operatorKey, unknownKey} {
		if strings.Contains(log.String(), key) {
			t.Errorf("the log has the key %s", key)
		}
	}
}

func TestAccessLogIsOff(t *testing.T) {
	var log bytes.Buffer
	d := newToys().deps(t)
	d.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s := newHub(t, d, serve.Options{})
	ask(t, s, "GET", "/api/v1/echo/hello", "")
	if log.Len() > 0 {
		t.Errorf("logged: %s", log.String())
	}
}
