package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/op"
)

// ask sends one message to the core and returns what comes back, "" for silence.
func ask(t testing.TB, m *MCP, x *exchange, message string) string {
	t.Helper()
	if f := checkJSON([]byte(message)); f != nil {
		return string(refuse(nil, nil, f).body)
	}
	r := x.tools.read([]byte(message))
	if r.unanswered() {
		m.notice(x, r)
		return ""
	}
	reply := m.answer(t.Context(), x, r, nil)
	if !json.Valid(reply.body) {
		t.Fatalf("the answer to %s is no JSON: %s", message, reply.body)
	}
	return string(reply.body)
}

func testExchange(m *MCP, profile string) (*exchange, *sessionState) {
	state := &sessionState{}
	return &exchange{tools: m.profiles[profile], conn: "c", memory: (*testMemory)(state), finish: true}, state
}

type testMemory sessionState

func (s *testMemory) begin(_ context.Context, version string) error {
	s.Version = version
	return nil
}

func (s *testMemory) remember(_ context.Context, change func(*sessionState)) error {
	change((*sessionState)(s))
	return nil
}

func (s *testMemory) joined(context.Context, bool) []nexus.Membership { return s.Joined }

// The dialogues hold the bytes that clients of each version get.
func TestProtocolDialogues(t *testing.T) {
	messages := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"VERSION","capabilities":{},"clientInfo":{"name":"demo","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"two","method":"server/discover","params":{META}}`,
		`{"jsonrpc":"2.0","id":3,"method":"ping","params":{META}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{META}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a \"b\" <c> \\ é","data":[1,{"n":null}]},META}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"fail",META}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"scold",META}}`,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"crash",META}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"ecko",META}}`,
		`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"echo","arguments":[],META}}`,
		`{"jsonrpc":"2.0","id":11,"method":"resources/list","params":{META}}`,
		`{"jsonrpc":"2.0","id":12,"method":"resources/templates/list","params":{META}}`,
		`{"jsonrpc":"2.0","id":13,"method":"prompts/list","params":{META}}`,
		`{"jsonrpc":"2.0","id":14,"method":"logging/setLevel","params":{"level":"warning",META}}`,
		`{"jsonrpc":"2.0","id":15,"method":"resources/subscribe","params":{"uri":"nx://a",META}}`,
		`{"jsonrpc":"2.0","id":16,"method":"resources/unsubscribe","params":{"uri":"nx://a",META}}`,
		`{"jsonrpc":"2.0","id":17,"method":"resources/read","params":{"uri":"nx://a",META}}`,
		`{"jsonrpc":"2.0","id":18,"method":"prompts/get","params":{"name":"p",META}}`,
		`{"jsonrpc":"2.0","id":19,"method":"completion/complete","params":{META}}`,
		`{"jsonrpc":"2.0","id":20,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},META}}`,
		`{"jsonrpc":"2.0","id":21,"method":"tools/list","params":{"cursor":"more",META}}`,
	}
	for _, version := range allVersions {
		t.Run(version, func(t *testing.T) {
			m := newToy().mcp(t)
			x, _ := testExchange(m, op.ProfileAll)
			var got strings.Builder
			for _, message := range messages {
				message = withMeta(strings.ReplaceAll(message, "VERSION", version), version)
				answer := ask(t, m, x, message)
				got.WriteString("> " + message + "\n< " + cmp.Or(answer, "(silence)") + "\n\n")
			}
			golden(t, "mcp_"+version+".txt", got.String())
		})
	}
}

// withMeta puts in what every request of 2026-07-28 carries.
func withMeta(message, version string) string {
	meta := ""
	if version == "2026-07-28" {
		meta = modernMeta
	}
	message = strings.ReplaceAll(message, "META", meta)
	return strings.ReplaceAll(strings.ReplaceAll(message, `{,`, `{`), `,}`, `}`)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(got, string(want)); diff != "" {
		t.Errorf("%s (-got +want; -update writes it anew):\n%s", name, diff)
	}
}

func TestInitializeVersion(t *testing.T) {
	tests := []struct{ asked, want string }{
		{"2024-11-05", "2024-11-05"},
		{"2025-03-26", "2025-03-26"},
		{"2025-06-18", "2025-06-18"},
		{"2025-11-25", "2025-11-25"},
		{"2026-07-28", "2025-11-25"}, // has no initialize
		{"1999-01-01", "2025-11-25"},
		{"", "2025-11-25"},
	}
	m := newToy().mcp(t)
	for _, tt := range tests {
		x, state := testExchange(m, op.ProfileAll)
		got := decoded(t, []byte(ask(t, m, x, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+tt.asked+`"}}`)))
		if version := got["result"].(map[string]any)["protocolVersion"]; version != tt.want || state.Version != tt.want {
			t.Errorf("asked for %q: answered %v, remembered %q, want %q", tt.asked, version, state.Version, tt.want)
		}
	}
}

