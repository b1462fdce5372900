package serve_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nexus"
	"nexus/bus"
	"nexus/serve"
)

// oneArtifact is what every id names.
type oneArtifact struct{}

func (oneArtifact) OpenArtifact(context.Context, string) (*bus.OpenedArtifact, error) {
	return &bus.OpenedArtifact{ReadSeekCloser: aText{strings.NewReader("x")}, MediaType: bus.TypeText}, nil
}

type aText struct{ *strings.Reader }

func (aText) Close() error { return nil }

// put registers an artifact as an agent and returns where its bytes are.
func (m *team) put(key string, artifact map[string]any) string {
	m.t.Helper()
	body, err := json.Marshal(artifact)
	if err != nil {
		m.t.Fatal(err)
	}
	status, data, _ := m.ask("POST", "/api/v1/op/artifact_put", string(body), "x-api-key", key)
	if status != 200 {
		m.t.Fatalf("got %d %v", status, data)
	}
	return "/api/v1/artifacts/" + data["artifact_id"].(string) + "/content"
}

// What agents wrote comes out as something that no browser runs.
func TestArtifactContent(t *testing.T) {
	const html = "<!DOCTYPE html><script>alert(1)</script>"
	tests := []struct {
		name, file, content string // inline where there is no file
		kind, disposition   string
	}{
		{"text", "", "plain", "text/plain; charset=utf-8", `inline; filename=report`},
		{"html", "page.html", html, "text/plain; charset=utf-8", `inline; filename=page.html`},
		{"inline html", "", html, "text/plain; charset=utf-8", `inline; filename=report`},
		{"svg", "a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", "text/plain; charset=utf-8", `inline; filename=a.svg`},
		{"png", "wrong.html", "\x89PNG\r\n\x1a\n....", "image/png", `inline; filename=wrong.html`},
		{"jpeg", "a.jpg", "\xff\xd8\xff\xe0", "image/jpeg", `inline; filename=a.jpg`},
		{"gif", "a.gif", "GIF89a", "image/gif", `inline; filename=a.gif`},
		{"webp", "a.webp", "RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp", `inline; filename=a.webp`},
		{"bytes", "a.bin", "\x00\x01", "application/octet-stream", `attachment; filename=a.bin`},
		{"not UTF-8", "a.txt", "\xfe\xff\x00a", "application/octet-stream", `attachment; filename=a.txt`},
		{"nothing", "empty", "", "text/plain; charset=utf-8", `inline; filename=empty`},
		{"a name from elsewhere", "ü \"x\".txt", "x", "text/plain; charset=utf-8", `inline; filename*=utf-8''%C3%BC%20_x_.txt`},
	}
	eachTeam(t, serve.Options{}, func(m *team) {
		root := m.t.TempDir()
		agent := m.agent("a")
		for _, tt := range tests {
			m.t.Run(tt.name, func(t *testing.T) {
				artifact := map[string]any{"project_root": root, "artifact_type": "file", "name": "report", "content": tt.content}
				if tt.file != "" {
					if err := os.WriteFile(filepath.Join(root, tt.file), []byte(tt.content), 0o600); err != nil {
						t.Fatal(err)
					}
					delete(artifact, "content")
					artifact["path"] = tt.file
				}
				got := ask(t, m.Server, "GET", m.put(agent, artifact), "", "x-api-key", operatorKey)
				h := got.Header()
				if got.Code != 200 || got.Body.String() != tt.content || h.Get("Content-Type") != tt.kind || h.Get("Content-Disposition") != tt.disposition {
					t.Errorf("got %d %q %v", got.Code, got.Body, h)
				}
				if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "sandbox; default-src 'none'" {
					t.Errorf("the answer is not safe: %v", h)
				}
			})
		}
	})
}

// A file is shown only while it is one of the project, only in parts if that is
// asked for, and only to those who run the hub.
func TestArtifactContentLimits(t *testing.T) {
	eachTeam(t, serve.Options{}, func(m *team) {
		around := m.t.TempDir()
		root := filepath.Join(around, "project")
		for name, text := range map[string]string{"project/a.txt": "0123456789", "secret": "no"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(around, name)), 0o700); err != nil {
				m.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(around, name), []byte(text), 0o600); err != nil {
				m.t.Fatal(err)
			}
		}
		agent, tool := m.agent("a"), m.agent("tool", "mcp")
		file := m.put(agent, map[string]any{"project_root": root, "artifact_type": "file", "path": "a.txt"})
		inline := m.put(agent, map[string]any{"project_root": root, "artifact_type": "text", "content": "open"})
		get := func(path, key string, headers ...string) (int, string) {
			w := ask(m.t, m.Server, "GET", path, "", append([]string{"x-api-key", key, "From", "198.51.100.7:4711", "Host", "hub.example.org"}, headers...)...)
			return w.Code, w.Body.String()
		}
		check := func(what string, status int, want string) func(int, string) {
			return func(code int, body string) {
				m.t.Helper()
				if code != status || !strings.Contains(body, want) {
					m.t.Errorf("%s: got %d %s, want %d and %s", what, code, body, status, want)
				}
			}
		}
		check("a part", 206, "345")(get(file, operatorKey, "Range", "bytes=3-5"))
		for _, part := range []string{"bytes=30-", "lines=1-2"} {
			check("no such part", 416, string(nexus.ValidationError))(get(file, operatorKey, "Range", part))
			h := ask(m.t, m.Server, "GET", file, "", "x-api-key", operatorKey, "Range", part).Header()
			if h.Get("Content-Range") != "bytes */10" || h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "no-store" || h.Get("Content-Disposition") != "" {
				m.t.Errorf("%s: got %v", part, h)
			}
		}
		check("an agent reads what is in the store", 200, "open")(get(inline, agent))
		check("and no file", 403, string(nexus.PermissionDenied))(get(file, agent))
		check("a key that may not read", 403, "read")(get(inline, tool))
		check("nothing", 404, "NOT_FOUND")(get("/api/v1/artifacts/art_none/content", operatorKey))
		check("nobody", 401, "AUTH_FAILED")(get(inline, "nxs_wrong"))

		name := filepath.Join(root, "a.txt")
		if err := os.Remove(name); err != nil {
			m.t.Fatal(err)
		}
		check("a file that is gone", 404, "not there any more")(get(file, operatorKey))
		if err := os.Symlink("../secret", name); err != nil {
			m.t.Fatal(err)
		}
		check("a link out of the project", 403, string(nexus.PathOutside))(get(file, operatorKey))
		if err := os.RemoveAll(root); err != nil {
			m.t.Fatal(err)
		}
		check("a project that is gone", 422, string(nexus.WorkspaceUnresolved))(get(file, operatorKey))
	})
}
