package serve

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus"
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
	schemas := doc{"Error": errorSchema()}
	paths := hubPaths()
	tags := map[string]string{"hub": "The hub itself."}
	for _, o := range c.On(op.REST) {
		if o.Family == op.Topics {
			tags[string(o.Family)] = "Named streams of messages."
		} else {
			tags[string(o.Family)] = "Identities, messages, inboxes, events and work."
		}
		schemas[o.Name+"_input"] = o.Input
		schemas[o.Name+"_data"] = o.Output
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
		"security": []doc{{"bearer": []string{}}, {"header": []string{}}, {"query": []string{}}, {}},
		"paths":    paths,
		"components": doc{
			"schemas":         schemas,
			"responses":       doc{"Error": jsonAnswer("The call was refused, or it failed.", ref("schemas/Error"))},
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
	}
}

// describeOp describes one way to call an operation. inPath are the arguments
// that are part of the route.
func describeOp(o *op.Op, id string, inPath []string) doc {
	d := doc{
		"operationId": id,
		"tags":        []string{string(o.Family)},
		"summary":     summary(o),
		"description": o.Doc,
		"responses":   answers(ref("schemas/" + o.Name + "_data")),
	}
	ownRoute := strings.HasSuffix(id, "_route")
	var parameters []doc
	for _, name := range inPath {
		parameters = append(parameters, parameter(o, "path", name))
	}
	switch {
	case !ownRoute:
		d["requestBody"] = jsonBody(ref("schemas/" + o.Name + "_input"))
	case strings.HasPrefix(o.Route, "GET "):
		for _, name := range o.Arguments() {
			if !slices.Contains(inPath, name) {
				parameters = append(parameters, parameter(o, "query", name))
			}
		}
	case len(inPath) < len(o.Arguments()):
		d["requestBody"] = jsonBody(without(o.Input, inPath))
	}
	if parameters != nil {
		d["parameters"] = parameters
	}
	return d
}

func summary(o *op.Op) string {
	if o.Title != "" {
		return o.Title
	}
	return o.Name
}

func parameter(o *op.Op, in, name string) doc {
	schema := o.Input.Properties[name]
	p := doc{"name": name, "in": in, "schema": schema}
	if schema != nil && schema.Description != "" {
		p["description"] = schema.Description
	}
	if in == "path" || slices.Contains(o.Input.Required, name) {
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

// hubPaths are the routes that are no operations.
func hubPaths() doc {
	text := func(about, kind string) doc {
		return doc{"description": about, "content": doc{kind: doc{"schema": doc{"type": "string"}}}}
	}
	export := hubPath("events_export", "The log of a workspace as a file", doc{
		"200": text("A manifest, then the events in the order of their numbers, one JSON object a line.", "application/x-ndjson"), "4XX": ref("responses/Error"),
	})
	export["get"].(doc)["parameters"] = []doc{{"name": "workspace_id", "in": "path", "required": true, "schema": doc{"type": "string"}}}
	state := doc{"type": "object", "properties": doc{"status": doc{"type": "string"}}}
	return doc{
		"/healthz": hubPath("healthz", "Whether the process lives", answers(state)),
		"/readyz":  hubPath("readyz", "Whether the store answers", answers(state)),
		"/metrics": hubPath("metrics", "Figures for Prometheus", doc{"200": text("The figures.", "text/plain"), "4XX": ref("responses/Error")}),
		apiPrefix + "/admin/backup": hubPath("backup", "A copy of the whole database, for the operator", doc{
			"200": doc{
				"description": "The database, as one SQLite file that was checked.",
				"content":     doc{backupType: doc{"schema": doc{"type": "string", "format": "binary"}}},
			},
			"4XX": ref("responses/Error"), "5XX": ref("responses/Error"),
		}),
		apiPrefix + "/info":    hubPath("info", "What runs here", answers(infoSchema())),
		apiPrefix + "/stream":  streamPath(text("The events, each as id, event and data.", "text/event-stream")),
		apiPrefix + "/license": hubPath("license", "The licence", doc{"200": text("The licence.", "text/plain"), "4XX": ref("responses/Error")}),
		apiPrefix + "/workspaces/{workspace_id}/events/export": export,
		apiPrefix + "/openapi.json": hubPath("openapi", "This document", doc{
			"200": jsonAnswer("The document.", doc{"type": "object"}), "4XX": ref("responses/Error"),
		}),
	}
}

func hubPath(id, summary string, responses doc) doc {
	return doc{"get": doc{"operationId": id, "summary": summary, "tags": []string{"hub"}, "responses": responses}}
}

// answers are the envelope around data, and the errors.
func answers(data any) doc {
	return doc{
		"200": jsonAnswer("It went well.", doc{
			"type":       "object",
			"required":   []string{"ok", "data"},
			"properties": doc{"ok": doc{"type": "boolean", "const": true}, "data": data},
		}),
		"4XX": ref("responses/Error"),
		"5XX": ref("responses/Error"),
	}
}

func infoSchema() doc {
	text := doc{"type": "string"}
	return doc{"type": "object", "properties": doc{
		"service": text, "package_version": text, "trust_mode": text,
		"schema_version":       doc{"type": "integer"},
		"default_workspace_id": doc{"type": []string{"string", "null"}},
	}}
}

func errorSchema() doc {
	return doc{
		"type":     "object",
		"required": []string{"ok", "error"},
		"properties": doc{
			"ok": doc{"type": "boolean", "const": false},
			"error": doc{
				"type":     "object",
				"required": []string{"code", "message"},
				"properties": doc{
					"code":    doc{"type": "string", "enum": nexus.Codes()},
					"message": doc{"type": "string", "description": "What went wrong, and what to do next."},
					"details": doc{"type": "object"},
				},
			},
		},
	}
}

func jsonBody(schema any) doc {
	return doc{"content": doc{"application/json": doc{"schema": schema}}}
}

func jsonAnswer(about string, schema any) doc {
	return doc{"description": about, "content": doc{"application/json": doc{"schema": schema}}}
}

func ref(to string) doc { return doc{"$ref": "#/components/" + to} }
