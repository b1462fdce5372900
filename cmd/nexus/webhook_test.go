package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A receiver is somebody who is told of events.
type receiver struct {
	t      *testing.T
	url    string
	secret string
	status atomic.Int64 // what it answers
	came   chan parcel
}

// A parcel is what a receiver got, as docs/webhooks.md describes it.
type parcel struct {
	header http.Header
	body   []byte

	ID      string
	Type    string
	Attempt int
	Event   struct {
		EventID *int64 `json:"event_id"`
		Type    string
		Actor   string `json:"actor_agent_id"`
	}
}

func startReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, came: make(chan parcel, 100)}
	r.status.Store(http.StatusOK)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		d := parcel{header: req.Header}
		d.body, _ = io.ReadAll(req.Body)
		if err := json.Unmarshal(d.body, &d); err != nil {
			t.Errorf("a body that is no JSON came: %v", err)
		}
		w.WriteHeader(int(r.status.Load()))
		r.came <- d
	}))
	t.Cleanup(s.Close)
	r.url = s.URL + "/hook"
	return r
}

// next is what comes next. It must be signed, by somebody who knows the secret,
// and say in its header what it says in its body.
func (r *receiver) next(kind string, attempt int) parcel {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), longEnough)
	defer cancel()
	select {
	case d := <-r.came:
		if !verify(r.secret, d.header, d.body) {
			r.t.Errorf("the signature of %s does not fit", d.body)
		}
		if d.header.Get("Nexus-Webhook-Id") != d.ID || d.header.Get("Nexus-Webhook-Attempt") != strconv.Itoa(d.Attempt) || d.Event.Type != d.Type {
			r.t.Errorf("header and body differ: %v %s", d.header, d.body)
		}
		if d.Type != kind || d.Attempt != attempt {
			r.t.Fatalf("got %s, want attempt %d of a %s", d.body, attempt, kind)
		}
		return d
	case <-ctx.Done():
		r.t.Fatalf("no %s came", kind)
		return parcel{}
	}
}

// verify is the function of docs/webhooks.md.
func verify(secret string, h http.Header, body []byte) bool {
	timestamp := h.Get("Nexus-Webhook-Timestamp")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	want := "v1=" + hex.EncodeToString(mac.Sum(nil))
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	fresh := err == nil && time.Since(time.Unix(sent, 0)).Abs() < 5*time.Minute
	return fresh && hmac.Equal([]byte(want), []byte(h.Get("Nexus-Webhook-Signature")))
}

// hook makes a webhook that tells the receiver of messages.
func (n *testNode) hook(r *receiver) (id string) {
	n.t.Helper()
	made := n.call("POST", "/api/v1/webhooks", fmt.Sprintf(`{"url":%q,"events":["message.*"]}`, r.url))
	r.secret = between(made, `"secret":"`, `"`)
	return between(made, `"webhook_id":"`, `"`)
}

// mail sends a message, which is an event.
func (n *testNode) mail(subject string) {
	n.t.Helper()
	n.call("POST", "/api/v1/op/agent_register", `{"agent_id":"ada"}`)
	n.call("POST", "/api/v1/op/message_create", fmt.Sprintf(
		`{"project_root":%q,"from_agent_id":"ada","subject":%q,"body":"b","target":{"strategy":"direct","agent_id":"ada"}}`, n.home, subject))
}

// kill ends the hub without a warning.
func (n *testNode) kill() {
	n.t.Helper()
	if err := n.cmd.Process.Kill(); err != nil {
		n.t.Fatal(err)
	}
	_ = n.cmd.Wait()
}

