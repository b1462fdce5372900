package op_test

import (
	"context"
	"slices"
	"testing"

	"nexus"
	"nexus/op"
)

// TestNullInSchemas: arguments never say null, and an answer says it exactly
// where it is written.
func TestNullInSchemas(t *testing.T) {
	type inner struct {
		Note *string `json:"note"`
	}
	type thing struct {
		Always   *int         `json:"always"`
		Maybe    *int         `json:"maybe,omitempty"`
		List     []inner      `json:"list"`
		Object   nexus.Object `json:"object"`
		Optional nexus.Object `json:"optional,omitempty"`
	}
	type arguments struct {
		Number *int         `json:"number,omitempty"`
		Words  []string     `json:"words"`
		Object nexus.Object `json:"object"`
	}
	o := op.Define(op.Info{Name: "x", Family: op.Topics, Effect: op.Read}, func(context.Context, arguments) (thing, error) { return thing{}, nil })
	for name, want := range map[string]bool{"always": true, "maybe": false, "list": false, "object": true, "optional": false} {
		if got := slices.Contains(o.Output().Properties[name].Types, "null"); got != want {
			t.Errorf("%s may be null in an answer: %t, want %t", name, got, want)
		}
	}
	if !slices.Contains(o.Output().Properties["list"].Items.Properties["note"].Types, "null") {
		t.Error("what is in a list of an answer may not be null")
	}
	for name, p := range o.Input().Properties {
		if p.Types != nil {
			t.Errorf("the argument %s is %v", name, p.Types)
		}
	}
}
