package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.uber.org/goleak"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/search"
	"nexus/store"
	"nexus/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// A kit is a bus and a search on one database, called as any face calls them.
type kit struct {
	t      testing.TB
	opener storetest.Opener
	db     *store.DB
	search *search.Service
	ops    *op.Catalogue
	root   string
	actor  nexus.Actor

	mu    sync.Mutex
	clock time.Time
}

func newID(prefix string) string {
	return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}

func each(t *testing.T, test func(k *kit)) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) { test(newKit(t, o)) })
}

func newKit(t testing.TB, o storetest.Opener) *kit {
	k := &kit{t: t, opener: o, db: o.Open(t), root: t.TempDir(), clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	b := bus.New(bus.Config{
		Store: store.Of[bus.Tx]{DB: k.db}, Now: k.now, NewID: newID,
		Settings: bus.Settings{
			MaxInlineSize: 65536, InboxLease: time.Minute, HandoffLease: time.Minute, SessionStale: time.Minute, Presence: time.Minute,
			SessionReap: time.Hour, MaxEvents: 1000, MaxSharedEvents: 1000,
		},
	})
	k.search = k.service(k.db)
	var err error
	if k.ops, err = op.NewCatalogue(append(op.BusOps(b), op.SearchOps(k.search)...)...); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ada", "bob", "eve"} {
		k.call("agent_register", object{"agent_id": id})
	}
	return k
}

// service is a search as another process would have it. It has all the time that
// a slow machine needs.
func (k *kit) service(db *store.DB) *search.Service {
	return search.New(search.Config{Store: store.Of[search.Tx]{DB: db}, Now: k.now, NewID: newID, Patience: time.Minute})
}

func (k *kit) now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clock = k.clock.Add(time.Millisecond)
	return k.clock
}

func (k *kit) pass(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clock = k.clock.Add(d)
}

func (k *kit) call(name string, arguments object) object {
	k.t.Helper()
	raw, _ := json.Marshal(arguments)
	answer, err := k.ops.Lookup(name).Call(nexus.WithActor(k.t.Context(), k.actor), raw)
	if err != nil {
		k.t.Fatalf("%s(%s): %v", name, raw, err)
	}
	out, err := op.Marshal(answer)
	if err != nil {
		k.t.Fatal(err)
	}
	var data object
	if err := json.Unmarshal(out, &data); err != nil {
		k.t.Fatal(err)
	}
	return data
}

func direct(to string) object { return object{"strategy": "direct", "agent_id": to} }

// send sends a message and returns its id.
func (k *kit) send(from, to, subject, body string) string {
	k.t.Helper()
	k.pass(time.Second)
	return k.call("message_create", object{
		"project_root": k.root, "from_agent_id": from, "subject": subject, "body": body, "target": direct(to),
	})["message_id"].(string)
}

func (k *kit) find(q string, more ...object) search.FindResult {
	k.t.Helper()
	arguments := object{"q": q}
	for _, m := range more {
		for key, value := range m {
			arguments[key] = value
		}
	}
	raw, _ := json.Marshal(k.call("search", arguments))
	var result search.FindResult
	if err := json.Unmarshal(raw, &result); err != nil {
		k.t.Fatal(err)
	}
	return result
}

func ids(r search.FindResult) []string {
	all := []string{}
	for _, h := range r.Items {
		all = append(all, h.ID)
	}
	return all
}

// finds checks what a query finds, best first, without warnings.
func (k *kit) finds(q string, want []string, more ...object) {
	k.t.Helper()
	got := k.find(q, more...)
	if diff := cmp.Diff(want, ids(got)); diff != "" || len(got.Warnings) > 0 {
		k.t.Errorf("%s %v: warnings %v, -want +got:\n%s", q, more, got.Warnings, diff)
	}
}

type hit = search.Hit

var byWords = object{"mode": "fts"}

