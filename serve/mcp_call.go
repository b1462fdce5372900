package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"

	"nexus"
	"nexus/op"
)

func (m *MCP) callTool(ctx context.Context, x *exchange, r *request, buf []byte) reply {
	if r.tool == nil {
		return refuse(buf, r.id, x.tools.unknown(r.name))
	}
	a, wanted := m.perform(ctx, x, r)
	if !wanted {
		return reply{silent: true}
	}
	return reply{body: x.tools.appendCall(buf, r, a)}
}

func (t *toolset) unknown(name string) *fault {
	const longest = 128 // of a name worth comparing and repeating
	if len(name) > longest {
		return invalidParams("There is no tool with such a long name.")
	}
	msg := "There is no tool " + strconv.Quote(name) + "."
	if near := nexus.Nearest(name, t.names); near != "" {
		msg += " Did you mean " + strconv.Quote(near) + "?"
	}
	return invalidParams(msg)
}

// perform runs the operation of a tools/call. It is not wanted any more when the
// client cancelled it or went away while it waited. A call that may change
// something is never stopped halfway because its client went away.
func (m *MCP) perform(ctx context.Context, x *exchange, r *request) (a op.Answer, wanted bool) {
	ctx = r.meta.within(ctx)
	if r.waits {
		return m.park(ctx, x, r)
	}
	if x.finish || r.tool.Effect != op.Read {
		ctx = context.WithoutCancel(ctx)
	}
	return m.run(ctx, r.tool, r.arguments), true
}

// park runs an operation that waits. A hub that stops ends the wait, which then
// answers as if its time were up.
func (m *MCP) park(ctx context.Context, x *exchange, r *request) (a op.Answer, wanted bool) {
	if x.waiters != nil {
		if !x.waiters.enter() {
			return r.tool.Family.Answer(nil, nexus.Errorf(nexus.RateLimited,
				"You have %d calls waiting, which is as many as one connection may have.", cap(x.waiters))), true
		}
		defer x.waiters.leave()
	}
	ctx, f := m.flights.start(ctx, x.conn, r.id)
	defer f.leave()
	if x.stopping != nil {
		detach := context.AfterFunc(x.stopping, func() { f.end(nexus.ErrStopping) })
		defer detach()
	}
	a = m.run(ctx, r.tool, r.arguments)
	cause := context.Cause(ctx)
	return a, cause == nil || errors.Is(cause, nexus.ErrStopping)
}

// run calls an operation. A panic costs its caller the answer and nobody else
// anything.
func (m *MCP) run(ctx context.Context, o *op.Op, arguments json.RawMessage) (a op.Answer) {
	defer func() {
		if p := recover(); p != nil {
			m.log.ErrorContext(ctx, "an operation panicked", "op", o.Name, "panic", p, "stack", string(debug.Stack()))
			a = o.Family.Answer(nil, fmt.Errorf("panic: %v", p))
		}
	}()
	if o.Family == op.Topics {
		return m.runTopic(ctx, o, arguments)
	}
	return m.call(ctx, o, arguments)
}

// appendCall writes the result of tools/call: the answer as structured content
// and as the text that a model reads, which is the same unless it has its own.
func (t *toolset) appendCall(b []byte, r *request, a op.Answer) []byte {
	body := oneLine(a.Body)
	b = slices.Grow(b, 2*len(body)+len(body)/4+len(a.Text)+len(t.head)+len(r.id)+160)
	b = append(openResult(b, r.id), '{')
	if r.modern {
		b = append(append(b, t.head...), ',')
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	if a.Text != "" {
		b = append(appendQuoted(b, a.Text), `}]`...)
	} else {
		b = append(appendQuoted(b, body), `}]`...)
	}
	if isObject(body) {
		b = append(append(b, `,"structuredContent":`...), body...)
	}
	if a.IsError {
		b = append(b, `,"isError":true`...)
	}
	return append(b, `}}`...)
}

// readBatch reads an array of messages that is valid JSON.
func (t *toolset) readBatch(array []byte) ([]*request, *fault) {
	const most = 100
	var batch []*request
	for raw := range elements(array) {
		if len(batch) == most {
			return nil, invalidRequest("A batch holds at most " + strconv.Itoa(most) + " messages.")
		}
		batch = append(batch, t.read(raw))
	}
	if len(batch) == 0 {
		return nil, invalidRequest("The batch is empty.")
	}
	return batch, nil
}

// answerBatch answers the messages in the order given, except that calls that
// wait do so beside the others.
func (m *MCP) answerBatch(ctx context.Context, x *exchange, batch []*request) reply {
	replies := make([]reply, len(batch))
	var waits sync.WaitGroup
	for i, r := range batch {
		switch {
		case r.unanswered():
			m.notice(x, r)
			replies[i].silent = true
		case r.waits:
			waits.Go(func() { replies[i] = m.answer(ctx, x, r, nil) })
		default:
			replies[i] = m.answer(ctx, x, r, nil)
		}
	}
	waits.Wait()
	return joined(replies)
}

// joined is the one reply to a batch, silent when there is nothing to say.
func joined(replies []reply) reply {
	var b []byte
	for _, r := range replies {
		if r.silent {
			continue
		}
		b = append(append(b, ','), r.body...)
	}
	if b == nil {
		return reply{silent: true}
	}
	b[0] = '['
	return reply{body: append(b, ']')}
}

// isObject tells whether an answer may be structured content, which older
// clients want to be an object.
func isObject(body []byte) bool { return len(body) > 0 && body[0] == '{' }

// oneLine is an answer without line breaks, which would end a message on stdio.
func oneLine(body []byte) []byte {
	if bytes.IndexByte(body, '\n') < 0 {
		return body
	}
	var b bytes.Buffer
	if json.Compact(&b, body) != nil {
		return nil
	}
	return b.Bytes()
}
