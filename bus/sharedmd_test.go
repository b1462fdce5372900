package bus_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/bus"
	"nexus/op"
	"nexus/store"
	"nexus/store/storetest"
)

// A sharedKit is a kit with a home that does not exist yet.
type sharedKit struct {
	*kit
	home, workspace string
}

func eachShared(t *testing.T, test func(k sharedKit)) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		s := settings()
		s.MaxSharedEvents = 100
		db := o.Open(t)
		k := sharedKit{kit: newKit(t, db, s), home: filepath.Join(t.TempDir(), "home")}
		var err error
		k.ops, err = op.NewCatalogue(op.BusOps(bus.New(bus.Config{
			Store: store.Of[bus.Tx]{DB: db}, Settings: s, Now: k.now, NewID: newID, Home: k.home,
		}))...)
		if err != nil {
			t.Fatal(err)
		}
		k.workspace = k.call("workspace_resolve", object{"project_root": k.root})["workspace_id"].(string)
		test(k)
	})
}

func (k sharedKit) dir() string  { return filepath.Join(k.home, "workspaces", k.workspace) }
func (k sharedKit) file() string { return filepath.Join(k.dir(), "shared.md") }

// render writes shared.md and reads it.
func (k sharedKit) render(more ...object) string {
	k.t.Helper()
	arguments := object{"workspace_id": k.workspace}
	for _, m := range more {
		maps.Copy(arguments, m)
	}
	made := k.call("shared_md_render", arguments)
	text, err := os.ReadFile(k.file())
	if err != nil {
		k.t.Fatal(err)
	}
	if made["path"] != k.file() || made["bytes_written"] != float64(len(text)) {
		k.t.Errorf("got %v for a file of %d bytes", made, len(text))
	}
	return string(text)
}

// handoff offers work and returns its id.
func (k sharedKit) handoff(more object) string {
	k.t.Helper()
	arguments := object{"project_root": k.root, "from_agent_id": "ann", "visibility": "public", "target": direct("bob")}
	maps.Copy(arguments, more)
	return k.call("handoff_create", arguments)["handoff_id"].(string)
}

// task notes something to do and returns its id.
func (k sharedKit) task(title string, more object) string {
	k.t.Helper()
	arguments := object{"project_root": k.root, "agent_id": "ann", "title": title}
	maps.Copy(arguments, more)
	return k.call("task_create", arguments)["task_id"].(string)
}

var idPattern = regexp.MustCompile(`(ses|tsk|hof)_[0-9a-f]{32}`)

// plain gives the ids in a text names that are the same in every run.
func (k sharedKit) plain(text string) string {
	text = strings.NewReplacer(k.workspace, "WORKSPACE", k.root, "ROOT", "view: "+filepath.Base(k.root), "view: BASE").Replace(text)
	seen := map[string]string{}
	count := map[string]int{}
	return idPattern.ReplaceAllStringFunc(text, func(id string) string {
		if kind := id[:3]; seen[id] == "" {
			count[kind]++
			seen[id] = fmt.Sprintf("%s%d", kind, count[kind])
		}
		return seen[id]
	})
}

const sharedText = `# Shared view: BASE

Workspace ` + "`WORKSPACE` at `ROOT`" + `.
Written from the store by ` + "`shared_md_render`" + ` and never read back: changes made here are lost.

## Agents & Sessions

- ` + "`ann`, `lead`, can `go, sql`: session `ses1`" + ` since 2026-03-01T12:00:00.000000Z, last heard 2026-03-01T12:00:00.000000Z
- ` + "`bob`: session `ses2`" + ` since 2026-03-01T12:00:00.000000Z, last heard 2026-03-01T12:02:00.000000Z

## Open Tasks

- ` + "`tsk1` in_progress, priority 5: Ship it, assigned to `bob`" + `
- ` + "`tsk2` blocked, priority 0: Wait, because no key" + `

## Open Handoffs

- ` + "`hof1`" + ` OPEN, priority 9: from ` + "`ann`" + ` for [private] (private) since 2026-03-01T12:00:00.000000Z
- ` + "`hof2`" + ` CLAIMED, priority 0: from ` + "`ann` for `{\"agent_id\":\"bob\",\"strategy\":\"direct\"}`" + ` (public) since 2026-03-01T12:00:00.000000Z, claimed by ` + "`bob`" + ` until 2026-03-01T12:05:00.000000Z

## Recent Events

- #11 2026-03-01T12:02:00.000000Z ` + "`session.heartbeat` by `bob`" + `
- #10 2026-03-01T12:00:00.000000Z ` + "`handoff.created` by `ann`" + `
- #9 2026-03-01T12:00:00.000000Z ` + "`handoff.claimed` by `bob`, hand-off `hof2`" + `
- #8 2026-03-01T12:00:00.000000Z ` + "`handoff.created` by `ann`, hand-off `hof2`" + `
- #7 2026-03-01T12:00:00.000000Z ` + "`task.updated` by `ann`, task `tsk2`" + `
`