func TestFindWords(t *testing.T) {
	each(t, func(k *kit) {
		bike := k.send("ada", "bob", "Red bike", "The red bicycle leans against the wall.")
		car := k.send("bob", "ada", "Red car", "A red car, not a bike; the red is dark red.")
		cafe := k.send("ada", "bob", "Café", "Meet me at the café: message.created and foo_bar, 日本語.")
		tests := []struct {
			q    string
			want []string
		}{
			{"bicycle", []string{bike}},
			{"BICYCLE nothing", []string{bike}},
			{"cafe", []string{cafe}},
			{"message.created", []string{cafe}},
			{"created.message", []string{}},
			{"foo-bar", []string{cafe}},
			{"日本", []string{cafe}},
			{"bicyc*", []string{bike}},
			{`"red car"`, []string{car}},
			{`"red bicycle"`, []string{bike}},
			{"bike -car", []string{bike}},
			{`bike -"red bicycle"`, []string{car}},
			{"red from:bob", []string{car}},
			{"red from:nobody", []string{}},
			{"red type:handoff", []string{}},
			{"red in:" + k.root, []string{car, bike}},
			{"red in:" + filepath.Base(k.root), []string{car, bike}},
			{"red in:elsewhere", []string{}},
			{"from:ada", []string{cafe, bike}},
			{"type:message -bike", []string{cafe}},
			{"OR NOT NEAR(", []string{car}},
			{`'; DROP TABLE messages; --`, []string{}},
		}
		for _, tt := range tests {
			k.finds(tt.q, tt.want, byWords)
		}
		k.finds("red", []string{car}, byWords, object{"from": "bob", "types": []string{"message"}})
		k.finds("red", []string{}, byWords, object{"before": "2026-02-01"})
		k.finds("red after:2026-02-01", []string{car, bike}, byWords)
		k.finds("red", []string{car}, byWords, object{"limit": 1})
	})
}

func TestFindEverything(t *testing.T) {
	each(t, func(k *kit) {
		handoff := k.call("handoff_create", object{
			"project_root": k.root, "from_agent_id": "ada", "target": direct("bob"), "visibility": "public",
			"payload": object{"goal": "Translate the manual", "steps": []string{"find a translator"}}, "acceptance_criteria": []string{"no typos"},
		})["handoff_id"].(string)
		artifact := k.call("artifact_put", object{
			"project_root": k.root, "artifact_type": "markdown", "name": "plan.md", "content": "# Harvest\n\nPick the apples first.",
		})["artifact_id"].(string)
		for q, want := range map[string][]string{
			"translator": {handoff}, "typos": {handoff}, "harvest apples": {artifact}, "plan": {artifact}, "type:artifact": {artifact}, "finished": {},
		} {
			k.finds(q, want, byWords)
		}
		work := object{"project_root": k.root, "handoff_id": handoff, "agent_id": "bob"}
		k.call("handoff_claim", work)
		work["result"] = "Finished all chapters."
		k.call("handoff_complete", work)
		k.finds("finished", []string{handoff}, byWords)
		k.finds("translator", []string{handoff}, byWords)
		if got := k.call("search_status", nil); got["documents"] != 2.0 || got["up_to_date"] != true {
			k.t.Errorf("status %v, want 2 documents: notices of the bus do not count", got)
		}
	})
}

func TestFindMeaning(t *testing.T) {
	each(t, func(k *kit) {
		full := k.send("ada", "bob", "Disk", "The scratch disk filled up and writes fail with ENOSPC.")
		k.send("ada", "bob", "Lunch", "The pasta with tomatoes was excellent today.")
		k.send("ada", "bob", "Review", "Please approve the pull request before noon.")
		for _, mode := range []string{"semantic", "hybrid"} {
			got := k.find("server has no storage space left", object{"mode": mode})
			if len(got.Items) != 3 || got.Items[0].ID != full || got.Items[0].Meaning == nil || *got.Items[0].Meaning < 0.2 {
				k.t.Errorf("%s: %+v, want %s first of all", mode, got, full)
			}
		}
		got := k.find("tomatoes")
		if len(got.Items) == 0 || got.Items[0].Title != "Lunch" || got.Items[0].Words == nil || *got.Items[0].Words <= 0.2 {
			k.t.Errorf("got %+v, want the lunch for its word", got)
		}
	})
}

func TestSnippets(t *testing.T) {
	each(t, func(k *kit) {
		long := strings.Repeat("Nothing of interest is said here at all. ", 100)
		k.send("ada", "bob", "Long", long+"\n\nThe Zeppelin landed\nsafely in Friedrichshafen.\n\n"+long)
		hit := k.find("zeppelin friedrichshafen", byWords).Items[0]
		if !strings.Contains(hit.Snippet, "The Zeppelin landed safely in Friedrichshafen.") || len(hit.Snippet) > 260 {
			k.t.Errorf("snippet %q", hit.Snippet)
		}
		if !strings.Contains(hit.Marked(), "\uE000Zeppelin\uE001 landed safely in \uE000Friedrichshafen\uE001.") {
			k.t.Errorf("marked %q", hit.Marked())
		}
		if hit.Content != nil {
			k.t.Error("content that nobody asked for")
		}
		hit = k.find("zeppelin", object{"include_content": true}).Items[0]
		if hit.Content == nil || !strings.HasPrefix(*hit.Content, "Nothing of interest") {
			k.t.Errorf("content %v", hit.Content)
		}
	})
}

