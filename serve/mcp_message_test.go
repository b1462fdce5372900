package serve

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus/op"
)

func TestParseMessage(t *testing.T) {
	tests := []struct {
		name, raw string
		kind      messageKind
		id        string
		code      int
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, requestMessage, `1`, 0},
		{"spaced", " { \"jsonrpc\" : \"2.0\" ,\n\t\"id\" : \"a\" , \"method\" : \"ping\" , \"params\" : { } } ", requestMessage, `"a"`, 0},
		{"an id beyond 2^53", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, requestMessage, `9007199254740993`, 0},
		{"an id beyond 64 bits", `{"jsonrpc":"2.0","id":-123456789012345678901234567890,"method":"ping"}`, requestMessage, `-123456789012345678901234567890`, 0},
		{"an id with escapes", `{"jsonrpc":"2.0","id":"\u00e9\"\\","method":"ping"}`, requestMessage, `"\u00e9\"\\"`, 0},
		{"an escaped key", `{"jsonrpc":"2.0","\u0069d":7,"method":"ping"}`, requestMessage, `7`, 0},
		{"doubled keys: the last", `{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ping"}`, requestMessage, `2`, 0},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, requestMessage, `1`, 0},
		{"notification", `{"jsonrpc":"2.0","method":"ping"}`, notificationMessage, ``, 0},
		{"notification with odd params", `{"jsonrpc":"2.0","method":"ping","params":3}`, notificationMessage, ``, 0},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, responseMessage, `1`, 0},
		{"error response", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, responseMessage, `null`, 0},
		{"fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, requestMessage, ``, mcpInvalidRequest},
		{"whole but fractional in form", `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, requestMessage, ``, mcpInvalidRequest},
		{"exponent", `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, requestMessage, ``, mcpInvalidRequest},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, requestMessage, ``, mcpInvalidRequest},
		{"boolean id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, requestMessage, ``, mcpInvalidRequest},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, requestMessage, ``, mcpInvalidRequest},
		{"the method in another case", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, requestMessage, `1`, mcpInvalidRequest},
		{"the method no string", `{"jsonrpc":"2.0","id":1,"method":5}`, requestMessage, `1`, mcpInvalidRequest},
		{"no version", `{"id":1,"method":"ping"}`, requestMessage, `1`, mcpInvalidRequest},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, requestMessage, `1`, mcpInvalidRequest},
		{"empty object", `{}`, notificationMessage, ``, mcpInvalidRequest},
		{"params an array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, requestMessage, `1`, mcpInvalidParams},
		{"a number", `12`, requestMessage, ``, mcpInvalidRequest},
		{"a string", `"{}"`, requestMessage, ``, mcpInvalidRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if f := checkJSON([]byte(tt.raw)); f != nil {
				t.Fatal(f)
			}
			got, f := parseMessage(bytes.TrimSpace([]byte(tt.raw)))
			code := 0
			if f != nil {
				code = f.code
			}
			if got.kind != tt.kind || string(got.id) != tt.id || code != tt.code {
				t.Errorf("got kind %d, id %s, code %d; want %d, %s, %d", got.kind, got.id, code, tt.kind, tt.id, tt.code)
			}
			if code == 0 && got.kind != responseMessage && got.method != "ping" {
				t.Errorf("got method %q", got.method)
			}
		})
	}
}

func TestCheckJSON(t *testing.T) {
	for _, raw := range []string{``, ` `, `{`, `{"a":1}}`, `{"a":1}{"b":2}`, `nul`, "{\"a\":\"\xff\"}", "\ufeff{}", `{'a':1}`, "{\"a\":\"\n\"}"} {
		if f := checkJSON([]byte(raw)); f == nil || f.code != mcpParseError {
			t.Errorf("%q passed", raw)
		}
	}
	deep := strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20)
	if f := checkJSON([]byte(deep)); f == nil {
		t.Error("a million brackets passed")
	}
}

func FuzzQuoted(f *testing.F) {
	for _, s := range []string{"", "plain", `"\`, "\x00\n\r\t\x1f\x7f", "é\u2028", strings.Repeat("x\"", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "")
		var got string
		if err := json.Unmarshal(appendQuoted(nil, s), &got); err != nil || got != s {
			t.Fatalf("got %q, %v; want %q", got, err, s)
		}
		if plain := unquoted(appendQuoted(nil, s)); plain != s {
			t.Fatalf("unquoted %q, want %q", plain, s)
		}
	})
}

// members finds what the decoder of the standard library finds.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, ` {"a":1} `, `{"a":{"b":[1,"}",{}]},"c":"\\\"","a":null}`, `{"\u0061":-1.5e3 , "":[ ] , "x" : true}`, `{"\ud800":"\udc00"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = bytes.TrimSpace(raw)
		want := map[string]json.RawMessage{}
		if checkJSON(raw) != nil || raw[0] != '{' || json.Unmarshal(raw, &want) != nil {
			return
		}
		got := map[string]json.RawMessage{}
		for key, value := range members(raw) {
			got[string(key)] = value
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("%q (-got +want):\n%s", raw, diff)
		}
	})
}

// Whatever comes in, what goes out is one JSON text or silence.
func FuzzMCPMessage(f *testing.F) {
	seeds := []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{` + modernMeta + `}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},[],{"a":[{}]},"\\",1e9,null]`,
		` { "\u006dethod" : "ping" } `, `{"id":1,"jsonrpc":"2.0","method":"\ud800"}`, `{"a":{"b":[1,2,{"c":"}"}]}}`, `"`, `[`, ``, `{}`,
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	m := newToy().mcp(f)
	x, _ := testExchange(m, op.ProfileTopics) // whose operations all return at once
	f.Fuzz(func(t *testing.T, raw []byte) {
		if checkJSON(raw) != nil {
			return
		}
		raw = bytes.TrimSpace(raw)
		var got reply
		if raw[0] == '[' {
			batch, fault := x.tools.readBatch(raw)
			if fault != nil {
				return
			}
			got = m.answerBatch(t.Context(), x, batch)
		} else if r := x.tools.read(raw); !r.unanswered() {
			got = m.answer(t.Context(), x, r, nil)
		} else {
			return
		}
		if !got.silent && (!json.Valid(got.body) || bytes.ContainsAny(got.body, "\n\r")) {
			t.Fatalf("%q was answered with %q", raw, got.body)
		}
	})
}
