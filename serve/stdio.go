package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nexus"
	"nexus/op"
)

const (
	// maxLine is the longest line that stdio takes. What is too long for an
	// operation, the operation says.
	maxLine = 64 << 20
	// stdioCalls and stdioWaits bound the calls of one client that are under way and
	// that wait at the same time.
	stdioCalls = 64
	stdioWaits = 256
	// settleTime is how long calls that have begun may take to finish after the
	// end of input. Clients send SIGTERM after two seconds or more.
	settleTime = 2 * time.Second
)

// errInputEnded ends the waits of a client that said its last word. They are not
// answered: a client that closes with a wait in flight has given it up, and one
// of them breaks on an answer that it did not expect any more.
var errInputEnded = errors.New("the input ended")

// ServeStdio answers MCP on in and out, one JSON text a line, until in ends or
// ctx is done, and returns nil then. Calls run one after another, as they came, so
// that each finds what those before it did; one that waits stops nobody. At the
// end waits are given up; other calls that have begun finish,
// if they do so soon, and are answered. An error of out ends it too and is
// returned. When it returns early, the reading of in ends with its next line.
func (m *MCP) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, profile string) error {
	tools := m.profiles[profile]
	if tools == nil {
		return nexus.Errorf(nexus.ConfigError, "unknown profile %q; known: %s", profile, strings.Join(op.Profiles(), ", "))
	}
	actor := nexus.ActorFrom(ctx)
	if actor.Conn == "" {
		actor.Conn = rand.Text()
	}
	s := &stdioServer{
		mcp: m, out: out, running: make(chan struct{}, stdioCalls), broken: make(chan struct{}), changed: make(chan struct{}, 1),
		last: make(chan struct{}),
	}
	close(s.last)
	s.exchange = exchange{tools: tools, conn: actor.Conn, memory: s, waiters: make(slots, stdioWaits), finish: true}
	calls, end := context.WithCancelCause(withMemory(nexus.WithActor(context.WithoutCancel(ctx), actor), s))
	if m.announces(tools) {
		s.calls.Go(func() { s.tellMail(calls) })
	}
	lines, stopReading := readLines(in)
	defer stopReading()
	s.serve(ctx, calls, lines)
	end(errInputEnded)
	s.settle()
	return s.failure()
}

// slots caps the waiting calls of one stdio client.
type slots chan struct{}

func (s slots) enter() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) leave() { <-s }

// A stdioServer is the conversation with one client.
type stdioServer struct {
	exchange exchange
	mcp      *MCP
	running  chan struct{} // a place for each call that is under way
	last     chan struct{} // closed when the last call that came is done; the reader's own
	calls    sync.WaitGroup
	changed  chan struct{} // has a value when the state changed

	mu     sync.Mutex
	out    io.Writer
	err    error         // of out
	broken chan struct{} // closed with err
	state  sessionState
}

// serve takes lines until there are no more, until is done, or out is broken.
func (s *stdioServer) serve(until, calls context.Context, lines <-chan line) {
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return
			}
			s.take(until, calls, l)
		case <-until.Done():
			return
		case <-s.broken:
			return
		}
	}
}

// take starts the work that a line asks for.
func (s *stdioServer) take(until, calls context.Context, l line) {
	if f := l.check(); f != nil {
		s.write(refuse(nil, nil, f))
		return
	}
	text := bytes.TrimSpace(l.text)
	if text[0] == '[' {
		s.takeBatch(until, calls, text)
		return
	}
	r := s.exchange.tools.read(text)
	switch {
	case r.unanswered():
		s.mcp.notice(&s.exchange, r)
	case r.method == "initialize":
		s.write(s.mcp.answer(calls, &s.exchange, r, nil)) // before whatever follows it
	case r.method == "subscriptions/listen" && r.check() == nil:
		ctx, f := s.mcp.flights.start(calls, s.exchange.conn, r.id)
		s.start(until, true, func() reply {
			defer f.leave()
			return s.attend(ctx, r)
		})
	case r.waits: // in flight before the next line is read, which may cancel it
		ctx, f := s.mcp.flights.start(calls, s.exchange.conn, r.id)
		s.start(until, true, func() reply {
			defer f.leave()
			return s.mcp.answer(ctx, &s.exchange, r, nil)
		})
	default:
		s.start(until, false, func() reply { return s.mcp.answer(calls, &s.exchange, r, nil) })
	}
}

