package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nexus"
	"nexus/op"
)

const (
	apiPrefix   = "/api/v1"
	docsPath    = apiPrefix + "/docs"
	streamRoute = apiPrefix + "/stream"
)

// Failures whose HTTP status says more than their code.
var (
	errMediaType = errors.New("media type")
	errMethod    = errors.New("method")
	errHeaders   = errors.New("headers")
	errRange     = errors.New("range")
)

// mount lays out the routes. Two operations that claim one route are a mistake
// in the program, reported here and not by a panic.
func (s *Server) mount() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("mount the routes: %v", p)
		}
	}()
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("GET /{$}", s.serveDashboard)
	s.mux.HandleFunc("GET /assets/", s.serveAsset)
	s.mux.HandleFunc("GET /theme.js", s.serveAsset)
	s.mux.HandleFunc("GET /mark.svg", s.serveAsset)
	s.mux.HandleFunc("GET /favicon.ico", s.serveAsset)
	s.mux.HandleFunc("GET /healthz", s.serveHealth)
	s.mux.HandleFunc("GET /readyz", s.serveReady)
	s.mux.Handle("GET /metrics", s.metrics.handler())
	s.mux.HandleFunc("GET "+apiPrefix+"/info", s.serveInfo)
	s.mux.HandleFunc("GET "+apiPrefix+"/license", s.serveLicense)
	s.mux.HandleFunc("GET "+apiPrefix+"/openapi.json", s.serveOpenAPI)
	s.mux.HandleFunc("GET "+docsPath, s.serveDocs)
	s.mux.HandleFunc("POST "+apiPrefix+"/sign-in", s.serveSignIn)
	s.mux.HandleFunc("POST "+apiPrefix+"/sign-out", s.serveSignOut)
	s.mux.HandleFunc("GET "+apiPrefix+"/me", s.serveMe)
	s.mux.HandleFunc("GET "+apiPrefix+"/connect", s.serveConnect)
	s.mux.HandleFunc("GET "+apiPrefix+"/admin/backup", s.serveBackup)
	s.mux.HandleFunc("GET "+streamRoute, s.serveStream)
	s.mux.HandleFunc("GET "+apiPrefix+"/workspaces/{workspace_id}/events/export", s.serveExport)
	s.mux.HandleFunc("GET "+apiPrefix+"/artifacts/{artifact_id}/content", s.serveArtifact)
	s.mux.HandleFunc("POST "+apiPrefix+"/op/{name}", s.serveOp)
	// JSON-RPC will be mounted here: POST /, POST /rpc, POST /agent/{id}.
	if o := s.deps.Catalogue.Lookup(topicExport); o != nil {
		s.mux.HandleFunc("GET "+topicExportRoute, func(w http.ResponseWriter, r *http.Request) { s.serveTopicExport(w, r, o) })
	}
	for _, o := range s.deps.Catalogue.On(op.REST) {
		if o.Route == "" {
			continue
		}
		if err := s.mountRoute(o); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) mountRoute(o *op.Op) error {
	method, at, ok := strings.Cut(o.Route, " ")
	if !ok {
		return fmt.Errorf("the route of %s has no method: %q", o.Name, o.Route)
	}
	names := wildcards(at)
	for _, name := range names {
		if !slices.Contains(o.Arguments(), name) {
			return fmt.Errorf("the route of %s names {%s}, which is none of its arguments", o.Name, name)
		}
	}
	s.mux.HandleFunc(method+" "+apiPrefix+at, func(w http.ResponseWriter, r *http.Request) {
		arguments, err := s.routeArguments(r, o.Body, names)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.answer(w, r, o, arguments)
	})
	return nil
}

// wildcards lists the names in the braces of a route.
func wildcards(route string) []string {
	var names []string
	for part := range strings.SplitSeq(route, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// route answers from the routes that are mounted, and in JSON where there are
// none. Nothing is ever redirected: a path is right or it is not.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Path
	if p == "/mcp" || p == "/mcp/" {
		s.mcp.ServeHTTP(w, r)
		return
	}
	h, pattern := s.mux.Handler(r)
	clean := path.Clean(p)
	switch {
	case p != clean && p != clean+"/":
		s.fail(w, r, noSuchPath(r))
	case pattern != "":
		s.mux.ServeHTTP(w, r)
	case opensDashboard(r):
		s.serveDashboard(w, r)
	default:
		s.unrouted(w, r, h)
	}
}

// unrouted answers what no route takes, and OPTIONS. The mux's own answer, which is
// text, tells whether another method would have been taken.
func (s *Server) unrouted(w http.ResponseWriter, r *http.Request, h http.Handler) {
	said := overheard{}
	h.ServeHTTP(said, r)
	allow := http.Header(said).Get("Allow")
	if allow == "" {
		s.fail(w, r, noSuchPath(r))
		return
	}
	w.Header().Set("Allow", allow+", OPTIONS")
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.fail(w, r, &nexus.Error{
		Code: nexus.ValidationError, Err: errMethod,
		Msg: fmt.Sprintf("%s takes %s, not %s.", r.URL.Path, allow, r.Method),
	})
}

// overheard keeps the headers of an answer and drops the rest.
type overheard http.Header

func (o overheard) Header() http.Header         { return http.Header(o) }
func (o overheard) Write(b []byte) (int, error) { return len(b), nil }
func (o overheard) WriteHeader(int)             {}

func noSuchPath(r *http.Request) *nexus.Error {
	return nexus.Errorf(nexus.NotFound, "There is nothing at %s. The API is described at %s/openapi.json.", withoutKeys(r.URL.Path), apiPrefix)
}

// serveOp runs the operation of that name on the arguments in the body.
func (s *Server) serveOp(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	o := s.deps.Catalogue.Lookup(name)
	if o == nil || !o.Shows(op.REST) {
		s.fail(w, r, noSuchOp(name, s.deps.Catalogue.Names(op.REST)))
		return
	}
	arguments, err := s.readBody(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, o, arguments)
}

func noSuchOp(name string, known []string) *nexus.Error {
	e := nexus.Errorf(nexus.NotFound, "There is no operation %q.", withoutKeys(name))
	if near := nexus.Nearest(name, known); near != "" && len(name) < 100 {
		e.Msg += fmt.Sprintf(" Did you mean %q?", near)
	}
	return e
}

// answer runs an operation. All families have one envelope here.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, o *op.Op, arguments json.RawMessage) {
	data, err := face{s, "rest"}.run(r.Context(), o, arguments)
	a := envelope(r.Context(), s.deps.Log, o, op.Bus, data, err)
	sayWhen(w, err)
	writeJSON(w, httpStatus(a.Code), a.Body)
}

