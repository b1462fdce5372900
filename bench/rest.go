package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// restBenchmarks measure the operator's lists on a hub that holds a million
// messages, against an echo of the same bytes.
func restBenchmarks() []benchmark {
	var all []benchmark
	for _, list := range []struct{ what, path, reach string }{
		{"GET /messages, the newest page", "/messages", "≥ 0.02"},
		{"GET /messages by cursor", "/messages?cursor=msg_ffff", "≥ 0.05"},
		{"GET /messages of one agent", "/messages?agent=" + agentName(7), "≥ 0.01"},
		{"GET /messages between two agents", "/messages?agent=" + agentName(7) + "&peer=" + agentName(8), "≥ 0.005"},
		{"GET /messages?lane=read, of which there are none", "/messages?lane=read", "–"},
		{"GET /graph", "/graph", "≥ 0.01"},
		{"GET /handoffs, 1,000 of 10^4", "/handoffs?limit=1000", "≥ 0.04"},
		{"GET /events backwards", "/events?before=9007199254740991", "≥ 0.1"},
		{"GET /events/types", "/events/types", "–"},
		{"GET /workspaces", "/workspaces", "≥ 0.05"},
	} {
		all = append(all, benchmark{list.what + ", 10^6 messages, 8 connections", list.reach, func() (result, error) { return listing(list.path) }})
	}
	return all
}

// crowded is the address of a hub that holds a million messages and ten thousand
// hand-offs. All measurements of lists share it; nothing writes to it.
var crowded = sync.OnceValues(func() (string, error) {
	h, err := newHub()
	if err != nil {
		return "", err
	}
	leaveCrowd = h.close
	if err := h.crowd(); err != nil {
		return "", err
	}
	s, err := serveHub(h)
	leaveCrowd = func() { s.close(); h.close() }
	return s.url, err
})

// leaveCrowd removes the hub of the lists, if there is one.
var leaveCrowd = func() {}

func (h *hub) crowd() error {
	if err := h.register(benchAgents); err != nil {
		return err
	}
	w, err := newBareWriter(h)
	if err != nil {
		return err
	}
	defer w.close()
	const some = 10_000
	for n := 0; n < 1_000_000; n += some {
		if err := w.batch(n, some); err != nil {
			return err
		}
	}
	return h.offer(some, agentName(1))
}

// listing compares a list with an echo of what it says.
func listing(path string) (result, error) {
	address, err := crowded()
	if err != nil {
		return result{}, err
	}
	base, key, _ := strings.Cut(address, "/mcp?")
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	url := base + "/api/v1" + path + join + key
	answer, err := get(http.DefaultClient, url)
	if err != nil {
		return result{}, err
	}
	if !bytes.HasPrefix(answer, []byte(`{"ok":true`)) {
		return result{}, fmt.Errorf("the hub answered %.200s", answer)
	}
	bare, err := serveHandler(echo(answer))
	if err != nil {
		return result{}, err
	}
	defer bare.close()
	rateOf := func(url string) (float64, error) {
		const connections = 8
		c := client(connections)
		defer c.CloseIdleConnections()
		return rate(connections, *duration, func(int) error {
			_, err := get(c, url)
			return err
		})
	}
	echoed, err := rateOf(bare.url)
	if err != nil {
		return result{}, err
	}
	mine, err := rateOf(url)
	return rates(mine, echoed), err
}

func get(c *http.Client, url string) ([]byte, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status + ": " + string(answer))
	}
	return answer, err
}
