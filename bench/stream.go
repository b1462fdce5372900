package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nexus"
	"nexus/store"
)

func streamBenchmarks() []benchmark {
	return []benchmark{
		{"1,000 stream readers, events/s × readers", "≥ 0.5", streaming},
	}
}

const (
	streamReaders = 1000
	streamBurst   = 100 // events of one commit; all readers must have them before the next
	// streamMark is in each event once and nowhere else, so that readers count
	// events without looking for more than one byte.
	streamMark = '~'
)

// streaming commits bursts of events and counts how many arrive at the readers;
// the commit is part of what is measured. The baseline writes the same bytes to
// as many connections, a burst with one write, and keeps nothing.
func streaming() (result, error) {
	return withSite(0, func(h *hub, ours site) (result, error) {
		address, err := url.Parse(ours.url)
		if err != nil {
			return result{}, err
		}
		frames, err := h.captureBurst(address)
		if err != nil {
			return result{}, err
		}
		base, err := bareStreaming(frames)
		if err != nil {
			return result{}, err
		}
		mine, err := fanOut(address.Host, "/api/v1/stream?from=end&"+address.RawQuery, h.burst)
		return rates(mine, base), err
	})
}

// burst commits events.
func (h *hub) burst() error {
	_, err := h.db.Update(context.Background(), func(tx *store.Tx) (any, error) {
		for range streamBurst {
			err := tx.AppendEvent(&nexus.Event{
				Stream: nexus.StreamSystem, Type: "message.created" + string(streamMark), Actor: agentName(1), CreatedAt: nexus.Stamp(time.Now()),
				Payload: []byte(`{"message_id":"msg_0197f0c58e6b7d5c8a9b0c1d2e3f4a5b","from_agent_id":"agent-1","subject":"Review the parser"}`),
			})
			if err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	return err
}

// captureBurst is a burst as it looks on the wire.
func (h *hub) captureBurst(address *url.URL) ([]byte, error) {
	resp, err := http.Get("http://" + address.Host + "/api/v1/stream?from=end&" + address.RawQuery)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := h.burst(); err != nil {
		return nil, err
	}
	var frames bytes.Buffer
	in := bufio.NewReader(resp.Body)
	for n := 0; n < streamBurst || !bytes.HasSuffix(frames.Bytes(), []byte("\n\n")); {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		frames.Write(line)
		n += bytes.Count(line, []byte{streamMark})
	}
	return frames.Bytes(), nil
}

// bareStreaming is the baseline: a loop that waits, writes and flushes.
func bareStreaming(frames []byte) (float64, error) {
	var round atomic.Pointer[chan struct{}]
	begin := func() {
		next := make(chan struct{})
		if old := round.Swap(&next); old != nil {
			close(*old)
		}
	}
	begin()
	s, err := serveHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next := round.Load()
		_, _ = w.Write([]byte("\n: hello\n\n"))
		for http.NewResponseController(w).Flush() == nil {
			select {
			case <-*next:
			case <-r.Context().Done():
				return
			}
			next = round.Load()
			_, _ = w.Write(frames)
		}
	}))
	if err != nil {
		return 0, err
	}
	defer s.close()
	return fanOut(strings.Trim(strings.TrimPrefix(s.url, "http://"), "/"), "/", func() error { begin(); return nil })
}

// fanOut opens the streams and has bursts written until the time is up. It
// returns how many events a second arrived, at all readers together.
func fanOut(host, path string, burst func() error) (float64, error) {
	c := &crowd{arrived: make(chan struct{}, 1)}
	defer c.leave()
	for range streamReaders {
		if err := c.join(host, path); err != nil {
			return 0, err
		}
	}
	start, bursts := time.Now(), 0
	for ; time.Since(start) < *duration; bursts++ {
		c.due.Store(int64(bursts+1) * streamBurst * streamReaders)
		if err := burst(); err != nil {
			return 0, err
		}
		select {
		case <-c.arrived:
		case <-time.After(30 * time.Second):
			return 0, fmt.Errorf("%d events arrived, not %d", c.got.Load(), c.due.Load())
		}
	}
	return float64(bursts*streamBurst*streamReaders) / time.Since(start).Seconds(), nil
}

// A crowd is the readers of a stream.
type crowd struct {
	conns    []net.Conn
	reading  sync.WaitGroup
	got, due atomic.Int64  // events, of all together
	arrived  chan struct{} // has a value when got has reached due
}

// join opens a stream and waits until it has begun.
func (c *crowd) join(host, path string) error {
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return err
	}
	c.conns = append(c.conns, conn)
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host); err != nil {
		return err
	}
	first := make([]byte, 4096)
	for seen := ""; !strings.Contains(seen, "\n: "); {
		n, err := conn.Read(first)
		if err != nil {
			return fmt.Errorf("%w after %q", err, seen)
		}
		seen += string(first[:n])
	}
	c.reading.Go(func() { c.read(conn) })
	return nil
}

func (c *crowd) read(conn net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		marks := int64(bytes.Count(buffer[:n], []byte{streamMark}))
		if marks > 0 && c.got.Add(marks) == c.due.Load() {
			c.arrived <- struct{}{}
		}
	}
}

func (c *crowd) leave() {
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.reading.Wait()
}
