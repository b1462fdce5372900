package serve

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"nexus/op"
)

// A docsView is what the page shows: the operations in groups, the hub itself
// first.
type docsView struct {
	About  string
	Count  int
	Groups []docsGroup
}

type docsGroup struct {
	Name       string
	Operations []docsOp
}

// A docsOp is one operation, at its own route if it has one.
type docsOp struct {
	ID, Method, Path, Title, About string

	Also       string // where else it is
	Deprecated bool
	Public     bool // whether it needs no key on any address
	Scope      string
	InPath     []docsField
	InQuery    []docsField
	InBody     []docsField
	FreeBody   string // what the body is, where it is not a list of arguments
	Sample     string // path and query of the example
	SampleBody string

	Answer   []docsField // what is in its data
	Refusals []docsRefusal
	Find     string // the words it is found by
}

type docsField struct {
	Name, Type, About string
	Required          bool
	Depth             int
	sample            any
}

type docsRefusal struct {
	Status, About string
	Codes         []string
}

func (d *description) view() docsView {
	routed := map[string]bool{} // operations with a route of their own
	for _, item := range d.Paths {
		for _, o := range item {
			if name, ok := strings.CutSuffix(o.ID, "_route"); ok {
				routed[name] = true
			}
		}
	}
	groups := map[string][]docsOp{}
	v := docsView{About: d.Info.Description}
	for path, item := range d.Paths {
		for method, o := range item {
			if routed[o.ID] {
				continue // it is shown at its route
			}
			group := groupOf(o)
			groups[group] = append(groups[group], d.viewOp(strings.ToUpper(method), path, o))
			v.Count++
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(groups), hubFirst) {
		ops := groups[name]
		slices.SortFunc(ops, func(a, b docsOp) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Method, b.Method)) })
		v.Groups = append(v.Groups, docsGroup{name, ops})
	}
	return v
}

const hubGroup = "hub"

func hubFirst(a, b string) int {
	if (a == hubGroup) != (b == hubGroup) {
		return map[bool]int{true: -1, false: 1}[a == hubGroup]
	}
	return cmp.Compare(a, b)
}

// groupOf is the noun that an operation is about: the first word of its name.
func groupOf(o describedOp) string {
	noun, _, _ := strings.Cut(o.ID, "_")
	switch noun {
	case "sign":
		return "sign-in"
	case "shared":
		return "shared.md"
	case "nexus", "settings":
		return hubGroup
	}
	if slices.Contains(o.Tags, hubGroup) {
		return hubGroup
	}
	return noun
}

func (d *description) viewOp(method, path string, o describedOp) docsOp {
	v := docsOp{
		Method: method, Path: path, Title: o.Summary, About: o.Description, Deprecated: o.Deprecated,
		Refusals: d.refusals(o),
	}
	var own bool
	if v.ID, own = strings.CutSuffix(o.ID, "_route"); own {
		v.Also = apiPrefix + "/op/" + v.ID
	}
	v.Public = o.Security != nil && len(o.Security) == 0
	if len(o.Security) > 0 && len(o.Security[0]["bearer"]) > 0 {
		v.Scope = o.Security[0]["bearer"][0]
	}
	d.viewInput(&v, o)
	v.Answer = d.answer(o)
	v.Find = strings.ToLower(strings.Join([]string{v.ID, v.Method, v.Path, v.Title, v.About}, " "))
	return v
}

// viewInput says what goes where, and makes an example of what is required.
func (d *description) viewInput(v *docsOp, o describedOp) {
	v.Sample = v.Path
	and := "?"
	for _, p := range o.Parameters {
		t := describedType{Description: "JSON"}
		if p.Schema != nil {
			t = *p.Schema
		}
		f := newField(p.Name, t, p.Required)
		switch p.In {
		case "path":
			v.InPath = append(v.InPath, f)
			v.Sample = strings.ReplaceAll(v.Sample, "{"+p.Name+"}", asText(f.sample))
		case "query":
			v.InQuery = append(v.InQuery, f)
			if p.Required {
				v.Sample += and + p.Name + "=" + asText(f.sample)
				and = "&"
			}
		}
	}
	if o.Body == nil {
		return
	}
	body := d.resolve(o.Body.Content["application/json"].Schema)
	given := map[string]any{}
	for _, p := range body.Properties {
		f := newField(p.name, p.describedType, slices.Contains(body.Required, p.name))
		v.InBody = append(v.InBody, f)
		if f.Required {
			given[f.Name] = f.sample
		}
	}
	if v.InBody == nil {
		v.FreeBody = cmp.Or(body.Description, "Any JSON object.")
	}
	v.SampleBody = asText(given)
}

// answer lists what is in the data of an answer, two levels of it.
func (d *description) answer(o describedOp) (fields []docsField) {
	envelope := o.Responses["200"].Content["application/json"].Schema
	data := d.resolve(envelope.property("data"))
	for _, p := range data.Properties {
		fields = append(fields, newField(p.name, p.describedType, false))
		inner := d.resolve(p.describedType)
		if inner.Items != nil {
			inner = d.resolve(*inner.Items)
		}
		for _, p := range inner.Properties {
			f := newField(p.name, p.describedType, false)
			f.Depth = 1
			fields = append(fields, f)
		}
	}
	return fields
}

// refusals lists the statuses of failures with their codes.
func (d *description) refusals(o describedOp) []docsRefusal {
	var all []docsRefusal
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		name, ok := strings.CutPrefix(o.Responses[status].Ref, "#/components/responses/")
		if !ok {
			continue
		}
		answer := d.Components.Responses[name]
		r := docsRefusal{Status: status, About: strings.TrimSuffix(answer.Description, ".")}
		for _, part := range answer.Content["application/json"].Schema.AllOf {
			r.Codes = append(r.Codes, part.property("error").property("code").Enum...)
		}
		all = append(all, r)
	}
	return all
}

func newField(name string, t describedType, required bool) docsField {
	f := docsField{Name: name, Type: typeName(t), About: t.Description, Required: required, sample: sampleOf(name, t)}
	if name == "idempotency_key" && f.About == "" { // where models read, it goes without saying
		f.About = "made again with the same key, the call has no second effect and gets the first answer"
	}
	return f
}

func typeName(t describedType) string {
	types := slices.DeleteFunc(slices.Clone(t.Type), func(name string) bool { return name == "null" })
	if len(types) < len(t.Type) {
		types = append(types, "null")
	}
	name := strings.Join(types, " or ")
	switch {
	case name == "":
		return "any"
	case len(t.Enum) > 0:
		return strings.Join(t.Enum, " | ")
	case t.Items != nil && len(t.Items.Type) > 0:
		return name + " of " + strings.Join(t.Items.Type, " or ")
	}
	return name
}

// sampleOf is a value of the right kind.
func sampleOf(name string, t describedType) any {
	if len(t.Enum) > 0 {
		return t.Enum[0]
	}
	kind := ""
	if len(t.Type) > 0 {
		kind = t.Type[0]
	}
	switch kind {
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	switch {
	case name == "project_root":
		return "/home/me/project"
	case strings.HasSuffix(name, "agent_id"):
		return "my-agent"
	}
	return "…"
}

// asText is a sample as it stands in an address or a body.
func asText(sample any) string {
	if text, ok := sample.(string); ok {
		return text
	}
	b, _ := op.Marshal(sample) // made above
	return string(b)
}
