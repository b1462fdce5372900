package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nexus"
)

const headerLastEvent = "Last-Event-ID"

// streamParameters are what the query of a stream may hold.
func streamParameters() []string {
	return []string{"workspace", "stream", "type", "agent", "trace", "last_event_id", "from"}
}

// A streamQuery is what a client asked to follow.
type streamQuery struct {
	filter nexus.LogFilter
	cursor int64
	given  bool // there is a cursor
	end    bool // without one, begin at the end and not at the beginning
}

// readStreamQuery reads the query and the header that outranks it. A cursor that
// is no number counts as none: the client then gets everything, and misses
// nothing.
func readStreamQuery(r *http.Request) (q streamQuery, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, nexus.Errorf(nexus.ValidationError, "The query is malformed.")
	}
	if err := knownParameters(values); err != nil {
		return q, err
	}
	q.filter = nexus.LogFilter{
		Workspaces: listed(values["workspace"]), Streams: listed(values["stream"]), Types: listed(values["type"]),
		Actors: listed(values["agent"]), Traces: listed(values["trace"]),
	}
	if slices.ContainsFunc(q.filter.Workspaces, func(w string) bool { return strings.EqualFold(w, "all") }) {
		q.filter.Workspaces = nil
	}
	if err := knownStreams(q.filter.Streams); err != nil {
		return q, err
	}
	switch from := values.Get("from"); from {
	case "", "start":
	case "end":
		q.end = true
	default:
		return q, nexus.Invalid("from", "%q is nowhere to begin: use start or end, or last_event_id.", from)
	}
	last := strings.TrimSpace(r.Header.Get(headerLastEvent))
	if last == "" {
		last = values.Get("last_event_id")
	}
	n, err := strconv.ParseUint(last, 10, 63)
	q.cursor, q.given = int64(n), err == nil
	if err != nil {
		q.cursor = 0
	}
	return q, nil
}

func knownParameters(values url.Values) error {
	for name, all := range values {
		if !slices.Contains(streamParameters(), name) {
			return unknownParameter(name)
		}
		if slices.ContainsFunc(all, func(v string) bool { return !utf8.ValidString(v) }) {
			return nexus.Invalid(name, "The address holds bytes that are not UTF-8.")
		}
	}
	return nil
}

func unknownParameter(name string) error {
	const longest = 100 // of a name worth repeating
	if len(name) > longest || !utf8.ValidString(name) {
		return nexus.Errorf(nexus.ValidationError, "Unknown parameter. Known: %s.", strings.Join(streamParameters(), ", "))
	}
	e := nexus.Invalid(name, "Unknown parameter %q.", name)
	if near := nexus.Nearest(name, streamParameters()); near != "" {
		e.Msg += fmt.Sprintf(" Did you mean %q?", near)
	} else {
		e.Msg += " Known: " + strings.Join(streamParameters(), ", ") + "."
	}
	return e
}

func knownStreams(names []string) error {
	known := []string{nexus.StreamWorkspace, nexus.StreamAgent, nexus.StreamHandoff, nexus.StreamSystem}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nexus.Errorf(nexus.InvalidStream, "There is no stream %q: use %s.", name, strings.Join(known, ", ")).With("field", "stream")
		}
	}
	return nil
}

// listed are the values of a parameter that came several times, or with commas.
func listed(values []string) []string {
	var all []string
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(all, part) {
				all = append(all, part)
			}
		}
	}
	return all
}

// describeStream describes the stream in the OpenAPI document.
func describeStream() doc {
	about := map[string]string{
		"workspace":     "Only events of these workspaces.",
		"stream":        "Only these streams: workspace, agent, handoff, system.",
		"type":          "Only events of these types.",
		"agent":         "Only what these agents did.",
		"trace":         "Only what was caused under these W3C trace ids.",
		"last_event_id": "Go on behind this event. The header Last-Event-ID outranks it.",
		"from":          "Without a number to go on behind: start for the whole log, which is the default, or end.",
	}
	var parameters []doc
	for _, name := range streamParameters() {
		parameters = append(parameters, doc{"name": name, "in": "query", "description": about[name], "schema": doc{"type": "string"}})
	}
	// Some read the schema as that of the whole text, some as that of one event.
	events := doc{"description": "The events, each as id, event and data.", "content": doc{"text/event-stream": doc{"schema": doc{}}}}
	d := hubPath("stream", "Follow the log", withFailures(doc{"200": events}, http.StatusUnprocessableEntity))
	get := d["get"].(doc)
	get["parameters"] = append(parameters, doc{
		"name": headerLastEvent, "in": "header", "description": "The id of the last event that was received.", "schema": doc{"type": "string"},
	})
	get["description"] = "Every event of the log as it happens, as server-sent events; with Upgrade: websocket the same as messages. " +
		"Filters may come several times or with commas. An event named gap tells that retention has deleted what lay between."
	return d
}
