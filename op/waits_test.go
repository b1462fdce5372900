package op_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"nexus/op"
)

type waitParams struct {
	Name           string   `json:"name"`
	TimeoutSeconds *float64 `json:"timeout_seconds,omitempty"`
}

// However the arguments come, what is said of the wait is what the call does.
func TestWaits(t *testing.T) {
	o := op.Define(op.Info{Name: "wait", Effect: op.Read, Family: op.Bus, Wait: "timeout_seconds"},
		func(_ context.Context, in waitParams) (waitParams, error) { return in, nil })
	tests := []struct {
		arguments string
		want      time.Duration
	}{
		{``, 0},
		{`{}`, 0},
		{`null`, 0},
		{`[]`, 0},
		{`{"timeout_seconds":null}`, 0},
		{`{"timeout_seconds":0}`, 0},
		{`{"timeout_seconds":-3}`, 0},
		{`{"timeout_seconds":"soon"}`, 0},
		{`{"timeout_seconds":20}`, 20 * time.Second},
		{`{"timeout_seconds":0.5}`, time.Second / 2},
		{`{"timeout_seconds":" 60 "}`, time.Minute},
		{`{"timeout_seconds":"\u0032\u0030"}`, 20 * time.Second},
		{`{"timeout_seconds":0,"timeout_seconds":20}`, 20 * time.Second},
		{`"{\"timeout_seconds\":20}"`, 20 * time.Second},
		{`{"x":{"timeout_seconds":9}}`, 0},
		{`{"timeout_seconds":1e300}`, 1e6 * time.Second},
	}
	for _, test := range tests {
		waits, wait := o.Waits(json.RawMessage(test.arguments))
		if wait != test.want || waits != (test.want > 0) {
			t.Errorf("%s: got %v %v, want %v", test.arguments, waits, wait, test.want)
		}
		if _, plain := o.Waits(o.Plain(json.RawMessage(test.arguments))); plain != test.want {
			t.Errorf("%s in plain form waits %v, want %v", test.arguments, plain, test.want)
		}
	}
	const most = `{"timeout_seconds":9223372036854775807}`
	if plain := string(o.Plain(json.RawMessage(most))); plain != most {
		t.Errorf("the longest wait became %s", plain)
	}
	topic := op.Define(op.Info{Name: "sync", Effect: op.Write, Family: op.Topics, Wait: "timeout_seconds", Usual: 60},
		func(_ context.Context, in waitParams) (waitParams, error) { return in, nil })
	for _, arguments := range []string{``, `{}`, `{"timeout_seconds":null}`} {
		if waits, wait := topic.Waits(json.RawMessage(arguments)); !waits || wait != time.Minute {
			t.Errorf("%s: a topic waits by default, not %v %v", arguments, waits, wait)
		}
		if plain := string(topic.Plain(json.RawMessage(arguments))); plain != `{"timeout_seconds":60}` {
			t.Errorf("%s in plain form is %s", arguments, plain)
		}
	}
}
