package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"nexus"
	"nexus/op"
)

// longestSocket is the longest path that every system takes for a socket.
const longestSocket = 103

// handedOver is a call that another process of the same home asks the hub to
// make for it. The package client has the same words for its side.
type handedOver struct {
	Op        string          `json:"op"`
	Arguments json.RawMessage `json:"arguments"`
	Conn      string          `json:"conn"`
	Profile   string          `json:"profile"`
	APIKey    string          `json:"api_key"`
	Key       string          `json:"key"` // of idempotency
	Operator  bool            `json:"operator"`

	Memberships nexus.Memberships `json:"memberships"`
}

// ListenHandover listens where other processes hand their calls over. A socket
// that nobody answers on any more is taken away first; anything else in its
// place is left alone and is an error. The directory must be the owner's alone:
// whoever can connect is trusted.
func ListenHandover(path string) (net.Listener, error) {
	if len(path) > longestSocket {
		return nil, fmt.Errorf("the path of the socket is longer than %d bytes: %s", longestSocket, path)
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is in the way: it is no socket", path)
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = c.Close()
		return fmt.Errorf("another process is listening on %s", path)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ServeHandover answers the calls of other processes on l until ctx ends. Then
// those that wait, and all that come later, are told that the hub is draining:
// they are to be made again somewhere else, with the time that is left.
func (s *Server) ServeHandover(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", s.serveHello)
	mux.HandleFunc("POST /call", s.serveCall)
	mux.HandleFunc("POST /watch", s.serveWatch)
	return s.serve(ctx, l, mux)
}

func (s *Server) serveHello(w http.ResponseWriter, _ *http.Request) {
	b, _ := op.Marshal(map[string]any{ // strings and numbers always marshal
		"pid":              os.Getpid(),
		"instance":         s.opts.Instance,
		"version":          s.deps.Version,
		"surface_revision": nexus.SurfaceRevision,
		"db":               s.opts.DB,
	})
	writeJSON(w, http.StatusOK, b)
}

func (s *Server) serveCall(w http.ResponseWriter, r *http.Request) {
	if s.isStopping() {
		writeDraining(w)
		return
	}
	var c handedOver
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHandover)).Decode(&c)
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		writeAnswer(w, op.Bus.Answer(nil, tooLarge(maxHandover)))
		return
	}
	if err != nil {
		http.Error(w, "the call could not be read", http.StatusBadRequest)
		return
	}
	o := s.deps.Catalogue.Lookup(c.Op)
	if o == nil || c.Profile != "" && !o.In(c.Profile) {
		writeAnswer(w, op.Bus.Answer(nil, noSuchOp(c.Op, s.deps.Catalogue.Names(op.AllFaces))))
		return
	}
	actor, err := s.processActor(r.Context(), c)
	if err != nil {
		writeAnswer(w, o.Family.Answer(nil, err))
		return
	}
	ctx := nexus.WithMemberships(nexus.WithActor(traced(r.Context(), r.Header), actor), c.Memberships)
	s.runHandedOver(ctx, w, o, c)
}

// runHandedOver makes the call. Only a wait ends when the process that handed it
// over is gone; anything else is carried through.
func (s *Server) runHandedOver(ctx context.Context, w http.ResponseWriter, o *op.Op, c handedOver) {
	waits := asksToWait(o, c.Arguments)
	if !waits {
		ctx = context.WithoutCancel(ctx)
	}
	if c.Key != "" {
		ctx = op.WithKey(ctx, c.Key)
	}
	a := face{s, "handover"}.call(ctx, o, c.Arguments)
	// A wait that was cut says that its time was up, which is not true. Made
	// again somewhere else it gets all its time, unless it would act twice.
	if waits && s.isStopping() && (o.Effect == op.Read || c.Key != "") {
		writeDraining(w)
		return
	}
	writeAnswer(w, a)
}

// processActor is who a handed-over call is made as: the agent whose key the
// process is bound by, the operator, or a process without a name.
func (s *Server) processActor(ctx context.Context, c handedOver) (nexus.Actor, error) {
	actor := nexus.Actor{Kind: nexus.KindProcess}
	switch {
	case c.APIKey != "":
		var err error
		if actor, err = s.auth.actor(ctx, c.APIKey); err != nil {
			return actor, err
		}
		actor.Bound = actor.Kind == nexus.KindAgent
	case c.Operator:
		actor.Kind = nexus.KindOperator
	}
	actor.Conn = c.Conn
	return actor, nil
}

// writeAnswer passes the answer on as the bytes it is made of.
func writeAnswer(w http.ResponseWriter, a op.Answer) {
	b := make([]byte, 0, len(a.Body)+80)
	b = fmt.Appendf(b, `{"code":%q,"is_error":%t,`, a.Code, a.IsError)
	if a.Text != "" {
		b = append(appendQuoted(append(b, `"text":`...), []byte(a.Text)), ',')
	}
	b = append(b, `"body":`...)
	b = append(append(b, a.Body...), '}')
	writeJSON(w, http.StatusOK, b)
}

func writeDraining(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, []byte(`{"draining":true}`))
}
