package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"nexus"
	"nexus/op"
)

// A pipeline is a stdio server on a toy and the client's ends of its pipes.
type pipeline struct {
	t    *testing.T
	toy  *toy
	in   *io.PipeWriter
	out  *bufio.Reader
	stop context.CancelFunc
	done chan error
}

func newPipeline(t *testing.T) *pipeline {
	t.Helper()
	y := newToy()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(nexus.WithActor(t.Context(), nexus.Actor{Kind: nexus.KindProcess}))
	p := &pipeline{t, y, inW, bufio.NewReaderSize(outR, 1<<20), stop, make(chan error, 1)}
	m := y.mcp(t)
	go func() {
		err := m.ServeStdio(ctx, inR, outW, op.ProfileAll)
		outW.Close()
		p.done <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		stop()
	})
	return p
}

func (p *pipeline) send(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.in, l+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *pipeline) receive() string {
	p.t.Helper()
	l, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%q, %v", l, err)
	}
	return strings.TrimSuffix(l, "\n")
}

// end closes the input and returns what was still answered.
func (p *pipeline) end() string {
	p.t.Helper()
	p.in.Close()
	rest := readAll(p.t, p.out)
	if err := <-p.done; err != nil {
		p.t.Errorf("ended with %v", err)
	}
	return rest
}

const pong = `{"jsonrpc":"2.0","id":1,"result":{}}`

func TestStdioLines(t *testing.T) {
	const notJSON = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The message is not valid JSON."}}`
	tests := []struct{ name, in, want string }{
		{"a message", pingMessage, pong},
		{"a carriage return", pingMessage + "\r", pong},
		{"spaces around", "  \t" + pingMessage + "  ", pong},
		{"no JSON", `hello`, notJSON},
		{"half a message", pingMessage[:20], notJSON},
		{"two messages", pingMessage + pingMessage, notJSON},
		{"no UTF-8", "{\"a\":\"\xff\"}", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The message is not UTF-8."}}`},
		{"no message", `42`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A message must be a JSON object."}}`},
		{"an unknown method", `{"jsonrpc":"2.0","id":"x","method":"a/b"}`, `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"Method \"a/b\" is not known."}}`},
		{"a batch", `[` + pingMessage + `,{"jsonrpc":"2.0","method":"x"}]`, `[` + pong + `]`},
		{"an empty batch", `[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The batch is empty."}}`},
	}
	p := newPipeline(t)
	for _, tt := range tests {
		p.send("", "  ", tt.in)
		if got := p.receive(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/strange"}`, `{"jsonrpc":"2.0","id":9,"result":{}}`)
	if rest := p.end(); rest != "" {
		t.Errorf("unasked: %s", rest)
	}
}

func TestStdioCallBeforeInitialize(t *testing.T) {
	p := newPipeline(t)
	for _, version := range allVersions {
		body, _ := callMessage(version, "1", "echo", `{"text":"first"}`)
		p.send(body)
		if got := p.receive(); !strings.Contains(got, `"data":{"text":"first"}`) || strings.Contains(got, "resultType") != (version == "2026-07-28") {
			t.Errorf("%s: got %s", version, got)
		}
	}
	p.end()
}

func TestStdioHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 100 MB")
	}
	p := newPipeline(t)
	go func() {
		fmt.Fprint(p.in, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`)
		for range maxLine >> 20 {
			fmt.Fprint(p.in, strings.Repeat("x", 1<<20))
		}
		fmt.Fprint(p.in, "\"}}\n"+pingMessage+"\n")
	}()
	if got := p.receive(); rpcError(t, []byte(got)) != mcpInvalidRequest || !strings.Contains(got, "CONTENT_TOO_LARGE") {
		t.Errorf("got %s", got)
	}
	if got := p.receive(); got != pong {
		t.Errorf("after it: got %s", got)
	}
	body, _ := callMessage("2025-11-25", "2", "echo", `{"text":"`+strings.Repeat("y", 20<<20)+`"}`)
	go fmt.Fprintln(p.in, body)
	if got := p.receive(); len(got) < 40<<20 || !strings.HasSuffix(got, `"}}}}`) {
		t.Errorf("20 MiB: got %d bytes", len(got))
	}
	p.end()
}

func TestStdioWaitBlocksNobody(t *testing.T) {
	p := newPipeline(t)
	wait, _ := callMessage("2025-11-25", `"w"`, "wait", `{"timeout_seconds":30}`)
	p.send(wait)
	<-p.toy.parked
	p.send(pingMessage)
	if got := p.receive(); got != pong {
		t.Errorf("got %s", got)
	}
	p.toy.release <- struct{}{}
	if got := p.receive(); !strings.Contains(got, `"id":"w"`) || !strings.Contains(got, `"found":true`) {
		t.Errorf("got %s", got)
	}
	p.end()
}

func TestStdioCancel(t *testing.T) {
	p := newPipeline(t)
	for _, version := range allVersions {
		wait, _ := callMessage(version, `7`, "wait", `{"timeout_seconds":30}`)
		p.send(wait)
		<-p.toy.parked
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, pingMessage)
		if got := p.receive(); got != pong {
			t.Errorf("%s: the cancelled call was answered: %s", version, got)
		}
	}
	if rest := p.end(); rest != "" {
		t.Errorf("late: %s", rest)
	}
}

// At the end of input a wait is given up in silence, and the process is free to
// go.
func TestStdioEndDuringWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t)
		wait, _ := callMessage("2025-11-25", `1`, "wait", `{"timeout_seconds":30}`)
		p.send(wait)
		<-p.toy.parked
		began := time.Now()
		if rest := p.end(); rest != "" {
			t.Errorf("got %q", rest)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the end took %v", took)
		}
	})
}

