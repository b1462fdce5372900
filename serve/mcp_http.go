package serve

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"nexus"
	"nexus/op"
)

// HTTPOptions are the limits of MCP over HTTP. The zero value never stops.
type HTTPOptions struct {
	// MaxBody is the size of the largest body taken; 16 MiB when zero.
	MaxBody int64
	// Stopping is done when the hub begins to stop. Waits then answer as if
	// their time were up, and streams end; other calls are served to the last.
	Stopping context.Context
}

// DefaultMaxBody is the size of the largest HTTP body taken.
const DefaultMaxBody = 16 << 20

const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// Handler is MCP over streamable HTTP. Whoever makes the call is in the context
// of the request already. The tools are those of ?profile=, all without it.
//
// Clients up to 2025-11-25 get a session, which is kept in sessions, so that
// any node serves it and a restart forgets none. What is wrong with their
// messages they are told with status 200: to some of them any other status is
// the end of the connection.
func (m *MCP) Handler(sessions Sessions, opts HTTPOptions) http.Handler {
	if opts.MaxBody == 0 {
		opts.MaxBody = DefaultMaxBody
	}
	if opts.Stopping == nil {
		opts.Stopping = context.Background()
	}
	return &webMCP{mcp: m, opts: opts, sessions: sessionBook{store: sessions}, sdk: m.sdkHandler(opts.MaxBody)}
}

type webMCP struct {
	mcp      *MCP
	opts     HTTPOptions
	sessions sessionBook
	sdk      http.Handler
}

// A visit is one HTTP request on its way to an answer.
type visit struct {
	*webMCP
	w       http.ResponseWriter
	r       *http.Request
	tools   *toolset
	version string // what the header says; "" without one
	session string // "" without one
}

func profileOf(r *http.Request) string {
	if r.URL.RawQuery != "" {
		if profile := r.URL.Query().Get("profile"); profile != "" {
			return profile
		}
	}
	return op.ProfileAll
}

func (h *webMCP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &visit{webMCP: h, w: w, r: r, version: r.Header.Get(headerVersion)}
	if v.tools = h.mcp.profiles[profileOf(r)]; v.tools == nil {
		v.sendFault(http.StatusBadRequest, invalidParams("Unknown profile "+strconv.Quote(profileOf(r))+
			". Known: "+strings.Join(op.Profiles(), ", ")+"."))
		return
	}
	if !v.modern() {
		v.session = r.Header.Get(headerSession)
	}
	switch {
	case r.Method == http.MethodPost:
		v.post()
	case r.Method == http.MethodGet && v.session != "":
		v.stream()
	case r.Method == http.MethodDelete && v.session != "":
		v.drop()
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", "DELETE, GET, POST, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", http.MethodPost)
		v.sendFault(http.StatusMethodNotAllowed, invalidRequest("Send messages with POST."))
	}
}

// modern tells whether the request speaks the protocol without sessions.
func (v *visit) modern() bool { return v.version >= version20260728 }

func (v *visit) post() {
	body, err := v.readBody()
	if err != nil {
		v.sendUnread(err)
		return
	}
	if !plainPost(v.r.Header) || v.version != "" && !knownVersion(v.version) {
		v.passOn(body)
		return
	}
	if f := checkJSON(body); f != nil {
		v.send(refuse(nil, nil, f))
		return
	}
	if body = bytes.TrimSpace(body); body[0] == '[' {
		v.batch(body)
		return
	}
	r := v.tools.read(body)
	if r.method == "initialize" {
		v.session = "" // it asks for a new one
	}
	if _, ok := v.admit(r); !ok {
		return
	}
	switch {
	case r.unanswered():
		v.mcp.notice(&exchange{conn: v.conn()}, r)
		v.w.WriteHeader(http.StatusAccepted)
	case !v.ours(r):
		v.passOn(body)
	default:
		v.answer(r)
	}
}

