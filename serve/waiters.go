package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"nexus"
	"nexus/op"
)

// DefaultMaxWaiters is how many calls may wait in one hub at the same time.
const DefaultMaxWaiters = 10_000

// Local runs operations in this process, on whatever store they were made for.
// A panic is answered as INTERNAL_ERROR. What went wrong inside is logged once,
// here, and no answer repeats it.
func Local(log *slog.Logger) Caller {
	return func(ctx context.Context, o *op.Op, arguments json.RawMessage) op.Answer {
		data, err := perform(ctx, log, o, arguments)
		return envelope(ctx, log, o, o.Family, data, err)
	}
}

// A face is one of the ways into the hub. All of them share what the hub has
// only once: the counts, the places for calls that wait, the remembered keys.
type face struct {
	*Server
	name string
}

func (f face) call(ctx context.Context, o *op.Op, arguments json.RawMessage) op.Answer {
	data, err := f.run(ctx, o, arguments)
	return envelope(ctx, f.deps.Log, o, o.Family, data, err)
}

func (f face) run(ctx context.Context, o *op.Op, arguments json.RawMessage) (data any, err error) {
	began, waits := time.Now(), asksToWait(o, arguments)
	ctx, own, parent := f.traces.begin(ctx)
	defer func() {
		f.metrics.observe(f.name, o.Name, nexus.CodeOf(err), waits, time.Since(began))
		f.traces.endOp(ctx, own, parent, f.name, o, nexus.CodeOf(err), began)
	}()
	if waits {
		leave, err := f.parked.enter(nexus.ActorFrom(ctx), o.Wait)
		if err != nil {
			return nil, f.metrics.refused(err)
		}
		defer leave()
		var done func()
		ctx, done = f.untilStop(ctx)
		defer done()
	}
	data, err = perform(ctx, f.deps.Log, o, arguments)
	if o.Secret || o.Effect == op.Danger {
		f.ForgetKeys() // before the answer leaves: nobody gets in with the old key once it is out
	}
	return data, err
}

// untilStop is ctx, ended when the hub begins to stop. The operation then
// answers as if its time were up. It also ends when the key that the call came
// with is no longer good: then that is the answer.
func (s *Server) untilStop(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	detach := context.AfterFunc(s.stopping, func() { cancel(nexus.ErrStopping) })
	leave := s.guests.enter(ctx, cancel)
	return ctx, func() {
		leave()
		detach()
		cancel(nil)
	}
}

// guests are the calls that wait. Each may have to go before its time.
type guests struct {
	mu  sync.Mutex
	all map[*guest]struct{}
}

type guest struct {
	ctx  context.Context // of the call, which ends with it
	oust context.CancelCauseFunc
}

func (g *guests) enter(ctx context.Context, oust context.CancelCauseFunc) (leave func()) {
	me := &guest{ctx, oust}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil {
		g.all = map[*guest]struct{}{}
	}
	g.all[me] = struct{}{}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.all, me)
	}
}

// review asks whether all are still welcome, and sends away who is not.
func (g *guests) review() {
	g.mu.Lock()
	all := slices.Collect(maps.Keys(g.all))
	g.mu.Unlock()
	for _, one := range all {
		if err := stillWelcome(one.ctx); nexus.CodeOf(err) == nexus.AuthFailed {
			one.oust(err)
		}
	}
}

// perform runs an operation. A panic is an error like any other by the time it
// returns.
func perform(ctx context.Context, log *slog.Logger, o *op.Op, arguments json.RawMessage) (data any, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.ErrorContext(ctx, "an operation panicked", "operation", o.Name, "panic", p, "stack", string(debug.Stack()))
			data, err = nil, nexus.Errorf(nexus.Internal, "An unexpected internal error occurred.")
		}
	}()
	data, err = o.Call(ctx, arguments)
	if err == nil {
		return data, nil
	}
	return nil, judged(ctx, log, o, nexus.AsError(err))
}

// judged logs the cause of a failure that is ours, and tells a call that was cut
// short from one that went wrong.
func judged(ctx context.Context, log *slog.Logger, o *op.Op, e *nexus.Error) *nexus.Error {
	cut := ctx.Err() != nil && (errors.Is(e, ctx.Err()) || errors.Is(e, context.Cause(ctx)))
	switch {
	case e.Code == nexus.Internal && cut:
		return nexus.Errorf(nexus.Unavailable, "The call was cut short before it had an answer. Call again.")
	case e.Code == nexus.Internal, e.Code == nexus.RenderError:
		log.ErrorContext(ctx, "an operation failed", "operation", o.Name, "code", e.Code, "cause", e.Err)
	case e.Code == nexus.DBError && e.Err != nil:
		log.WarnContext(ctx, "the store failed an operation", "operation", o.Name, "message", e.Msg, "cause", e.Err)
	}
	return e
}

// envelope puts an outcome into the form that a family gives it.
func envelope(ctx context.Context, log *slog.Logger, o *op.Op, form op.Family, data any, err error) op.Answer {
	a := form.Answer(data, err)
	if err == nil && a.Code != "" {
		log.ErrorContext(ctx, "an answer is no JSON", "operation", o.Name, "type", fmt.Sprintf("%T", data))
	}
	return a
}

// asksToWait tells whether a call may park.
func asksToWait(o *op.Op, arguments json.RawMessage) bool {
	waits, _ := o.Waits(arguments)
	return waits
}

// parking has the places for calls that wait. No actor gets more than three
// quarters of them, so that there is room for the others.
type parking struct {
	most int

	mu  sync.Mutex
	all int
	by  map[nexus.Actor]int
}

func newParking(most int) *parking {
	return &parking{most: most, by: map[nexus.Actor]int{}}
}

// enter takes a place, which the caller gives back with leave.
func (p *parking) enter(a nexus.Actor, argument string) (leave func(), err error) {
	who := nexus.Actor{Kind: a.Kind, AgentID: a.AgentID}
	if a.Kind == nexus.KindProcess {
		who.Conn = a.Conn // nothing else tells one process from another
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.all >= p.most:
		return nil, crowded(argument, "All %d places for calls that wait are taken.", p.most)
	case p.by[who] >= p.share():
		return nil, crowded(argument, "You have %d calls waiting, which is as many as one caller may have.", p.by[who])
	}
	p.all++
	p.by[who]++
	return func() { p.leave(who) }, nil
}

func (p *parking) leave(who nexus.Actor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.by[who]--; p.by[who] == 0 {
		delete(p.by, who)
	}
}

func (p *parking) share() int { return max(1, p.most*3/4) }

func (p *parking) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

func crowded(argument, format string, args ...any) *nexus.Error {
	e := nexus.Errorf(nexus.RateLimited, format, args...)
	e.Msg += " Call again with " + argument + "=0, or later."
	return e.With("limit", "waiters").With("retry_after_seconds", 1)
}