// Whoever pipes a few messages in gets their answers out, one after the other.
func TestStdioEndAfterCalls(t *testing.T) {
	y := newToy()
	var in, out strings.Builder
	for i := range 200 {
		body, _ := callMessage("2025-11-25", fmt.Sprint(i), []string{"echo", "wait"}[i%2], `{}`)
		in.WriteString(body + "\n")
	}
	if err := y.mcp(t).ServeStdio(t.Context(), strings.NewReader(strings.TrimSpace(in.String())), &out, op.ProfileAll); err != nil {
		t.Fatal(err)
	}
	next := 0
	for l := range strings.Lines(out.String()) {
		var answer struct{ ID json.Number }
		if err := json.Unmarshal([]byte(l), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID.String() != fmt.Sprint(next) {
			t.Fatalf("call %s was answered before call %d", answer.ID, next)
		}
		next++
	}
	if next != 200 {
		t.Errorf("%d of 200 calls were answered", next)
	}
}

func TestStdioEndLetsWritesFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t)
		slow, _ := callMessage("2025-11-25", `1`, "slow", `{}`)
		p.send(slow)
		<-p.toy.begun
		p.in.Close()
		synctest.Wait()
		close(p.toy.finish)
		if err := <-p.toy.ended; err != nil {
			t.Errorf("the write was stopped: %v", err)
		}
		if rest := p.end(); !strings.Contains(rest, `"ok":true`) {
			t.Errorf("got %q", rest)
		}
	})
}

func TestStdioEndDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeline(t)
		slow, _ := callMessage("2025-11-25", `1`, "slow", `{}`)
		p.send(slow)
		<-p.toy.begun
		began := time.Now()
		p.in.Close()
		if err := <-p.done; err != nil || time.Since(began) != settleTime {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		close(p.toy.finish)
		<-p.toy.ended
	})
}

