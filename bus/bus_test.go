package bus_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/store"
	"nexus/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A kit is a bus on a database of its own, with a clock that the test moves.
type kit struct {
	actor nexus.Actor // who makes the calls

	t       *testing.T
	service *bus.Service
	db      *store.DB
	ops     *op.Catalogue
	root    string

	mu    sync.Mutex
	clock time.Time
}

// object is a JSON object.
type object = map[string]any

func settings() bus.Settings {
	return bus.Settings{
		MaxWait: 30 * time.Second, MaxInlineSize: 65536, InboxLease: 5 * time.Minute, HandoffLease: 5 * time.Minute, SessionStale: time.Minute,
		Presence: 30 * time.Minute, SessionReap: 24 * time.Hour, MaxEvents: 1000, MaxSharedEvents: 1000,
	}
}

// each runs a test of the bus on both databases.
func each(t *testing.T, test func(k *kit)) {
	eachWith(t, settings(), test)
}

func eachWith(t *testing.T, s bus.Settings, test func(k *kit)) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) { test(newKit(t, o.Open(t), s)) })
}

func newKit(t *testing.T, db *store.DB, s bus.Settings) *kit {
	k := &kit{t: t, db: db, root: t.TempDir(), clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	k.service = bus.New(bus.Config{
		Store: store.Of[bus.Tx]{DB: db}, Settings: s, Now: k.now,
		NewID: func(prefix string) string {
			return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
		},
		Versions: bus.Versions{Package: "test", Schema: db.SchemaVersion(), Surface: nexus.SurfaceRevision},
	})
	var err error
	if k.ops, err = op.NewCatalogue(op.BusOps(k.service)...); err != nil {
		t.Fatal(err)
	}
	return k
}

func newID(prefix string) string {
	return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
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

// try calls an operation as any face does and returns its data, or its error.
func (k *kit) try(name string, arguments object) (object, *nexus.Error) {
	k.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		k.t.Fatal(err)
	}
	answer, err := k.ops.Lookup(name).Call(nexus.WithActor(k.t.Context(), k.actor), raw)
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
	return data, nil
}

// as makes the calls of f as another actor.
func (k *kit) as(a nexus.Actor, f func()) {
	before := k.actor
	k.actor = a
	f()
	k.actor = before
}

func (k *kit) call(name string, arguments object) object {
	k.t.Helper()
	data, err := k.try(name, arguments)
	if err != nil {
		k.t.Fatalf("%s: %v", name, err)
	}
	return data
}

// fails calls an operation that must fail with a code.
func (k *kit) fails(name string, code nexus.Code, arguments object) *nexus.Error {
	k.t.Helper()
	data, err := k.try(name, arguments)
	if err == nil || err.Code != code {
		k.t.Errorf("%s(%v): got %v %v, want %s", name, arguments, data, err, code)
		return &nexus.Error{}
	}
	return err
}

func (k *kit) register(id string, more ...object) {
	k.t.Helper()
	arguments := object{"agent_id": id}
	for _, m := range more {
		for key, value := range m {
			arguments[key] = value
		}
	}
	k.call("agent_register", arguments)
}

// open registers an agent and opens a session for it.
func (k *kit) open(id string) object {
	k.t.Helper()
	k.register(id)
	workspace := k.call("workspace_resolve", object{"project_root": k.root})["workspace_id"]
	return k.call("session_open", object{"agent_id": id, "workspace_id": workspace})
}

func (k *kit) send(from string, target any, more ...object) object {
	k.t.Helper()
	arguments := object{"project_root": k.root, "from_agent_id": from, "subject": "hello", "body": "world"}
	if target != nil {
		arguments["target"] = target
	}
	for _, m := range more {
		for key, value := range m {
			arguments[key] = value
		}
	}
	return k.call("message_create", arguments)
}

func direct(to string) object { return object{"strategy": "direct", "agent_id": to} }

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

func messages(data object) []object {
	var all []object
	for _, m := range data["messages"].([]any) {
		all = append(all, m.(object))
	}
	return all
}

func TestWorkspace(t *testing.T) {
	each(t, func(k *kit) {
		link := filepath.Join(k.t.TempDir(), "link")
		if err := os.Symlink(k.root, link); err != nil {
			k.t.Fatal(err)
		}
		first := k.call("workspace_resolve", object{"project_root": k.root})
		k.pass(time.Minute)
		second := k.call("workspace_resolve", object{"project_root": link, "display_name": "mine"})
		if first["workspace_id"] != second["workspace_id"] || len(first["workspace_id"].(string)) != 64 {
			k.t.Errorf("one directory has two workspaces: %v, %v", first, second)
		}
		k.want("first name", first["display_name"], `null`)
		k.want("second name", second["display_name"], `"mine"`)
		if second["created_at"] != first["created_at"] || second["last_seen_at"].(string) <= first["last_seen_at"].(string) {
			k.t.Errorf("got %v after %v", second, first)
		}
		third := k.call("workspace_resolve", object{"project_root": k.root})
		k.want("the name stays", third["display_name"], `"mine"`)
		if n := len(k.call("workspace_list", nil)["workspaces"].([]any)); n != 1 {
			k.t.Errorf("%d workspaces", n)
		}
		k.fails("workspace_resolve", nexus.ValidationError, object{})
		k.fails("workspace_resolve", nexus.ValidationError, object{"project_root": "  "})
		k.fails("workspace_resolve", nexus.ValidationError, object{"project_root": "relative/path"})
		k.fails("workspace_resolve", nexus.ValidationError, object{"project_root": "/nul\x00"})
		k.fails("workspace_resolve", nexus.WorkspaceUnresolved, object{"project_root": filepath.Join(k.root, "gone")})
		k.fails("workspace_resolve", nexus.WorkspaceUnresolved, object{"project_root": "/" + strings.Repeat("x", 5000)})
	})
}

func TestAgentRegister(t *testing.T) {
	each(t, func(k *kit) {
		made := k.call("agent_register", object{"agent_id": "a", "role": "builder", "capabilities": []string{"py", "go", "py", " "}, "metadata": object{"x": 1}})
		k.want("capabilities", made["capabilities"], `["py","go","py"," "]`)
		if made["created_at"] != made["updated_at"] || made["last_seen_at"] != made["created_at"] {
			k.t.Errorf("times differ: %v", made)
		}
		k.pass(time.Second)
		again := k.call("agent_register", object{"agent_id": "a", "role": "reviewer"})
		k.want("role", again["role"], `"reviewer"`)
		k.want("metadata", again["metadata"], `{"x":1}`)
		if again["created_at"] != made["created_at"] || again["updated_at"] == made["updated_at"] {
			k.t.Errorf("got %v after %v", again, made)
		}
		k.register("b", object{"capabilities": object{"go": true, "rust": 0, "js": "yes", "": true}})
		k.register("c", object{"capabilities": "go"})
		k.want("capabilities", k.call("capability_list", nil)["capabilities"],
			`[{"agent_count":3,"agents":["a","b","c"],"capability":"go"},{"agent_count":1,"agents":["b"],"capability":"js"},{"agent_count":1,"agents":["a"],"capability":"py"}]`)
		k.register("c", object{"capabilities": `["sql"]`})
		k.want("c", k.call("agent_get", object{"agent_id": "c"})["capabilities"], `["sql"]`)
		if n := len(k.call("agent_list", nil)["agents"].([]any)); n != 3 {
			k.t.Errorf("%d agents", n)
		}
		k.fails("agent_register", nexus.ValidationError, object{})
		k.fails("agent_register", nexus.ValidationError, object{"agent_id": "a", "capabilities": 5})
		k.fails("agent_register", nexus.ValidationError, object{"agent_id": "a", "capabilities": []any{"x", 5}})
		k.fails("agent_register", nexus.ContentTooLarge, object{"agent_id": "a", "metadata": strings.Repeat("x", 65535)})
		k.call("agent_register", object{"agent_id": "a", "metadata": strings.Repeat("x", 65534)})
		k.fails("agent_get", nexus.ValidationError, object{})
		k.fails("agent_get", nexus.NotFound, object{"agent_id": "nobody"})
	})
}

func TestSession(t *testing.T) {
	each(t, func(k *kit) {
		s := k.open("a")
		id, workspace := s["session_id"], s["workspace_id"]
		k.want("status", s["status"], `"active"`)
		k.pass(61 * time.Second)
		beat := k.call("session_heartbeat", object{"session_id": id})
		k.want("status", beat["status"], `"active"`)
		k.call("session_heartbeat", object{"session_id": id, "workspace_id": workspace})
		closed := k.call("session_close", object{"session_id": id})
		k.want("status", closed["status"], `"closed"`)
		k.pass(time.Minute)
		if again := k.call("session_close", object{"session_id": id}); again["closed_at"] != closed["closed_at"] {
			k.t.Errorf("closing twice moved closed_at from %v to %v", closed["closed_at"], again["closed_at"])
		}
		k.want("status", k.call("session_heartbeat", object{"session_id": id})["status"], `"closed"`)

		k.fails("session_open", nexus.WorkspaceRequired, object{"agent_id": "a"})
		k.fails("session_open", nexus.ValidationError, object{"workspace_id": workspace})
		k.fails("session_open", nexus.NotFound, object{"agent_id": "a", "workspace_id": "nowhere"})
		k.fails("session_open", nexus.NotFound, object{"agent_id": "nobody", "workspace_id": workspace})
		for _, verb := range []string{"session_heartbeat", "session_close"} {
			k.fails(verb, nexus.ValidationError, object{})
			k.fails(verb, nexus.NotFound, object{"session_id": "ses_none"})
			k.fails(verb, nexus.WorkspaceMismatch, object{"session_id": id, "workspace_id": "elsewhere"})
		}
		k.want("what the log says", k.types("a"), `["session.opened","session.heartbeat","session.closed"]`)
	})
}

// types are the types of all workspace events an agent sees.
func (k *kit) types(agent string) []string {
	k.t.Helper()
	page := k.call("event_get", object{"project_root": k.root, "agent_id": agent, "stream": "workspace"})
	types := []string{}
	for _, e := range page["events"].([]any) {
		types = append(types, e.(object)["type"].(string))
	}
	return types
}

func TestSessionReap(t *testing.T) {
	each(t, func(k *kit) {
		old := k.open("a")
		k.pass(24*time.Hour + time.Microsecond)
		k.open("b")
		k.want("a's session", k.call("session_heartbeat", object{"session_id": old["session_id"]})["status"], `"closed"`)
		page := k.call("event_get", object{"project_root": k.root, "agent_id": "b", "stream": "workspace", "filters": object{"type": "session.closed"}})
		events := page["events"].([]any)
		if len(events) != 1 {
			k.t.Fatalf("%d sessions were reaped", len(events))
		}
		k.want("payload", events[0].(object)["payload"], fmt.Sprintf(`{"reason":"stale","session_id":%q,"status":"closed"}`, old["session_id"]))
	})
}

func TestPresent(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		status string
		age    time.Duration
		want   bool
	}{
		{bus.SessionActive, 0, true},
		{bus.SessionActive, 30 * time.Minute, true},
		{bus.SessionActive, 30*time.Minute + time.Microsecond, false},
		{bus.SessionActive, -time.Hour, true}, // a clock that jumped back
		{bus.SessionClosed, 0, false},
	}
	for _, test := range tests {
		if got := bus.Present(test.status, nexus.Stamp(now.Add(-test.age)), now, 30*time.Minute); got != test.want {
			t.Errorf("Present(%s, %v ago) = %v", test.status, test.age, got)
		}
	}
}

