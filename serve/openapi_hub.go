package serve

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"nexus"
	"nexus/bus"
)

// hubPaths are the routes that are no operations.
func hubPaths() doc {
	state := record(doc{"status": typed("string")})
	paths := doc{
		"/healthz":                  hubPath("healthz", "Whether the process lives", answers(state)),
		"/readyz":                   hubPath("readyz", "Whether the store answers", answers(state)),
		"/metrics":                  hubPath("metrics", "Figures for Prometheus", page200("The figures.", "text/plain")),
		apiPrefix + "/info":         hubPath("info", "What runs here", answers(infoSchema())),
		apiPrefix + "/license":      hubPath("license", "The licence", page200("The licence.", "text/plain")),
		docsPath:                    hubPath("docs", "This document as a page", page200("The page.", "text/html")),
		apiPrefix + "/openapi.json": hubPath("openapi", "This document", withFailures(doc{"200": jsonAnswer("The document.", typed("object"))})),
		apiPrefix + "/me":           hubPath("me", "Who asks, and what that one may do", answers(ref("schemas/Actor"))),
		apiPrefix + "/sign-in":      doc{"post": describeSignIn()},
		apiPrefix + "/sign-out":     doc{"post": describeSignOut()},
		apiPrefix + "/admin/backup": hubPath("backup", "A copy of the whole database, for the operator",
			withFailures(page200("The database, as one SQLite file that was checked.", backupType), http.StatusUnprocessableEntity)),
		apiPrefix + "/connect": describeConnect(),
		streamRoute:            describeStream(),
		apiPrefix + "/workspaces/{workspace_id}/events/export": describeExport(),
		apiPrefix + "/artifacts/{artifact_id}/content":         describeArtifact(),
	}
	for path, item := range paths {
		for _, o := range item.(doc) {
			if isPublic(path) {
				o.(doc)["security"] = []doc{}
			}
		}
	}
	return paths
}

func hubPath(id, summary string, responses doc) doc {
	d := doc{"operationId": id, "summary": summary, "tags": []string{"hub"}, "responses": responses}
	return doc{"get": d}
}