var eventNumber = regexp.MustCompile(`(?m)^- #\d+`)

func TestSharedMDText(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		k.call("agent_register", object{"agent_id": "ann", "role": "lead", "capabilities": []string{"sql", "go"}})
		k.open("ann")
		session := k.open("bob")
		k.call("session_close", object{"session_id": k.open("gone")["session_id"]})
		k.task("Ship it", object{"priority": 5, "assignee": "bob", "status": "in_progress"})
		waits := k.task("Wait", nil)
		k.call("task_update", object{"project_root": k.root, "agent_id": "ann", "task_id": waits, "status": "blocked", "reason": "no key"})
		k.call("handoff_claim", object{"project_root": k.root, "agent_id": "bob", "handoff_id": k.handoff(nil)})
		k.handoff(object{"visibility": "private", "priority": 9, "payload": "the work"})
		k.pass(2 * time.Minute)
		k.call("session_heartbeat", object{"session_id": session["session_id"]})

		n := 12
		got := eventNumber.ReplaceAllStringFunc(k.plain(k.render(object{"limit_events": 5})), func(string) string {
			n--
			return fmt.Sprintf("- #%d", n)
		})
		if d := cmp.Diff(sharedText, got); d != "" {
			t.Errorf("want -, got +:\n%s", d)
		}
	})
}

func TestSharedMDAnswer(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		k.pass(time.Hour)
		made := k.call("shared_md_render", object{"workspace_id": k.workspace})
		k.want("keys", keys(made), `"bytes_written generated_at limit_events path sections_rendered workspace_id"`)
		k.want("values", []any{made["workspace_id"] == k.workspace, made["sections_rendered"], made["limit_events"], made["generated_at"]},
			`[true,4,50,"2026-03-01T13:00:00.000000Z"]`)
		if n := strings.Count(k.render(), "_(none)_"); n != 4 {
			t.Errorf("%d of four sections are empty", n)
		}
		for path, want := range map[string]fs.FileMode{k.file(): 0o600, k.dir(): fs.ModeDir | 0o700, filepath.Dir(k.dir()): fs.ModeDir | 0o700} {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != want {
				t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
			}
		}
	})
}

// The same state gives the same bytes, however late it is: also when leases and
// sessions have lapsed that nobody has looked at since.
func TestSharedMDSameState(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		k.open("ann")
		k.open("bob")
		k.handoff(object{"target": object{"strategy": "direct_with_fallback", "agent_id": "ann", "fallback_after_seconds": 60}})
		k.call("handoff_claim", object{"project_root": k.root, "agent_id": "bob", "handoff_id": k.handoff(nil)})
		first := k.render()
		k.pass(1000 * time.Hour)
		if d := cmp.Diff(first, k.render()); d != "" {
			t.Errorf("the clock changed it:\n%s", d)
		}
		k.send("ann", direct("bob"))
		if first == k.render() {
			t.Error("a change did not change it")
		}
	})
}

func TestSharedMDEvents(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		k.register("ann")
		k.register("bob")
		for i := range 30 {
			k.send("ann", nil)
			k.handoff(object{"payload": i})
		}
		for _, test := range []struct {
			arguments object
			want      int
		}{{object{}, 50}, {object{"limit_events": nil}, 50}, {object{"limit_events": 1}, 1}, {object{"limit_events": "7"}, 7}, {object{"limit_events": 100}, 60}} {
			numbers := []int{}
			for _, line := range eventNumber.FindAllString(k.render(test.arguments), -1) {
				var n int
				_, _ = fmt.Sscanf(line, "- #%d", &n)
				numbers = append(numbers, n)
			}
			if len(numbers) != test.want {
				t.Errorf("%v: %d events, want %d", test.arguments, len(numbers), test.want)
			}
			if !slices.IsSortedFunc(numbers, func(a, b int) int { return b - a }) {
				t.Errorf("%v: not the newest first: %v", test.arguments, numbers)
			}
		}
		all := k.render(object{"limit_events": 100})
		if m, h := strings.Count(all, "`message.created`"), strings.Count(all, "`handoff.created`"); m != 30 || h != 30 {
			t.Errorf("%d messages and %d hand-offs", m, h)
		}
	})
}