func TestVisibility(t *testing.T) {
	each(t, func(k *kit) {
		secret := k.send("ada", "bob", "Secret", "The password of the vault is swordfish.")
		workspace := k.find("swordfish").Items[0].Workspace
		for name, tt := range map[string]struct {
			actor nexus.Actor
			finds bool
		}{
			"the operator":                {nexus.Actor{Kind: nexus.KindOperator}, true},
			"a local process":             {nexus.Actor{Kind: nexus.KindProcess}, true},
			"an administrator's key":      {nexus.Actor{Kind: nexus.KindAgent, AgentID: "eve", Scopes: "admin"}, true},
			"another agent":               {nexus.Actor{Kind: nexus.KindAgent, AgentID: "eve"}, false},
			"its recipient":               {nexus.Actor{Kind: nexus.KindAgent, AgentID: "bob"}, true},
			"one who may not":             {nexus.Actor{Kind: nexus.KindAgent, AgentID: "eve", Blind: true}, false},
			"the sender":                  {nexus.Actor{Kind: nexus.KindAgent, AgentID: "ada", Blind: true}, true},
			"the recipient":               {nexus.Actor{Kind: nexus.KindAgent, AgentID: "bob", Blind: true}, true},
			"a key for the workspace":     {nexus.Actor{Kind: nexus.KindAgent, AgentID: "bob", Scopes: nexus.Scopes("read workspace:" + *workspace)}, true},
			"a key for another workspace": {nexus.Actor{Kind: nexus.KindAgent, AgentID: "bob", Scopes: "read workspace:ws_other"}, false},
		} {
			for _, q := range []string{"swordfish", "password vault", "from:ada", `"swordfish"`} {
				for _, mode := range []string{"fts", "semantic", "hybrid"} {
					k.actor = tt.actor
					want := []string{}
					if tt.finds {
						want = append(want, secret)
					}
					if got := ids(k.find(q, object{"mode": mode})); !slices.Equal(got, want) {
						k.t.Errorf("%s by %s with %q: got %v, want %v", name, mode, q, got, want)
					}
				}
			}
		}
	})
}

// What everybody may see, an agent finds that had no part in it.
func TestSeenByAll(t *testing.T) {
	each(t, func(k *kit) {
		said := k.call("message_create", object{
			"project_root": k.root, "from_agent_id": "ada", "subject": "News", "body": "The marmalade is ready.", "target": object{"strategy": "broadcast"},
		})["message_id"].(string)
		offered := k.call("handoff_create", object{
			"project_root": k.root, "from_agent_id": "ada", "visibility": "public", "payload": "Stir the marmalade.", "target": object{"strategy": "direct", "agent_id": "bob"},
		})["handoff_id"].(string)
		hidden := k.call("handoff_create", object{
			"project_root": k.root, "from_agent_id": "ada", "visibility": "private", "payload": "Hide the marmalade.", "target": object{"strategy": "direct", "agent_id": "bob"},
		})["handoff_id"].(string)
		for agent, want := range map[string][]string{"eve": {offered, said}, "bob": {hidden, offered, said}} {
			k.actor = nexus.Actor{Kind: nexus.KindAgent, AgentID: agent}
			got := ids(k.find("marmalade", byWords))
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				k.t.Errorf("%s found %v, want %v", agent, got, want)
			}
		}
	})
}

func TestFindsAtOnce(t *testing.T) {
	each(t, func(k *kit) {
		for i := range 30 {
			word := fmt.Sprintf("word%d", i)
			id := k.send("ada", "bob", "One of many", "This has the "+word+" in it.")
			k.finds(word, []string{id}, byWords)
		}
	})
}

func TestReindex(t *testing.T) {
	each(t, func(k *kit) {
		var want []string
		for i := range 120 {
			want = append(want, k.send("ada", "bob", "Letter", fmt.Sprintf("This is letter number%d.", i)))
		}
		k.finds("number7", []string{want[7]}, byWords)
		if got := k.call("search_reindex", object{"dry_run": true}); got["documents"] != 120.0 {
			k.t.Errorf("dry run: %v", got)
		}
		k.call("search_reindex", nil)
		if got := k.find("number7", byWords); len(got.Items) != 1 || len(got.Warnings) != 1 || got.Warnings[0].Code != "INDEX_REBUILDING" {
			k.t.Errorf("while it is rebuilt: %+v", got)
		}
		if err := k.search.Finish(k.t.Context(), nil); err != nil {
			k.t.Fatal(err)
		}
		k.finds("number7", []string{want[7]}, byWords)
		status := k.call("search_status", nil)
		if status["documents"] != 120.0 || status["rebuild"] != nil || status["up_to_date"] != true || status["held_by"] != nil {
			k.t.Errorf("status %v", status)
		}
	})
}

