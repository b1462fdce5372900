package bus_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nexus"
	"nexus/bus"
	"nexus/op"
)

// put registers an artifact in the kit's workspace.
func (k *kit) put(arguments object) (object, *nexus.Error) {
	k.t.Helper()
	all := object{"project_root": k.root}
	maps.Copy(all, arguments)
	return k.try("artifact_put", all)
}

func (k *kit) artifact(id any) object {
	k.t.Helper()
	return k.call("artifact_get", object{"project_root": k.root, "artifact_id": id})
}

// keys are the names in an object, sorted.
func keys(o object) string { return strings.Join(slices.Sorted(maps.Keys(o)), " ") }

func TestArtifactInline(t *testing.T) {
	tests := []struct {
		name, kind, content string
		want                string // its type
		metadata            any
	}{
		{"text", "text", "hello\r\n\twörld", "text", nil},
		{"nothing", "text", "", "text", nil},
		{"upper case", " JSON ", `{"b": 1, "a": [null]}`, "json", object{"author": "a", "tags": []string{"x"}}},
		{"a JSON word", "json", `"x"`, "json", "just a word"},
		{"markdown", "Markdown", "# Title", "markdown", []any{1.0, true, nil}},
		{"a small file", "file", "bytes", "file", 7.0},
	}
	each(t, func(k *kit) {
		for _, test := range tests {
			made, err := k.put(object{"artifact_type": test.kind, "content": test.content, "name": test.name, "metadata": test.metadata})
			if err != nil {
				k.t.Fatalf("%s: %v", test.name, err)
			}
			k.want(test.name, keys(made), `"artifact_id artifact_type created_at size_bytes stored workspace_id"`)
			if id := made["artifact_id"].(string); !strings.HasPrefix(id, "art_") {
				k.t.Errorf("%s: the id is %s", test.name, id)
			}
			got := k.artifact(made["artifact_id"])
			k.want(test.name, keys(got), `"artifact_id artifact_type content created_at metadata size_bytes stored workspace_id"`)
			want := maps.Clone(made)
			want["content"], want["metadata"] = test.content, test.metadata
			if test.metadata == nil {
				want["metadata"] = object{}
			}
			if g, w := asJSON(t, got), asJSON(t, want); g != w {
				k.t.Errorf("%s: got %s, want %s", test.name, g, w)
			}
			k.want(test.name, []any{got["artifact_type"], got["stored"], got["size_bytes"]},
				fmt.Sprintf(`[%q,"inline",%d]`, test.want, len(test.content)))
		}
	})
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := op.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// An artifact is in the log together with itself, for everybody to see.
func TestArtifactEvent(t *testing.T) {
	each(t, func(k *kit) {
		write(t, filepath.Join(k.root, "notes.md"), "notes")
		inline, _ := k.put(object{"artifact_type": "text", "content": "hi", "name": "greeting"})
		file, _ := k.put(object{"artifact_type": "markdown", "path": "notes.md"})
		page := k.call("event_get", object{"project_root": k.root, "agent_id": "stranger", "stream": "workspace"})
		var payloads []any
		for _, e := range page["events"].([]any) {
			e := e.(object)
			k.want("type", e["type"], `"artifact.created"`)
			k.want("actor", e["actor_agent_id"], `null`)
			payloads = append(payloads, e["payload"])
		}
		inline["name"], file["name"] = "greeting", nil
		k.want("payloads", payloads, asJSON(t, []any{inline, file}))
	})
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// project makes a workspace with neighbours and links of every kind. It returns
// the directory around it.
func project(t *testing.T) string {
	t.Helper()
	around, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ws/docs/readme.md", "ws/...", "ws/a b", "ws-evil/secret", "outside/secret"} {
		write(t, filepath.Join(around, name), "hello world")
	}
	for link, target := range map[string]string{
		"alias":           filepath.Join(around, "ws"),
		"ws/in-relative":  "docs",
		"ws/in-absolute":  filepath.Join(around, "ws/docs"),
		"ws/in-file":      "in-absolute/readme.md",
		"ws/in-by-out":    "../outside/../ws/docs/readme.md",
		"ws/in-nothing":   "docs/gone",
		"ws/docs/up":      "..",
		"ws/out-relative": "../outside",
		"ws/out-absolute": filepath.Join(around, "outside"),
		"ws/out-file":     filepath.Join(around, "outside/secret"),
		"ws/out-nothing":  filepath.Join(around, "outside/gone"),
		"ws/out-twice":    "in-relative/up/out-file",
		"ws/loop":         "loop",
	} {
		if err := os.Symlink(target, filepath.Join(around, link)); err != nil {
			t.Fatal(err)
		}
	}
	return around
}

func TestArtifactPath(t *testing.T) {
	around := project(t)
	tests := []struct {
		path string
		want string // the file it is, seen from around it
	}{
		{"docs/readme.md", "ws/docs/readme.md"},
		{"./docs//readme.md", "ws/docs/readme.md"},
		{"docs/../docs/readme.md", "ws/docs/readme.md"},
		{"gone/../docs/readme.md", "ws/docs/readme.md"},
		{"../ws/docs/readme.md", "ws/docs/readme.md"},
		{"...", "ws/..."},
		{"a b", "ws/a b"},
		{"in-relative/readme.md", "ws/docs/readme.md"},
		{"in-absolute/readme.md", "ws/docs/readme.md"},
		{"in-file", "ws/docs/readme.md"},
		{"in-by-out", "ws/docs/readme.md"},
		{"in-relative/up/docs/readme.md", "ws/docs/readme.md"},
		{"out-relative/../ws/docs/readme.md", "ws/docs/readme.md"}, // through a neighbour and back
		{filepath.Join(around, "ws/docs/readme.md"), "ws/docs/readme.md"},
		{filepath.Join(around, "alias/in-file"), "ws/docs/readme.md"},
	}
	each(t, func(k *kit) {
		for _, root := range []string{"ws", "alias"} {
			k.root = filepath.Join(around, root)
			for _, test := range tests {
				made, err := k.put(object{"artifact_type": "file", "path": test.path})
				if err != nil {
					k.t.Errorf("%s: %v", test.path, err)
					continue
				}
				want := filepath.Join(around, test.want)
				k.want(test.path, []any{made["stored"], made["size_bytes"], made["path"]}, fmt.Sprintf(`["path",11,%q]`, want))
				got := k.artifact(made["artifact_id"])
				k.want(test.path, keys(got), `"artifact_id artifact_type created_at metadata path size_bytes stored workspace_id"`)
				k.want(test.path, []any{got["stored"], got["size_bytes"], got["path"]}, fmt.Sprintf(`["path",11,%q]`, want))
			}
		}
	})
}

// What leaves the workspace is refused in one way, so that nobody learns what is
// out there; and it is refused beside content too.
func TestArtifactPathOutside(t *testing.T) {
	around := project(t)
	paths := []string{
		"..", "../outside/secret", "../outside/gone", "../gone", "docs/../../outside/secret", "gone/../../outside/secret",
		"../ws-evil/secret", filepath.Join(around, "ws-evil/secret"), filepath.Join(around, "ws/../ws-evil/secret"),
		filepath.Join(around, "outside/secret"), filepath.Join(around, "outside/gone"), filepath.Join(around, "outside/secret/below"),
		"/", "/etc/passwd", "/no/such/thing", "/proc/self/root/etc/passwd",
		"out-relative", "out-relative/secret", "out-absolute/secret", "out-absolute/gone", "out-file", "out-nothing", "out-twice",
		"in-relative/up/../outside/secret", strings.Repeat("../", 100) + "etc/passwd",
	}
	each(t, func(k *kit) {
		k.root = filepath.Join(around, "ws")
		for _, path := range paths {
			for _, more := range []object{{}, {"content": "text"}} {
				more["path"], more["artifact_type"] = path, "text"
				if made, err := k.put(more); err == nil || err.Code != nexus.PathOutside {
					k.t.Errorf("%s: got %v %v, want %s", path, made, err, nexus.PathOutside)
				}
			}
		}
		k.want("what the log says", k.types("a"), `[]`)
	})
}

func TestArtifactErrors(t *testing.T) {
	around := project(t)
	root := filepath.Join(around, "ws")
	here := func(more object) object {
		o := object{"project_root": root, "artifact_type": "text"}
		maps.Copy(o, more)
		return o
	}
	tests := []struct {
		name      string
		code      nexus.Code
		arguments object
	}{
		{"no workspace", nexus.WorkspaceRequired, object{"artifact_type": "text", "content": "x"}},
		{"a blank workspace", nexus.WorkspaceRequired, here(object{"project_root": " ", "content": "x"})},
		{"no workspace outranks the rest", nexus.WorkspaceRequired, object{"artifact_type": 1, "content": 5}},
		{"no such workspace", nexus.WorkspaceUnresolved, here(object{"project_root": filepath.Join(around, "gone"), "content": "x"})},
		{"no type", nexus.ValidationError, object{"project_root": root, "content": "x"}},
		{"an unknown type", nexus.ValidationError, here(object{"artifact_type": "zip", "content": "x"})},
		{"neither content nor path", nexus.ValidationError, here(nil)},
		{"null is neither", nexus.ValidationError, here(object{"content": nil, "path": nil})},
		{"a blank path is neither", nexus.ValidationError, here(object{"path": " "})},
		{"content is a number", nexus.ValidationError, here(object{"content": 5})},
		{"content is an object", nexus.ValidationError, here(object{"artifact_type": "json", "content": object{"a": 1}})},
		{"malformed JSON", nexus.ValidationError, here(object{"artifact_type": "json", "content": "{nope}"})},
		{"two JSON values", nexus.ValidationError, here(object{"artifact_type": "json", "content": "{} {}"})},
		{"no JSON at all", nexus.ValidationError, here(object{"artifact_type": "json", "content": ""})},
		{"path is a list", nexus.ValidationError, here(object{"path": []string{"docs/readme.md"}})},
		{"an unknown argument", nexus.ValidationError, here(object{"content": "x", "contents": "y"})},
		{"NUL in a path", nexus.ValidationError, here(object{"path": "docs/readme.md\x00.txt"})},
		{"NUL in a path beside content", nexus.ValidationError, here(object{"path": "a\x00", "content": "x"})},
		{"a path without end", nexus.ValidationError, here(object{"path": strings.Repeat("d/", 2048) + "x"})},
		{"a name without end", nexus.ValidationError, here(object{"path": strings.Repeat("x", 4000)})},
		{"no such file", nexus.ValidationError, here(object{"path": "docs/gone"})},
		{"a link to nothing", nexus.ValidationError, here(object{"path": "in-nothing"})},
		{"a link to itself", nexus.ValidationError, here(object{"path": "loop"})},
		{"below a file", nexus.ValidationError, here(object{"path": "docs/readme.md/below"})},
		{"a directory", nexus.ValidationError, here(object{"path": "docs"})},
		{"the workspace itself", nexus.ValidationError, here(object{"path": "."})},
		{"a long name", nexus.ContentTooLarge, here(object{"content": "x", "name": strings.Repeat("n", 65537)})},
	}
	each(t, func(k *kit) {
		for _, test := range tests {
			if made, err := k.try("artifact_put", test.arguments); err == nil || err.Code != test.code {
				k.t.Errorf("%s: got %v %v, want %s", test.name, made, err, test.code)
			}
		}
		k.root = root
		k.want("what the log says", k.types("a"), `[]`)
		k.fails("artifact_get", nexus.WorkspaceRequired, object{"artifact_id": "x"})
		k.fails("artifact_get", nexus.WorkspaceUnresolved, object{"artifact_id": "x", "project_root": filepath.Join(around, "gone")})
		k.fails("artifact_get", nexus.ValidationError, object{"project_root": root})
		k.fails("artifact_get", nexus.ValidationError, object{"project_root": root, "artifact_id": "  "})
		k.fails("artifact_get", nexus.NotFound, object{"project_root": root, "artifact_id": "art_none"})
	})
}

// The limit counts bytes, not characters, and still fits. Size is looked at
// before form.
func TestArtifactLimit(t *testing.T) {
	s := settings()
	s.MaxInlineSize = 100
	tests := []struct {
		name      string
		arguments object
		code      nexus.Code
	}{
		{"content that just fits", object{"artifact_type": "text", "content": strings.Repeat("x", 97) + "€"}, ""},
		{"a byte more", object{"artifact_type": "text", "content": strings.Repeat("x", 98) + "€"}, nexus.ContentTooLarge},
		{"JSON that just fits", object{"artifact_type": "json", "content": `"` + strings.Repeat("x", 98) + `"`}, ""},
		{"malformed and too large", object{"artifact_type": "json", "content": strings.Repeat("{", 101)}, nexus.ContentTooLarge},
		{"malformed and just fitting", object{"artifact_type": "json", "content": strings.Repeat("{", 100)}, nexus.ValidationError},
		{"metadata that just fits", object{"artifact_type": "text", "content": "x", "metadata": strings.Repeat("x", 98)}, ""},
		{"metadata of a byte more", object{"artifact_type": "text", "content": "x", "metadata": strings.Repeat("x", 99)}, nexus.ContentTooLarge},
		{"a file of any size", object{"artifact_type": "file", "path": "large"}, ""},
	}
	eachWith(t, s, func(k *kit) {
		write(t, filepath.Join(k.root, "large"), strings.Repeat("x", 1000))
		for _, test := range tests {
			made, err := k.put(test.arguments)
			if got := codeOf(err); got != test.code {
				k.t.Errorf("%s: got %v %v, want %q", test.name, made, err, test.code)
			}
		}
	})
}

func codeOf(err *nexus.Error) nexus.Code {
	if err == nil {
		return ""
	}
	return err.Code
}

// Content is what is kept, wherever its path would be.
func TestArtifactContentAndPath(t *testing.T) {
	each(t, func(k *kit) {
		made, err := k.put(object{"artifact_type": "text", "content": "hi", "path": "not/written/yet.txt"})
		if err != nil {
			k.t.Fatal(err)
		}
		k.want("stored", []any{made["stored"], made["size_bytes"], made["path"]}, `["inline",2,null]`)
		got := k.artifact(made["artifact_id"])
		k.want("content", []any{got["content"], got["path"]}, `["hi",null]`)
	})
}

// An artifact of another workspace looks like none.
func TestArtifactElsewhere(t *testing.T) {
	each(t, func(k *kit) {
		made, _ := k.put(object{"artifact_type": "text", "content": "secret"})
		id := made["artifact_id"]
		there := object{"project_root": t.TempDir(), "artifact_id": id}
		elsewhere := k.fails("artifact_get", nexus.NotFound, there)
		there["artifact_id"] = "art_none"
		nowhere := k.fails("artifact_get", nexus.NotFound, there)
		if g, w := elsewhere.Msg, strings.ReplaceAll(nowhere.Msg, "art_none", id.(string)); g != w {
			k.t.Errorf("got %q, want %q", g, w)
		}
		k.want("details", elsewhere.Details, fmt.Sprintf(`{"artifact_id":%q}`, id))
		k.want("nothing was entered", k.artifact(id)["content"], `"secret"`)
	})
}

// Whoever has a key is who put it, and putting it again under the same
// idempotency key puts nothing.
func TestArtifactActor(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		ctx := nexus.WithActor(t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "a"})
		raw, err := json.Marshal(object{"project_root": k.root, "artifact_type": "text", "content": "x"})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for range 2 {
			answer, err := k.ops.Lookup("artifact_put").Call(op.WithKey(ctx, "once"), raw)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, answer.(bus.PutArtifactResult).ID)
		}
		if ids[0] != ids[1] {
			t.Errorf("one key put %s and %s", ids[0], ids[1])
		}
		page := k.call("event_get", object{"project_root": k.root, "agent_id": "b", "stream": "workspace"})
		events := page["events"].([]any)
		if len(events) != 1 {
			t.Fatalf("%d events", len(events))
		}
		k.want("actor", events[0].(object)["actor_agent_id"], `"a"`)
	})
}

