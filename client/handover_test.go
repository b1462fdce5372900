package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"
)

// A store keeps what a relay asks it.
type store struct {
	mu     sync.Mutex
	calls  []CallRequest
	opened int
	closed int
	err    error
}

func (s *store) open(context.Context) (Local, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return s, s.err
}

func (s *store) Call(_ context.Context, c CallRequest) CallAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	return CallAnswer{Body: json.RawMessage(`"local"`)}
}

func (s *store) Watch(...string) (<-chan struct{}, func()) { return nil, func() {} }

func (s *store) Close() error {
	s.closed++
	return nil
}

func TestRelayWithoutAHub(t *testing.T) {
	s := &store{err: errors.New("locked")}
	r := NewRelay(RelayOptions{Home: t.TempDir(), Conn: "c", Profile: "core", APIKey: "k", Open: s.open, Patience: time.Hour})
	if _, err := r.Call(t.Context(), Op{Name: "x"}, nil); !errors.Is(err, s.err) {
		t.Errorf("a store that does not open: %v", err)
	}
	s.err = nil
	for _, o := range []Op{{Name: "read"}, {Name: "write", Write: true}, {Name: "write", Write: true}} {
		if a, err := r.Call(t.Context(), o, json.RawMessage(`{"a":1}`)); err != nil || string(a.Body) != `"local"` {
			t.Fatalf("got %s %v", a.Body, err)
		}
	}
	if s.opened != 2 {
		t.Errorf("the store was opened %d times, want once after the failure", s.opened)
	}
	read, write, another := s.calls[0], s.calls[1], s.calls[2]
	if read.Conn != "c" || read.Profile != "core" || read.APIKey != "k" || read.Key != "" || string(read.Arguments) != `{"a":1}` {
		t.Errorf("the store was asked %+v", read)
	}
	if len(write.Key) < 20 || write.Key == another.Key {
		t.Errorf("two writes have the keys %q and %q", write.Key, another.Key)
	}
	if err := r.Close(); err != nil || s.closed != 1 {
		t.Errorf("closed %d times: %v", s.closed, err)
	}
}

func TestRelayRefusesAHub(t *testing.T) {
	home, s := t.TempDir(), &store{}
	fakeHub(t, home, "i", says(`{"body":"hub"}`))
	for db, want := range map[string]string{"db-i": `"hub"`, "db-x": `"local"`} {
		r := NewRelay(RelayOptions{Home: home, Open: s.open, Accept: func(i HubInfo) bool { return i.DB == db }})
		if a, err := r.Call(t.Context(), Op{Name: "x"}, nil); err != nil || string(a.Body) != want {
			t.Errorf("got %s %v, want %s", a.Body, err, want)
		}
		_ = r.Close()
	}
}

// TestRelayGivesUp: a hub that takes calls and never answers them is not asked
// for ever, and what it may have done is not done again.
func TestRelayGivesUp(t *testing.T) {
	for name, call := range map[string]http.HandlerFunc{"cut": cuts, "draining": says(`{"draining":true}`)} {
		t.Run(name, func(t *testing.T) {
			home, s := t.TempDir(), &store{}
			var mu sync.Mutex
			keys := map[string]int{}
			fakeHub(t, home, "i", func(w http.ResponseWriter, r *http.Request) {
				var c CallRequest
				_ = json.NewDecoder(r.Body).Decode(&c)
				mu.Lock()
				keys[c.Key]++
				mu.Unlock()
				call(w, r)
			})
			r := NewRelay(RelayOptions{Home: home, Open: s.open, Patience: 200 * time.Millisecond})
			defer r.Close()
			if a, err := r.Call(t.Context(), Op{Name: "x", Write: true}, nil); err != nil || string(a.Body) != `"local"` {
				t.Fatalf("got %s %v", a.Body, err)
			}
			if len(keys) != 1 || keys[s.calls[0].Key] == 0 {
				t.Errorf("the hub got the keys %v, the store %q", keys, s.calls[0].Key)
			}
			if n := keys[s.calls[0].Key]; n > 6 || name == "draining" && n != 1 {
				t.Errorf("the hub was asked %d times", n)
			}
		})
	}
}

func TestRelayIsCancelled(t *testing.T) {
	home, s := t.TempDir(), &store{}
	asked := make(chan struct{}, 10)
	fakeHub(t, home, "i", func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		cuts(w, r)
	})
	r := NewRelay(RelayOptions{Home: home, Open: s.open, Patience: time.Hour})
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := r.Call(ctx, Op{Name: "x"}, nil); !errors.Is(err, context.Canceled) || s.opened != 0 {
		t.Errorf("got %v, and the store was opened %d times", err, s.opened)
	}
}

func TestWaitLess(t *testing.T) {
	tests := []struct {
		name      string
		arguments string
		passed    time.Duration
		want      string
	}{
		{"a part", `{"a":"<","s":30}`, 10*time.Second + 1, `{"a":"<","s":19}`},
		{"nothing left", `{"s":30}`, time.Minute, `{"s":0}`},
		{"digits in a string", `{"s":"30"}`, time.Second, `{"s":29}`},
		{"no wait was asked for", `{"s":0}`, time.Second, `{"s":0}`},
		{"the default", `{"a":1}`, time.Second, `{"a":1}`},
		{"nonsense", `{"s":"x"}`, time.Second, `{"s":"x"}`},
		{"no arguments", ``, time.Second, ``},
		{"large numbers stay", `{"n":12345678901234567890,"s":2}`, time.Second, `{"n":12345678901234567890,"s":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := waitLess(json.RawMessage(tt.arguments), "s", tt.passed); string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if got := waitLess(json.RawMessage(`{"s":3}`), "", time.Second); string(got) != `{"s":3}` {
		t.Errorf("an operation that does not wait: %s", got)
	}
}
