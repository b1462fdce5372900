package serve

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A description is the OpenAPI document as far as the page shows it. It is read
// from the JSON that programs get, so that both say the same.
type description struct {
	Info struct {
		Description string `json:"description"`
	} `json:"info"`
	Paths      map[string]map[string]describedOp `json:"paths"`
	Components struct {
		Schemas   map[string]describedType   `json:"schemas"`
		Responses map[string]describedAnswer `json:"responses"`
	} `json:"components"`
}

type describedOp struct {
	ID          string                     `json:"operationId"`
	Summary     string                     `json:"summary"`
	Description string                     `json:"description"`
	Tags        []string                   `json:"tags"`
	Deprecated  bool                       `json:"deprecated"`
	Security    []map[string][]string      `json:"security"`
	Parameters  []describedParameter       `json:"parameters"`
	Body        *describedAnswer           `json:"requestBody"`
	Responses   map[string]describedAnswer `json:"responses"`
}

type describedParameter struct {
	Name     string         `json:"name"`
	In       string         `json:"in"`
	Required bool           `json:"required"`
	Schema   *describedType `json:"schema"`
	Content  content        `json:"content"`
}

type describedAnswer struct {
	Ref         string  `json:"$ref"`
	Description string  `json:"description"`
	Content     content `json:"content"`
}

type content map[string]struct {
	Schema describedType `json:"schema"`
}

// A describedType is a schema. A schema that is true says nothing.
type describedType struct {
	Ref         string          `json:"$ref"`
	Type        oneOrMoreTypes  `json:"type"`
	Description string          `json:"description"`
	Enum        []string        `json:"enum"`
	Properties  properties      `json:"properties"`
	Required    []string        `json:"required"`
	Items       *describedType  `json:"items"`
	AllOf       []describedType `json:"allOf"`
}

func readDescription(openapi []byte) (*description, error) {
	d := &description{}
	return d, json.Unmarshal(openapi, d)
}

// resolve follows a reference.
func (d *description) resolve(t describedType) describedType {
	if name, ok := strings.CutPrefix(t.Ref, "#/components/schemas/"); ok {
		return d.Components.Schemas[name]
	}
	return t
}

func (t *describedType) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("true")) {
		return nil
	}
	type plain describedType
	return json.Unmarshal(b, (*plain)(t))
}

// property finds a property by name, a schema that says nothing if there is
// none.
func (t describedType) property(name string) describedType {
	for _, p := range t.Properties {
		if p.name == name {
			return p.describedType
		}
	}
	return describedType{}
}

// properties keep the order they were written in.
type properties []property

type property struct {
	name string
	describedType
}

func (p *properties) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var t describedType
		if err := d.Decode(&t); err != nil {
			return err
		}
		*p = append(*p, property{name.(string), t})
	}
	return nil
}

type oneOrMoreTypes []string

func (t *oneOrMoreTypes) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		*t = make([]string, 1)
		return json.Unmarshal(b, &(*t)[0])
	}
	return json.Unmarshal(b, (*[]string)(t))
}
