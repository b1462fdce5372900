package serve

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Both paths give the same answers. Known differences are taken out first: the
// SDK lists tools by name and we in the order of the catalogue; it adds caching
// members to the lists of old versions too; its words for errors are its own.
func TestBothPathsAgree(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	web := d.mcp.Handler(d.sessions, HTTPOptions{}).(*webMCP)
	for _, version := range allVersions {
		for name, r := range parityRequests(version) {
			t.Run(version+" "+name, func(t *testing.T) {
				ours, theirs := httptest.NewRecorder(), httptest.NewRecorder()
				asAgent(web).ServeHTTP(ours, newMCPRequest(t.Context(), "POST", "/mcp", r.body, r.headers...))
				asAgent(web.sdk).ServeHTTP(theirs, newMCPRequest(t.Context(), "POST", "/mcp", r.body, r.headers...))
				if ours.Code != theirs.Code {
					t.Errorf("status: ours %d, theirs %d: %s", ours.Code, theirs.Code, theirs.Body)
				}
				got, want := decoded(t, ours.Body.Bytes()), decoded(t, theirs.Body.Bytes())
				level(got, version)
				level(want, version)
				if diff := gocmp.Diff(got, want); diff != "" {
					t.Errorf("(-ours +theirs):\n%s", diff)
				}
			})
		}
	}
}

type parityRequest struct {
	body    string
	headers []string
}

func parityRequests(version string) map[string]parityRequest {
	requests := map[string]parityRequest{}
	for name, arguments := range map[string]string{
		"echo": `{"text":"a \"quoted\" <tag> & é \u2028 \\","data":{"n":12345678901234567890,"f":1.50,"l":[null,true]}}`,
		"who":  `{}`, "fail": `{}`, "scold": `{"no":1}`, "say": `"{\"text\":\"in a string\"}"`, "crash": `[]`, "nosuch": `{}`,
	} {
		body, headers := callMessage(version, `"id-1"`, name, arguments)
		requests[name] = parityRequest{body, headers}
	}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover", "ping", "completion/complete"} {
		params, headers := "{}", []string{headerVersion, version}
		if version == "2026-07-28" {
			params, headers = "{"+modernMeta+"}", modernHeaders(method, "")
		}
		if method == "completion/complete" {
			params = strings.Replace(params, "{", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"},`, 1)
			params = strings.Replace(params, ",}", "}", 1)
		}
		requests[method] = parityRequest{`{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`, headers}
	}
	params, headers := `{"uri":"nexus://guide/toy"}`, []string{headerVersion, version}
	if version == "2026-07-28" {
		params, headers = `{"uri":"nexus://guide/toy",`+modernMeta+"}", modernHeaders("resources/read", "nexus://guide/toy")
	}
	requests["resources/read"] = parityRequest{`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":` + params + `}`, headers}
	return requests
}

// level takes out of an answer what may differ between the paths.
func level(answer map[string]any, version string) {
	if e, ok := answer["error"].(map[string]any); ok {
		delete(e, "message")
		delete(e, "data")
		return
	}
	result := answer["result"].(map[string]any)
	if version != "2026-07-28" {
		delete(result, "ttlMs")
		delete(result, "cacheScope")
	}
	if tools, ok := result["tools"].([]any); ok {
		for _, tool := range tools { // the SDK writes out what is false anyway
			hints := tool.(map[string]any)["annotations"].(map[string]any)
			for _, name := range []string{"readOnlyHint", "idempotentHint"} {
				if hints[name] == false {
					delete(hints, name)
				}
			}
		}
		slices.SortFunc(tools, func(a, b any) int {
			return cmp.Compare(a.(map[string]any)["name"].(string), b.(map[string]any)["name"].(string))
		})
	}
}

// A request with something about it that we do not read is answered by the SDK,
// with the same result.
func TestFallbackToSDK(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	for _, version := range allVersions {
		plain, headers := callMessage(version, "5", "echo", `{"text":"x"}`)
		want := decoded(t, d.post(plain, headers...).Body.Bytes())
		for name, body := range map[string]string{
			"a progress token": withToken(plain),
			"an unknown key":   strings.Replace(plain, `"id":5`, `"id":5,"trace":"t"`, 1),
		} {
			w := d.post(body, headers...)
			if !strings.Contains(w.Header().Get("Cache-Control"), "no-cache") {
				t.Errorf("%s, %s: the SDK was not asked", version, name)
			}
			if diff := gocmp.Diff(decoded(t, w.Body.Bytes()), want); diff != "" {
				t.Errorf("%s, %s (-got +want):\n%s", version, name, diff)
			}
		}
	}
}

// A wait with a progress token stays ours, and can be cancelled.
func TestFallbackNeverWaits(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	d.toy.release <- struct{}{}
	w := d.post(`{"jsonrpc":"2.0","id":1,"x":1,"method":"tools/call","params":{"name":"wait","arguments":{"timeout_seconds":9},"_meta":{"progressToken":1}}}`)
	if w.Header().Get("Cache-Control") != "" || !strings.Contains(w.Body.String(), `"found":true`) {
		t.Errorf("got %v %s", w.Header(), w.Body)
	}
}

// The ids that the SDK cannot hold come back whole on our path.
func TestIDsAreEchoed(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	for _, version := range allVersions {
		for _, id := range []string{`0`, `-1`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"é\u00e9\\\""`} {
			body, headers := callMessage(version, id, "echo", `{"text":"x"}`)
			var got struct{ ID json.RawMessage }
			if err := json.Unmarshal(d.post(body, headers...).Body.Bytes(), &got); err != nil || string(got.ID) != id {
				t.Errorf("%s: got id %s, %v; want %s", version, got.ID, err, id)
			}
		}
	}
}

func TestSDKClientOverHTTP(t *testing.T) {
	for _, version := range allVersions[1:] { // the first knows no streamable HTTP
		t.Run(version, func(t *testing.T) {
			d := newDesk(t, HTTPOptions{})
			server := httptest.NewServer(d.handler)
			defer server.Close()
			client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: server.Client()},
				&sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			useSession(t, session, version)
			cancelCall(t, d.toy, session)
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			if n := len(d.sessions.rows); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
			server.Client().CloseIdleConnections()
			http.DefaultClient.CloseIdleConnections()
		})
	}
}

// useSession does what an ordinary client does.
func useSession(t *testing.T, session *sdk.ClientSession, version string) {
	t.Helper()
	if got := session.InitializeResult(); got.ProtocolVersion != version || got.ServerInfo.Name != "nexus" || got.Instructions == "" {
		t.Errorf("opened with %+v", got)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 8 {
		t.Fatalf("got %v, %v", tools, err)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hi"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].(*sdk.TextContent).Text; text != `{"ok":true,"data":{"text":"hi"}}` || result.IsError {
		t.Errorf("got %s, %v", text, result)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "nosuch"}); err == nil {
		t.Error("an unknown tool was called")
	}
	if resources, err := session.ListResources(t.Context(), nil); err != nil || len(resources.Resources) != 1 {
		t.Errorf("got %v, %v", resources, err)
	}
	read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "nexus://guide/toy"})
	if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "# Toy\n" {
		t.Errorf("got %v, %v", read, err)
	}
	if version < "2026-07-28" {
		if err := session.Ping(t.Context(), nil); err != nil {
			t.Error(err)
		}
		//nolint:staticcheck // what older clients do
		if err := session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "error"}); err != nil {
			t.Error(err)
		}
	}
}
