package topic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/search"
	"nexus/store"
	"nexus/store/storetest"
	"nexus/topic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// object is a JSON object.
type object = map[string]any

// A kit is topics, with a bus beside them, on a database of their own and with a
// clock that the test moves.
type kit struct {
	search *search.Service
	t      *testing.T
	db     *store.DB
	ops    *op.Catalogue
	topics *topic.Service
	root   string
	actor  nexus.Actor

	mu    sync.Mutex
	clock time.Time
	held  map[string][]nexus.Membership // by connection
}

// each runs a test of topics on both databases.
func each(t *testing.T, test func(k *kit)) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) { test(newKit(t, o.Open(t), topic.DefaultSettings())) })
}

func newID(prefix string) string {
	return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}

func newKit(t *testing.T, db *store.DB, s topic.Settings) *kit {
	k := &kit{t: t, db: db, root: t.TempDir(), clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), held: map[string][]nexus.Membership{}}
	b := bus.New(bus.Config{Store: store.Of[bus.Tx]{DB: db}, Settings: bus.Settings{MaxInlineSize: 65536, InboxLease: time.Minute, MaxEvents: 1000}, Now: k.now, NewID: newID})
	k.search = search.New(search.Config{Store: store.Of[search.Tx]{DB: db}, Now: k.now, NewID: newID})
	k.topics = topic.New(topic.Config{
		Finder: finder{k.search},
		Store:  store.Of[topic.Tx]{DB: db}, Settings: s, Now: k.now, NewID: newID, Version: "test", Workspace: b.DefaultWorkspace,
		Permit: func(ctx context.Context, tx topic.Tx) error { return bus.MayChangeTopics(ctx, tx.(bus.Tx)) },
		Mention: func(ctx context.Context, tx topic.Tx, m topic.Mention) error {
			return b.Tell(ctx, tx.(bus.Tx), bus.Notice{
				To: m.AgentID, From: m.Post.Sender, WorkspaceID: m.Topic.WorkspaceID, Subject: "mention", Body: object{"message_id": m.Post.ID},
			})
		},
	})
	var err error
	if k.ops, err = op.NewCatalogue(slices.Concat(op.BusOps(b), op.TopicOps(k.topics))...); err != nil {
		t.Fatal(err)
	}
	return k
}

// finder joins the search as cmd/nexus does.
type finder struct{ *search.Service }

func (f finder) FindPosts(ctx context.Context, q topic.PostQuery) (found topic.PostsFound, err error) {
	p := search.FindParams{Query: q.Query, Mode: q.Mode, Types: []string{search.KindTopicPost}, Limit: &q.Limit}
	if q.TopicID != "" {
		p.In = []string{q.TopicID}
	}
	r, err := f.FindFTS(ctx, p)
	for _, h := range r.Items {
		found.Posts = append(found.Posts, topic.FoundPost{ID: h.ID, Snippet: h.Marked(), Words: h.Words, Meaning: h.Meaning})
	}
	for _, w := range r.Warnings {
		found.Warnings = append(found.Warnings, topic.Warning{Code: w.Code, Message: w.Message})
	}
	return found, err
}

func (k *kit) now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.clock
}

func (k *kit) pass(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clock = k.clock.Add(d)
}

// try calls an operation on a connection, which remembers what it joins.
func (k *kit) try(conn, name string, arguments object) (object, *nexus.Error) {
	k.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		k.t.Fatal(err)
	}
	k.mu.Lock()
	known := nexus.Memberships{Held: slices.Clone(k.held[conn])}
	k.mu.Unlock()
	ctx := nexus.WithMemberships(nexus.WithActor(k.t.Context(), k.actor), known)
	answer, err := k.ops.Lookup(name).Call(ctx, raw)
	if err != nil {
		return nil, nexus.AsError(err)
	}
	out, err := op.Marshal(answer)
	if err != nil {
		k.t.Fatal(err)
	}
	var data object
	if err := json.Unmarshal(out, &data); err != nil {
		k.t.Fatalf("%s answered %s: %v", name, out, err)
	}
	if name == "topic_join" {
		var m nexus.Membership
		_ = json.Unmarshal(out, &m)
		k.mu.Lock()
		k.held[conn] = append(k.held[conn], m)
		k.mu.Unlock()
	}
	return data, nil
}

