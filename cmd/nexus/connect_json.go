package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonFile is JSON as hosts keep it: comments and trailing commas are
// welcome. It is changed as text, so that all the rest stays as it is.
type jsonFile struct{}

func (jsonFile) name() string { return "json" }

// bom is what some editors put in front of a text.
var bom = []byte("\xef\xbb\xbf")

func (jsonFile) parse(text []byte) (map[string]any, error) {
	root, err := hujson.Parse(bytes.Clone(blankIsObject(text))) // Standardize writes over it
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("it does not hold an object")
	}
	root.Standardize()
	doc := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(root.Pack()))
	d.UseNumber() // a float64 would not tell two long numbers apart
	return doc, d.Decode(&doc)
}

// blankIsObject lets a file with nothing in it pass for an empty object.
func blankIsObject(text []byte) []byte {
	text = bytes.TrimPrefix(text, bom)
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte("{}\n")
	}
	return text
}

// put makes the object at a path have these members. Members it has besides stay,
// but for those in drop. Only what differs is written anew; where something is
// dropped that is the whole object, comments inside it included.
func (f jsonFile) put(text []byte, path []string, members object, drop []string) ([]byte, error) {
	text, marked := bytes.CutPrefix(text, bom)
	text = blankIsObject(text)
	old, err := f.find(text, path)
	if err != nil {
		return nil, err
	}
	switch {
	case old == nil:
		text, err = f.set(text, path, members)
	case len(drop) > 0:
		text, err = f.set(text, path, append(members[:len(members):len(members)], old.others(members, drop)...))
	default:
		for _, m := range members {
			if text, err = f.set(text, append(path[:len(path):len(path)], m.name), m.value); err != nil {
				break
			}
		}
	}
	if marked {
		text = append(bom[:len(bom):len(bom)], text...)
	}
	return text, err
}

// A jsonObject is an object where it stands in a text.
type jsonObject struct {
	*hujson.Object
	start, end int
}

// find is the object at a path, nil if there is none.
func (jsonFile) find(text []byte, path []string) (*jsonObject, error) {
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	at, value := "", &root
	for i := 0; ; i++ {
		o, ok := value.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is not an object", at)
		}
		if i == len(path) {
			return &jsonObject{o, value.StartOffset, value.EndOffset}, nil
		}
		m, err := memberNamed(o, path[i])
		if m == nil || err != nil {
			return nil, err
		}
		at, value = path[i], &m.Value
	}
}

func memberNamed(o *hujson.Object, name string) (found *hujson.ObjectMember, err error) {
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q is there twice; keep one", name)
		}
		found = &o.Members[i]
	}
	return found, nil
}

// others are the members of o that are neither in members nor to be dropped.
func (o *jsonObject) others(members object, drop []string) (kept object) {
	for _, m := range o.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if members.has(name) || contains(drop, name) {
			continue
		}
		value := m.Value.Clone()
		value.Standardize()
		value.BeforeExtra, value.AfterExtra = nil, nil
		kept = append(kept, member{name, json.RawMessage(value.Pack())})
	}
	return kept
}

// set puts a value at a path, with the objects on the way to it. One that is
// there and equal stays as it is written.
func (f jsonFile) set(text []byte, path []string, value any) ([]byte, error) {
	for depth := 0; ; depth++ {
		o, err := f.find(text, path[:depth])
		if err != nil {
			return nil, err
		}
		m, err := memberNamed(o.Object, path[depth])
		switch {
		case err != nil:
			return nil, err
		case m == nil:
			for i := len(path) - 1; i > depth; i-- {
				value = object{{path[i], value}}
			}
			return o.insert(text, member{path[depth], value}), nil
		case depth == len(path)-1:
			if sameJSON(text[m.Value.StartOffset:m.Value.EndOffset], value) {
				return text, nil
			}
			indent, unit := indentAt(text, m.Name.StartOffset), indentUnit(text)
			if !o.isOpen(text) {
				indent, unit = "", ""
			}
			return splice(text, m.Value.StartOffset, m.Value.EndOffset, f.render(text, value, indent, unit)), nil
		}
	}
}

// isOpen tells whether the members of o stand on lines of their own.
func (o *jsonObject) isOpen(text []byte) bool {
	if len(o.Members) == 0 {
		return bytes.ContainsRune(text[o.start:o.end], '\n')
	}
	return bytes.ContainsRune(o.Members[0].Name.BeforeExtra, '\n')
}

// insert adds a member at the end of o, in the manner of those that are there.
func (o *jsonObject) insert(text []byte, m member) []byte {
	if len(o.Members) > 0 && !o.isOpen(text) {
		gap := " "
		if bytes.Equal(bytes.TrimSpace(text), compactJSON(text)) {
			gap = ""
		}
		end := o.Members[len(o.Members)-1].Value.EndOffset
		return splice(text, end, end, ","+gap+quote(m.name)+":"+gap+jsonFile{}.render(text, m.value, "", ""))
	}
	unit := indentUnit(text)
	indent := indentAt(text, o.start) + unit
	comma, trailing := -1, ""
	if len(o.Members) > 0 {
		last := o.Members[len(o.Members)-1]
		indent = indentAt(text, last.Name.StartOffset)
		if last.Value.AfterExtra == nil { // no comma follows it
			comma = last.Value.EndOffset
		} else {
			trailing = ","
		}
	}
	nl := newline(text)
	line := nl + indent + quote(m.name) + ": " + jsonFile{}.render(text, m.value, indent, unit) + trailing
	end := len(bytes.TrimRight(text[:o.end-1], " \t\r\n"))
	if bytes.ContainsRune(text[end:o.end-1], '\n') {
		text = splice(text, end, end, line)
	} else { // the brace stands on the same line
		text = splice(text, end, o.end-1, line+nl+indentAt(text, o.start))
	}
	if comma >= 0 {
		text = splice(text, comma, comma, ",")
	}
	return text
}

// render writes a value; without a unit of indentation it is one line.
func (jsonFile) render(text []byte, value any, indent, unit string) string {
	plain := marshalPlain(value)
	if unit == "" {
		return string(plain)
	}
	var b bytes.Buffer
	if json.Indent(&b, plain, indent, unit) != nil {
		return string(plain)
	}
	return strings.ReplaceAll(b.String(), "\n", newline(text))
}

func sameJSON(text []byte, value any) bool {
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return false
	}
	return reflect.DeepEqual(decoded(standard), decoded(marshalPlain(value)))
}

func decoded(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func compactJSON(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return nil
	}
	return b.Bytes()
}

func splice(text []byte, from, to int, with string) []byte {
	return append(append(text[:from:from], with...), text[to:]...)
}

// indentAt is the white space that the line of an offset begins with.
func indentAt(text []byte, offset int) string {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	line := text[start:offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indentUnit is what one level is indented by in a text: the white space of the
// first line that has some.
func indentUnit(text []byte) string {
	for line := range bytes.Lines(text) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && len(bytes.TrimSpace(rest)) > 0 && rest[0] != '*' {
			return string(line[:n])
		}
	}
	return "  "
}

func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