// What is for some is not told to all.
func TestSharedMDHides(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		for _, name := range []string{"ann", "bob", "zoe-the-target"} {
			k.register(name)
		}
		for _, visibility := range []string{"eligible", "private"} {
			k.handoff(object{"visibility": visibility, "target": direct("zoe-the-target"), "payload": "secret work"})
			k.handoff(object{"visibility": visibility, "target": object{"strategy": "capability", "capability": "secret-skill"}})
		}
		k.handoff(object{"payload": "secret work"})
		claimed := k.handoff(object{"visibility": "private", "target": direct("bob")})
		k.call("handoff_claim", object{"project_root": k.root, "agent_id": "bob", "handoff_id": claimed})
		k.send("ann", direct("zoe-the-target"), object{"subject": "secret subject"})
		text := k.render()
		for _, secret := range []string{"secret", "zoe-the-target"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in it:\n%s", secret, text)
			}
		}
		if n := strings.Count(text, "for [private]"); n != 5 {
			t.Errorf("%d targets are hidden, want 5:\n%s", n, text)
		}
		_, work, _ := strings.Cut(text, "## Open Handoffs")
		work, events, _ := strings.Cut(work, "## Recent Events")
		if !strings.Contains(work, "claimed by [private]") || strings.Count(work, "bob") != 1 { // the public one names its target
			t.Errorf("the claimant of private work is told:\n%s", work)
		}
		if strings.Contains(events, "bob") {
			t.Errorf("an event tells who took private work:\n%s", events)
		}
		if n := strings.Count(events, "hof_"); n != 1 {
			t.Errorf("%d events tell their hand-off, want the public one:\n%s", n, events)
		}
	})
}

// Nobody writes anything into the file but words in a line of its own.
func TestSharedMDForgery(t *testing.T) {
	evil := "x\n## Recent Events\n\n- #999 forged `tick` ``two`` | <b>*bold*</b> [link](http://x) \\ \u2028## Open Tasks\r\n# A\u202e\u0085~~~"
	eachShared(t, func(k sharedKit) {
		k.call("workspace_resolve", object{"project_root": k.root, "display_name": evil})
		k.call("agent_register", object{"agent_id": evil, "role": evil, "capabilities": []string{evil}})
		k.open(evil)
		k.task(evil, object{"agent_id": evil, "assignee": evil, "reason": evil, "status": "blocked"})
		k.handoff(object{"from_agent_id": evil, "target": direct(evil)})
		k.handoff(object{"from_agent_id": evil, "target": object{"strategy": "role", "role": strings.Repeat("`", 256)}})
		k.handoff(object{"from_agent_id": evil, "target": object{"strategy": "role", "role": "`"}})
		text := k.render()
		var headings []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") {
				headings = append(headings, strings.TrimSpace(line))
			}
			if strings.HasPrefix(line, "- #999") || len([]rune(line)) > 3000 {
				t.Errorf("forged: %s", line)
			}
		}
		k.want("headings", headings[1:], `["## Agents & Sessions","## Open Tasks","## Open Handoffs","## Recent Events"]`)
		if strings.ContainsAny(text, "\u2028\u202e\u0085\r") {
			t.Errorf("it holds characters that turn or break lines:\n%q", text)
		}
		if !strings.Contains(text, "x \\#\\# Recent Events - \\#999 forged \\`tick\\` \\`\\`two\\`\\` \\| \\<b\\>\\*bold\\*\\</b\\> \\[link\\](http://x) \\\\ \\#\\# Open Tasks \\# A \\~\\~\\~") {
			t.Errorf("the title is not there as it was written:\n%s", text)
		}
		if want := "```x ## Recent Events - #999 forged `tick` ``two`` | "; !strings.Contains(text, want) {
			t.Errorf("%q is not there:\n%s", want, text)
		}
	})
}

