package serve

import (
	"context"
	"errors"
	"sync"
)

// Why a call that waits was ended early.
var (
	errCancelledByClient = errors.New("the client cancelled the request")
	errSessionEnded      = errors.New("the session was ended")
)

// flights are the calls that wait and the streams that are open, by connection,
// so that a later message can end them. Calls that do not wait are not here: by
// the time a cancellation arrives they are done, or must not be stopped halfway.
type flights struct {
	mu     sync.Mutex
	byConn map[string]map[*flight]struct{}
}

type flight struct {
	all  *flights
	conn string
	id   string // the request's id as it was written; "" for a stream
	end  context.CancelCauseFunc
}

// start enters a call. Its context ends with ctx and when the flight is ended.
// Without a connection there is nothing by which a later message could name the
// call, so only its owner can end it.
func (f *flights) start(ctx context.Context, conn string, id []byte) (context.Context, *flight) {
	ctx, end := context.WithCancelCause(ctx)
	one := &flight{f, conn, string(id), end}
	if conn == "" {
		return ctx, one
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byConn == nil {
		f.byConn = map[string]map[*flight]struct{}{}
	}
	if f.byConn[conn] == nil {
		f.byConn[conn] = map[*flight]struct{}{}
	}
	f.byConn[conn][one] = struct{}{}
	return ctx, one
}

// leave must be called when the call is over.
func (one *flight) leave() {
	one.end(nil)
	f := one.all
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byConn[one.conn], one)
	if len(f.byConn[one.conn]) == 0 {
		delete(f.byConn, one.conn)
	}
}

// cancel ends the calls of a connection that have this id.
func (f *flights) cancel(conn string, id []byte) {
	f.each(conn, func(one *flight) {
		if one.id != "" && one.id == string(id) {
			one.end(errCancelledByClient)
		}
	})
}

// endAll ends whatever a connection has in flight.
func (f *flights) endAll(conn string) {
	f.each(conn, func(one *flight) { one.end(errSessionEnded) })
}

func (f *flights) each(conn string, do func(*flight)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for one := range f.byConn[conn] {
		do(one)
	}
}
