package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"nexus/bus"
	"nexus/op"
	"nexus/serve"
)

func httpBenchmarks() []benchmark {
	return []benchmark{
		{"tools/call nexus_info over HTTP, 16 connections", "≥ 0.30", func() (result, error) {
			return againstEcho(16, func(*hub) func(int) string {
				return func(int) string { return toolCall("nexus_info", "{}") }
			})
		}},
		{"message_create over HTTP MCP, 64 connections", "≥ 0.15", func() (result, error) {
			return againstEcho(64, func(h *hub) func(int) string {
				return func(i int) string {
					arguments, _ := json.Marshal(h.message(i, benchAgents)) // text always marshals
					return toolCall("message_create", string(arguments))
				}
			})
		}},
		{"tools/list over HTTP, 16 connections", "≥ 0.8", func() (result, error) {
			return againstEcho(16, func(*hub) func(int) string {
				return func(int) string { return `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` }
			})
		}},
	}
}

func toolCall(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// A site is something that answers HTTP on loopback.
type site struct {
	url   string
	close func()
}

// serveHub puts a hub on the wire and returns the address of its MCP face, with
// a key.
func serveHub(h *hub) (site, error) {
	ops, err := op.NewCatalogue(op.BusOps(h.bus)...)
	if err != nil {
		return site{}, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return site{}, err
	}
	server, err := serve.New(serve.Deps{Catalogue: ops, Sessions: h.db, Keys: h.bus, Watcher: h.db, Events: h.db, Version: "bench"},
		serve.Options{Addr: l.Addr(), StopTime: time.Second})
	if err != nil {
		return site{}, err
	}
	agent, err := h.bus.CreateAgent(context.Background(), bus.CreateAgentParams{AgentID: "bench"})
	if err != nil {
		return site{}, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(ctx, l) })
	running.Go(func() { _ = server.Run(ctx) })
	return site{"http://" + l.Addr().String() + "/mcp?api_key=" + agent.APIKey, func() { cancel(); running.Wait() }}, nil
}

// serveHandler puts a bare handler on the wire.
func serveHandler(handler http.Handler) (site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return site{}, err
	}
	s := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	go func() { _ = s.Serve(l) }()
	return site{"http://" + l.Addr().String() + "/", func() { _ = s.Close() }}, nil
}

// echo reads the body and writes the bytes that Nexus would have written.
func echo(answer []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
}

// withSite runs a measurement on a new hub that answers HTTP.
func withSite(agents int, measure func(*hub, site) (result, error)) (result, error) {
	return withHub(agents, func(h *hub) (result, error) {
		s, err := serveHub(h)
		if err != nil {
			return result{}, err
		}
		defer s.close()
		return measure(h, s)
	})
}

// client is an HTTP client with so many connections.
func client(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}
}

// callTool calls a tool over HTTP and reads its data.
func callTool(c *http.Client, url, name string, arguments, data any) error {
	text, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	answer, err := post(c, url, toolCall(name, string(text)))
	if err != nil {
		return err
	}
	var said struct {
		Result struct {
			StructuredContent struct {
				OK   bool            `json:"ok"`
				Data json.RawMessage `json:"data"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return err
	}
	if !said.Result.StructuredContent.OK {
		return fmt.Errorf("%s answered %s", name, answer)
	}
	return json.Unmarshal(said.Result.StructuredContent.Data, data)
}

// againstEcho compares calls of a hub with an echo of the same bytes.
func againstEcho(connections int, requests func(*hub) func(i int) string) (result, error) {
	return withSite(benchAgents, func(h *hub, ours site) (result, error) {
		request := requests(h)
		answer, err := post(http.DefaultClient, ours.url, request(0))
		if err != nil {
			return result{}, err
		}
		if bytes.Contains(answer, []byte(`"error"`)) {
			return result{}, fmt.Errorf("the hub answered %s", answer)
		}
		bare, err := serveHandler(echo(answer))
		if err != nil {
			return result{}, err
		}
		defer bare.close()
		c := client(connections)
		defer c.CloseIdleConnections()
		rateOf := func(url string) measure {
			return func(d time.Duration) (float64, error) {
				return rate(connections, d, func(i int) error {
					_, err := post(c, url, request(i))
					return err
				})
			}
		}
		return inTurn(rateOf(ours.url), rateOf(bare.url))
	})
}

func post(c *http.Client, url, body string) ([]byte, error) {
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	resp, err := c.Do(r)
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