// A directory that becomes a link while it is looked into leads nowhere else.
func TestArtifactPathRace(t *testing.T) {
	each(t, func(k *kit) {
		around := project(k.t)
		root := filepath.Join(around, "ws")
		dir, aside := filepath.Join(root, "turning"), filepath.Join(root, "aside")
		write(k.t, filepath.Join(around, "outside/readme.md"), "not for you")
		write(k.t, filepath.Join(dir, "readme.md"), "fine")
		turn := func() error {
			return errors.Join(os.Rename(dir, aside), os.Symlink("../outside", dir), os.Remove(dir), os.Rename(aside, dir))
		}
		k.root = root
		done := make(chan struct{})
		var turning sync.WaitGroup
		turning.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := turn(); err != nil {
					k.t.Error(err)
					return
				}
			}
		})
		for range 2000 {
			made, err := k.put(object{"artifact_type": "file", "path": "turning/readme.md"})
			switch {
			case err == nil && made["size_bytes"] != 4.0:
				k.t.Errorf("it got out: %v", made)
			case err != nil && err.Code != nexus.PathOutside && err.Code != nexus.ValidationError: // it may just not be there
				k.t.Errorf("got %v", err)
			}
		}
		close(done)
		turning.Wait()
	})
}

// An artifact is shown with its text, or with the reason why that is not there.
func TestObserveArtifact(t *testing.T) {
	each(t, func(k *kit) {
		show := func(arguments object) object {
			k.t.Helper()
			made, err := k.put(arguments)
			if err != nil {
				k.t.Fatal(err)
			}
			return k.call("observe_artifact", object{"artifact_id": made["artifact_id"]})
		}
		inline := show(object{"artifact_type": "json", "name": "plan", "content": `{"a":1}`, "metadata": object{"x": 1}})
		k.want("its fields", fields(inline),
			`"artifact_id artifact_type content content_truncated created_at media_type metadata name path size_bytes stored unavailable workspace_id"`)
		k.want("inline", []any{inline["stored"], inline["content"], inline["content_truncated"], inline["media_type"], inline["unavailable"]},
			`["inline","{\"a\":1}",false,"text/plain; charset=utf-8",null]`)

		write(k.t, filepath.Join(k.root, "long.txt"), strings.Repeat("ü", 200<<10))
		long := show(object{"artifact_type": "file", "path": "long.txt"})
		k.want("long", []any{long["content"] == strings.Repeat("ü", 128<<10), long["content_truncated"], long["size_bytes"]}, `[true,true,409600]`)
		write(k.t, filepath.Join(k.root, "bytes"), "\x00\xff")
		k.want("bytes", []any{show(object{"artifact_type": "file", "path": "bytes"})["content"]}, `[null]`)

		id := object{"artifact_id": long["artifact_id"]}
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "a"}, func() {
			denied := k.call("observe_artifact", id)
			k.want("an agent sees no file", []any{denied["content"], denied["media_type"], denied["unavailable"] != nil}, `[null,null,true]`)
		})
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "a", Scopes: "read workspace:elsewhere"}, func() {
			k.fails("observe_artifact", nexus.PermissionDenied, id)
		})
		if err := os.Remove(filepath.Join(k.root, "long.txt")); err != nil {
			k.t.Fatal(err)
		}
		if gone := k.call("observe_artifact", id); !strings.Contains(fmt.Sprint(gone["unavailable"]), "not there any more") {
			k.t.Errorf("got %v", gone)
		}
		k.fails("observe_artifact", nexus.NotFound, object{"artifact_id": "art_none"})
	})
}