func TestChannel(t *testing.T) {
	each(t, func(k *kit) {
		k.want("channels", len(k.call("channel_list", object{"project_root": k.root})["channels"].([]any)), `1`)
		made := k.call("channel_create", object{"project_root": k.root, "name": "  design "})
		k.want("created", made["created"], `true`)
		k.want("name", made["channel"].(object)["name"], `"design"`)
		again := k.call("channel_create", object{"project_root": k.root, "name": "design"})
		k.want("created again", again["created"], `false`)
		k.want("id", again["channel"].(object)["channel_id"] == made["channel"].(object)["channel_id"], `true`)
		k.call("channel_create", object{"project_root": k.root, "name": strings.Repeat("ü", 64)})
		k.fails("channel_create", nexus.ValidationError, object{"project_root": k.root, "name": strings.Repeat("ü", 65)})
		k.fails("channel_create", nexus.ValidationError, object{"project_root": k.root, "name": " "})
		k.fails("channel_create", nexus.ValidationError, object{"project_root": k.root, "name": "a\nb"})
		k.fails("channel_create", nexus.WorkspaceRequired, object{"name": "x"})
		k.fails("channel_create", nexus.WorkspaceUnresolved, object{"project_root": "/no/such/place", "name": "x"})
		k.fails("channel_list", nexus.WorkspaceRequired, object{})
		k.fails("channel_list", nexus.WorkspaceUnresolved, object{"project_root": "/no/such/place"})
	})
}