// What a receiver could not take before the hub was killed comes when both are
// there again, and nothing is left out or out of order.
func TestWebhookOutlivesHub(t *testing.T) {
	t.Parallel()
	home, r := t.TempDir(), startReceiver(t)
	n := startNode(t, home, "--webhook-allow-private", "yes")
	id := n.hook(r)
	n.mail("first")
	first := r.next("message.created", 1)
	if first.Event.Actor != "ada" || first.Event.EventID == nil || !strings.HasPrefix(first.ID, id+"-") {
		t.Errorf("got %s", first.body)
	}

	r.status.Store(http.StatusInternalServerError)
	n.mail("second")
	n.mail("third")
	second := r.next("message.created", 1)
	if !eventually(func() bool {
		return strings.Contains(n.call("GET", "/api/v1/webhooks/"+id+"/attempts", ""), "The receiver answered 500.")
	}) {
		t.Fatal("the failure is not noted")
	}
	n.kill()
	r.status.Store(http.StatusNoContent)
	n = startNode(t, home, "--webhook-allow-private", "yes")
	again := r.next("message.created", 2)
	if again.ID != second.ID || *again.Event.EventID != *second.Event.EventID {
		t.Errorf("got %s again, want %s", again.body, second.body)
	}
	third := r.next("message.created", 1)
	n.mail("fourth")
	fourth := r.next("message.created", 1)
	if a, b, c := *again.Event.EventID, *third.Event.EventID, *fourth.Event.EventID; a >= b || b >= c {
		t.Errorf("events came as %d, %d, %d", a, b, c)
	}
}

// Where nobody said otherwise the hub sends nothing to this machine, whatever it
// is called, and takes it back as soon as somebody does.
func TestWebhookPrivate(t *testing.T) {
	t.Parallel()
	r := startReceiver(t)
	n := startNode(t, t.TempDir())
	refused := func(url string) {
		t.Helper()
		a, err := ask(t.Context(), "POST", n.url+"/api/v1/webhooks", fmt.Sprintf(`{"url":%q,"events":["*"]}`, url))
		if err != nil || a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "webhook_allow_private") {
			t.Errorf("%s: got %d %s, %v", url, a.status, a.body, err)
		}
	}
	refused(r.url)
	refused(strings.Replace(r.url, "127.0.0.1", "localhost", 1))
	refused("http://169.254.169.254/latest/meta-data")
	n.call("PATCH", "/api/v1/settings", `{"webhook_allow_private":true}`)
	id := n.hook(r)
	n.mail("allowed")
	r.next("message.created", 1)

	n.call("PATCH", "/api/v1/settings", `{"webhook_allow_private":false}`)
	refused(r.url)
	if said := n.call("POST", "/api/v1/webhooks/"+id+"/test", ""); !strings.Contains(said, "127.0.0.1 is not a public address") {
		t.Errorf("a test of one that was allowed before: %s", said)
	}
	if len(r.came) > 0 {
		t.Errorf("it was told of %s", (<-r.came).body)
	}
}

// A receiver can be tried out, says that it is gone, and can be taken up again.
func TestWebhookGone(t *testing.T) {
	t.Parallel()
	r := startReceiver(t)
	n := startNode(t, t.TempDir(), "--webhook-allow-private", "yes")
	id := n.hook(r)
	said := n.call("POST", "/api/v1/webhooks/"+id+"/test", "")
	if d := r.next("webhook.test", 1); !strings.Contains(said, `"status":200`) || d.Event.EventID != nil {
		t.Errorf("the test was answered %s and sent %s", said, d.body)
	}
	r.status.Store(http.StatusGone)
	n.mail("the last one")
	gone := r.next("message.created", 1)
	look := func() string { return n.call("GET", "/api/v1/webhooks/"+id, "") }
	if !eventually(func() bool { return strings.Contains(look(), `"is_active":false`) }) || !strings.Contains(look(), "410") {
		t.Errorf("it stands so: %s", look())
	}
	n.mail("nobody is told")
	r.status.Store(http.StatusOK)
	if said := n.call("POST", "/api/v1/webhooks/"+id+"/test", ""); !strings.Contains(said, `"status":200`) {
		t.Errorf("a test of one that is switched off: %s", said)
	}
	r.next("webhook.test", 1) // and no message before it
	n.call("PATCH", "/api/v1/webhooks/"+id, `{"is_active":true}`)
	if again := r.next("message.created", 1); again.ID != gone.ID {
		t.Errorf("it went on with %s, want %s", again.ID, gone.ID)
	}
	if next := r.next("message.created", 1); *next.Event.EventID <= *gone.Event.EventID {
		t.Errorf("after %d came %d", *gone.Event.EventID, *next.Event.EventID)
	}
}