func TestModernMeta(t *testing.T) {
	const version = `"io.modelcontextprotocol/protocolVersion":`
	tests := []struct {
		name, meta string
		want       int
	}{
		{"whole", version + `"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`, 0},
		{"with client info", version + `"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}`, 0},
		{"capabilities missing", version + `"2026-07-28"`, mcpInvalidParams},
		{"capabilities no object", version + `"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]`, mcpInvalidParams},
		{"client info no object", version + `"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":"x"`, mcpInvalidParams},
		{"a version to come", version + `"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}`, mcpBadVersion},
		{"an old version", version + `"2025-06-18"`, 0},
		{"no version", `"x":1`, 0},
	}
	m := newToy().mcp(t)
	x, _ := testExchange(m, op.ProfileAll)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, m, x, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{`+tt.meta+`}}}`)
			if code := rpcError(t, []byte(got)); code != tt.want {
				t.Errorf("got code %d, want %d: %s", code, tt.want, got)
			}
		})
	}
}

func TestUnknownToolNamesNearest(t *testing.T) {
	m := newToy().mcp(t)
	tests := []struct{ profile, tool, want string }{
		{op.ProfileAll, "Echo", `Did you mean \"echo\"?`},
		{op.ProfileAll, "hidden", `There is no tool \"hidden\".`}, // on another face only
		{op.ProfileTopics, "echo", `There is no tool \"echo\".`},
		{op.ProfileAll, "completely different", `There is no tool \"completely different\"."}`},
		{op.ProfileAll, strings.Repeat("echo", 1<<18), `such a long name`},
	}
	for _, tt := range tests {
		x, _ := testExchange(m, tt.profile)
		got := ask(t, m, x, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tt.tool+`"}}`)
		if rpcError(t, []byte(got)) != mcpInvalidParams || !strings.Contains(got, tt.want) {
			t.Errorf("%s in %s: got %s, want %s", tt.tool[:min(len(tt.tool), 30)], tt.profile, got, tt.want)
		}
	}
}

func TestProfiles(t *testing.T) {
	m := newToy().mcp(t)
	tests := []struct {
		profile string
		want    []string
	}{
		{op.ProfileAll, []string{"echo", "who", "fail", "crash", "wait", "slow", "say", "scold"}},
		{op.ProfileBus, []string{"echo", "who", "fail", "crash", "wait", "slow"}},
		{op.ProfileTopics, []string{"say", "scold"}},
		{op.ProfileCore, []string{"echo"}},
	}
	for _, tt := range tests {
		var got []string
		for _, raw := range m.profiles[tt.profile].tools(t) {
			got = append(got, raw["name"].(string))
		}
		if diff := gocmp.Diff(got, tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.profile, diff)
		}
	}
}

// tools is the listing as a client decodes it.
func (t *toolset) tools(tb testing.TB) []map[string]any {
	tb.Helper()
	var result struct{ Tools []map[string]any }
	if err := json.Unmarshal(t.list(), &result); err != nil {
		tb.Fatal(err)
	}
	return result.Tools
}