func (k *kit) call(conn, name string, arguments object) object {
	k.t.Helper()
	data, err := k.try(conn, name, arguments)
	if err != nil {
		k.t.Fatalf("%s: %v", name, err)
	}
	return data
}

// fails calls an operation that must fail with a code, and with these words if
// there are any.
func (k *kit) fails(conn, name string, code nexus.Code, words string, arguments object) *nexus.Error {
	k.t.Helper()
	data, err := k.try(conn, name, arguments)
	if err == nil || err.Code != code || words != "" && err.Msg != words {
		k.t.Errorf("%s(%v): got %v %v, want %s %s", name, arguments, data, err, code, words)
		return &nexus.Error{}
	}
	return err
}

// want compares a value with what JSON it should be.
func (k *kit) want(what string, got any, want string) {
	k.t.Helper()
	raw, err := op.Marshal(got)
	if err != nil {
		k.t.Fatal(err)
	}
	if string(raw) != want {
		k.t.Errorf("%s: got %s, want %s", what, raw, want)
	}
}

// open makes a topic that peers have joined under the names of their connections.
func (k *kit) open(name string, peers ...string) string {
	k.t.Helper()
	id := k.call("", "topic_create", object{"name": name})["topic_id"].(string)
	for _, p := range peers {
		k.call(p, "topic_join", object{"topic_id": id, "agent_name": p})
	}
	return id
}

// say sends messages and waits for nothing.
func (k *kit) say(peer, id string, texts ...string) object {
	k.t.Helper()
	outbox := []object{}
	for _, text := range texts {
		outbox = append(outbox, object{"content_markdown": text})
	}
	return k.call(peer, "sync", object{"topic_id": id, "outbox": outbox, "wait_seconds": 0})
}

// hear receives what there is.
func (k *kit) hear(peer, id string, more ...object) object {
	k.t.Helper()
	arguments := object{"topic_id": id, "wait_seconds": 0}
	for _, m := range more {
		for key, value := range m {
			arguments[key] = value
		}
	}
	return k.call(peer, "sync", arguments)
}

// texts are the bodies of the messages that were received.
func texts(data object) []string {
	all := []string{}
	for _, m := range data["received"].([]any) {
		all = append(all, m.(object)["content_markdown"].(string))
	}
	return all
}

func TestCreate(t *testing.T) {
	each(t, func(k *kit) {
		first := k.call("", "topic_create", object{"name": " plans ", "metadata": object{"a": 1}})
		k.want("name and status", []any{first["name"], first["status"]}, `["plans","open"]`)
		k.pass(time.Second)
		if again := k.call("", "topic_create", object{"name": "plans"}); again["topic_id"] != first["topic_id"] {
			k.t.Errorf("reuse made another topic: %v", again)
		}
		second := k.call("", "topic_create", object{"name": "plans", "mode": "new"})
		if second["topic_id"] == first["topic_id"] {
			k.t.Error("new made no topic")
		}
		k.want("the newest is reused", k.call("", "topic_create", object{"name": "plans"})["topic_id"], string(mustMarshal(second["topic_id"])))
		unnamed := k.call("", "topic_create", nil)
		k.want("a made-up name", unnamed["name"], fmt.Sprintf(`"topic-%s"`, unnamed["topic_id"]))
		k.fails("", "topic_create", nexus.InvalidArgument, "name must be a non-empty string", object{"name": "  "})
		k.fails("", "topic_create", nexus.InvalidArgument, "", object{"mode": "other"})
		k.fails("", "topic_create", nexus.InvalidArgument, "", object{"metadata": []int{1}})
		k.fails("", "topic_create", nexus.InvalidArgument, "", object{"nam": "x"})

		list := k.call("", "topic_list", nil)["topics"].([]any)
		if len(list) != 3 {
			k.t.Fatalf("%d topics", len(list))
		}
		k.want("the oldest", list[2].(object)["metadata"], `{"a":1}`)
		k.want("when", list[2].(object)["created_at"], `1772366400`)
		k.fails("", "topic_list", nexus.InvalidArgument, "", object{"status": "odd"})
	})
}

func mustMarshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// Calls at once that would reuse a topic make one.
func TestCreateTogether(t *testing.T) {
	each(t, func(k *kit) {
		ids := make([]any, 16)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() { ids[i] = k.call("", "topic_create", object{"name": "one"})["topic_id"] })
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] {
				k.t.Errorf("two topics: %v and %v", ids[0], id)
			}
		}
	})
}

func TestCloseAndResolve(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada", "bob")
		k.say("ada", id, "before")
		k.fails("", "topic_resolve", nexus.TopicNotFound, "Topic not found.", object{"name": "play"})
		k.want("found", k.call("", "topic_resolve", object{"name": "work"})["topic_id"] == id, `true`)
		closed := k.call("", "topic_close", object{"topic_id": id, "reason": "done"})
		k.want("how", []any{closed["status"], closed["close_reason"], closed["closed_at"]}, `["closed","done",1772366400]`)
		k.pass(time.Minute)
		again := k.call("", "topic_close", object{"topic_id": id, "reason": "other"})
		k.want("the first counts", []any{again["close_reason"], again["closed_at"]}, `["done",1772366400]`)
		k.want("warned", again["warnings"].([]any)[0].(object)["context"], fmt.Sprintf(`{"topic_id":%q}`, id))

		k.fails("", "topic_resolve", nexus.TopicNotFound, "", object{"name": "work"})
		k.want("allowed", k.call("", "topic_resolve", object{"name": "work", "allow_closed": true})["status"], `"closed"`)
		k.fails("ada", "sync", nexus.TopicClosed, "Topic is closed.", object{"topic_id": id, "outbox": object{"content_markdown": "late"}})
		k.want("it can be read", texts(k.hear("bob", id)), `["before"]`)
		k.fails("eve", "topic_join", nexus.TopicNotFound, "", object{"name": "work", "agent_name": "eve"})
		k.call("eve", "topic_join", object{"topic_id": id, "agent_name": "eve"}) // by id it does not matter
		k.fails("", "topic_close", nexus.TopicNotFound, "", object{"topic_id": "none"})
		k.want("closed ones", len(k.call("", "topic_list", object{"status": "closed"})["topics"].([]any)), `1`)
		unsaid := k.open("unsaid")
		k.want("no reason", k.call("", "topic_close", object{"topic_id": unsaid, "reason": ""})["close_reason"], `null`)
	})
}

func TestJoin(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work")
		mine := k.call("ada", "topic_join", object{"name": "work", "agent_name": " red squirrel "})
		k.want("who", []any{mine["topic_id"] == id, mine["agent_name"], len(mine["reclaim_token"].(string))}, `[true,"red squirrel",32]`)
		again := k.call("ada", "topic_join", object{"topic_id": id, "agent_name": "red squirrel"})
		k.want("the same token", again["reclaim_token"] == mine["reclaim_token"], `true`)

		e := k.fails("bob", "topic_join", nexus.AgentNameInUse,
			`agent_name "red squirrel" is already reserved for this topic. Provide the original reclaim_token to reuse it, or choose a different agent_name.`,
			object{"topic_id": id, "agent_name": "red squirrel"})
		k.want("suggested", e.Details["suggested_agent_names"], `["red squirrel reviewer","red squirrel frontend","red squirrel architect",`+
			`"red squirrel implementer","red squirrel researcher","blue red squirrel","curious red squirrel","steady red squirrel","swift red squirrel"]`)
		k.fails("bob", "topic_join", nexus.AgentNameInUse, "", object{"topic_id": id, "agent_name": "red squirrel", "reclaim_token": "guess"})
		k.fails("bob", "topic_join", nexus.InvalidArgument, "reclaim_token must be a non-empty string", object{"topic_id": id, "agent_name": "x", "reclaim_token": " "})
		k.fails("bob", "sync", nexus.AgentNotJoined, "Not joined to topic. Call topic_join() first.", object{"topic_id": id})

		back := k.call("ada after a restart", "topic_join", object{"topic_id": id, "agent_name": "red squirrel", "reclaim_token": mine["reclaim_token"]})
		k.want("taken up again", back["reclaim_token"] == mine["reclaim_token"], `true`)
		k.say("ada after a restart", id, "I am back")

		for _, bad := range []struct{ name, words string }{
			{"", "agent_name must be a non-empty string"},
			{" \t", "agent_name must be a non-empty string"},
			{strings.Repeat("ü", 65), "agent_name must be <= 64 characters"},
			{"a\x1fb", "agent_name must not contain control characters"},
		} {
			k.fails("bob", "topic_join", nexus.InvalidArgument, bad.words, object{"topic_id": id, "agent_name": bad.name})
		}
		k.call("bob", "topic_join", object{"topic_id": id, "agent_name": strings.Repeat("ü", 64)})
		k.fails("bob", "topic_join", nexus.InvalidArgument, "Provide topic_id or name", object{"agent_name": "b"})
		k.fails("bob", "topic_join", nexus.InvalidArgument, "Provide exactly one of topic_id or name", object{"agent_name": "b", "topic_id": id, "name": "work"})
		k.fails("bob", "topic_join", nexus.TopicNotFound, "", object{"agent_name": "b", "topic_id": "none"})
		k.fails("bob", "topic_join", nexus.AgentNameInUse, "", object{"agent_name": "Operator", "topic_id": id})
		k.want("joining is not presence", k.call("", "topic_presence", object{"topic_id": id})["count"], `1`)
	})
}

