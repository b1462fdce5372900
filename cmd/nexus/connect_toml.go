package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlFile is TOML, changed as text, a line at a time. It knows entries that
// are tables, [a.b], with tables in them, [a.b.c]. One written any other way is
// refused by whoever compares what came out.
type tomlFile struct{}

func (tomlFile) name() string { return "toml" }

func (tomlFile) parse(text []byte) (map[string]any, error) {
	doc := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(text, bom), &doc)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := e.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(e.Error(), "toml: "))
	}
	return doc, err
}

// put changes the table at a path, or adds one at the end of the file.
func (f tomlFile) put(text []byte, path []string, members object, drop []string) ([]byte, error) {
	text, marked := bytes.CutPrefix(text, bom)
	doc, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	if old, ok := lookUp(doc, path).(map[string]any); ok {
		text = f.change(text, path, old, members, drop)
	} else {
		text = f.add(text, path, members)
	}
	if marked {
		text = append(bom[:len(bom):len(bom)], text...)
	}
	return text, nil
}

// add appends a table, after an empty line.
func (tomlFile) add(text []byte, path []string, members object) []byte {
	nl := newline(text)
	b := bytes.NewBuffer(bytes.Clone(text))
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		b.WriteString(nl)
	}
	if len(bytes.TrimSpace(text)) > 0 {
		b.WriteString(nl)
	}
	b.WriteString("[" + tomlKey(path...) + "]" + nl)
	for _, m := range members {
		b.WriteString(tomlKey(m.name) + " = " + tomlValue(m.value) + nl)
	}
	return b.Bytes()
}

// change sets and removes keys of a table that is there. A member that is an
// object may be a table of its own in the file, and then stays one.
func (f tomlFile) change(text []byte, path []string, old map[string]any, members object, drop []string) []byte {
	for _, name := range drop {
		if _, ok := old[name]; ok {
			text = f.remove(text, child(path, name))
		}
	}
	for _, m := range members {
		if reflect.DeepEqual(plainValue(old[m.name]), plainValue(m.value)) && old[m.name] != nil {
			continue
		}
		inner, isObject := m.value.(object)
		before, _ := old[m.name].(map[string]any)
		if !isObject || tableAt(tomlLines(text), child(path, m.name)) < 0 {
			text = f.set(text, path, m.name, m.value)
			continue
		}
		var gone []string
		for name := range before {
			if !inner.has(name) {
				gone = append(gone, name)
			}
		}
		text = f.change(text, child(path, m.name), before, inner, gone)
	}
	return text
}

func child(path []string, name string) []string { return append(path[:len(path):len(path)], name) }

// set writes one key of a table: over the line it has, or after its last one.
func (tomlFile) set(text []byte, table []string, name string, value any) []byte {
	lines := tomlLines(text)
	at := tableAt(lines, table)
	if at < 0 {
		return text
	}
	line := tomlKey(name) + " = " + tomlValue(value)
	after := lines[at]
	for _, l := range lines[at+1:] {
		if l.table {
			break
		}
		if slices.Equal(l.key, child(table, name)) {
			return splice(text, l.start, l.end, line)
		}
		after = l
	}
	end := lineEnd(text, after.end)
	return splice(text, end, end, newline(text)+indentAt(text, after.start)+line)
}

// remove takes out every line that says something at or below a path.
func (tomlFile) remove(text []byte, path []string) []byte {
	lines := tomlLines(text)
	for _, l := range slices.Backward(lines) {
		if len(l.key) < len(path) || !slices.Equal(l.key[:len(path)], path) {
			continue
		}
		from := bytes.LastIndexByte(text[:l.start], '\n') + 1
		to := min(lineEnd(text, l.end)+len(newline(text)), len(text))
		text = splice(text, from, to, "")
	}
	return text
}

// lineEnd is where the line of an offset ends, a comment at its end included.
func lineEnd(text []byte, offset int) int {
	n := bytes.IndexByte(text[offset:], '\n')
	if n < 0 {
		return len(text)
	}
	if n > 0 && text[offset+n-1] == '\r' {
		n--
	}
	return offset + n
}

// A tomlLine is an expression of a file: a header, or a key with its value, which
// may go over several lines.
type tomlLine struct {
	table      bool
	key        []string // from the top of the document
	start, end int
}

func tomlLines(text []byte) (lines []tomlLine) {
	var p unstable.Parser
	var table []string
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		var key []string
		var first, last unstable.Range
		for parts := e.Key(); parts.Next(); {
			key = append(key, string(parts.Node().Data))
			if last = parts.Node().Raw; len(key) == 1 {
				first = last
			}
		}
		l := tomlLine{table: e.Kind != unstable.KeyValue, start: int(first.Offset)}
		if l.table {
			table = key
			if e.Kind == unstable.ArrayTable {
				table = child(key, "[]") // no path of ours leads through a list
			}
			l.key, l.end = table, int(last.Offset+last.Length)
			l.start = bytes.LastIndexByte(text[:l.start], '\n') + 1
		} else {
			l.key = append(slices.Clone(table), key...)
			l.end = int(e.Raw.Offset + e.Raw.Length)
			l.end = len(bytes.TrimRight(text[:l.end], " \t"))
		}
		lines = append(lines, l)
	}
	return lines
}

// tableAt is the index of a table's header, -1 without one.
func tableAt(lines []tomlLine, path []string) int {
	return slices.IndexFunc(lines, func(l tomlLine) bool { return l.table && slices.Equal(l.key, path) })
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(path ...string) string {
	var parts []string
	for _, name := range path {
		if !bareKey.MatchString(name) {
			name = quote(name)
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ".")
}

func tomlValue(v any) string {
	switch v := v.(type) {
	case object:
		var pairs []string
		for _, m := range v {
			pairs = append(pairs, tomlKey(m.name)+" = "+tomlValue(m.value))
		}
		if len(pairs) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(pairs, ", ") + " }"
	case []string:
		var quoted []string
		for _, s := range v {
			quoted = append(quoted, quote(s))
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return string(marshalPlain(v))
}
