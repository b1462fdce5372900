package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"nexus"
	"nexus/bus"
)

func wakeBenchmarks() []benchmark {
	return []benchmark{
		{"wake of a waiter in the same hub, p50", "≤ 3×", wakeInHub},
		{"wake across two processes, p50: the waiter is awake", "≤ 3×", func() (result, error) { return wakeAcross(roleWatcher) }},
		{"the same: it has read the event from the store", "–", func() (result, error) { return wakeAcross(roleWaiter) }},
	}
}

const wakes = 300

func p50(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// from says where the clock starts. Ours runs from the moment at which a send
// has returned, durably stored; the bare baselines store nothing, so theirs runs
// from the moment at which the hand-over begins. It stops when the waiter has
// what it waited for; one that was faster than the answer to the sender counts
// as a microsecond.
type from int

const (
	fromReturn from = iota
	fromStart
)

// measure sends and returns when the clock starts.
func (f from) measure(send func() error) (start time.Time, err error) {
	start = time.Now()
	err = send()
	if f == fromReturn {
		start = time.Now()
	}
	return start, err
}

func wake(start, woken time.Time) time.Duration {
	return max(woken.Sub(start), time.Microsecond)
}

// handOver measures wakes inside this process: wait is parked, then send sends.
func handOver(f from, wait func() error, parked func() bool, send func() error) (time.Duration, error) {
	var all []time.Duration
	for range wakes {
		got := make(chan time.Time, 1)
		failed := make(chan error, 1)
		go func() {
			if err := wait(); err != nil {
				failed <- err
				return
			}
			got <- time.Now()
		}()
		for !parked() {
			runtime.Gosched()
		}
		start, err := f.measure(send)
		if err != nil {
			return 0, err
		}
		select {
		case woken := <-got:
			all = append(all, wake(start, woken))
		case err := <-failed:
			return 0, err
		}
	}
	return p50(all), nil
}

func wakeInHub() (result, error) {
	return withSite(benchAgents, func(h *hub, s site) (result, error) {
		idle := h.db.Stats()["store_waiters"]
		var cursor int64
		wait := func() error {
			arguments := fmt.Sprintf(`{"project_root":%q,"agent_id":%q,"stream":"workspace","timeout_seconds":30,"cursor":%d}`, h.dir, agentName(1), cursor)
			var page bus.EventPage
			err := callTool(http.DefaultClient, s.url, "event_wait", json.RawMessage(arguments), &page)
			cursor = page.NextCursor
			return err
		}
		ours, err := handOver(fromReturn, wait,
			func() bool { return h.db.Stats()["store_waiters"] > idle },
			func() error {
				return callTool(http.DefaultClient, s.url, "message_create", h.message(0, benchAgents), &struct{}{})
			})
		if err != nil {
			return result{}, err
		}
		base, err := channelOverHTTP()
		return times(ours, base), err
	})
}

// channelOverHTTP is the baseline: one request waits for a value on a channel,
// another one sends it.
func channelOverHTTP() (time.Duration, error) {
	values, waiting := make(chan struct{}), make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/wait", func(w http.ResponseWriter, _ *http.Request) {
		waiting <- struct{}{}
		<-values
		_, _ = w.Write([]byte("{}"))
	})
	mux.HandleFunc("/send", func(w http.ResponseWriter, _ *http.Request) {
		values <- struct{}{}
		_, _ = w.Write([]byte("{}"))
	})
	s, err := serveHandler(mux)
	if err != nil {
		return 0, err
	}
	defer s.close()
	return handOver(fromStart,
		func() error { _, err := post(http.DefaultClient, s.url+"wait", "{}"); return err },
		func() bool {
			select {
			case <-waiting:
				return true
			default:
				return false
			}
		},
		func() error { _, err := post(http.DefaultClient, s.url+"send", "{}"); return err })
}

// The roles this program takes when it starts itself.
const (
	roleWaiter   = "nexus-bench-waiter"
	roleWatcher  = "nexus-bench-watcher"
	roleListener = "nexus-bench-listener"
)