func describeSignIn() doc {
	answer := answers(ref("schemas/Actor"), http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	answer["200"].(doc)["headers"] = setsCookie()
	return doc{
		"operationId": "sign_in", "summary": "Sign in", "tags": []string{"hub"},
		"description": "Open a stay for a person: whoever has a key gets a cookie that stands for it and dies with it. " +
			"The key is in the body, or where keys are sent.",
		"requestBody": jsonBody(doc{"type": "object", "properties": doc{"api_key": doc{"type": "string", "description": "the key that the cookie stands for"}}}, false),
		"responses":   answer,
	}
}

func describeSignOut() doc {
	answer := answers(record(doc{"signed_out": doc{"type": "boolean", "description": "whether there was a stay to end"}}))
	answer["200"].(doc)["headers"] = setsCookie()
	return doc{
		"operationId": "sign_out", "summary": "Sign out", "tags": []string{"hub"},
		"description": "End the stay whose cookie comes with the request, and no other.",
		"responses":   answer,
	}
}

func describeExport() doc {
	d := hubPath("events_export", "The log of a workspace as a file", withFailures(
		page200("A manifest, then the events in the order of their numbers, one JSON object a line.", "application/x-ndjson"),
		http.StatusNotFound, http.StatusUnprocessableEntity))
	d["get"].(doc)["parameters"] = []doc{{"name": "workspace_id", "in": "path", "required": true, "schema": typed("string")}}
	return d
}

func describeArtifact() doc {
	kinds := doc{}
	for _, kind := range []string{bus.TypePNG, bus.TypeJPEG, bus.TypeGIF, bus.TypeWebP, "text/plain", bus.TypeBytes} {
		kinds[kind] = doc{"schema": typed("string")}
	}
	d := hubPath("artifact_content", "The bytes of an artifact", withFailures(doc{
		"200": doc{"description": "All of it.", "content": kinds},
		"206": doc{"description": "The part that was asked for.", "content": kinds},
		"304": doc{"description": "It has not changed."},
		"412": doc{"description": "It has changed."},
	}, http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable, http.StatusUnprocessableEntity))
	d["get"].(doc)["parameters"] = []doc{{"name": "artifact_id", "in": "path", "required": true, "schema": typed("string")}}
	d["get"].(doc)["description"] = "Pictures as what they are, everything that can be read as plain text, all else as bytes to be kept as a file. " +
		"The file behind an artifact that is kept as a path is for those who run the hub."
	return d
}

func describeTopicExport() doc {
	file := page200("The topic as Markdown, or as JSON where that was asked for.", "text/markdown")
	file["200"].(doc)["content"].(doc)["application/json"] = doc{"schema": typed("object")}
	d := hubPath("topic_export_file", "A topic as a file", withFailures(file, http.StatusNotFound, http.StatusUnprocessableEntity))
	d["get"].(doc)["parameters"] = []doc{
		{"name": "topic_id", "in": "path", "required": true, "schema": typed("string")},
		{"name": "format", "in": "query", "schema": doc{"type": "string", "enum": []string{"markdown", "json"}}},
		{"name": "include_metadata", "in": "query", "schema": typed("boolean")},
		{"name": "after_seq", "in": "query", "schema": typed("integer")},
	}
	return d
}

func setsCookie() doc {
	return doc{"Set-Cookie": doc{"schema": typed("string"), "description": cookieName + ", which scripts cannot read and other sites cannot use"}}
}

// answers are the envelope around data, and the failures: those that every
// route may answer with, and more.
func answers(data any, more ...int) doc {
	return withFailures(doc{"200": jsonAnswer("It went well.", doc{
		"type":       "object",
		"required":   []string{"ok", "data"},
		"properties": doc{"ok": doc{"type": "boolean", "const": true}, "data": data},
	})}, more...)
}

func page200(about, kind string) doc {
	return withFailures(doc{"200": doc{"description": about, "content": doc{kind: doc{"schema": typed("string")}}}})
}

// withFailures adds the statuses of refusals. Any request may have a wrong key,
// come from a foreign page or come too often, and the store may be away.
func withFailures(responses doc, more ...int) doc {
	for _, status := range append(more, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusServiceUnavailable) {
		name := strconv.Itoa(status)
		responses[name] = ref("responses/" + name)
	}
	return responses
}

// failures are the refusals by status, each with the codes that it may have.
func failures() doc {
	codes := map[int][]nexus.Code{
		http.StatusUnsupportedMediaType:         {nexus.ValidationError},
		http.StatusRequestedRangeNotSatisfiable: {nexus.ValidationError},
		http.StatusServiceUnavailable:           {nexus.RateLimited}, // when there are too many connections
	}
	for _, code := range nexus.Codes() {
		codes[httpStatus(code)] = append(codes[httpStatus(code)], code)
	}
	all := doc{}
	for status, codes := range codes {
		slices.Sort(codes)
		r := jsonAnswer(http.StatusText(status)+".", doc{"allOf": []doc{
			ref("schemas/Error"),
			{"type": "object", "properties": doc{"error": doc{"type": "object", "properties": doc{"code": doc{"type": "string", "enum": codes}}}}},
		}})
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			r["headers"] = doc{"Retry-After": doc{"schema": typed("integer"), "description": "in how many seconds to come back"}}
		}
		all[strconv.Itoa(status)] = r
	}
	return all
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
					"message": doc{"type": "string", "description": "what went wrong, and what to do next"},
					"details": doc{"type": "object"},
				},
			},
		},
	}
}

func actorSchema() doc {
	s := record(doc{
		"kind":       doc{"type": "string", "enum": []nexus.ActorKind{nexus.KindProcess, nexus.KindAgent, nexus.KindOperator}},
		"agent_id":   typed("string", "null"),
		"person":     typed("string", "null"),
		"sign_in_id": typed("string", "null"),
		"scopes":     doc{"type": "array", "items": typed("string")},
		"is_admin":   typed("boolean"),
	})
	s["properties"].(doc)["expires_at"] = doc{"type": "string", "description": "when a sign-in ends; only where one begins"}
	return s
}

func infoSchema() doc {
	return record(doc{
		"service": typed("string"), "package_version": typed("string"), "trust_mode": typed("string"),
		"schema_version":       typed("integer"),
		"default_workspace_id": typed("string", "null"),
	})
}

// typed is the schema of a simple value, which may be null where that is one of
// its types.
func typed(types ...string) doc {
	if len(types) == 1 {
		return doc{"type": types[0]}
	}
	return doc{"type": types}
}

// record is the schema of an object that has all of these properties.
func record(properties doc) doc {
	return doc{"type": "object", "required": slices.Sorted(maps.Keys(properties)), "properties": properties}
}

func jsonBody(schema any, required bool) doc {
	b := doc{"content": doc{"application/json": doc{"schema": schema}}}
	if required {
		b["required"] = true
	}
	return b
}

func jsonAnswer(about string, schema any) doc {
	return doc{"description": about, "content": doc{"application/json": doc{"schema": schema}}}
}

func ref(to string) doc { return doc{"$ref": "#/components/" + to} }
