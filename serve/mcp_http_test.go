package serve

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const pingMessage = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestHTTPStatuses(t *testing.T) {
	modern := func(method, name, params string) (string, []string) {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + modernMeta + `}}`, modernHeaders(method, name)
	}
	tests := []struct {
		name    string
		body    string
		headers []string
		status  int
		code    int // of the JSON-RPC error; 0 for none
	}{
		{name: "a call", body: pingMessage, status: 200},
		{name: "no JSON", body: `{"jsonrpc`, status: 200, code: mcpParseError},
		{name: "no UTF-8", body: "{\"a\":\"\xff\"}", status: 200, code: mcpParseError},
		{name: "nothing", body: ``, status: 200, code: mcpParseError},
		{name: "a fractional id", body: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, status: 200, code: mcpInvalidRequest},
		{name: "a null id", body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, status: 200, code: mcpInvalidRequest},
		{name: "an unknown method", body: `{"jsonrpc":"2.0","id":1,"method":"a/b"}`, status: 200, code: mcpMethodNotFound},
		{name: "an unknown tool", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no"}}`, status: 200, code: mcpInvalidParams},
		{name: "an unknown notification", body: `{"jsonrpc":"2.0","method":"notifications/strange"}`, status: 202},
		{
			name: "a notification at 2026-07-28 without a method header", body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`,
			headers: []string{headerVersion, "2026-07-28"}, status: 202,
		},
		{name: "a response", body: `{"jsonrpc":"2.0","id":1,"result":{}}`, status: 202},
		{name: "a batch without a version", body: `[` + pingMessage + `]`, status: 200},
		{name: "a batch at 2025-03-26", body: `[` + pingMessage + `]`, headers: []string{headerVersion, "2025-03-26"}, status: 200},
		{name: "a batch at 2025-06-18", body: `[` + pingMessage + `]`, headers: []string{headerVersion, "2025-06-18"}, status: 200, code: mcpInvalidRequest},
		{name: "a batch at 2026-07-28", body: `[` + pingMessage + `]`, headers: []string{headerVersion, "2026-07-28"}, status: 400, code: mcpInvalidRequest},
		{name: "no JSON at 2026-07-28", body: `{`, headers: []string{headerVersion, "2026-07-28"}, status: 400, code: mcpParseError},
		{
			name: "an unknown version to come", body: strings.ReplaceAll(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`, "2026-07-28", "2031-01-01"),
			headers: []string{headerVersion, "2031-01-01", headerMethod, "tools/list"}, status: 400, code: mcpBadVersion,
		},
	}
	for _, m := range []struct {
		name, method, header, params string
		status, code                 int
	}{
		{"a list at 2026-07-28", "tools/list", "", "", 200, 0},
		{"an unknown method at 2026-07-28", "a/b", "", "", 404, mcpMethodNotFound},
		{"a removed method at 2026-07-28", "ping", "", "", 404, mcpMethodNotFound},
		{"an unknown tool at 2026-07-28", "tools/call", "no", `"name":"no",`, 400, mcpInvalidParams},
		{"another tool in the header", "tools/call", "who", `"name":"echo",`, 400, -32020},
		{"no tool in the header", "tools/call", "", `"name":"echo",`, 400, -32020},
		{"a tool", "tools/call", "echo", `"name":"echo",`, 200, 0},
		{"a tool in base64", "tools/call", "=?base64?" + base64.StdEncoding.EncodeToString([]byte("echo")) + "?=", `"name":"echo",`, 200, 0},
	} {
		body, headers := modern(m.method, m.header, m.params)
		tests = append(tests, struct {
			name    string
			body    string
			headers []string
			status  int
			code    int
		}{m.name, body, headers, m.status, m.code})
	}
	d := newDesk(t, HTTPOptions{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := d.post(tt.body, tt.headers...)
			if w.Code != tt.status {
				t.Errorf("got status %d, want %d: %s", w.Code, tt.status, w.Body)
			}
			if w.Code == http.StatusAccepted {
				if w.Body.Len() > 0 {
					t.Errorf("got a body: %s", w.Body)
				}
				return
			}
			if kind := w.Header().Get("Content-Type"); kind != "application/json" {
				t.Errorf("got content type %q", kind)
			}
			if body := w.Body.Bytes(); body[0] != '[' && rpcError(t, body) != tt.code {
				t.Errorf("want code %d: %s", tt.code, body)
			}
			if w.Header().Get(headerSession) != "" {
				t.Error("a session id went out with something else than initialize")
			}
		})
	}
}