func TestStdioStop(t *testing.T) {
	p := newPipeline(t)
	wait, _ := callMessage("2025-11-25", `1`, "wait", `{"timeout_seconds":30}`)
	p.send(wait)
	<-p.toy.parked
	p.stop()
	if rest := readAll(t, p.out); rest != "" {
		t.Errorf("got %q", rest)
	}
	if err := <-p.done; err != nil {
		t.Errorf("ended with %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestStdioBrokenOutput(t *testing.T) {
	inR, inW := io.Pipe()
	defer inW.Close()
	go io.WriteString(inW, pingMessage+"\n")
	err := newToy().mcp(t).ServeStdio(t.Context(), inR, brokenWriter{}, op.ProfileAll)
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("ended with %v", err)
	}
}

func TestStdioProfile(t *testing.T) {
	m := newToy().mcp(t)
	var out strings.Builder
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err := m.ServeStdio(t.Context(), in, &out, op.ProfileTopics); err != nil || strings.Count(out.String(), "inputSchema") != 2 {
		t.Errorf("got %s, %v", out.String(), err)
	}
	if err := m.ServeStdio(t.Context(), in, &out, "tropics"); nexus.CodeOf(err) != nexus.ConfigError {
		t.Errorf("an unknown profile: %v", err)
	}
}

func TestStdioConnection(t *testing.T) {
	conns := map[string]bool{}
	for _, given := range []string{"", "", "hub-7"} {
		var out strings.Builder
		ctx := nexus.WithActor(t.Context(), nexus.Actor{Kind: nexus.KindProcess, Conn: given})
		body, _ := callMessage("2025-11-25", "1", "who", `{}`)
		if err := newToy().mcp(t).ServeStdio(ctx, strings.NewReader(body+"\n"+body), &out, op.ProfileAll); err != nil {
			t.Fatal(err)
		}
		one := map[string]bool{}
		for l := range strings.Lines(out.String()) {
			_, rest, _ := strings.Cut(l, `"conn":"`)
			conn, _, _ := strings.Cut(rest, `"`)
			one[conn], conns[conn] = true, true
		}
		if len(one) != 1 || given != "" && !one[given] {
			t.Errorf("given %q: got %v", given, one)
		}
	}
	if len(conns) != 3 || conns[""] {
		t.Errorf("got %v", conns)
	}
}

func TestStdioWaitersCap(t *testing.T) {
	p := newPipeline(t)
	for i := range stdioWaits {
		wait, _ := callMessage("2025-11-25", fmt.Sprint(i), "wait", `{"timeout_seconds":30}`)
		p.send(wait)
		<-p.toy.parked
	}
	wait, _ := callMessage("2025-11-25", `"last"`, "wait", `{"timeout_seconds":30}`)
	p.send(wait)
	if got := p.receive(); !strings.Contains(got, `"id":"last"`) || !strings.Contains(got, string(nexus.RateLimited)) {
		t.Errorf("got %s", got)
	}
	p.send(pingMessage)
	if got := p.receive(); got != pong {
		t.Errorf("got %s", got)
	}
	p.end()
}

func TestStdioListenIsAcknowledged(t *testing.T) {
	p := newPipeline(t)
	p.send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`)
	want := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{}}}`
	if diff := gocmp.Diff(p.receive(), want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	if got := p.receive(); !strings.Contains(got, `"id":"s","result"`) {
		t.Errorf("got %s", got)
	}
	p.end()
}

func TestSDKClientOverStdio(t *testing.T) {
	for _, version := range allVersions {
		t.Run(version, func(t *testing.T) {
			y := newToy()
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			done := make(chan error, 1)
			m := y.mcp(t)
			go func() { done <- m.ServeStdio(t.Context(), inR, outW, op.ProfileAll) }()
			client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: outR, Writer: inW}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			useSession(t, session, version)
			cancelCall(t, y, session)
			_ = session.Close()
			if err := <-done; err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// cancelCall gives up a wait, as a client does whose user loses patience.
func cancelCall(t *testing.T, y *toy, session *sdk.ClientSession) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "wait", Arguments: map[string]any{"timeout_seconds": 40}})
		failed <- err
	}()
	<-y.parked
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "still here"}}); err != nil {
		t.Error(err)
	}
}
