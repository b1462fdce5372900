package serve_test

import (
	"bufio"
	"net"
	"runtime"
	"strings"
	"testing"

	"nexus/serve"
	"nexus/store/storetest"
)

// Thousands of clients that hear nothing cost little more than their
// connections, and hear what happens then.
func TestStreamIdleReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("opens thousands of connections")
	}
	const streams = 5000
	h := startLogHub(t, storetest.SQLite(t), serve.Options{})
	h.follow(t, "", "").close()
	before := memoryTaken(t)
	conns := make([]net.Conn, 0, streams)
	t.Cleanup(func() {
		for _, c := range conns {
			_ = c.Close()
		}
	})
	for range streams {
		c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		if _, err := c.Write([]byte("GET /api/v1/stream HTTP/1.1\r\nHost: " + c.RemoteAddr().String() + "\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		readUntil(t, c, "retry: 2000")
	}
	const most = 48 << 10 // both ends of the connection included
	each := (memoryTaken(t) - before) / streams
	t.Logf("%d bytes for each stream", each)
	if each > most {
		t.Errorf("a stream takes %d bytes, want at most %d", each, most)
	}
	addMany(t, h.db, 1)
	for _, c := range conns {
		readUntil(t, c, "id: 1\n")
	}
}

// memoryTaken is what the heap and the stacks take.
func memoryTaken(t *testing.T) uint64 {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func readUntil(t *testing.T, c net.Conn, want string) {
	t.Helper()
	in := bufio.NewReaderSize(c, 1024)
	var seen strings.Builder
	for !strings.Contains(seen.String(), want) {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, seen.String())
		}
		seen.WriteString(line)
	}
}
