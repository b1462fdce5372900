package serve

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus/op"
)

// doc is a piece of the OpenAPI document. Its keys come out sorted, so that the
// same catalogue always makes the same bytes.
type doc = map[string]any

// describe writes the OpenAPI 3.1 document of the catalogue.
func (s *Server) describe() []byte {
	d := openAPI(s.deps.Catalogue, s.deps.Version)
	b, err := op.Marshal(d)
	if err != nil { // the schemas were inferred from Go types: they are JSON
		s.deps.Log.Error("the OpenAPI document is no JSON", "cause", err)
		return []byte("{}")
	}
	return b
}

func openAPI(c *op.Catalogue, version string) doc {
	schemas := doc{"Error": errorSchema(), "Actor": actorSchema()}
	paths := hubPaths()
	if c.Lookup(topicExport) != nil {
		paths[topicExportRoute] = describeTopicExport()
	}
	tags := map[string]string{"hub": "The hub itself, and who is signed in."}
	for _, o := range c.On(op.REST) {
		if o.Family == op.Topics {
			tags[string(o.Family)] = "Named streams of messages."
		} else {
			tags[string(o.Family)] = "Identities, messages, inboxes, events and work."
		}
		schemas[o.Name+"_input"] = o.Input()
		schemas[o.Name+"_data"] = o.Output()
		paths[apiPrefix+"/op/"+o.Name] = doc{"post": describeOp(o, o.Name, nil)}
		if o.Route == "" {
			continue
		}
		method, at, _ := strings.Cut(o.Route, " ")
		item, ok := paths[apiPrefix+at].(doc)
		if !ok {
			item = doc{}
			paths[apiPrefix+at] = item
		}
		item[strings.ToLower(method)] = describeOp(o, o.Name+"_route", wildcards(at))
	}
	return doc{
		"openapi":  "3.1.0",
		"info":     describeInfo(version),
		"servers":  []doc{{"url": "/"}},
		"tags":     describeTags(tags),
		"security": security(),
		"paths":    paths,
		"components": doc{
			"schemas":         schemas,
			"responses":       failures(),
			"securitySchemes": securitySchemes(),
		},
	}
}

func describeInfo(version string) doc {
	return doc{
		"title":   "Nexus",
		"version": version,
		"description": "A coordination bus for AI agents. Every operation is at /api/v1/op/NAME with its arguments as the body; " +
			"some have a route of their own as well. Without a key only a hub on a loopback address answers.",
		"license": doc{"name": "Apache-2.0", "identifier": "Apache-2.0"},
	}
}

func describeTags(tags map[string]string) []doc {
	var list []doc
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, doc{"name": name, "description": tags[name]})
	}
	return list
}

func securitySchemes() doc {
	return doc{
		"bearer": doc{"type": "http", "scheme": "bearer", "description": "An API key, nxs_ and 48 hex digits."},
		"header": doc{"type": "apiKey", "in": "header", "name": "x-api-key"},
		"query":  doc{"type": "apiKey", "in": "query", "name": "api_key", "description": "For where no header can be set. It outranks the headers."},
		"cookie": doc{"type": "apiKey", "in": "cookie", "name": cookieName, "description": "What a browser has after POST /api/v1/sign-in."},
	}
}

// security lists the ways to prove who asks, each with the scopes that the key
// behind it must have. The last way is none: on this machine that will do.
func security(scopes ...string) []doc {
	if scopes == nil {
		scopes = []string{}
	}
	return []doc{{"bearer": scopes}, {"header": scopes}, {"query": scopes}, {"cookie": scopes}, {}}
}

// describeOp describes one way to call an operation. inPath are the arguments
// that are part of the route.
func describeOp(o *op.Op, id string, inPath []string) doc {
	d := doc{
		"operationId": id,
		"tags":        []string{string(o.Family)},
		"summary":     summary(o),
		"description": o.Doc,
		"security":    security(o.Scope),
	}
	if o.AnyArguments {
		d["deprecated"] = true
	}
	var body any = ref("schemas/" + o.Name + "_input")
	required := len(o.Input().Required) > 0
	if strings.HasSuffix(id, "_route") {
		var parameters []doc
		parameters, body, required = routeInput(o, inPath)
		if parameters != nil {
			d["parameters"] = parameters
		}
	}
	if body != nil {
		d["requestBody"] = jsonBody(body, required)
	}
	d["responses"] = answers(ref("schemas/"+o.Name+"_data"), opFailures(o, body != nil)...)
	return d
}

// routeInput says where an operation's own route takes its arguments: from the
// path, then from the query where there is no body or the body is one of them.
func routeInput(o *op.Op, inPath []string) (parameters []doc, body any, required bool) {
	rest := without(o.Input(), inPath)
	for _, name := range inPath {
		parameters = append(parameters, parameter(o, "path", name))
	}
	method, _, _ := strings.Cut(o.Route, " ")
	bare := method == "GET" || method == "DELETE"
	if !bare && o.Body == "" {
		if len(rest.Properties) > 0 {
			body = rest
		}
		return parameters, body, len(rest.Required) > 0
	}
	for _, name := range rest.PropertyOrder {
		if bare || name != o.Body {
			parameters = append(parameters, parameter(o, "query", name))
		}
	}
	if !bare {
		body = rest.Properties[o.Body]
	}
	return parameters, body, slices.Contains(rest.Required, o.Body)
}

// opFailures are the statuses with which an operation may refuse a call, besides
// those that every route may answer with.
func opFailures(o *op.Op, body bool) []int {
	statuses := []int{http.StatusUnprocessableEntity}
	if body {
		statuses = append(statuses, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if o.Effect != op.Read {
		statuses = append(statuses, http.StatusConflict)
	}
	if o.AnyArguments {
		statuses = append(statuses, http.StatusGone)
	}
	if slices.ContainsFunc(o.Arguments(), namesThing) || o.Family == op.Topics && slices.Contains(o.Arguments(), "name") {
		statuses = append(statuses, http.StatusNotFound)
	}
	return statuses
}

// namesThing tells whether an argument names something that may not be there.
func namesThing(argument string) bool {
	for _, end := range []string{"_id", "_ids", "project_root", "topic", "depends_on"} {
		if strings.HasSuffix(argument, end) {
			return true
		}
	}
	return false
}

func summary(o *op.Op) string {
	if o.Title != "" {
		return o.Title
	}
	return o.Name
}

func parameter(o *op.Op, in, name string) doc {
	schema := o.Input().Properties[name]
	p := doc{"name": name, "in": in, "schema": schema}
	if in == "query" && (schema.Type == "" || schema.Type == "object") { // a query has words only
		delete(p, "schema")
		p["content"] = doc{"application/json": doc{"schema": schema}}
	}
	if schema.Description != "" {
		p["description"] = schema.Description
	}
	if in == "path" || slices.Contains(o.Input().Required, name) {
		p["required"] = true
	}
	return p
}

// without is the schema of the arguments that are not in the path.
func without(s *jsonschema.Schema, inPath []string) *jsonschema.Schema {
	inThePath := func(name string) bool { return slices.Contains(inPath, name) }
	rest := s.CloneSchemas()
	rest.Required = slices.DeleteFunc(slices.Clone(rest.Required), inThePath)
	rest.PropertyOrder = slices.DeleteFunc(slices.Clone(rest.PropertyOrder), inThePath)
	maps.DeleteFunc(rest.Properties, func(name string, _ *jsonschema.Schema) bool { return inThePath(name) })
	return rest
}