// routeArguments gathers the arguments of an operation at its own route. The
// path outranks the body, and the body the query. Where the operation says so,
// the whole body is one argument.
func (s *Server) routeArguments(r *http.Request, whole string, names []string) (json.RawMessage, error) {
	body, err := s.readBody(r)
	if err == nil && whole != "" && len(body) > 0 {
		body, err = op.Marshal(map[string]json.RawMessage{whole: body})
	}
	if err != nil || len(names) == 0 && r.URL.RawQuery == "" {
		return body, err
	}
	args, err := queryArguments(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		var own map[string]json.RawMessage
		if json.Unmarshal(body, &own) != nil {
			return nil, nexus.Invalid("arguments", "The body must be a JSON object.")
		}
		maps.Copy(args, own)
	}
	for _, name := range names {
		if args[name], err = quoted(name, r.PathValue(name)); err != nil {
			return nil, err
		}
	}
	return op.Marshal(args)
}

// queryArguments reads a query. Every value is a string, or a list of them where
// a name comes twice; what they stand for is decided where they are decoded.
func queryArguments(query string) (map[string]json.RawMessage, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, nexus.Errorf(nexus.ValidationError, "The query is malformed.")
	}
	args := make(map[string]json.RawMessage, len(values))
	for name, all := range values {
		if args[name], err = quoted(name, all...); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func quoted(name string, values ...string) (json.RawMessage, error) {
	if !utf8.ValidString(name) || slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
		return nil, nexus.Errorf(nexus.ValidationError, "The address holds bytes that are not UTF-8.")
	}
	if len(values) == 1 {
		return op.Marshal(values[0])
	}
	return op.Marshal(values)
}

// readBody reads a JSON body. None at all is fine.
func (s *Server) readBody(r *http.Request) (json.RawMessage, error) {
	if r.ContentLength > s.opts.MaxBody {
		_, _ = io.Copy(io.Discard, r.Body) // as far as the limit; there is no need to keep it
		return nil, tooLarge(s.opts.MaxBody)
	}
	body, err := io.ReadAll(r.Body)
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return nil, tooLarge(s.opts.MaxBody)
	}
	switch {
	case err != nil:
		return nil, nexus.Errorf(nexus.ValidationError, "The body could not be read to its end.")
	case len(body) == 0:
		return nil, nil
	case !isJSON(r.Header.Get("Content-Type")):
		return nil, &nexus.Error{Code: nexus.ValidationError, Err: errMediaType, Msg: "The body must have the content type application/json."}
	case !utf8.Valid(body):
		return nil, nexus.Errorf(nexus.ValidationError, "The body holds bytes that are not UTF-8.")
	case !json.Valid(body):
		return nil, nexus.Errorf(nexus.ValidationError, "The body is not valid JSON.")
	}
	return body, nil
}

func tooLarge(most int64) *nexus.Error {
	return nexus.Errorf(nexus.ContentTooLarge, "The body is larger than %d bytes.", most).With("max_bytes", most)
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

// fail answers with an error, and logs its cause if that is ours to mend.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := nexus.AsError(err)
	status := httpStatus(e.Code)
	switch {
	case errors.Is(err, errMediaType):
		status = http.StatusUnsupportedMediaType
	case errors.Is(err, errMethod):
		status = http.StatusMethodNotAllowed
	case errors.Is(err, errHeaders):
		status = http.StatusRequestHeaderFieldsTooLarge
	case errors.Is(err, errRange):
		status = http.StatusRequestedRangeNotSatisfiable
	case status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="nexus"`)
	case status >= http.StatusInternalServerError && e.Err != nil:
		s.deps.Log.ErrorContext(r.Context(), "a request failed", "path", withoutKeys(r.URL.Path), "code", e.Code, "cause", e.Err)
	}
	sayWhen(w, e)
	writeJSON(w, status, op.Bus.Answer(nil, e).Body)
}

// sayWhen tells a client that was refused when to come back.
func sayWhen(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*nexus.Error](err)
	if !ok {
		return
	}
	if seconds, ok := e.Details["retry_after_seconds"].(int); ok {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // nobody is left to tell
}