// What is wrong with the headers, the SDK answers.
func TestHTTPOddHeaders(t *testing.T) {
	tests := []struct {
		name    string
		headers []string
		status  int
	}{
		{"no content type", []string{"Content-Type", ""}, 415},
		{"another content type", []string{"Content-Type", "text/plain"}, 415},
		{"with a charset", []string{"Content-Type", "application/json; charset=utf-8"}, 200},
		{"accepts JSON only", []string{"Accept", "application/json"}, 400},
		{"accepts anything", []string{"Accept", "*/*"}, 200},
		{"accepts families of types", []string{"Accept", "application/*;q=0.5, TEXT/*"}, 200},
		{"wants to resume", []string{"Last-Event-ID", "7"}, 400},
		{"a version of old that never was", []string{headerVersion, "2025-01-01"}, 400},
	}
	d := newDesk(t, HTTPOptions{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if w := d.post(pingMessage, tt.headers...); w.Code != tt.status {
				t.Errorf("got status %d, want %d: %s", w.Code, tt.status, w.Body)
			}
		})
	}
}

func TestHTTPProfile(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ask := func(query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		d.handler.ServeHTTP(w, newMCPRequest(t.Context(), "POST", "/mcp"+query, list))
		return w
	}
	for query, want := range map[string]int{"": 8, "?profile=": 8, "?profile=all": 8, "?api_key=x&profile=bus": 6, "?profile=topics": 2, "?profile=core": 1} {
		if got := strings.Count(ask(query).Body.String(), `"inputSchema"`); got != want {
			t.Errorf("%s: got %d tools, want %d", query, got, want)
		}
	}
	if w := ask("?profile=tropics"); w.Code != 400 || !strings.Contains(w.Body.String(), "all, bus, topics, core") {
		t.Errorf("an unknown profile: %d %s", w.Code, w.Body)
	}
}

