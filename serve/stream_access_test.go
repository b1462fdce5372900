package serve_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"nexus/serve"
)

// A stream lasts as long as what it was opened with: a key, or a sign-in, which
// lasts as long as its key. The streams of others go on.
func TestStreamEndsWithItsKey(t *testing.T) {
	tests := []struct {
		name   string
		signIn bool // whether the stream is opened by a browser
		method string
		path   string // %s is the sign-in
		body   string
		own    bool // whether who follows asks for it
	}{
		{"its key is replaced", false, "POST", "/api/v1/agents/ann/regenerate-key", "", false},
		{"its agent is switched off", false, "PATCH", "/api/v1/agents/ann", `{"is_active":false}`, false},
		{"its agent is deleted", false, "DELETE", "/api/v1/agents/ann", "", false},
		{"its sign-in is revoked", true, "DELETE", "/api/v1/sign-ins/%s", "", false},
		{"it signs out", true, "POST", "/api/v1/sign-out", "", true},
		{"the key it signed in with is replaced", true, "POST", "/api/v1/agents/ann/regenerate-key", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachTeam(t, serve.Options{}, func(m *team) {
				serve.HurryStreams(m.Server, 5*time.Millisecond, 10*time.Millisecond, time.Minute)
				with, signIn := m.credential("ann", tt.signIn)
				wired := m.listen()
				events := wired.follow("from=end", with...)
				socket := wired.socket(with...)
				other := wired.follow("from=end", "X-Api-Key", m.agent("bob"))
				for _, f := range []*follower{events, other} {
					m.announce(t.Name())
					f.heard(t.Name()) // they all follow
				}
				path, by := tt.path, []string{"X-Api-Key", operatorKey}
				if signIn != "" && tt.method == "DELETE" {
					path = fmt.Sprintf(path, signIn)
				}
				if tt.own {
					by = with
				}
				if status, data, _ := m.ask(tt.method, path, tt.body, by...); status != http.StatusOK {
					m.t.Fatalf("got %d %v", status, data)
				}
				if err := events.drain(); !errors.Is(err, io.EOF) {
					m.t.Errorf("the stream ended with %v, want a clean end", err)
				}
				if got := closedWith(m, socket); got != websocket.StatusPolicyViolation {
					m.t.Errorf("the socket was closed with %v", got)
				}
				if again := wired.follow("", with...); again.resp.StatusCode != http.StatusUnauthorized {
					m.t.Errorf("coming back was answered %s", again.resp.Status)
				}
				m.announce("still here")
				other.heard("still here")
			})
		})
	}
}

// credential is what an agent, or a browser in which it signed in, sends.
func (m *team) credential(agent string, browser bool) (header []string, signIn string) {
	m.t.Helper()
	key := m.agent(agent)
	if !browser {
		return []string{"X-Api-Key", key}, ""
	}
	status, data, cookie := m.ask("POST", "/api/v1/sign-in", `{"api_key":"`+key+`"}`)
	if status != http.StatusOK || cookie == nil {
		m.t.Fatalf("sign in: %d %v", status, data)
	}
	return []string{"Cookie", cookie.Name + "=" + cookie.Value}, data["sign_in_id"].(string)
}

// announce makes something happen that everybody who follows is told.
func (m *team) announce(subject string) {
	m.t.Helper()
	status, data, _ := m.ask("POST", "/api/v1/op/message_create", fmt.Sprintf(
		`{"project_root":%q,"from_agent_id":"bob","subject":%q,"body":"b","target":{"strategy":"direct","agent_id":"bob"}}`, m.t.TempDir(), subject),
		"X-Api-Key", operatorKey)
	if status != http.StatusOK {
		m.t.Fatalf("announce: %d %v", status, data)
	}
}

func (m *wiredTeam) socket(headers ...string) *websocket.Conn {
	m.t.Helper()
	h := &logHub{url: "http://" + m.addr}
	conn, _, err := h.dial(m.t, "from=end", headers...)
	if err != nil {
		m.t.Fatal(err)
	}
	return conn
}

// drain reads to the end of the stream.
func (f *follower) drain() (err error) {
	for err == nil {
		_, err = f.read()
	}
	return err
}

// closedWith reads to the end of the socket.
func closedWith(m *team, conn *websocket.Conn) websocket.StatusCode {
	for {
		if _, _, err := conn.Read(m.t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}