func (s *stdioServer) takeBatch(until, calls context.Context, array []byte) {
	batch, f := s.exchange.tools.readBatch(array)
	if f != nil {
		s.write(refuse(nil, nil, f))
		return
	}
	waits := slices.ContainsFunc(batch, func(r *request) bool { return r.waits })
	s.start(until, waits, func() reply { return s.mcp.answerBatch(calls, &s.exchange, batch) })
}

// start runs a call when those before it are done. When too many have come it
// waits for a place, which keeps the client from sending more. Calls that wait need
// no place, and nobody is behind them: what they need is counted where they wait.
func (s *stdioServer) start(until context.Context, waits bool, call func() reply) {
	before := s.last
	if waits {
		s.calls.Go(func() { <-before; s.write(call()) })
		return
	}
	select {
	case s.running <- struct{}{}:
	case <-until.Done():
		return
	case <-s.broken:
		return
	}
	done := make(chan struct{})
	s.last = done
	s.calls.Go(func() {
		defer func() { close(done); <-s.running }()
		<-before
		s.write(call())
	})
}

// write sends a reply as one line. A reply is written whole or not at all.
func (s *stdioServer) write(r reply) {
	if r.silent {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	b := r.body
	if r.note != nil {
		b = append(append(bytes.Clone(r.note), '\n'), b...)
	}
	if _, err := s.out.Write(append(b, '\n')); err != nil {
		s.err = fmt.Errorf("write to the client: %w", err)
		close(s.broken)
	}
}

// settle waits for the calls that have begun.
func (s *stdioServer) settle() {
	done := make(chan struct{})
	go func() { // ends with the last call
		s.calls.Wait()
		close(done)
	}()
	late := time.NewTimer(settleTime)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	case <-s.broken:
	}
}

func (s *stdioServer) failure() error {
	select {
	case <-s.broken:
		return s.err // written before broken was closed
	default:
		return nil
	}
}

func (s *stdioServer) begin(ctx context.Context, version string) error {
	return s.remember(ctx, func(state *sessionState) { *state = sessionState{Version: version} })
}

func (s *stdioServer) remember(_ context.Context, change func(*sessionState)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

func (s *stdioServer) joined(context.Context, bool) []nexus.Membership {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Joined
}

// A line is one line of input that is not blank.
type line struct {
	text    []byte
	tooLong bool
}

func (l line) check() *fault {
	if l.tooLong {
		return invalidRequest(string(nexus.ContentTooLarge) + ": a line holds at most " + strconv.Itoa(maxLine) + " bytes.")
	}
	return checkJSON(l.text)
}

// readLines reads in the background until in ends. After stop it ends with the
// next line; it cannot end sooner, since nothing interrupts a read.
func readLines(in io.Reader) (_ <-chan line, stop func()) {
	lines, stopped := make(chan line), make(chan struct{})
	go func() {
		defer close(lines)
		for b := bufio.NewReaderSize(in, 64<<10); ; {
			l, err := readLine(b)
			if l.tooLong || len(bytes.TrimSpace(l.text)) > 0 {
				select {
				case lines <- l:
				case <-stopped:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines, sync.OnceFunc(func() { close(stopped) })
}

// readLine reads up to the next line break. Of a line that is too long it keeps
// nothing. The last line needs no break.
func readLine(b *bufio.Reader) (l line, err error) {
	for {
		part, err := b.ReadSlice('\n')
		if len(l.text)+len(part) > maxLine {
			l.text, l.tooLong = nil, true
		}
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}