// plainPost tells whether the headers are those of an ordinary client.
func plainPost(h http.Header) bool {
	if _, resumes := h["Last-Event-Id"]; resumes {
		return false
	}
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return false
	}
	json, stream := accepts(h["Accept"])
	return json && stream
}

// accepts tells which of the two forms of an answer the client takes.
func accepts(values []string) (json, stream bool) {
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			kind, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				stream = true
			case "*/*":
				json, stream = true, true
			}
		}
	}
	return json, stream
}

func (v *visit) answer(r *request) {
	if r.method == "subscriptions/listen" && r.check() == nil {
		v.attend(r)
		return
	}
	ctx, x := v.context(), v.exchange()
	if r.waits {
		v.answerWait(ctx, x, r)
		return
	}
	buf := v.mcp.buffers.Get().(*[]byte)
	reply := v.mcp.answer(ctx, x, r, (*buf)[:0])
	v.send(reply)
	const most = 256 << 10 // of a buffer worth keeping
	if cap(reply.body) <= most {
		*buf = reply.body
		v.mcp.buffers.Put(buf)
	}
}

// batch answers an array of messages, which were part of the protocol until
// 2025-03-26.
func (v *visit) batch(body []byte) {
	state, ok := v.admit(&request{})
	if !ok {
		return
	}
	version := v.version
	if version == "" {
		version = state.Version
	}
	if version >= version20250618 {
		v.send(refuse(nil, nil, invalidRequest("There are no batches since "+version20250618+": send one message at a time.")))
		return
	}
	batch, f := v.tools.readBatch(body)
	if f != nil {
		v.send(refuse(nil, nil, f))
		return
	}
	v.noDeadline()
	v.send(v.mcp.answerBatch(v.context(), v.exchange(), batch))
}

// context is that of the request, with the session as the actor's connection.
func (v *visit) context() context.Context {
	ctx := withMemory(v.r.Context(), v)
	if actor := nexus.ActorFrom(ctx); v.session != "" && actor.Conn == "" {
		actor.Conn = v.session
		return nexus.WithActor(ctx, actor)
	}
	return ctx
}

// conn names what this client's later messages have in common with this one.
func (v *visit) conn() string {
	if v.session != "" {
		return v.session
	}
	return nexus.ActorFrom(v.r.Context()).Conn
}

func (v *visit) exchange() *exchange {
	return &exchange{tools: v.tools, conn: v.conn(), memory: v, stopping: v.opts.Stopping}
}

func (v *visit) readBody() ([]byte, error) {
	const first = 64 << 10 // what a header may make us allocate
	size := min(max(v.r.ContentLength, 0), first)
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := b.ReadFrom(http.MaxBytesReader(v.w, v.r.Body, v.opts.MaxBody))
	return b.Bytes(), err
}

// sendUnread answers a body that did not arrive whole.
func (v *visit) sendUnread(err error) {
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); !tooLong {
		v.sendFault(http.StatusBadRequest, &fault{code: mcpParseError, msg: "The body could not be read."})
		return
	}
	a := op.Bus.Answer(nil, nexus.Errorf(nexus.ContentTooLarge, "The body is larger than %d bytes.", v.opts.MaxBody))
	v.write(http.StatusRequestEntityTooLarge, a.Body)
}

// send writes a reply. Up to 2025-11-25 an error is an answer like any other.
func (v *visit) send(r reply) {
	status := http.StatusOK
	switch {
	case r.silent:
		v.w.WriteHeader(http.StatusAccepted)
		return
	case !v.modern() || r.code == 0 || r.code == mcpInternalError:
	case r.code == mcpMethodNotFound:
		status = http.StatusNotFound
	default:
		status = http.StatusBadRequest
	}
	v.write(status, r.body)
}

func (v *visit) sendFault(status int, f *fault) { v.write(status, refuse(nil, nil, f).body) }

func (v *visit) write(status int, body []byte) {
	h := v.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body) // nobody is left to tell
}
