package op

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"nexus"
)

// A decoder reads the arguments of one operation into its input type, leniently:
// digits in a string count as an integer, and a string that holds JSON counts as
// an object or list where one is wanted. A boolean is never an integer. Missing
// arguments stay zero; the service answers for them with its own code.
type decoder struct {
	of     reflect.Type
	family Family
	fields map[string]field
	names  []string
	paths  []string
	// workspaces are the arguments that name the workspace. That one is missing
	// outranks whatever else is wrong.
	workspaces  []string
	credentials [][]int
	actors      [][]int  // the arguments that name who acts, the first that is given counts
	keyed       bool     // whether idempotencyArgument is taken
	beyond      []string // the arguments that the profile of topics does not show
}

type field struct {
	index []int
	set   func(name string, raw json.RawMessage, to reflect.Value) error
}

// Preceder is an input type with checks that outrank a malformed argument.
type Preceder interface{ Precede() error }

// newDecoder plans how to read a struct type. Besides json, it looks at the tags
// required (a code that outranks type errors when the argument is missing),
// path ("caller": a place in the caller's file system), secret ("true") and beyond
// ("topics": not shown by that profile, which has what its seed has and no more).
func newDecoder(t reflect.Type, family Family) *decoder {
	d := &decoder{of: t, family: family, fields: map[string]field{}}
	if t.Kind() != reflect.Struct {
		panic("op: the input of an operation must be a struct, not " + t.String())
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		d.fields[name] = field{f.Index, setterFor(f.Type)}
		d.names = append(d.names, name)
		if f.Tag.Get("required") == string(nexus.WorkspaceRequired) {
			d.workspaces = append(d.workspaces, name)
		}
		if f.Tag.Get("beyond") == ProfileTopics {
			d.beyond = append(d.beyond, name)
		}
		if f.Tag.Get("path") == "caller" {
			d.paths = append(d.paths, name)
		}
		if name == "from_agent_id" || name == "agent_id" {
			d.actors = append(d.actors, f.Index)
		}
		if f.Tag.Get("secret") == "true" {
			d.credentials = append(d.credentials, f.Index)
		}
	}
	return d
}

// decode reads the arguments, and the idempotency key if one is among them.
func (d *decoder) decode(raw json.RawMessage, to reflect.Value) (key *string, err error) {
	args, err := object("arguments", raw)
	if err != nil {
		return nil, err
	}
	if given := args[idempotencyArgument]; d.keyed && !isNull(given) {
		if key, err = readKey(given); err != nil {
			return nil, err
		}
	}
	if d.keyed {
		delete(args, idempotencyArgument)
	}
	return key, d.fill(args, to)
}

func (d *decoder) fill(args map[string]json.RawMessage, to reflect.Value) error {
	var first error
	for _, name := range slices.Sorted(maps.Keys(args)) {
		f, known := d.fields[name]
		if !known {
			return d.unknown(name)
		}
		if isNull(args[name]) {
			continue
		}
		if err := f.set(name, args[name], to.FieldByIndex(f.index)); err != nil && first == nil {
			first = d.family.wrongType(name, args[name], err)
		}
	}
	if first == nil {
		return nil
	}
	for _, name := range d.workspaces {
		if isNull(args[name]) {
			return nexus.Errorf(nexus.WorkspaceRequired, "No workspace was given: pass %s.", name).With("field", name)
		}
	}
	if p, ok := to.Interface().(Preceder); ok {
		if err := p.Precede(); err != nil {
			return err
		}
	}
	return first
}

func (d *decoder) unknown(name string) error {
	name = shown(json.RawMessage(name))
	e := nexus.Invalid(name, "Unknown argument %q.", name)
	if near := nexus.Nearest(name, d.names); near != "" {
		e.Msg += fmt.Sprintf(" Did you mean %q?", near)
	} else if len(d.names) > 0 {
		e.Msg += " Known: " + strings.Join(d.names, ", ") + "."
	} else {
		e.Msg += " This operation takes none."
	}
	return e
}

// actor is who acts, as far as the arguments say.
func (d *decoder) actor(in reflect.Value) string {
	for _, index := range d.actors {
		if id := in.FieldByIndex(index); id.Kind() == reflect.String && id.String() != "" {
			return id.String()
		}
	}
	return ""
}

// without is a copy of the input in which whatever proves the caller's identity
// is blank, and so is the named argument.
func (d *decoder) without(in reflect.Value, name string) reflect.Value {
	c := reflect.New(d.of).Elem()
	c.Set(in)
	for _, index := range d.credentials {
		c.FieldByIndex(index).SetZero()
	}
	if f, ok := d.fields[name]; ok {
		c.FieldByIndex(f.index).SetZero()
	}
	return c
}