func TestSharedMDErrors(t *testing.T) {
	tests := []struct {
		name      string
		code      nexus.Code
		arguments object
	}{
		{"no workspace", nexus.WorkspaceRequired, object{}},
		{"null", nexus.WorkspaceRequired, object{"workspace_id": nil}},
		{"empty", nexus.WorkspaceRequired, object{"workspace_id": ""}},
		{"blank", nexus.WorkspaceRequired, object{"workspace_id": "  "}},
		{"no workspace outranks the rest", nexus.WorkspaceRequired, object{"limit_events": true}},
		{"a number", nexus.ValidationError, object{"workspace_id": 5}},
		{"upper case", nexus.ValidationError, object{"workspace_id": strings.Repeat("A", 64)}},
		{"too short", nexus.ValidationError, object{"workspace_id": strings.Repeat("a", 63)}},
		{"too long", nexus.ValidationError, object{"workspace_id": strings.Repeat("a", 65)}},
		{"not hexadecimal", nexus.ValidationError, object{"workspace_id": strings.Repeat("g", 64)}},
		{"a line more", nexus.ValidationError, object{"workspace_id": strings.Repeat("a", 63) + "\n"}},
		{"a path", nexus.ValidationError, object{"workspace_id": strings.Repeat("../", 21) + "a"}},
		{"unknown", nexus.NotFound, object{"workspace_id": strings.Repeat("a", 64)}},
		{"no events", nexus.ValidationError, object{"limit_events": 0}},
		{"fewer than no events", nexus.ValidationError, object{"limit_events": -1}},
		{"too many events", nexus.ValidationError, object{"limit_events": 101}},
		{"half an event", nexus.ValidationError, object{"limit_events": 1.5}},
		{"true", nexus.ValidationError, object{"limit_events": true}},
		{"false", nexus.ValidationError, object{"limit_events": false}},
		{"a list", nexus.ValidationError, object{"limit_events": []int{1}}},
		{"an unknown argument", nexus.ValidationError, object{"limit": 5}},
	}
	eachShared(t, func(k sharedKit) {
		for _, test := range tests {
			arguments := object{"workspace_id": k.workspace}
			if test.code == nexus.WorkspaceRequired {
				arguments = object{}
			}
			maps.Copy(arguments, test.arguments)
			if made, err := k.try("shared_md_render", arguments); err == nil || err.Code != test.code {
				t.Errorf("%s: got %v %v, want %s", test.name, made, err, test.code)
			}
		}
		if _, err := os.Stat(k.home); err == nil {
			t.Error("something was written")
		}
	})
}

// left are the names in the directory of shared.md.
func (k sharedKit) left() []string {
	k.t.Helper()
	entries, err := os.ReadDir(k.dir())
	if err != nil {
		k.t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSharedMDCannotWrite(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		workspaces := filepath.Join(k.home, "workspaces")
		write(t, workspaces, "a file where a directory should be")
		k.fails("shared_md_render", nexus.RenderError, object{"workspace_id": k.workspace})
		if err := os.Remove(workspaces); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(k.file(), "in the way"), "")
		k.fails("shared_md_render", nexus.RenderError, object{"workspace_id": k.workspace})
		k.want("what is left", k.left(), `["shared.md"]`)
		if err := os.RemoveAll(k.file()); err != nil {
			t.Fatal(err)
		}
		k.render()
	})
}

// A file that is a link is replaced; what it led to is left alone.
func TestSharedMDReplacesLink(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		other := filepath.Join(k.home, "other")
		write(t, other, "not ours")
		if err := os.MkdirAll(k.dir(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(other, k.file()); err != nil {
			t.Fatal(err)
		}
		k.render()
		if text, err := os.ReadFile(other); err != nil || string(text) != "not ours" {
			t.Errorf("got %q %v", text, err)
		}
	})
}

// Whoever reads while others write finds a whole file, and none that is older
// than the one before.
func TestSharedMDConcurrent(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		k.open("ann")
		last := lastLine(k.render())
		done := make(chan struct{})
		var readers, writers sync.WaitGroup
		readers.Go(func() {
			for seen := 0; ; {
				select {
				case <-done:
					return
				default:
				}
				text, err := os.ReadFile(k.file())
				if err != nil || !bytes.HasPrefix(text, []byte("# Shared view: ")) || lastLine(string(text)) != last {
					t.Errorf("not whole: %v\n%s", err, text)
					return
				}
				before := seen
				if seen = bytes.Count(text, []byte("`message.created`")); seen < before {
					t.Errorf("%d messages after %d", seen, before)
				}
			}
		})
		for range 8 {
			writers.Go(func() {
				for i := range 8 {
					k.send("ann", nil)
					k.call("shared_md_render", object{"workspace_id": k.workspace, "limit_events": 100 - i})
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
		k.want("what is left", k.left(), `["shared.md"]`)
		k.want("the last of many", strings.Count(k.render(object{"limit_events": 100}), "`message.created`"), `64`)
	})
}

func lastLine(text string) string {
	return text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
}

// A list that is too long for people says so.
func TestSharedMDLong(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		var wg sync.WaitGroup
		for range 7 {
			wg.Go(func() {
				for range 143 {
					k.task("one of many", nil)
				}
			})
		}
		wg.Wait()
		text := k.render()
		k.want("shown", strings.Count(text, "one of many"), `1000`)
		k.want("told", strings.Count(text, "_(only the first 1000 are shown)_"), `1`)
	})
}

// What belongs to another workspace stays there.
func TestSharedMDElsewhere(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		here := k.root
		k.open("ann")
		k.root = t.TempDir()
		there := k.open("other-agent")["workspace_id"]
		k.task("other-task", nil)
		k.handoff(object{"from_agent_id": "other-agent", "target": object{"strategy": "role", "role": "other-role"}})
		k.root = here
		text := k.render()
		if strings.Contains(text, "other-") || strings.Contains(text, there.(string)) {
			t.Errorf("another workspace is in it:\n%s", text)
		}
	})
}
