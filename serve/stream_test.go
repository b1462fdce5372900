package serve_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/serve"
	"nexus/store/storetest"
)

func TestStreamFrame(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		h := startLogHub(t, o, serve.Options{})
		addWorkspaces(t, h.db, "w")
		add(t, h.db,
			nexus.Event{Type: "plain"},
			nexus.Event{
				WorkspaceID: "w", Stream: nexus.StreamWorkspace, Type: "full", Actor: "ann", TaskID: "t", HandoffID: "h",
				Visibility: nexus.VisibilityEligible, Target: json.RawMessage(`{"type": "broadcast"}`),
				Payload: json.RawMessage("{\"text\":\n\"a <b> \\n é\"}"), Trace: "0af7651916cd43dd8448eb211c80319c",
			})
		f := h.follow(t, "", "")
		for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no"} {
			if got := f.resp.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		for _, want := range []sseFrame{
			{id: "1", event: "nexus", data: `{"event_id":1,"workspace_id":null,"stream":"system","type":"plain","created_at":"2026-01-02T03:04:05.000006Z",` +
				`"actor_agent_id":null,"payload":null,"trace_id":null,"visibility":"public","target":null}`},
			{id: "2", event: "nexus", data: `{"event_id":2,"workspace_id":"w","stream":"workspace","type":"full","created_at":"2026-01-02T03:04:05.000006Z",` +
				`"actor_agent_id":"ann","payload":{"text":"a <b> \n é"},"trace_id":"0af7651916cd43dd8448eb211c80319c","visibility":"eligible","target":{"type":"broadcast"}}`},
		} {
			if diff := gocmp.Diff(f.frame(), want, gocmp.AllowUnexported(sseFrame{})); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		}
	})
}

func TestStreamStart(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	addMany(t, h.db, 1200) // more than two pages
	keep := h.follow(t, "from=end", "")
	tests := []struct {
		name, query, header string
		first               int64
	}{
		{"everything without a cursor", "", "", 1},
		{"everything from the start", "from=start", "", 1},
		{"behind the query's cursor", "last_event_id=7", "", 8},
		{"behind the header's cursor", "", "1100", 1101},
		{"the header outranks the query", "last_event_id=7", "9", 10},
		{"a cursor outranks from", "from=end", "9", 10},
		{"a word is no cursor", "last_event_id=abc", "", 1},
		{"nor is a negative number", "", "-5", 1},
		{"nor one that is too large", "", "99999999999999999999", 1},
		{"zero is the beginning", "", "0", 1},
		{"the end", "from=end", "", 1201},
		{"the end, with a bad cursor", "from=end&last_event_id=x", "", 1201},
	}
	readers := map[string]*follower{}
	for _, tt := range tests {
		readers[tt.name] = h.follow(t, tt.query, tt.header)
	}
	last := addMany(t, h.db, 3)
	if diff := gocmp.Diff(keep.ids(3), numbers(last-2, last)); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := numbers(tt.first, last)
			if diff := gocmp.Diff(readers[tt.name].ids(len(want)), want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestStreamRefusals(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	tests := []struct {
		name, query string
		want        nexus.Code
	}{
		{"an unknown stream", "stream=inbox", nexus.InvalidStream},
		{"one unknown stream among known ones", "stream=workspace,task", nexus.InvalidStream},
		{"an unknown parameter", "workspce=w", nexus.ValidationError},
		{"an unknown place to begin", "from=yesterday", nexus.ValidationError},
		{"a malformed query", "a=%zz", nexus.ValidationError},
		{"bytes that are not UTF-8", "agent=%ff", nexus.ValidationError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(t, h.Server, http.MethodGet, "/api/v1/stream?"+tt.query, "")
			if got := code(t, w.Body.Bytes()); got != tt.want || w.Code != http.StatusUnprocessableEntity {
				t.Errorf("got %d %s, want 422 %s", w.Code, got, tt.want)
			}
		})
	}
	if w := ask(t, h.Server, http.MethodHead, "/api/v1/stream", ""); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("HEAD was answered %d with %q", w.Code, w.Body)
	}
}

