package serve

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"nexus"
	"nexus/op"
)

// socketWords is the largest message a client may send. None of them means
// anything to us.
const socketWords = 4 << 10

// isUpgrade tells whether a request asks for a WebSocket.
func isUpgrade(r *http.Request) bool {
	for _, value := range r.Header["Upgrade"] {
		for part := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(part), "websocket") {
				return true
			}
		}
	}
	return false
}

// followOnSocket sends the same events over a WebSocket, a message each.
func (s *Server) followOnSocket(w http.ResponseWriter, r *http.Request, reader *streamReader, missed *gap) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the guard has looked at the origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return // the client was told
	}
	defer func() { _ = conn.CloseNow() }()
	ctx := ignoreWords(r.Context(), conn)
	out := &socketOutlet{ctx: ctx, conn: conn, patience: s.feed.times.patience}
	reader.out = out
	if missed != nil {
		err = out.gap(*missed)
	}
	if err = reader.sent(err); err == nil {
		err = reader.follow(ctx)
	}
	s.endStream(r.Context(), err)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		_ = conn.Close(websocket.StatusGoingAway, "the hub is stopping: come back with the last id")
	case nexus.CodeOf(err) == nexus.AuthFailed:
		_ = conn.Close(websocket.StatusPolicyViolation, "the key or the sign-in is no longer good")
	}
}

// ignoreWords reads what the client sends and forgets it. The context ends with
// the connection, or when the client sends too much at a time.
func ignoreWords(ctx context.Context, conn *websocket.Conn) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	conn.SetReadLimit(socketWords)
	go func() { // ends with the connection, which the caller closes
		defer cancel()
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
		}
	}()
	return ctx
}

// A socketOutlet sends messages {"id":N,"event":"nexus","data":{…}}.
type socketOutlet struct {
	ctx      context.Context // of the connection
	conn     *websocket.Conn
	patience time.Duration
	buffer   []byte
}

func (o *socketOutlet) write(b *block, frames []frame) error {
	ctx, cancel := context.WithTimeout(o.ctx, o.patience)
	defer cancel()
	for i := range frames {
		f := &frames[i]
		o.buffer = fmt.Appendf(o.buffer[:0], `{"id":%d,"event":"nexus","data":`, f.event.ID)
		o.buffer = append(append(o.buffer, b.json(f)...), '}')
		if err := o.conn.Write(ctx, websocket.MessageText, o.buffer); err != nil {
			return err
		}
	}
	if cap(o.buffer) > streamPiece {
		o.buffer = nil // one large event must not make every reader large
	}
	return nil
}

func (o *socketOutlet) gap(g gap) error {
	data, _ := op.Marshal(g) // numbers and text always marshal
	return o.say(fmt.Appendf(nil, `{"id":%d,"event":"gap","data":%s}`, g.ResumesAt-1, data))
}

// ping is a message: a page in a browser does not see the protocol's own pings.
func (o *socketOutlet) ping(upTo int64) error {
	return o.say(fmt.Appendf(nil, `{"id":%d,"event":"ping"}`, upTo))
}

func (o *socketOutlet) say(b []byte) error {
	ctx, cancel := context.WithTimeout(o.ctx, o.patience)
	defer cancel()
	return o.conn.Write(ctx, websocket.MessageText, b)
}

func (o *socketOutlet) flush() error { return nil }
