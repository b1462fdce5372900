package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nexus"
	"nexus/client"
	"nexus/op"
	"nexus/serve"
)

// A cuttable listener can close everything at once, as a killed process does.
type cuttable struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (l *cuttable) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.conns = append(l.conns, c)
		l.mu.Unlock()
	}
	return c, err
}

func (l *cuttable) cut() {
	_ = l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
}

// A taker is a hub that takes calls over in a home.
type taker struct {
	*serve.Server
	*toys
	kill  func() // without a word
	stop  func() // as after a signal
	ended chan error
}

func take(t *testing.T, home, instance string) *taker {
	t.Helper()
	y := newToys()
	l, err := serve.ListenHandover(client.SocketPath(home))
	if err != nil {
		t.Fatal(err)
	}
	c := &cuttable{Listener: l}
	h := &taker{Server: newHub(t, y.deps(t), serve.Options{Instance: instance, DB: "here"}), toys: y, kill: c.cut, ended: make(chan error, 1)}
	var ctx context.Context
	ctx, h.stop = context.WithCancel(t.Context())
	go func() {
		defer close(h.ended)
		h.ended <- h.ServeHandover(ctx, c)
	}()
	t.Cleanup(func() {
		h.kill()
		h.stop()
		for range h.ended { // until it is closed
		}
	})
	info := client.HubInfo{PID: os.Getpid(), Instance: instance, Socket: client.SocketPath(home)}
	if err := client.WriteHubInfo(home, info); err != nil {
		t.Fatal(err)
	}
	return h
}

func find(t *testing.T, home string) *client.Hub {
	t.Helper()
	hub, err := client.Find(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hub.Close)
	return hub
}

