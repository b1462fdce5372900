// Package op is the catalogue: every use case of Nexus once, with its name,
// documentation, effect and typed input and output. The faces (MCP, REST,
// JSON-RPC, the command line) show the catalogue and add nothing of their own.
package op

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus"
)

// Effect says what a call may change.
type Effect string

// The effects.
const (
	Read   Effect = "read"   // changes nothing
	Write  Effect = "write"  // changes state that can be changed again
	Danger Effect = "danger" // destroys, or hands out power
)

// Faces are the places where an operation shows.
type Faces uint8

// The faces. The zero value of [Info.Faces] means all of them.
const (
	MCP Faces = 1 << iota
	REST
	RPC
	CLI

	AllFaces = MCP | REST | RPC | CLI
)

// The tool profiles. Each operation is in [ProfileAll] and in the profile of
// its family; a few are in [ProfileCore] too.
const (
	ProfileAll    = "all"
	ProfileBus    = "bus"
	ProfileTopics = "topics"
	ProfileCore   = "core"
)

// Profiles lists the tool profiles.
func Profiles() []string {
	return []string{ProfileAll, ProfileBus, ProfileTopics, ProfileCore}
}

// Info is what an operation says about itself.
type Info struct {
	Name   string
	Title  string // a short name for people
	Doc    string // for a model: what it does and when to use it
	Effect Effect
	Family Family
	Core   bool   // one of the few tools an agent needs every day
	Faces  Faces  // zero for all
	Route  string // a REST route of its own, such as "POST /agents/{agent_id}/regenerate-key"

	// Wait names the argument that says how many seconds the call may wait.
	Wait string
	// Secret answers carry a secret that is shown once.
	Secret bool
	// AnyArguments takes whatever it is given.
	AnyArguments bool
}

// An Op is one operation of the catalogue.
type Op struct {
	Info
	Input  *jsonschema.Schema
	Output *jsonschema.Schema

	arguments *decoder
	call      func(ctx context.Context, in reflect.Value) (any, error)
}

// Define makes an operation of a service method. The schemas are inferred from
// the method's input and output. It panics on types that have no schema, which
// is a mistake in the program.
func Define[In, Out any](info Info, method func(context.Context, In) (Out, error)) *Op {
	if info.Faces == 0 {
		info.Faces = AllFaces
	}
	o := &Op{
		Info:      info,
		Input:     schemaFor[In](info.Name),
		Output:    schemaFor[Out](info.Name),
		arguments: newDecoder(reflect.TypeFor[In]()),
		call: func(ctx context.Context, in reflect.Value) (any, error) {
			return method(ctx, in.Interface().(In))
		},
	}
	if info.AnyArguments {
		o.Input = &jsonschema.Schema{Type: "object"}
	}
	return o
}

// Call decodes the arguments, runs the operation and returns its typed answer.
// Every failure is a [nexus.Error] by the time it leaves.
func (o *Op) Call(ctx context.Context, arguments json.RawMessage) (any, error) {
	in := reflect.New(o.arguments.of).Elem()
	if !o.AnyArguments {
		if err := o.arguments.decode(arguments, in); err != nil {
			return nil, err
		}
	}
	if key, ok := ctx.Value(callKey{}).(string); ok && o.Effect != Read {
		k, err := o.idempotency(ctx, key, in)
		if err != nil {
			return nil, err
		}
		ctx = nexus.WithIdempotency(ctx, k)
	}
	answer, err := o.call(ctx, in)
	if err != nil {
		return nil, nexus.AsError(err)
	}
	return answer, nil
}

// Shows tells whether the operation is on a face.
func (o *Op) Shows(f Faces) bool { return o.Faces&f != 0 }

// In tells whether the operation belongs to a tool profile.
func (o *Op) In(profile string) bool {
	switch profile {
	case ProfileAll:
		return true
	case ProfileCore:
		return o.Core
	default:
		return string(o.Family) == profile
	}
}

// Arguments lists the names of the arguments, in the order of the type.
func (o *Op) Arguments() []string { return slices.Clone(o.arguments.names) }

// PathArguments lists the arguments that name a place in the caller's file
// system. Whoever hands a call to another process makes them absolute first.
func (o *Op) PathArguments() []string { return slices.Clone(o.arguments.paths) }

// A Catalogue is a set of operations by name.
type Catalogue struct {
	ops    []*Op
	byName map[string]*Op
}

// NewCatalogue collects operations in the order given.
func NewCatalogue(ops ...*Op) (*Catalogue, error) {
	c := &Catalogue{byName: make(map[string]*Op, len(ops))}
	for _, o := range ops {
		if c.byName[o.Name] != nil {
			return nil, fmt.Errorf("operation %s is defined twice", o.Name)
		}
		c.byName[o.Name] = o
		c.ops = append(c.ops, o)
	}
	return c, nil
}

// Lookup finds an operation by name, nil if there is none.
func (c *Catalogue) Lookup(name string) *Op { return c.byName[name] }

// On lists the operations that show on a face, in catalogue order.
func (c *Catalogue) On(f Faces) []*Op {
	var ops []*Op
	for _, o := range c.ops {
		if o.Shows(f) {
			ops = append(ops, o)
		}
	}
	return ops
}

// Tools lists the operations of a profile that show on MCP.
func (c *Catalogue) Tools(profile string) []*Op {
	var ops []*Op
	for _, o := range c.On(MCP) {
		if o.In(profile) {
			ops = append(ops, o)
		}
	}
	return ops
}

// Names lists the operations of a face by name, for error messages.
func (c *Catalogue) Names(f Faces) []string {
	var names []string
	for _, o := range c.On(f) {
		names = append(names, o.Name)
	}
	return names
}
