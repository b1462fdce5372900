package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"nexus"
	"nexus/bus"
	"nexus/client"
	"nexus/op"
	"nexus/serve"
	"nexus/store/storetest"
)

const annsInbox = "nexus://inbox/ann"

// A post office sends mail to ann, whose key it made.
type postOffice struct {
	*logHub
	key, root string
}

func newPostOffice(t *testing.T, h *logHub) *postOffice {
	t.Helper()
	ann, err := h.bus.CreateAgent(t.Context(), bus.CreateAgentParams{AgentID: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.bus.Register(t.Context(), bus.RegisterParams{AgentID: "bob"}); err != nil {
		t.Fatal(err)
	}
	return &postOffice{h, ann.APIKey, t.TempDir()}
}

func (p *postOffice) mail(t *testing.T) {
	t.Helper()
	_, err := p.bus.Send(context.Background(), bus.SendParams{
		ProjectRoot: p.root, FromAgentID: "bob", Subject: "news", Body: "Merged.",
		Target: nexus.Object(`{"strategy":"direct","agent_id":"ann"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// subscriber is a client that writes down which resources changed.
func subscriber() (*sdk.Client, <-chan string) {
	updated := make(chan string, 100)
	return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	}), updated
}

// getMail is what a client does that wants to know of new mail.
func (p *postOffice) getMail(t *testing.T, session *sdk.ClientSession, updated <-chan string) {
	t.Helper()
	if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: annsInbox}); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		p.mail(t)
		if got := <-updated; got != annsInbox {
			t.Errorf("got %q", got)
		}
		read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: annsInbox})
		if err != nil {
			t.Fatal(err)
		}
		var counts struct {
			Unread int `json:"unread"`
		}
		if err := json.Unmarshal([]byte(read.Contents[0].Text), &counts); err != nil || counts.Unread != n+1 {
			t.Errorf("got %q, %v; want %d unread", read.Contents[0].Text, err, n+1)
		}
	}
	if err := session.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: annsInbox}); err != nil {
		t.Error(err)
	}
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "nexus://inbox/{agent_id}" {
		t.Errorf("got %v, %v", templates, err)
	}
	for _, uri := range []string{"nexus://inbox/", "nexus://inbox/a/b", "nexus://nothing"} {
		if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s was read", uri)
		}
	}
}

func TestSubscribeOverHTTP(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			p := newPostOffice(t, startLogHub(t, storetest.SQLite(t), serve.Options{}))
			c, updated := subscriber()
			transport := &http.Transport{}
			session, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{
				Endpoint: p.url + "/mcp?api_key=" + p.key, HTTPClient: &http.Client{Transport: transport},
			}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			p.getMail(t, session, updated)
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			transport.CloseIdleConnections()
		})
	}
}

func TestSubscribeOverStdio(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			p := newPostOffice(t, startLogHub(t, storetest.SQLite(t), serve.Options{}))
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			done := make(chan error, 1)
			m := serve.NewMCP(p.ops, serve.Local(slog.New(slog.DiscardHandler)), p.db, "1", slog.New(slog.DiscardHandler))
			ctx := nexus.WithActor(t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "ann", Bound: true})
			go func() { done <- m.ServeStdio(ctx, inR, outW, op.ProfileAll) }()
			c, updated := subscriber()
			session, err := c.Connect(t.Context(), &sdk.IOTransport{Reader: outR, Writer: inW}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			p.getMail(t, session, updated)
			if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "nexus://inbox/bob"}); err == nil {
				t.Error("a process bound to ann has read bob's inbox")
			}
			_ = session.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// A client that subscribes at one node, or before a restart, is told by another.
func TestSubscribeAcrossNodes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		here := newPostOffice(t, startLogHub(t, o, serve.Options{}))
		there := &postOffice{startLogHub(t, o, serve.Options{}), here.key, here.root}
		session := here.call(t, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`)
		before := here.listen(t, session)
		there.call(t, session, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"`+annsInbox+`"}}`)
		there.mail(t)
		const want = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + annsInbox + `"}}`
		if got := before.frame(); got.data != want || got.event != "message" {
			t.Errorf("got %+v", got)
		}
		before.close()
		there.mail(t) // while nobody listens
		here.stop()
		if got := there.listen(t, session).frame(); got.data != want {
			t.Errorf("got %+v", got)
		}
	})
}

// call posts a message and returns the id of the session.
func (p *postOffice) call(t *testing.T, session, body string) string {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/mcp", strings.NewReader(body))
	resp := p.do(t, r, session)
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || strings.Contains(string(answer), `"error"`) {
		t.Fatalf("%s was answered %s", body, answer)
	}
	return resp.Header.Get("Mcp-Session-Id")
}

// listen opens the stream of a session and reads its first comment.
func (p *postOffice) listen(t *testing.T, session string) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/mcp", nil)
	resp := p.do(t, r, session)
	f := &follower{t: t, resp: resp, in: bufio.NewReader(resp.Body), close: func() { cancel(); _ = resp.Body.Close() }}
	t.Cleanup(f.close)
	if got := f.frame(); got.data != "" {
		t.Fatalf("the stream began with %+v", got)
	}
	return f
}

func (p *postOffice) do(t *testing.T, r *http.Request, session string) *http.Response {
	t.Helper()
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// A process that handed its calls over hears of new mail, from whichever hub
// there is.
func TestRelayWatch(t *testing.T) {
	home := t.TempDir()
	first := take(t, home, "one")
	relay, _, _ := newRelay(t, home, time.Minute)
	ready, stop := relay.Watch(nexus.InboxKey("ann"))
	defer stop()
	<-ready // watched
	first.wake(nexus.InboxKey("ann"))
	<-ready
	first.stop()
	<-first.ended
	second := take(t, home, "two")
	<-ready // watched again
	second.wake(nexus.InboxKey("ann"))
	<-ready
}

func TestHandoverWatchesOnlyInboxes(t *testing.T) {
	home := t.TempDir()
	take(t, home, "one")
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", client.SocketPath(home))
	}}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://hub/watch", strings.NewReader(`{"keys":["inbox/ann","keys"]}`))
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("got %s", resp.Status)
	}
}