// TestHandover also holds that the two sides use the same words: they share no
// types.
func TestHandover(t *testing.T) {
	home := t.TempDir()
	take(t, home, "one")
	hub := find(t, home)
	args := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		name    string
		call    client.CallRequest
		code    nexus.Code
		isError bool
		body    string // part of it
	}{
		{"arguments arrive as they are", client.CallRequest{Op: "echo", Arguments: args(`{"text":"a<b","data":[1,"\u2028"]}`)}, "", false, `{"ok":true,"data":{"text":"a<b","data":[1,"\u2028"]}}`},
		{"no arguments", client.CallRequest{Op: "echo"}, "", false, `{"ok":true,"data":{}}`},
		{"a process", client.CallRequest{Op: "whoami", Conn: "c1"}, "", false, `{"kind":"process","conn":"c1"}`},
		{"a bound process", client.CallRequest{Op: "whoami", Conn: "c1", APIKey: alicesKey}, "", false, `{"kind":"agent","agent_id":"alice","bound":true,"conn":"c1"}`},
		{"the operator", client.CallRequest{Op: "whoami", Operator: true}, "", false, `{"kind":"operator"}`},
		{"the operator's key", client.CallRequest{Op: "whoami", APIKey: operatorKey}, "", false, `{"kind":"operator"}`},
		{"a key binds even the operator", client.CallRequest{Op: "whoami", APIKey: alicesKey, Operator: true}, "", false, `"bound":true`},
		{"a wrong key", client.CallRequest{Op: "whoami", APIKey: unknownKey, Operator: true}, nexus.AuthFailed, false, `"ok":false`},
		{"a wrong key for topics", client.CallRequest{Op: "topic_echo", APIKey: unknownKey}, nexus.AuthFailed, true, `{"error":{"code":"AUTH_FAILED"`},
		{"a failure of the bus", client.CallRequest{Op: "fail", Arguments: args(`{"code":"CONFLICT"}`)}, nexus.Conflict, false, `"ok":false`},
		{"a failure of topics", client.CallRequest{Op: "topic_fail", Arguments: args(`{"code":"CONFLICT"}`)}, nexus.Conflict, true, `{"error":{`},
		{"an unknown operation", client.CallRequest{Op: "nonesuch"}, nexus.NotFound, false, "nonesuch"},
		{"one outside the profile", client.CallRequest{Op: "echo", Profile: op.ProfileTopics}, nexus.NotFound, false, "echo"},
		{"one of the profile", client.CallRequest{Op: "topic_echo", Profile: op.ProfileTopics, Arguments: args(`{"text":"a"}`)}, "", false, `{"text":"a"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hub.Call(t.Context(), tt.call)
			if err != nil {
				t.Fatal(err)
			}
			if got.Code != tt.code || got.IsError != tt.isError || !strings.Contains(string(got.Body), tt.body) {
				t.Errorf("got %q %t %s, want %q %t and %s", got.Code, got.IsError, got.Body, tt.code, tt.isError, tt.body)
			}
		})
	}
}

func TestHandoverOfLongBodies(t *testing.T) {
	home := t.TempDir()
	take(t, home, "one")
	text := strings.Repeat("x", 20<<20)
	got, err := find(t, home).Call(t.Context(), client.CallRequest{Op: "echo", Arguments: json.RawMessage(`{"text":"` + text + `"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"ok":true,"data":{"text":"` + text + `"}}`; string(got.Body) != want {
		t.Errorf("got %d bytes, want %d", len(got.Body), len(want))
	}
}

type outcome struct {
	client.CallAnswer
	err error
}

func later(call func() (client.CallAnswer, error)) <-chan outcome {
	out := make(chan outcome, 1)
	go func() {
		a, err := call()
		out <- outcome{a, err}
	}()
	return out
}

func TestHandoverDrains(t *testing.T) {
	home := t.TempDir()
	h := take(t, home, "one")
	hub := find(t, home)
	wait := client.CallRequest{Op: "wait", Arguments: json.RawMessage(`{"timeout_seconds":60}`)}
	write := later(func() (client.CallAnswer, error) { return hub.Call(t.Context(), client.CallRequest{Op: "slow"}) })
	<-h.begun
	parked := later(func() (client.CallAnswer, error) { return hub.Call(t.Context(), wait) })
	<-h.parked
	h.stop()
	if got := <-parked; !errors.Is(got.err, client.ErrDraining) {
		t.Errorf("a parked wait: got %s %v, want to be told at once", got.Body, got.err)
	}
	if _, err := hub.Call(t.Context(), client.CallRequest{Op: "echo"}); !errors.Is(err, client.ErrDraining) {
		t.Errorf("a late call: got %v", err)
	}
	h.finish <- struct{}{}
	if got := <-write; got.err != nil || got.Code != "" {
		t.Errorf("a running write: got %s %v, want its answer", got.Body, got.err)
	}
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(client.SocketPath(home)); err == nil {
		t.Error("the socket is still there")
	}
}

func TestHangUpEndsWaitsOnly(t *testing.T) {
	home := t.TempDir()
	h := take(t, home, "one")
	hub := find(t, home)
	ctx, hangUp := context.WithCancel(t.Context())
	wait := later(func() (client.CallAnswer, error) {
		return hub.Call(ctx, client.CallRequest{Op: "wait", Arguments: json.RawMessage(`{"timeout_seconds":60}`)})
	})
	write := later(func() (client.CallAnswer, error) { return hub.Call(ctx, client.CallRequest{Op: "slow"}) })
	<-h.parked
	<-h.begun
	hangUp()
	for _, call := range []<-chan outcome{wait, write} {
		if got := <-call; !errors.Is(got.err, context.Canceled) {
			t.Errorf("got %v", got.err)
		}
	}
	if err := <-h.left; !errors.Is(err, context.Canceled) {
		t.Errorf("the wait ended with %v", err)
	}
	h.finish <- struct{}{}
	if err := <-h.toys.ended; err != nil {
		t.Errorf("the write was stopped halfway: %v", err)
	}
}

// A diary is the store of a process that has no hub.
type diary struct {
	mu    sync.Mutex
	calls []client.CallRequest
}

func (d *diary) Call(_ context.Context, c client.CallRequest) client.CallAnswer {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, c)
	return client.CallAnswer{Body: json.RawMessage(`"local"`)}
}

func (d *diary) Watch(...string) (<-chan struct{}, func()) { return nil, func() {} }

func (d *diary) Close() error { return nil }

func newRelay(t *testing.T, home string, patience time.Duration) (*client.Relay, *diary, *atomic.Int32) {
	t.Helper()
	d, opened := &diary{}, &atomic.Int32{}
	r := client.NewRelay(client.RelayOptions{
		Home: home, Conn: "c1", Patience: patience, LookAgain: 1,
		Open: func(context.Context) (client.Local, error) {
			opened.Add(1)
			return d, nil
		},
	})
	t.Cleanup(func() { _ = r.Close() })
	return r, d, opened
}

var (
	waitOp = client.Op{Name: "wait", Wait: "timeout_seconds"}
	slowOp = client.Op{Name: "slow", Write: true}
	echoOp = client.Op{Name: "echo"}
)

func TestRelayOutlivesTheHub(t *testing.T) {
	for _, how := range []string{"killed", "stopped"} {
		t.Run(how+" during a wait", func(t *testing.T) {
			home := t.TempDir()
			first := take(t, home, "one")
			relay, _, opened := newRelay(t, home, time.Minute)
			call := later(func() (client.CallAnswer, error) {
				return relay.Call(t.Context(), waitOp, json.RawMessage(`{"timeout_seconds":60}`))
			})
			<-first.parked
			if how == "killed" {
				first.kill()
			} else {
				first.stop()
			}
			<-first.ended
			second := take(t, home, "two")
			if actor := <-second.parked; actor.Conn != "c1" {
				t.Errorf("the wait goes on as %+v", actor)
			}
			second.wake("toy")
			got := <-call
			var a struct{ Data pauseResult }
			if err := json.Unmarshal(got.Body, &a); err != nil || got.err != nil {
				t.Fatal(got.err, err)
			}
			if a.Data.TimedOut || a.Data.Seconds < 1 || a.Data.Seconds > 59 {
				t.Errorf("got %s, want what the second hub found in the time that was left", got.Body)
			}
			if opened.Load() != 0 {
				t.Error("the store was opened although there was a hub again")
			}
		})
	}
}

func TestRelayWritesOnce(t *testing.T) {
	home := t.TempDir()
	first := take(t, home, "one")
	relay, _, _ := newRelay(t, home, time.Minute)
	call := later(func() (client.CallAnswer, error) { return relay.Call(t.Context(), slowOp, nil) })
	<-first.begun
	first.kill()
	<-first.ended
	second := take(t, home, "two")
	<-second.begun
	first.finish <- struct{}{}
	second.finish <- struct{}{}
	if got := <-call; got.err != nil || got.Code != "" {
		t.Fatalf("got %s %v", got.Body, got.err)
	}
	if key := first.written[0]; key != second.written[0] || len(strings.Fields(key)) != 2 {
		t.Errorf("the keys are %q and %q, want one", key, second.written[0])
	}
	second.finish <- struct{}{}
	if _, err := relay.Call(t.Context(), slowOp, nil); err != nil {
		t.Fatal(err)
	}
	if second.written[1] == second.written[0] {
		t.Error("another call has the same key")
	}
}

func TestRelayOpensTheStore(t *testing.T) {
	home := t.TempDir()
	first := take(t, home, "one")
	relay, local, opened := newRelay(t, home, 100*time.Millisecond)
	call := later(func() (client.CallAnswer, error) { return relay.Call(t.Context(), slowOp, nil) })
	<-first.begun
	first.kill()
	if got := <-call; got.err != nil || string(got.Body) != `"local"` {
		t.Fatalf("got %s %v", got.Body, got.err)
	}
	if got := fmt.Sprintf("process//c1 %s", local.calls[0].Key); got != first.written[0] {
		t.Errorf("the store got the key %q, the hub %q", got, first.written[0])
	}
	first.finish <- struct{}{}
	for range 3 {
		if _, err := relay.Call(t.Context(), echoOp, nil); err != nil {
			t.Fatal(err)
		}
	}
	if opened.Load() != 1 {
		t.Errorf("the store was opened %d times", opened.Load())
	}
	take(t, home, "two")
	got, err := relay.Call(t.Context(), echoOp, json.RawMessage(`{"text":"hub"}`))
	if err != nil || !strings.Contains(string(got.Body), "hub") {
		t.Errorf("got %s %v, want the answer of the new hub", got.Body, err)
	}
}

func TestListenHandover(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }

	l, err := serve.ListenHandover(at("hub.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if info, err := os.Stat(at("hub.sock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v %v", info.Mode(), err)
	}
	if _, err := serve.ListenHandover(at("hub.sock")); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a socket in use: %v", err)
	}

	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: at("stale.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	stale.Close()
	again, err := serve.ListenHandover(at("stale.sock"))
	if err != nil {
		t.Fatalf("a stale socket: %v", err)
	}
	again.Close()

	if err := os.WriteFile(at("file.sock"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.ListenHandover(at("file.sock")); err == nil {
		t.Error("a file was taken for a socket")
	}
	if b, _ := os.ReadFile(at("file.sock")); string(b) != "mine" {
		t.Error("the file is gone")
	}
	if _, err := serve.ListenHandover(at(strings.Repeat("x", 104))); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Errorf("a long path: %v", err)
	}
}