// A search that could not wait until all is indexed leaves the rest to others.
func TestImpatientSearch(t *testing.T) {
	each(t, func(k *kit) {
		for i := range 150 {
			k.send("ada", "bob", "Letter", fmt.Sprintf("This is letter number%d.", i))
		}
		s := search.New(search.Config{Store: store.Of[search.Tx]{DB: k.db}, Now: k.now, NewID: newID, Patience: time.Nanosecond})
		got, err := s.Find(k.t.Context(), search.FindParams{Query: "number149", Mode: "fts"})
		if err != nil || len(got.Warnings) != 1 || got.Warnings[0].Code != "INDEX_BEHIND" {
			k.t.Errorf("%+v, %v", got, err)
		}
		if held := k.call("search_status", nil)["held_by"]; held != nil {
			k.t.Errorf("the index is still held by %v", held)
		}
		if got := k.find("number149", byWords); len(got.Items) != 1 || len(got.Warnings) > 0 {
			k.t.Errorf("with patience: %+v", got)
		}
	})
}

// A reset deletes the index, too, and the next search is right again.
func TestReset(t *testing.T) {
	each(t, func(k *kit) {
		k.send("ada", "bob", "Old", "An elephant.")
		k.find("elephant")
		k.actor = nexus.Actor{Kind: nexus.KindOperator}
		k.call("admin_reset", nil)
		k.finds("elephant", []string{}, byWords)
		id := k.send("ada", "bob", "New", "A giraffe.")
		k.finds("giraffe", []string{id})
		k.finds("elephant giraffe", []string{id})
	})
}

// When the log no longer goes back far enough, the tables tell.
func TestPrunedLog(t *testing.T) {
	each(t, func(k *kit) {
		id := k.send("ada", "bob", "Old", "An elephant.")
		k.pass(100 * 24 * time.Hour)
		k.actor = nexus.Actor{Kind: nexus.KindOperator}
		k.call("admin_prune", object{"dry_run": false})
		k.finds("elephant", []string{id}, byWords)
	})
}

// Two processes index at once; every document is there once.
func TestTwoIndexers(t *testing.T) {
	each(t, func(k *kit) {
		other := k.service(k.opener.Open(k.t))
		ctx, stop := context.WithCancel(k.t.Context())
		var running sync.WaitGroup
		for _, s := range []*search.Service{k.search, other} {
			running.Go(func() {
				if err := s.Run(ctx); err != nil {
					k.t.Error(err)
				}
			})
		}
		for i := range 200 {
			k.send("ada", "bob", "Letter", fmt.Sprintf("This is letter number%d of penguins.", i))
		}
		for _, s := range []*search.Service{k.search, other} {
			got, err := s.Find(k.t.Context(), search.FindParams{Query: "penguins", Mode: "fts", Limit: ptr(100)})
			if err != nil || len(got.Items) != 100 || len(got.Warnings) > 0 {
				k.t.Errorf("%d found, %v, %v", len(got.Items), got.Warnings, err)
			}
		}
		stop()
		running.Wait()
		if status := k.call("search_status", nil); status["documents"] != 200.0 || status["held_by"] != nil {
			k.t.Errorf("status %v", status)
		}
	})
}

func ptr[T any](v T) *T { return &v }

// Whoever was killed while it held the index is waited for no longer than its
// lease.
func TestTakeOver(t *testing.T) {
	each(t, func(k *kit) {
		_, err := k.db.Update(k.t.Context(), func(tx *store.Tx) (any, error) {
			return tx.HoldSearch("killed", "index_x", nexus.Stamp(k.now()), nexus.Stamp(k.now().Add(time.Minute)))
		})
		if err != nil {
			k.t.Fatal(err)
		}
		id := k.send("ada", "bob", "Zebra", "A zebra.")
		s := search.New(search.Config{Store: store.Of[search.Tx]{DB: k.db}, Now: k.now, NewID: newID, Patience: 10 * time.Millisecond})
		got, err := s.Find(k.t.Context(), search.FindParams{Query: "zebra"})
		if err != nil || len(got.Items) != 0 || len(got.Warnings) == 0 || got.Warnings[0].Code != "INDEX_BEHIND" {
			k.t.Errorf("while another holds it: %+v, %v", got, err)
		}
		k.pass(2 * time.Minute)
		k.finds("zebra", []string{id})
	})
}
