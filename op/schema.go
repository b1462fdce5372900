package op

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus"
)

// schemas are what an operation takes and answers.
type schemas struct {
	input, output *jsonschema.Schema
	topics        *jsonschema.Schema // input as the profile of topics shows it
	terse         *jsonschema.Schema // input as the others do
}

// complete adds to inferred schemas what types cannot say.
func (o *Op) complete(input, output *jsonschema.Schema) schemas {
	if o.Shape != nil {
		o.Shape(input)
	}
	all := schemas{input: input, output: output, topics: without(input, o.arguments.beyond)}
	switch {
	case o.AnyArguments:
		all.input = &jsonschema.Schema{Type: "object"}
	case o.arguments.keyed:
		withKey(all.input)
	}
	all.terse = terse(all.input)
	return all
}

// inputSchema infers the schema of arguments: what a good client should send,
// where the decoder is lenient. That null is the same as leaving an argument out
// costs tokens to say, so it is not said.
func inputSchema[T any](name string) *jsonschema.Schema {
	s := schemaFor[T](name, &jsonschema.Schema{Type: "object"})
	dropNull(s)
	return s
}

// outputSchema infers the schema of an answer, exactly as it is written: a list
// is never null, and what is left out when empty is not null either.
func outputSchema[T any](name string) *jsonschema.Schema {
	s := schemaFor[T](name, &jsonschema.Schema{Types: []string{"null", "object"}})
	keepNull(s)
	return s
}

func schemaFor[T any](name string, object *jsonschema.Schema) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[nexus.Object]():    object,
		reflect.TypeFor[nexus.OneOrMore](): {
			Type:  "array",
			Items: &jsonschema.Schema{Type: "string"},
		},
	}})
	if err != nil {
		panic(fmt.Sprintf("op: the schema of %s: %v", name, err))
	}
	return s
}

// without is a schema that lacks some properties.
func without(s *jsonschema.Schema, names []string) *jsonschema.Schema {
	if len(names) == 0 {
		return s
	}
	gone := func(name string) bool { return slices.Contains(names, name) }
	rest := s.CloneSchemas()
	rest.Required = slices.DeleteFunc(slices.Clone(rest.Required), gone)
	rest.PropertyOrder = slices.DeleteFunc(slices.Clone(rest.PropertyOrder), gone)
	maps.DeleteFunc(rest.Properties, func(name string, _ *jsonschema.Schema) bool { return gone(name) })
	return rest
}

// plainWords describe arguments of which the name says as much.
var plainWords = []string{"path of the project", "the hand-off", "the task"}

// terse is a schema without words that every model would pay for reading and that
// tell it nothing.
func terse(s *jsonschema.Schema) *jsonschema.Schema {
	short := s.CloneSchemas()
	for _, p := range short.Properties {
		if slices.Contains(plainWords, p.Description) {
			p.Description = ""
		}
	}
	return short
}

// dropNull turns "integer or null" into "integer", everywhere.
func dropNull(s *jsonschema.Schema) {
	neverNull(s)
	for _, p := range s.Properties {
		dropNull(p)
	}
	if s.Items != nil {
		dropNull(s.Items)
	}
}

// keepNull leaves null only to properties that are always there, and not to
// lists.
func keepNull(s *jsonschema.Schema) {
	if slices.Contains(s.Types, "array") {
		neverNull(s)
	}
	for name, p := range s.Properties {
		if !slices.Contains(s.Required, name) {
			neverNull(p)
		}
		keepNull(p)
	}
	for _, inner := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if inner != nil {
			keepNull(inner)
		}
	}
}

func neverNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
}
