package op

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus"
)

// schemaFor infers the schema of a type. Arguments of any shape, and the types
// for which the decoder is lenient, get schemas that say what a good client
// should send.
func schemaFor[T any](name string) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[nexus.Object]():    {Type: "object"},
		reflect.TypeFor[nexus.OneOrMore](): {
			Type:  "array",
			Items: &jsonschema.Schema{Type: "string"},
		},
	}})
	if err != nil {
		panic(fmt.Sprintf("op: the schema of %s: %v", name, err))
	}
	dropNull(s)
	return s
}

// dropNull turns "integer or null" into "integer": leaving an argument out says
// the same in fewer tokens.
func dropNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		dropNull(p)
	}
	if s.Items != nil {
		dropNull(s.Items)
	}
}