// One entry that a client dislikes costs it the whole list.
func TestToolEntriesSuitEveryClient(t *testing.T) {
	m := newToy().mcp(t)
	if bytes.Contains(m.profiles[op.ProfileAll].list(), []byte("null")) {
		t.Error("the listing holds a null")
	}
	for _, tool := range m.profiles[op.ProfileAll].tools(t) {
		name := tool["name"].(string)
		if kind := tool["inputSchema"].(map[string]any)["type"]; kind != "object" {
			t.Errorf("%s: the input is of type %v", name, kind)
		}
		effect := m.profiles[op.ProfileAll].byName[name].Effect
		want := map[op.Effect]string{
			op.Read:   `{"openWorldHint":false,"readOnlyHint":true}`,
			op.Write:  `{"destructiveHint":false,"openWorldHint":false}`,
			op.Danger: `{"openWorldHint":false}`,
		}[effect]
		if got, _ := json.Marshal(tool["annotations"]); string(got) != want {
			t.Errorf("%s: hints %s, want %s", name, got, want)
		}
		output, promised := tool["outputSchema"].(map[string]any)
		if bus := m.profiles[op.ProfileAll].byName[name].Family == op.Bus; promised == bus {
			t.Errorf("%s: has an output schema: %t", name, promised)
		}
		if promised && (output["required"] != nil || output["additionalProperties"] != nil) {
			t.Errorf("%s: an error would not pass %v", name, output)
		}
	}
}

func TestSessionMemory(t *testing.T) {
	m := newToy().mcp(t)
	x, state := testExchange(m, op.ProfileAll)
	for _, params := range []string{
		`"logging/setLevel","params":{"level":"error"}`,
		`"logging/setLevel","params":{"level":"loud"}`,
		`"resources/subscribe","params":{"uri":"nexus://guide/toy"}`,
		`"resources/subscribe","params":{"uri":"nx://b"}`,
		`"resources/subscribe","params":{"uri":"nexus://inbox/ann"}`,
		`"resources/subscribe","params":{"uri":"nexus://guide/toy"}`,
		`"resources/unsubscribe","params":{"uri":"nx://b"}`,
		`"resources/subscribe","params":{}`,
	} {
		ask(t, m, x, `{"jsonrpc":"2.0","id":1,"method":`+params+`}`)
	}
	want := sessionState{Level: "error", Subscriptions: []string{"nexus://guide/toy"}}
	if diff := gocmp.Diff(*state, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	for range 1000 {
		state.subscribe(strings.Repeat("x", len(state.Subscriptions)+1), true)
	}
	if n := len(state.Subscriptions); n != 256 {
		t.Errorf("%d subscriptions are kept", n)
	}
}

func TestBatch(t *testing.T) {
	m := newToy().mcp(t)
	x, _ := testExchange(m, op.ProfileAll)
	tests := []struct{ name, batch, want string }{
		{
			"in order, notifications unanswered",
			`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b","method":"ping"}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}}]`,
		},
		{
			"one bad message spoils no other", `[1, {"jsonrpc":"2.0","id":2,"method":"ping"}]`,
			`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A message must be a JSON object."}},{"jsonrpc":"2.0","id":2,"result":{}}]`,
		},
		{"only notifications", `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, ""},
		{"empty", `[ ]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The batch is empty."}}`},
		{"too many", `[` + strings.Repeat(`1,`, 100) + `1]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A batch holds at most 100 messages."}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			batch, f := x.tools.readBatch([]byte(tt.batch))
			var got reply
			if f != nil {
				got = refuse(nil, nil, f)
			} else {
				got = m.answerBatch(t.Context(), x, batch)
			}
			if string(got.body) != tt.want || got.silent != (tt.want == "") {
				t.Errorf("got %s, want %s", got.body, tt.want)
			}
		})
	}
}
