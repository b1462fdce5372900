package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus/op"
)

// The benchmarks compare our handler with one that reads the same request and
// writes the same bytes, in the same run, over the same number of connections.
// The figure that counts is the ratio of their rates; 1 is the machine's limit.

const benchConns = 16

func BenchmarkToolsCallHTTP(b *testing.B) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		b.Run(version, func(b *testing.B) {
			body, headers := callMessage(version, "7", "info", `{}`)
			benchRatio(b, body, headers...)
		})
	}
}

func BenchmarkToolsListHTTP(b *testing.B) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		b.Run(version, func(b *testing.B) {
			params, headers := "{}", []string{headerVersion, version}
			if version == "2026-07-28" {
				params, headers = "{"+modernMeta+"}", modernHeaders("tools/list", "")
			}
			benchRatio(b, `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":`+params+`}`, headers...)
		})
	}
}

// BenchmarkToolsCallCore is the protocol alone: bytes in, bytes out.
func BenchmarkToolsCallCore(b *testing.B) {
	m := benchMCP(b)
	x := &exchange{tools: m.profiles[op.ProfileAll]}
	body, _ := callMessage("2025-11-25", "7", "info", `{}`)
	var buf []byte
	for b.Loop() {
		if checkJSON([]byte(body)) != nil {
			b.Fatal("no JSON")
		}
		buf = m.answer(b.Context(), x, x.tools.read([]byte(body)), buf[:0]).body
	}
}

type benchInfo struct {
	Version   string `json:"package_version"`
	Schema    int    `json:"schema_version"`
	Surface   int    `json:"surface_revision"`
	Python    string `json:"runtime"`
	TrustMode string `json:"trust_mode"`
	Home      string `json:"home"`
}

// benchMCP has a catalogue as large as the bus.
func benchMCP(b *testing.B) *MCP {
	b.Helper()
	info := benchInfo{"1.2.3", 1, 1, "go1.26", "open", "/home/somebody/.nexus"}
	ops := []*op.Op{op.Define(op.Info{Name: "info", Doc: "Versions.", Effect: op.Read, Family: op.Bus},
		func(context.Context, struct{}) (benchInfo, error) { return info, nil })}
	y := newToy()
	for i := range 24 {
		ops = append(ops, op.Define(op.Info{
			Name: "tool_" + strconv.Itoa(i), Title: "A tool", Effect: op.Write, Family: op.Bus,
			Doc: strings.Repeat("What it does and when to use it. ", 8),
		}, y.Echo))
	}
	c, err := op.NewCatalogue(ops...)
	if err != nil {
		b.Fatal(err)
	}
	return NewMCP(c, callHere, nil, "1.2.3", slog.New(slog.DiscardHandler))
}

func benchRatio(b *testing.B, body string, headers ...string) {
	m, sessions := benchMCP(b), &memSessions{}
	handler := asAgent(m.Handler(sessions, HTTPOptions{}))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, newMCPRequest(b.Context(), "POST", "/mcp", body, headers...))
	answer := w.Body.Bytes()
	if w.Code != 200 || rpcError(b, answer) != 0 {
		b.Fatalf("%d %s", w.Code, answer)
	}
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	})
	request := rawRequest(body, headers...)
	var ours, base time.Duration
	const rounds = 8 // by turns, so that both see the same machine
	n := max(b.N/rounds/benchConns, 1)
	b.ResetTimer()
	for range rounds {
		base += hammer(b, echo, request, n)
		ours += hammer(b, handler, request, n)
	}
	b.ReportMetric(base.Seconds()/ours.Seconds(), "ratio")
	b.ReportMetric(float64(n*rounds*benchConns)/ours.Seconds(), "calls/s")
	b.ReportMetric(float64(n*rounds*benchConns)/base.Seconds(), "echoes/s")
	b.ReportMetric(float64(len(answer)), "bytes")
}

func rawRequest(body string, headers ...string) []byte {
	h := http.Header{}
	setMCPHeaders(h, headers...)
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n", len(body))
	_ = h.Write(&b)
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

// hammer sends n requests over each connection and returns the time it took. Its
// client does next to nothing, so that the server is what is measured.
func hammer(b *testing.B, h http.Handler, request []byte, n int) time.Duration {
	b.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	var conns []net.Conn
	for range benchConns {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	began := time.Now()
	var all sync.WaitGroup
	for _, c := range conns {
		all.Go(func() {
			r := bufio.NewReaderSize(c, 64<<10)
			for range n {
				if err := roundTrip(c, r, request); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

func roundTrip(c net.Conn, r *bufio.Reader, request []byte) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	length := 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
		if len(line) == 2 {
			break
		}
	}
	_, err := r.Discard(length)
	return err
}