func TestStreamFilters(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		h := startLogHub(t, o, serve.Options{})
		addWorkspaces(t, h.db, "v", "w")
		kinds := []nexus.Event{
			{WorkspaceID: "v", Stream: nexus.StreamWorkspace, Type: "a", Actor: "ann"},
			{WorkspaceID: "v", Stream: nexus.StreamHandoff, Type: "b", Actor: "bob", Trace: "t1"},
			{WorkspaceID: "w", Stream: nexus.StreamWorkspace, Type: "b", Actor: "ann", Trace: "t2"},
			{Type: "a", Trace: "t1"},
		}
		tests := []struct {
			name, query string
			want        []int // which of the kinds
		}{
			{"a workspace", "workspace=v", []int{0, 1}},
			{"workspaces with a comma", "workspace=v,w", []int{0, 1, 2}},
			{"workspaces one by one", "workspace=v&workspace=w", []int{0, 1, 2}},
			{"a workspace's stream", "workspace=v&stream=handoff", []int{1}},
			{"the system stream", "stream=system", []int{3}},
			{"a stream and a type", "stream=workspace&type=b", []int{2}},
			{"an actor", "agent=ann", []int{0, 2}},
			{"a trace", "trace=t1", []int{1, 3}},
			{"traces and a type", "trace=t1,t2&type=b", []int{1, 2}},
			{"empty values are none", "workspace=&agent=,", []int{0, 1, 2, 3}},
		}
		const rounds = 300 // more than a page, of the filtered ones too
		var log []nexus.Event
		for range rounds {
			log = append(log, kinds...)
		}
		add(t, h.db, slices.Clone(log)...)
		_ = h.follow(t, "from=end", "") // the window begins here
		live := map[string]*follower{}
		for _, tt := range tests {
			live[tt.name] = h.follow(t, tt.query, "")
		}
		add(t, h.db, slices.Clone(log)...)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				var want []int64
				for i := range 2 * rounds {
					for _, k := range tt.want {
						want = append(want, int64(i*len(kinds)+k+1))
					}
				}
				if diff := gocmp.Diff(live[tt.name].ids(len(want)), want); diff != "" {
					t.Errorf("(-got +want):\n%s", diff)
				}
			})
		}
	})
}

// A client that is cut off again and again, while others write, gets each event
// once and in order.
func TestStreamResume(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		h := startLogHub(t, o, serve.Options{})
		const writers, each, before = 4, 150, 700
		addMany(t, h.db, before)
		_ = h.follow(t, "from=end", "") // keeps the feed running between two visits
		var writing sync.WaitGroup
		for range writers {
			writing.Go(func() {
				for range each {
					addMany(t, h.db, 1+rand.IntN(3)/2)
				}
			})
		}
		go func() {
			writing.Wait()
			add(t, h.db, nexus.Event{Type: "end"})
		}()
		var got []int64
		last, whole := "", false
		for !whole {
			f := h.follow(t, "", last)
			for range 1 + rand.IntN(200) {
				e := f.frame()
				id, _ := strconv.ParseInt(e.id, 10, 64)
				got, last = append(got, id), e.id
				if whole = strings.Contains(e.data, `"type":"end"`); whole {
					break
				}
			}
			f.close()
		}
		if diff := gocmp.Diff(got, numbers(1, int64(len(got)))); diff != "" {
			t.Errorf("(-got +want):\n%s", diff)
		}
	})
}

func TestStreamGap(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		h := startLogHub(t, o, serve.Options{})
		last := addMany(t, h.db, 20)
		prune(t, h.db, 10)
		_ = h.follow(t, "from=end", "")
		tests := []struct {
			name, cursor string
			gap          *sseFrame
			next         int64
		}{
			{"what is gone is told", "4", &sseFrame{id: "10", event: "gap", data: `{"after":4,"resumes_at":11,"reason":"retention"}`}, 11},
			{"nothing is missing right behind it", "10", nil, 11},
			{"whoever has nothing misses nothing", "", nil, 11},
			{"nor does zero", "0", nil, 11},
			{"the end of the log", "20", nil, 21},
			{"a number that never was", "21", &sseFrame{id: "20", event: "gap", data: `{"after":21,"resumes_at":21,"reason":"unknown_cursor"}`}, 21},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				f := h.follow(t, "", tt.cursor)
				if tt.gap != nil {
					got := f.frame()
					if diff := gocmp.Diff(got, *tt.gap, gocmp.AllowUnexported(sseFrame{})); diff != "" {
						t.Errorf("(-got +want):\n%s", diff)
					}
					f.close()
					f = h.follow(t, "", got.id) // resuming at the gap's id tells no gap again
				}
				if tt.next <= last {
					if diff := gocmp.Diff(f.ids(int(last-tt.next)+1), numbers(tt.next, last)); diff != "" {
						t.Errorf("(-got +want):\n%s", diff)
					}
				}
			})
		}
		t.Run("an empty log has an end too", func(t *testing.T) {
			prune(t, h.db, last)
			f := h.follow(t, "", "15")
			if got := f.frame(); got.id != "20" || got.data != `{"after":15,"resumes_at":21,"reason":"retention"}` {
				t.Errorf("got %+v", got)
			}
			g := h.follow(t, "", "20")
			if next := addMany(t, h.db, 1); next != 21 {
				t.Fatalf("the next event has number %d", next)
			}
			if a, b := f.ids(1), g.ids(1); a[0] != 21 || b[0] != 21 {
				t.Errorf("got %d and %d, want 21", a, b)
			}
		})
	})
}

