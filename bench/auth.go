package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"nexus/bus"
	"nexus/op"
	"nexus/serve"
)

func authBenchmarks() []benchmark {
	return []benchmark{{"what knowing a key costs, of tools/call nexus_info over HTTP", "≤ 5 %", authentication}}
}

// authentication takes a request with a key and one that needs none through the
// same handler, without a network, in turns; what they differ by is held against
// a whole call over a connection.
func authentication() (result, error) {
	return withSite(1, func(h *hub, ours site) (result, error) {
		handler, key, err := loopbackHandler(h)
		if err != nil {
			return result{}, err
		}
		call := func(headers ...string) time.Duration {
			const times = 2000
			began := time.Now()
			for range times {
				r := httptest.NewRequest(http.MethodPost, "/api/v1/op/nexus_info", strings.NewReader("{}"))
				r.Host, r.RemoteAddr = "127.0.0.1:8202", "127.0.0.1:50000"
				r.Header.Set("Content-Type", "application/json")
				for i := 0; i < len(headers); i += 2 {
					r.Header.Set(headers[i], headers[i+1])
				}
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
			return time.Since(began) / times
		}
		var with, without time.Duration
		rounds := 0
		for end := time.Now().Add(*duration); time.Now().Before(end); rounds++ {
			without += call()
			with += call("Authorization", "Bearer "+key)
		}
		c := client(1)
		defer c.CloseIdleConnections()
		whole, err := rate(1, *duration, func(int) error {
			_, err := post(c, ours.url, toolCall("nexus_info", "{}"))
			return err
		})
		cost := (with - without) / time.Duration(rounds)
		return result{figure: fmt.Sprintf("%.1f µs, %.1f %%", float64(cost)/1e3, cost.Seconds()*whole*100)}, err
	})
}

// loopbackHandler is a hub that needs no key from this machine, and a key.
func loopbackHandler(h *hub) (http.Handler, string, error) {
	ops, err := op.NewCatalogue(op.BusOps(h.bus)...)
	if err != nil {
		return nil, "", err
	}
	server, err := serve.New(serve.Deps{Catalogue: ops, Sessions: h.db, Keys: h.bus, Watcher: h.db, Version: "bench"},
		serve.Options{Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}})
	if err != nil {
		return nil, "", err
	}
	agent, err := h.bus.CreateAgent(context.Background(), bus.CreateAgentParams{AgentID: "keyed"})
	return server.Handler(), agent.APIKey, err
}
