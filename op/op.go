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
	"strconv"
	"sync"
	"time"

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
	Scope  string // what a key must have; by default what the effect says
	Family Family
	Core   bool   // one of the few tools an agent needs every day
	Added  bool   // in no profile but [ProfileAll], whatever its family
	Faces  Faces  // zero for all
	Route  string // a REST route of its own, such as "POST /agents/{agent_id}/regenerate-key"

	// Body names the argument that the whole body is, at the operation's own
	// route.
	Body string
	// Wait names the argument that says how many seconds the call may wait, and
	// Usual is how many it waits when that says nothing.
	Wait  string
	Usual int
	// Secret answers carry a secret that is shown once.
	Secret bool
	// Joins marks the operation by which a connection gets a name in a topic. The
	// face keeps the name and the token that proves it, and made again with the
	// same token it is the same joining.
	Joins bool
	// AnyArguments takes whatever it is given.
	AnyArguments bool
	// Shape completes the schema of the arguments with what types cannot say.
	Shape func(*jsonschema.Schema)
}

// An Op is one operation of the catalogue.
type Op struct {
	Info
	schemas   func() schemas // made when they are first asked for: calls need none
	arguments *decoder
	call      func(ctx context.Context, in reflect.Value) (any, error)
}

// Define makes an operation of a service method. The schemas are inferred from
// the method's input and output. Types that have no schema are a mistake in the
// program; whoever asks for it first panics.
func Define[In, Out any](info Info, method func(context.Context, In) (Out, error)) *Op {
	if info.Faces == 0 {
		info.Faces = AllFaces
	}
	if info.Scope == "" {
		info.Scope = map[Effect]string{Read: nexus.ScopeRead, Write: nexus.ScopeWrite, Danger: nexus.ScopeAdmin}[info.Effect]
	}
	o := &Op{
		Info:      info,
		arguments: newDecoder(reflect.TypeFor[In](), info.Family),
		call: func(ctx context.Context, in reflect.Value) (any, error) {
			return method(ctx, in.Interface().(In))
		},
	}
	o.arguments.keyed = !info.AnyArguments && info.Effect != Read && info.Family == Bus
	o.schemas = sync.OnceValue(func() schemas {
		return o.complete(inputSchema[In](info.Name), outputSchema[Out](info.Name))
	})
	return o
}

// Call decodes the arguments, runs the operation and returns its typed answer.
// Every failure is a [nexus.Error] by the time it leaves.
//
// Here, for every face, a key is held to its scopes.
func (o *Op) Call(ctx context.Context, arguments json.RawMessage) (any, error) {
	answer, err := o.perform(ctx, arguments)
	if err != nil {
		return nil, o.Family.own(nexus.AsError(err))
	}
	return answer, nil
}

func (o *Op) perform(ctx context.Context, arguments json.RawMessage) (any, error) {
	if err := nexus.ActorFrom(ctx).Needs(o.Scope, o.Name); err != nil {
		return nil, err
	}
	in := reflect.New(o.arguments.of).Elem()
	if !o.AnyArguments {
		key, err := o.arguments.decode(arguments, in)
		if err != nil {
			return nil, err
		}
		if ctx, err = o.named(ctx, key, in); err != nil {
			return nil, err
		}
	}
	return o.call(ctx, in)
}

// Waits tells whether a call with these arguments may wait, and for how long it
// asks. It reads them as the call itself will: whatever form they come in.
func (o *Op) Waits(arguments json.RawMessage) (waits bool, wait time.Duration) {
	if o.Wait == "" {
		return false, 0
	}
	args, err := object("arguments", arguments)
	if err != nil {
		return false, 0 // it will be refused
	}
	if isNull(args[o.Wait]) {
		return o.Usual > 0, time.Duration(o.Usual) * time.Second
	}
	seconds, err := number(o.Wait, args[o.Wait])
	if err != nil || seconds <= 0 {
		return false, 0
	}
	const most = 1e6 // enough for any wait, and safe to multiply
	return true, time.Duration(min(seconds, most) * float64(time.Second))
}

// Plain gives the arguments of an operation that waits the form in which its
// wait can be found by one who only knows JSON: an object, the seconds a number.
func (o *Op) Plain(arguments json.RawMessage) json.RawMessage {
	args, err := object("arguments", arguments)
	if o.Wait == "" || err != nil || isNull(args[o.Wait]) && o.Usual == 0 {
		return arguments
	}
	seconds := args[o.Wait]
	switch {
	case isNull(seconds):
		seconds = strconv.AppendInt(nil, int64(o.Usual), 10)
	case seconds[0] == '"':
		n, err := number(o.Wait, seconds)
		if err != nil {
			return arguments
		}
		seconds = strconv.AppendFloat(nil, n, 'f', -1, 64)
	}
	if args == nil {
		args = map[string]json.RawMessage{}
	}
	args[o.Wait] = seconds // a number stays as it came: as a float it might be no integer any more
	plain, err := Marshal(args)
	if err != nil {
		return arguments
	}
	return plain
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
		return string(o.Family) == profile && !o.Added
	}
}

// Arguments lists the names of the arguments, in the order of the type.
func (o *Op) Arguments() []string { return slices.Clone(o.arguments.names) }

// Input is the schema of the arguments.
func (o *Op) Input() *jsonschema.Schema { return o.schemas().input }

// Output is the schema of the answer.
func (o *Op) Output() *jsonschema.Schema { return o.schemas().output }

// InputIn is the schema of the arguments as a profile shows it to models.
func (o *Op) InputIn(profile string) *jsonschema.Schema {
	if profile == ProfileTopics {
		return o.schemas().topics
	}
	return o.schemas().terse
}

// PathArguments lists the arguments that name a place in the caller's file
// system. Whoever hands a call to another process makes them absolute first.
func (o *Op) PathArguments() []string { return slices.Clone(o.arguments.paths) }

// A Catalogue is a set of operations by name.
type Catalogue struct {
	// Guides are longer texts that go with the operations.
	Guides []Guide

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
