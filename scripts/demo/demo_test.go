package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/bus"
)

// newHubFor starts a hub of its own for a test.
func newHubFor(t *testing.T) string {
	t.Helper()
	p, err := startHub(t.Context(), t.TempDir(), io.Discard, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	return p.url
}

// list reads a list of the operator's.
func list[T any](t *testing.T, h *hub, path string) []T {
	t.Helper()
	var page struct {
		Items []T `json:"items"`
	}
	if err := h.get(t.Context(), path, &page); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return page.Items
}

// fields are what one thing in a list says.
type fields map[string]any

func TestFill(t *testing.T) {
	t.Parallel()
	d, err := newDemo(options{hub: newHubFor(t), seed: 7, pace: 100 * time.Millisecond}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	if err := d.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("shows every state", func(t *testing.T) { everyState(t, d) })
	t.Run("has what tests look for", func(t *testing.T) { landmarks(t, d) })
	t.Run("goes on", func(t *testing.T) { goesOn(t, d) })
	t.Run("leaves the settings as they were", func(t *testing.T) {
		if err := d.restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		for key := range d.before {
			if got := source(t, d.hub, key); got != "default" {
				t.Errorf("%s is %s, want default", key, got)
			}
		}
	})
	t.Run("is refused where it was", func(t *testing.T) {
		err := run(t.Context(), options{hub: d.hub.url, pace: time.Second}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "already has an agent") {
			t.Errorf("got %v, want that the team is there already", err)
		}
	})
}

// source is where the value of a setting is from.
func source(t *testing.T, h *hub, key string) any {
	t.Helper()
	for _, s := range list[fields](t, h, "/settings") {
		if s["key"] == key {
			return s["source"]
		}
	}
	return nil
}

// everyState looks while those who are present are kept so.
func everyState(t *testing.T, d *demo) {
	ctx, stop := context.WithCancel(t.Context())
	held := make(chan error)
	go func() { held <- d.stay(ctx) }()
	var paths []string
	add := func(format string, values ...string) {
		for _, v := range values {
			paths = append(paths, fmt.Sprintf(format, v))
		}
	}
	add("/handoffs?status=%s", bus.HandoffStates()...)
	add("/tasks?status=%s", bus.TaskStates()...)
	add("/artifacts?type=%s", bus.ArtifactTypes()...)
	add("/messages?lane=%s", bus.Unread, bus.Delivered, bus.ReadLane, bus.Parked)
	add("/sessions?status=%s", bus.SessionActive, bus.SessionStale, bus.SessionClosed)
	add("/messages?undelivered=%s", "true")
	add("/messages?channel=%s", d.ids["channel.releases"], d.ids["channel.incidents"])
	add("/messages/search?q=%s", "hostile-marker")
	add("/topics?status=%s", "open", "closed")
	for _, path := range paths {
		if len(list[fields](t, d.hub, path)) == 0 {
			t.Errorf("there is nothing at %s", path)
		}
	}
	want := map[string]string{}
	for _, a := range d.team.Agents {
		want[a.ID] = a.Presence
	}
	got := map[string]string{}
	for _, s := range list[fields](t, d.hub, "/sessions?limit=200") {
		got[s["agent_id"].(string)] = s["presence"].(string)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("presence (-want +got):\n%s", diff)
	}
	stop()
	if err := <-held; !errors.Is(err, context.Canceled) {
		t.Errorf("holding them ended with %v", err)
	}
}

// landmarks looks for single things that must be there.
func landmarks(t *testing.T, d *demo) {
	blocked, leases := 0, map[any]bool{}
	for _, h := range list[fields](t, d.hub, "/handoffs?limit=200") {
		if h["status"] == bus.HandoffClaimed {
			leases[h["lease_expires_at"]] = true
		}
		if h["blocked"] == true {
			blocked++
		}
	}
	if blocked < 2 || len(leases) < 3 {
		t.Errorf("got %d hand-offs that wait for others and %d different leases, want at least 2 and 3", blocked, len(leases))
	}
	for name, wantError := range map[string]bool{"webhook.works": false, "webhook.fails": true} {
		attempts := list[fields](t, d.hub, "/webhooks/"+d.ids[name]+"/attempts")
		if len(attempts) == 0 || (attempts[0]["error"] != nil) != wantError {
			t.Errorf("%s: got %v, want an attempt with error=%t", name, attempts, wantError)
		}
	}
	own := slices.DeleteFunc(list[fields](t, d.hub, "/presets"), func(p fields) bool { return p["builtin"] == true })
	if len(own) != len(d.team.Presets) {
		t.Errorf("got presets %v, want %d of our own", own, len(d.team.Presets))
	}
	if keys := list[fields](t, d.hub, "/agents/ostler/keys"); len(keys) != 2 {
		t.Errorf("got keys %v, want two", keys)
	}
	var hostile struct {
		Body       string `json:"body"`
		Provenance struct{ Proof string }
	}
	if err := d.hub.get(t.Context(), "/messages/"+url.PathEscape(d.ids["hostile"]), &hostile); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<img src=x onerror=", "](javascript:", "![remote](http"} {
		if !strings.Contains(hostile.Body, part) {
			t.Errorf("the hostile message has no %s", part)
		}
	}
	if hostile.Provenance.Proof != bus.ProofKey {
		t.Errorf("agents speak with their own keys, got proof %q", hostile.Provenance.Proof)
	}
}

// goesOn lets the team work for a while. Nothing may go wrong.
func goesOn(t *testing.T, d *demo) {
	ctx, stop := context.WithCancel(t.Context())
	ticks, ended := make(chan time.Time), make(chan error)
	completed := len(list[fields](t, d.hub, "/handoffs?status=COMPLETED"))
	var wrong bytes.Buffer
	go func() { ended <- d.work(ctx, ticks, &wrong) }()
	for range 250 {
		ticks <- time.Time{}
	}
	if now := len(list[fields](t, d.hub, "/handoffs?status=COMPLETED&limit=1000")); now <= completed {
		t.Errorf("got %d completed hand-offs, want more than the %d there were", now, completed)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("work ended with %v", err)
	}
	if wrong.Len() > 0 {
		t.Errorf("work went wrong:\n%s", &wrong)
	}
}

// still runs the demo as a program does, and reads the line that it prints.
func still(t *testing.T, o options) summary {
	t.Helper()
	var out bytes.Buffer
	o.still, o.pace = true, time.Second
	if err := run(t.Context(), o, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var s summary
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%v in %q", err, &out)
	}
	return s
}

func TestStillSameSeed(t *testing.T) {
	t.Parallel()
	said := func() []string {
		h := newHub(still(t, options{hub: newHubFor(t), home: t.TempDir(), seed: 3}).Hub, "")
		var all []string
		for _, m := range list[fields](t, h, "/messages?page_size=200&include_body=true") {
			if from := m["provenance"].(map[string]any); from["sender"] != bus.SenderBus { // whose notices name ids
				all = append(all, fmt.Sprint(m["from_agent_id"], m["target"], m["subject"], m["body"]))
			}
		}
		return all
	}
	one := said()
	if len(one) < 60 {
		t.Errorf("got %d messages, want several dozen", len(one))
	}
	if diff := cmp.Diff(one, said()); diff != "" {
		t.Errorf("the same seed gave something else (-first +second):\n%s", diff)
	}
}

func TestStillCrowd(t *testing.T) {
	t.Parallel()
	const agents, events = 60, 3000
	address := newHubFor(t)
	s := still(t, options{hub: address, home: t.TempDir(), seed: 1, agents: agents, events: events})
	h := newHub(s.Hub, "")
	team := slices.DeleteFunc(list[fields](t, h, "/agents"), func(a fields) bool { return a["agent_id"] == nexus.OperatorID })
	if len(team) != agents {
		t.Errorf("got %d agents, want %d", len(team), agents)
	}
	newest := list[fields](t, h, "/events?limit=1&before=9007199254740991")
	if n := newest[0]["event_id"].(float64); n < events {
		t.Errorf("got %v events, want at least %d", n, events)
	}
}

// TestRun is the demo with a hub of its own, which must leave nothing behind.
func TestRun(t *testing.T) {
	t.Parallel()
	s := still(t, options{seed: 1})
	if _, err := os.Stat(s.Home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the home is still there: %v", err)
	}
	if err := newHub(s.Hub, "").get(t.Context(), "/info", nil); err == nil {
		t.Error("the hub still answers")
	}
}