// One who keeps no connection says with each call who it is, and proves it.
func TestStateless(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "bob")
		token := k.call("elsewhere", "topic_join", object{"topic_id": id, "agent_name": "ada"})["reclaim_token"]
		me := object{"agent_name": "ada", "reclaim_token": token}
		k.want("sent", len(k.hear("nobody", id, me, object{"outbox": `[{"content_markdown":"hi"}]`})["sent"].([]any)), `1`)
		k.want("received", texts(k.hear("bob", id)), `["hi"]`)
		k.call("nobody", "cursor_reset", object{"topic_id": id, "agent_name": "ada", "reclaim_token": token})
		k.fails("nobody", "sync", nexus.AgentNotJoined, "", object{"topic_id": id, "agent_name": "ada", "reclaim_token": "guess"})
		k.fails("nobody", "sync", nexus.AgentNotJoined, "", object{"topic_id": id, "agent_name": "ada"})
		k.fails("nobody", "sync", nexus.AgentNotJoined, "", object{"topic_id": id, "agent_name": "operator"})
		k.actor.Kind = nexus.KindOperator
		k.want("the operator needs no token", texts(k.hear("nobody", id, object{"agent_name": "operator"})), `["hi"]`)
	})
}

// A call that was cut is made again with the token that the connection made for
// it: it is the same joining.
func TestJoinAgainAfterCut(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work")
		ctx := nexus.WithMemberships(k.t.Context(), nexus.Memberships{Fresh: topic.NewToken()})
		for range 2 {
			if _, err := k.topics.Join(ctx, topic.JoinParams{TopicID: id, AgentName: "ada"}); err != nil {
				k.t.Fatal(err)
			}
		}
	})
}

func TestPresence(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada", "bob", "eve")
		k.hear("ada", id)
		k.pass(200 * time.Second)
		k.say("bob", id, "hi")
		k.pass(101 * time.Second)
		p := k.call("", "topic_presence", object{"topic_id": id})
		k.want("who is there", p["peers"], `[{"age_seconds":101,"agent_name":"bob","last_seq":0,"updated_at":1772366600}]`)
		p = k.call("", "topic_presence", object{"topic_id": id, "window_seconds": 301})
		k.want("the latest first", []any{p["count"], p["peers"].([]any)[0].(object)["agent_name"], p["window_seconds"]}, `[2,"bob",301]`)
		k.want("limited", k.call("", "topic_presence", object{"topic_id": id, "window_seconds": 999, "limit": 1})["count"], `1`)
		k.call("eve", "cursor_reset", object{"topic_id": id})
		k.want("a reset is presence", k.call("", "topic_presence", object{"topic_id": id})["count"], `2`)
		k.fails("", "topic_presence", nexus.InvalidArgument, "window_seconds must be > 0", object{"topic_id": id, "window_seconds": 0})
		k.fails("", "topic_presence", nexus.InvalidArgument, "limit must be > 0", object{"topic_id": id, "limit": -1})
		k.fails("", "topic_presence", nexus.TopicNotFound, "", object{"topic_id": "none"})
	})
}
