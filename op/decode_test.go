package op_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"strconv"
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
		{"an integer beyond 64 bits in JSON", `{"root":"r","any":{"a":18446744073709551616}}`, "", nexus.ValidationError, "any holds a number"},
		{"a negative one", `{"root":"r","any":[-9223372036854775809]}`, "", nexus.ValidationError, "any holds a number"},
		{"a float beyond 64 bits", `{"root":"r","any":1e400}`, "", nexus.ValidationError, "any holds a number"},
		{"in an object", `{"root":"r","target":{"a":[{"b":-1.5E+309}]}}`, "", nexus.ValidationError, "target holds a number"},
		{"in an object in a string", `{"root":"r","target":"{\"a\":1e999}"}`, "", nexus.ValidationError, "target holds a number"},
		{"in arguments in a string", `"{\"root\":\"r\",\"any\":1e999}"`, "", nexus.ValidationError, "any holds a number"},
		{
			"the largest numbers", `{"any":[18446744073709551615,-9223372036854775808,1.7976931348623157e308,18446744073709551616.0,1e-400,0e999]}`,
			`{"any":[18446744073709551615,-9223372036854775808,1.7976931348623157e308,18446744073709551616.0,1e-400,0e999]}`, "", "",
		},
		{
			"digits in strings are no numbers", `{"any":{"1e400":"18446744073709551616","a":"\"1e999"},"many":"1e999"}`,
			`{"any":{"1e400":"18446744073709551616","a":"\"1e999"},"many":["1e999"]}`, "", "",
		},
		{"plain text is not looked into", `{"any":"{\"a\":1e999}"}`, `{"any":"{\"a\":1e999}"}`, "", ""},
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
				e := nexus.AsError(err)
				if !strings.Contains(e.Msg, test.says) {
					t.Errorf("the message %q does not say %q", e.Msg, test.says)
				}
				if argument, found := strings.CutSuffix(test.says, " holds a number"); found && e.Details["field"] != argument {
					t.Errorf("the field is %v, not %s", e.Details["field"], argument)
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
// a code that is the caller's fault, and that the value has no number beyond 64 bits.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"count":"1"}`, `{"target":"{}"}`, `"{}"`, `{"many":["a"]}`, `{"name":"\ud800"}`, `[`,
		`{"any":[18446744073709551615,-1.5e308]}`, `{"any":{"a":18446744073709551616}}`, `{"target":"{\"a\":1e400}"}`, `{"any":"1e400 \\\" 2e400"}`,
	} {
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
		if got, ok := answer.(everyKind); ok && err == nil {
			for _, kept := range []json.RawMessage{got.Any, json.RawMessage(got.Target)} {
				if n, ok := beyond64(kept); ok {
					t.Errorf("%q: %s was taken", raw, n)
				}
			}
		}
	})
}

// beyond64 finds a number that no 64 bits hold, with the standard library's parser.
func beyond64(raw json.RawMessage) (json.Number, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return "", false
		}
		n, ok := token.(json.Number)
		if !ok {
			continue
		}
		if strings.ContainsAny(n.String(), ".eE") {
			_, err = n.Float64()
		} else if i, _ := new(big.Int).SetString(n.String(), 10); !i.IsInt64() && !i.IsUint64() {
			err = strconv.ErrRange
		}
		if err != nil {
			return n, true
		}
	}
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