func setterFor(t reflect.Type) func(string, json.RawMessage, reflect.Value) error {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return setJSON
	case reflect.TypeFor[nexus.Object]():
		return setObject
	case reflect.TypeFor[nexus.OneOrMore]():
		return setOneOrMore
	case reflect.TypeFor[[]string]():
		return setStrings
	}
	if t.Kind() == reflect.Pointer {
		inner := setterFor(t.Elem())
		return func(name string, raw json.RawMessage, to reflect.Value) error {
			to.Set(reflect.New(t.Elem()))
			return inner(name, raw, to.Elem())
		}
	}
	switch t.Kind() {
	case reflect.String:
		return setString
	case reflect.Int, reflect.Int64:
		return setInt
	case reflect.Float64:
		return setFloat
	case reflect.Bool:
		return setBool
	}
	panic("op: an argument cannot be a " + t.String())
}

func setJSON(name string, raw json.RawMessage, to reflect.Value) error {
	if err := cmp.Or(nexus.CheckText(name, raw), nexus.CheckJSON(name, raw)); err != nil {
		return err
	}
	to.SetBytes(bytes.Clone(raw))
	return nil
}

func setString(name string, raw json.RawMessage, to reflect.Value) error {
	s, err := text(name, raw)
	if err != nil {
		return err
	}
	to.SetString(s)
	return nil
}

func setInt(name string, raw json.RawMessage, to reflect.Value) error {
	digits := string(raw)
	if raw[0] == '"' {
		s, err := text(name, raw)
		if err != nil {
			return err
		}
		digits = strings.TrimSpace(s)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(digits, 64)
		if ferr != nil || raw[0] == '"' || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return nexus.Invalid(name, "%s must be an integer, not %s.", name, shown(raw))
		}
		n = int64(f)
	}
	to.SetInt(n)
	return nil
}

func setFloat(name string, raw json.RawMessage, to reflect.Value) error {
	n, err := number(name, raw)
	if err != nil {
		return err
	}
	to.SetFloat(n)
	return nil
}

// number reads a number, or a string that holds one.
func number(name string, raw json.RawMessage) (float64, error) {
	digits := string(raw)
	if raw[0] == '"' {
		s, err := text(name, raw)
		if err != nil {
			return 0, err
		}
		digits = strings.TrimSpace(s)
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, nexus.Invalid(name, "%s must be a number, not %s.", name, shown(raw))
	}
	return n, nil
}

func setBool(name string, raw json.RawMessage, to reflect.Value) error {
	switch strings.ToLower(strings.Trim(string(raw), `"`)) {
	case "true":
		to.SetBool(true)
	case "false":
		to.SetBool(false)
	default:
		return nexus.Invalid(name, "%s must be true or false, not %s.", name, shown(raw))
	}
	return nil
}

func setObject(name string, raw json.RawMessage, to reflect.Value) error {
	if blank, ok := blankString(raw); ok && blank {
		return nil
	}
	inner, err := unwrap(name, raw)
	if err != nil {
		return err
	}
	if isNull(inner) {
		return nil
	}
	if err := nexus.CheckJSON(name, inner); err != nil {
		return err
	}
	if inner[0] != '{' {
		return nexus.Invalid(name, "%s must be a JSON object, not %s.", name, shown(raw))
	}
	to.SetBytes(bytes.Clone(inner))
	return nil
}

func setStrings(name string, raw json.RawMessage, to reflect.Value) error {
	inner, err := unwrap(name, raw)
	if err != nil {
		return err
	}
	if isNull(inner) {
		return nil
	}
	list, ok := stringList(inner)
	if !ok {
		return nexus.Invalid(name, "%s must be a list of strings, not %s.", name, shown(raw))
	}
	to.Set(reflect.ValueOf(list))
	return nil
}

// setOneOrMore takes a list, a string that holds a list, or one plain string.
func setOneOrMore(name string, raw json.RawMessage, to reflect.Value) error {
	if err := nexus.CheckText(name, raw); err != nil {
		return err
	}
	if inner, err := unwrap(name, raw); err == nil && !isNull(inner) {
		if list, ok := stringList(inner); ok {
			to.Set(reflect.ValueOf(nexus.OneOrMore(list)))
			return nil
		}
	}
	if raw[0] != '"' {
		return nexus.Invalid(name, "%s must be a list of strings or one string, not %s.", name, shown(raw))
	}
	s, err := text(name, raw)
	if err != nil {
		return err
	}
	to.Set(reflect.ValueOf(nexus.OneOrMore{s}))
	return nil
}

func stringList(raw json.RawMessage) ([]string, bool) {
	var items []*string
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	list := make([]string, len(items))
	for i, s := range items {
		if s == nil {
			return nil, false
		}
		list[i] = *s
	}
	return list, true
}