func TestStreamPing(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	serve.HurryStreams(h.Server, 5*time.Millisecond, 10*time.Millisecond, time.Minute)
	f := h.follow(t, "stream=handoff", "")
	add(t, h.db, nexus.Event{})
	for {
		got := f.frame()
		if got.event != "" || got.data != "" || got.comments != "ping" {
			t.Fatalf("got %+v, want a comment", got)
		}
		if got.id == "1" {
			return // what the filter passed over need not be looked at again
		}
	}
}

// A ping is but a comment while the client knows how far the log was looked at.
func TestStreamPlainPing(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	serve.HurryStreams(h.Server, 5*time.Millisecond, 10*time.Millisecond, time.Minute)
	add(t, h.db, nexus.Event{})
	for _, tt := range []struct{ name, query, last, greeted string }{
		{"after an event", "", "", ""},
		{"resumed", "", "1", ""},
		{"begun at the end", "from=end", "", "1"},
		{"from another store", "", "9", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := h.tryFollow(t, tt.query, tt.last)
			if got := f.frame(); got.id != tt.greeted {
				t.Errorf("the stream began with %+v, want the id %q", got, tt.greeted)
			}
			for pings := 0; pings < 2; {
				switch got := f.frame(); {
				case got.event != "":
				case got != sseFrame{comments: "ping"}:
					t.Fatalf("got %+v, want a comment", got)
				default:
					pings++
				}
			}
		})
	}
}

func TestStreamSlowReader(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	serve.HurryStreams(h.Server, time.Second, time.Minute, time.Second)
	slow := h.follow(t, "", "")
	events := h.flood(t)
	var got []int64
	last := sseFrame{}
	for {
		f, err := slow.read()
		if err != nil {
			break // dropped, be it in the middle of a frame
		}
		last = f
		id, _ := strconv.ParseInt(f.id, 10, 64)
		got = append(got, id)
	}
	if len(got) == 0 || int64(len(got)) == events {
		t.Fatalf("the slow one got %d events before it was dropped", len(got))
	}
	again := h.follow(t, "", last.id)
	got = append(got, again.ids(int(events)-len(got))...)
	if diff := gocmp.Diff(got, numbers(1, events)); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestStreamEndsWithTheHub(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		h := startLogHub(t, o, serve.Options{})
		last := addMany(t, h.db, 5)
		f := h.follow(t, "", "")
		f.ids(int(last))
		h.stop()
		if got, err := f.read(); err == nil || err.Error() != "EOF" || got != (sseFrame{}) {
			t.Errorf("the stream ended with %+v, %v; want a clean end", got, err)
		}
		addMany(t, h.db, 2)
		next := startLogHub(t, o, serve.Options{})
		if diff := gocmp.Diff(next.follow(t, "", "5").ids(2), numbers(6, 7)); diff != "" {
			t.Errorf("(-got +want):\n%s", diff)
		}
	})
}

func TestStreamAcrossNodes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		here, there := startLogHub(t, o, serve.Options{}), startLogHub(t, o, serve.Options{})
		f := here.follow(t, "", "")
		for i := range int64(20) {
			addMany(t, there.db, 1)
			if got := f.ids(1)[0]; got != i+1 {
				t.Fatalf("got %d, want %d", got, i+1)
			}
		}
	})
}

func TestStreamPlaces(t *testing.T) {
	h := startLogHub(t, storetest.SQLite(t), serve.Options{MaxStreams: 4})
	for range 3 {
		h.follow(t, "", "")
	}
	if f := h.tryFollow(t, "", ""); f.resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a fourth stream of one caller was answered %s", f.resp.Status)
	}
}
