package op_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus"
	"nexus/op"
)

type everyKind struct {
	Root   string          `json:"root" required:"WORKSPACE_REQUIRED"`
	Name   string          `json:"name"`
	Role   *string         `json:"role"`
	Count  *int            `json:"count"`
	Cursor *int64          `json:"cursor"`
	Deep   bool            `json:"deep"`
	Any    nexus.JSON      `json:"any"`
	Target nexus.Object    `json:"target"`
	Words  []string        `json:"words"`
	Many   nexus.OneOrMore `json:"many"`
}

func echo() *op.Op {
	return op.Define(op.Info{Name: "echo", Effect: op.Read, Family: op.Bus},
		func(_ context.Context, in everyKind) (everyKind, error) { return in, nil })
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name string
		args string
		want string // the answer, or
		code nexus.Code
		says string // part of the error's message
	}{
		{"nothing", ``, `{}`, "", ""},
		{"null", `null`, `{}`, "", ""},
		{"nulls are as good as absent", `{"name":null,"count":null,"any":null}`, `{}`, "", ""},
		{"plain values", `{"name":"x","count":3,"deep":true,"words":["a"]}`, `{"name":"x","count":3,"deep":true,"words":["a"]}`, "", ""},
		{"arguments in a string", `"{\"name\":\"x\"}"`, `{"name":"x"}`, "", ""},
		{"digits in a string", `{"count":" 12 ","cursor":"9007199254740993"}`, `{"count":12,"cursor":9007199254740993}`, "", ""},
		{"a whole float", `{"count":2.0}`, `{"count":2}`, "", ""},
		{"an object in a string", `{"target":"{\"a\":1}"}`, `{"target":{"a":1}}`, "", ""},
		{"a list in a string", `{"words":"[\"a\",\"b\"]"}`, `{"words":["a","b"]}`, "", ""},
		{"one string for many", `{"many":"a"}`, `{"many":["a"]}`, "", ""},
		{"a list in a string for many", `{"many":"[\"a\"]"}`, `{"many":["a"]}`, "", ""},
		{"JSON in a string stays a string", `{"any":"{\"a\":1}"}`, `{"any":"{\"a\":1}"}`, "", ""},
		{"a list of arguments", `[1]`, "", nexus.ValidationError, "object"},
		{"a boolean is no integer", `{"root":"r","count":true}`, "", nexus.ValidationError, "count must be an integer"},
		{"a fraction is no integer", `{"root":"r","count":1.5}`, "", nexus.ValidationError, "integer"},
		{"beyond 64 bits", `{"root":"r","cursor":99999999999999999999}`, "", nexus.ValidationError, "integer"},
		{"words are no integer", `{"root":"r","count":"many"}`, "", nexus.ValidationError, "integer"},
		{"a number is no string", `{"root":"r","name":5}`, "", nexus.ValidationError, "name must be a string"},
		{"a list is no object", `{"root":"r","target":[1]}`, "", nexus.ValidationError, "object"},
		{"a list of numbers", `{"root":"r","words":[1]}`, "", nexus.ValidationError, "list of strings"},
		{"half a surrogate", `{"root":"r","name":"\ud800"}`, "", nexus.ValidationError, "surrogate"},
		{"half a surrogate in JSON", `{"root":"r","any":{"a":"\udc00x"}}`, "", nexus.ValidationError, "surrogate"},
		{"a whole pair", `{"name":"\ud83d\ude00"}`, `{"name":"😀"}`, "", ""},
		{"an escaped backslash before u", `{"name":"\\ud800"}`, `{"name":"\\ud800"}`, "", ""},
		{"bytes that are not UTF-8", "{\"root\":\"r\",\"name\":\"\xff\"}", "", nexus.ValidationError, "UTF-8"},
		{"unknown, near", `{"namee":"x"}`, "", nexus.ValidationError, `Did you mean "name"?`},
		{"unknown, far", `{"zzzzzzzz":"x"}`, "", nexus.ValidationError, "Known: root"},
		{"case counts", `{"Name":"x"}`, "", nexus.ValidationError, `"name"`},
		{"a missing workspace outranks a bad type", `{"count":"x"}`, "", nexus.WorkspaceRequired, "root"},
	}
	o := echo()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := o.Call(t.Context(), json.RawMessage(test.args))
			if nexus.CodeOf(err) != test.code {
				t.Fatalf("got %v, want code %q", err, test.code)
			}
			if err != nil {
				if e := nexus.AsError(err); !strings.Contains(e.Msg, test.says) {
					t.Errorf("the message %q does not say %q", e.Msg, test.says)
				}
				return
			}
			var want everyKind
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzDecode holds that whatever comes, the answer is a value or an error with
// a code that is the caller's fault.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"count":"1"}`, `{"target":"{}"}`, `"{}"`, `{"many":["a"]}`, `{"name":"\ud800"}`, `[`} {
		f.Add([]byte(seed))
	}
	o := echo()
	f.Fuzz(func(t *testing.T, raw []byte) {
		answer, err := o.Call(context.Background(), raw)
		if code := nexus.CodeOf(err); code != "" && code != nexus.ValidationError && code != nexus.WorkspaceRequired {
			t.Errorf("%q: %v", raw, err)
		}
		if a := op.Bus.Answer(answer, err); !json.Valid(a.Body) {
			t.Errorf("%q: the answer is no JSON: %q", raw, a.Body)
		}
	})
}

func TestNearest(t *testing.T) {
	tests := []struct{ word, want string }{
		{"agent_i", "agent_id"}, {"subjct", "subject"}, {"xyzzy", ""}, {"", ""},
	}
	for _, test := range tests {
		if got := nexus.Nearest(test.word, []string{"agent_id", "subject", "body"}); got != test.want {
			t.Errorf("Nearest(%q) = %q, want %q", test.word, got, test.want)
		}
	}
}