func TestHTTPBodyLimit(t *testing.T) {
	d := newDesk(t, HTTPOptions{MaxBody: 1000})
	body, headers := callMessage("2025-11-25", "1", "echo", `{"text":"`+strings.Repeat("x", 1000)+`"}`)
	w := d.post(body, headers...)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), `"code":"CONTENT_TOO_LARGE"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	body, headers = callMessage("2025-11-25", "1", "echo", `{"text":"`+strings.Repeat("x", 800)+`"}`)
	if w := d.post(body, headers...); w.Code != 200 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	big := newDesk(t, HTTPOptions{})
	body, headers = callMessage("2025-11-25", "1", "echo", `{"text":"`+strings.Repeat("x", 15<<20)+`"}`)
	if w := big.post(body, headers...); w.Code != 200 || w.Body.Len() < 30<<20 {
		t.Errorf("15 MiB: got %d and %d bytes", w.Code, w.Body.Len())
	}
}

func TestSessionLife(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	id := d.open()
	if len(id) < 26 {
		t.Errorf("the id %q is short", id)
	}
	if other := d.open(); other == id {
		t.Error("two sessions have one id")
	}
	status := func(method string, headers ...string) int {
		t.Helper()
		body := ""
		if method == "POST" {
			body = pingMessage
		}
		return d.do(method, body, headers...).Code
	}
	tests := []struct {
		name    string
		method  string
		headers []string
		want    int
	}{
		{"known", "POST", []string{headerSession, id}, 200},
		{"none, as a stateless client", "POST", nil, 200},
		{"unknown", "POST", []string{headerSession, "ABC"}, 404},
		{"another agent's", "POST", []string{headerSession, id, "Test-Agent", "bob"}, 404},
		{"ignored at 2026-07-28", "POST", append([]string{headerSession, "ABC"}, modernHeaders("ping", "")...), 400},
		{"stream of an unknown one", "GET", []string{headerSession, "ABC"}, 404},
		{"stream of none", "GET", nil, 405},
		{"stream at 2026-07-28", "GET", []string{headerSession, id, headerVersion, "2026-07-28"}, 405},
		{"stream that nobody could read", "GET", []string{headerSession, id, "Accept", "application/json"}, 406},
		{"ended by another agent", "DELETE", []string{headerSession, id, "Test-Agent", "bob"}, 404},
		{"ended without a name", "DELETE", nil, 405},
		{"ended at 2026-07-28", "DELETE", []string{headerSession, id, headerVersion, "2026-07-28"}, 405},
		{"still there", "POST", []string{headerSession, id}, 200},
		{"ended", "DELETE", []string{headerSession, id}, 204},
		{"gone", "POST", []string{headerSession, id}, 404},
		{"ended twice", "DELETE", []string{headerSession, id}, 404},
	}
	for _, tt := range tests {
		if got := status(tt.method, tt.headers...); got != tt.want {
			t.Errorf("%s: got status %d, want %d", tt.name, got, tt.want)
		}
	}
}

// The id of an unknown session's request comes back with the 404, so that the
// client can tell its caller.
func TestSessionNotFoundIsJSONRPC(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	w := d.post(`{"jsonrpc":"2.0","id":"q1","method":"ping"}`, headerSession, "ABC")
	if got := decoded(t, w.Body.Bytes()); got["id"] != "q1" || rpcError(t, w.Body.Bytes()) != mcpInvalidRequest {
		t.Errorf("got %s", w.Body)
	}
}

func TestSessionIsTheConnection(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	id := d.open()
	body, headers := callMessage("2025-11-25", "1", "who", `{}`)
	w := d.post(body, append(headers, headerSession, id)...)
	want := `"structuredContent":{"ok":true,"data":{"kind":"agent","agent_id":"ann","bound":true,"conn":"` + id + `"}}`
	if !strings.Contains(w.Body.String(), want) {
		t.Errorf("got %s", w.Body)
	}
	if w := d.post(body, headers...); strings.Contains(w.Body.String(), `"conn"`) {
		t.Errorf("a request without a session has a connection: %s", w.Body)
	}
	progress := strings.Replace(body, `"arguments"`, `"_meta":{"progressToken":1},"arguments"`, 1)
	if w := d.post(progress, append(headers, headerSession, id)...); !strings.Contains(w.Body.String(), id) {
		t.Errorf("through the SDK: got %s", w.Body)
	}
}

// Two nodes share one store: what one knows, the other does too.
func TestSessionOnAnotherNode(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	other := newDesk(t, HTTPOptions{})
	other.handler = asAgent(other.mcp.Handler(d.sessions, HTTPOptions{}))
	id := d.open()
	if w := other.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"alert"}}`, headerSession, id); w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	d.post(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"nexus://guide/toy"}}`, headerSession, id)
	if got := string(d.sessions.rows[sessionName(id)].state); got != `{"version":"2025-11-25","level":"alert","subscriptions":["nexus://guide/toy"]}` {
		t.Errorf("kept %s", got)
	}
	if w := other.do("DELETE", "", headerSession, id); w.Code != 204 {
		t.Errorf("got %d", w.Code)
	}
}

func TestSessionStoreFails(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	id := d.open()
	fresh := newDesk(t, HTTPOptions{}) // knows nothing by heart
	fresh.handler = asAgent(fresh.mcp.Handler(d.sessions, HTTPOptions{}))
	d.sessions.fail(errors.New("disk full"))
	tests := []struct {
		name, method, body string
		status, code       int
	}{
		{"initialize", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, 200, mcpInternalError},
		{"a request", "POST", pingMessage, 200, mcpInternalError},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, 0},
		{"an end", "DELETE", ``, 503, mcpInternalError},
	}
	for _, tt := range tests {
		w := fresh.do(tt.method, tt.body, headerSession, id)
		if w.Code != tt.status {
			t.Errorf("%s: got status %d, want %d", tt.name, w.Code, tt.status)
		}
		if strings.Contains(w.Body.String(), "disk full") {
			t.Errorf("%s: the cause leaked: %s", tt.name, w.Body)
		}
		if tt.code != 0 && rpcError(t, w.Body.Bytes()) != tt.code {
			t.Errorf("%s: got %s", tt.name, w.Body)
		}
	}
	if w := d.post(pingMessage, headerSession, id); w.Code != 200 {
		t.Errorf("a session known by heart: got %d", w.Code)
	}
}