// playRole is the other process of a measurement. It writes down when it heard
// something, a line each time.
func playRole(role string, arguments []string) error {
	switch role {
	case roleWaiter:
		return waitAndTell(arguments[0], arguments[1])
	case roleWatcher:
		return watchAndTell(arguments[0], arguments[1])
	case roleListener:
		return listenAndTell(arguments[0])
	}
	return errors.New("unknown role " + role)
}

func waitAndTell(url, root string) error {
	h, err := openHub(url)
	if err != nil {
		return err
	}
	defer h.stop()
	timeout, cursor := 30, int64(0)
	fmt.Println("ready")
	for {
		page, err := h.bus.WaitEvents(context.Background(), bus.WaitParams{
			ReadParams:     bus.ReadParams{ProjectRoot: root, AgentID: agentName(1), Stream: nexus.StreamWorkspace, Cursor: &cursor},
			TimeoutSeconds: &timeout,
		})
		if err != nil || page.TimedOut {
			return err
		}
		cursor = page.NextCursor
		fmt.Println(time.Now().UnixNano())
	}
}

// watchAndTell hears the doorbell and does nothing about it.
func watchAndTell(url, root string) error {
	h, err := openHub(url)
	if err != nil {
		return err
	}
	defer h.stop()
	workspace, err := h.bus.DefaultWorkspace(context.Background(), root)
	if err != nil {
		return err
	}
	ready, stop := h.db.Watch(nexus.LogKey(workspace, nexus.StreamWorkspace))
	defer stop()
	fmt.Println("ready")
	for range ready {
		fmt.Println(time.Now().UnixNano())
	}
	return nil
}

func listenAndTell(path string) error {
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	buffer := make([]byte, 1024)
	for {
		if _, err := socket.Read(buffer); err != nil {
			return err
		}
		fmt.Println(time.Now().UnixNano())
	}
}

// partner starts this program in a role and returns the lines it writes.
func partner(arguments ...string) (*bufio.Reader, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(self, arguments...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	lines := bufio.NewReader(out)
	_, err = lines.ReadString('\n') // ready
	return lines, func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, err
}

// pings measures wakes of a partner, which writes down when it was woken. Both
// processes read the same clock.
func pings(f from, lines *bufio.Reader, before, send func() error) (time.Duration, error) {
	var all []time.Duration
	for range wakes {
		if err := before(); err != nil {
			return 0, err
		}
		start, err := f.measure(send)
		if err != nil {
			return 0, err
		}
		var woken int64
		if _, err := fmt.Fscanln(lines, &woken); err != nil {
			return 0, err
		}
		all = append(all, wake(start, time.Unix(0, woken)))
	}
	return p50(all), nil
}

// wakeAcross measures the waking of a partner in one of the two roles.
func wakeAcross(role string) (result, error) {
	return withHub(benchAgents, func(h *hub) (result, error) {
		lines, stop, err := partner(role, filepath.Join(h.dir, "nexus.db"), h.dir)
		if err != nil {
			return result{}, err
		}
		ours, err := pings(fromReturn, lines, func() error { return nil }, func() error { return h.send(0) })
		stop()
		if err != nil {
			return result{}, err
		}
		base, err := bareDatagrams(h)
		return times(ours, base), err
	})
}

// bareDatagrams is the baseline: a durable write, then a datagram. The write is
// not counted, but without it the partner would never fall asleep.
func bareDatagrams(h *hub) (time.Duration, error) {
	path := filepath.Join(h.dir, "bare")
	lines, stop, err := partner(roleListener, path)
	if err != nil {
		return 0, err
	}
	defer stop()
	w, err := newBareWriter(h)
	if err != nil {
		return 0, err
	}
	defer w.close()
	socket, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return 0, err
	}
	defer func() { _ = socket.Close() }()
	return pings(fromStart, lines, func() error { return w.batch(0, 1) }, func() error {
		_, err := io.WriteString(socket, "log/workspace")
		return err
	})
}
