package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"nexus"
)

// An object is a JSON object or a TOML table whose members keep their order.
type object []member

type member struct {
	name  string
	value any // string, []string, object or json.RawMessage
}

func (o object) has(name string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.name == name })
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(m.name) + ":")
		b.Write(marshalPlain(m.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshalPlain is JSON on one line, with <, > and & left readable.
func marshalPlain(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // what a member may hold always marshals
	return bytes.TrimSpace(b.Bytes())
}

// quote is a string in JSON, which TOML takes as well.
func quote(s string) string { return string(marshalPlain(s)) }

// words is a map as an object, by name.
func words(m map[string]string) (o object) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		o = append(o, member{name, m[name]})
	}
	return o
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// A format is how a host's file is written.
type format interface {
	name() string
	// parse reads a whole file.
	parse(text []byte) (map[string]any, error)
	// put makes the object at a path have these members, and not those in drop.
	put(text []byte, path []string, members object, drop []string) ([]byte, error)
}

// editEntry writes an entry into the text of a host's file. What it returns was
// read again and compared: it holds the entry, and all else that text holds.
func editEntry(f format, text []byte, path []string, members object, drop []string) ([]byte, error) {
	before, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	edited, err := f.put(text, path, members, drop)
	if err != nil {
		return nil, err
	}
	after, err := f.parse(edited)
	if err != nil {
		return nil, fmt.Errorf("it is written in a way that nexus does not know how to change (%w)", err)
	}
	return edited, compare(before, after, path, members, drop)
}

// compare tells what went wrong when an edit did more, or less, than it should.
func compare(before, after map[string]any, path []string, members object, drop []string) error {
	entry, _ := lookUp(after, path).(map[string]any)
	var wanted map[string]any
	if err := json.Unmarshal(marshalPlain(members), &wanted); err != nil {
		return err
	}
	for name, value := range wanted {
		if !reflect.DeepEqual(plainValue(entry[name]), value) {
			return fmt.Errorf("%s of the entry cannot be changed where it stands", name)
		}
	}
	clean := func(doc map[string]any) any {
		e, _ := lookUp(doc, path).(map[string]any)
		for _, m := range members {
			delete(e, m.name)
		}
		for _, name := range drop {
			delete(e, name)
		}
		prune(doc, path)
		return doc
	}
	if !reflect.DeepEqual(clean(before), clean(after)) {
		return errors.New("it is written in a way that nexus does not know how to change without touching the rest")
	}
	return nil
}

// prune takes away the objects on a path that have nothing in them: an edit may
// make some on the way to its entry.
func prune(doc map[string]any, path []string) {
	for depth := len(path); depth > 0; depth-- {
		parent, _ := lookUp(doc, path[:depth-1]).(map[string]any)
		if o, ok := parent[path[depth-1]].(map[string]any); ok && len(o) == 0 {
			delete(parent, path[depth-1])
		}
	}
}

// plainValue is a value as encoding/json would have decoded it.
func plainValue(v any) any {
	var out any
	if json.Unmarshal(marshalPlain(v), &out) != nil {
		return nil
	}
	return out
}

func lookUp(doc map[string]any, path []string) any {
	var v any = doc
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// cannotEdit is the error for a file that stays as it is.
func cannotEdit(file string, err error) error {
	return nexus.Errorf(nexus.ConfigError, "%s cannot be edited: %v; it was left as it is. Correct it, or paste what nexus connect prints", file, err)
}
