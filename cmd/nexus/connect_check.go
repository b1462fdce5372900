package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nexus"
	"nexus/bus"
)

// checkPatience is how long a server may take to be tried.
const checkPatience = 20 * time.Second

// A checkReport is what an entry led to.
type checkReport struct {
	Host      string        `json:"host"`
	Transport string        `json:"transport"`
	Target    string        `json:"target"` // the command, or the address
	Server    string        `json:"server"`
	Tools     int           `json:"tools"`
	Info      *bus.Versions `json:"info,omitempty"` // where the tools include nexus_info
}

// A talk is a JSON-RPC connection that asks one thing at a time.
type talk interface {
	ask(ctx context.Context, id int, method string, params any) (json.RawMessage, error)
	tell(ctx context.Context, method string) error
	close()
}

// checkEntry does what a host does with an entry: connect, greet, list the tools,
// and call one.
func checkEntry(ctx context.Context, h host, e entry) (checkReport, error) {
	r := checkReport{Host: h.id, Transport: "stdio", Target: strings.Join(append([]string{e.Command}, e.Args...), " ")}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	open := startServer
	if e.URL != "" {
		r.Transport, r.Target, open = "http", e.URL, visitServer
	}
	t, err := open(ctx, e)
	if err == nil {
		defer t.close()
		err = r.converse(ctx, t)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = &timedOutError{fmt.Sprintf("%s did not answer within %v; see what it says when you run it yourself", r.Target, checkPatience)}
	}
	return r, err
}

func (r *checkReport) converse(ctx context.Context, t talk) (err error) {
	greeting := map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "nexus connect", "version": buildVersion().Version},
	}
	var hello struct {
		ServerInfo struct{ Name, Version string } `json:"serverInfo"`
	}
	if err := askInto(ctx, t, 1, "initialize", greeting, &hello); err != nil {
		return err
	}
	r.Server = strings.TrimSpace(hello.ServerInfo.Name + " " + hello.ServerInfo.Version)
	if err := t.tell(ctx, "notifications/initialized"); err != nil {
		return err
	}
	var listing struct {
		Tools []struct{ Name string } `json:"tools"`
	}
	if err := askInto(ctx, t, 2, "tools/list", map[string]any{}, &listing); err != nil {
		return err
	}
	r.Tools = len(listing.Tools)
	if !slices.ContainsFunc(listing.Tools, func(t struct{ Name string }) bool { return t.Name == "nexus_info" }) {
		return nil
	}
	r.Info, err = callInfo(ctx, t)
	return err
}

// callInfo calls the one tool that needs nothing and changes nothing.
func callInfo(ctx context.Context, t talk) (*bus.Versions, error) {
	var answer struct {
		Content struct {
			OK    bool          `json:"ok"`
			Data  *bus.Versions `json:"data"`
			Error struct {
				Code    nexus.Code `json:"code"`
				Message string     `json:"message"`
			} `json:"error"`
		} `json:"structuredContent"`
	}
	call := map[string]any{"name": "nexus_info", "arguments": map[string]any{}}
	if err := askInto(ctx, t, 3, "tools/call", call, &answer); err != nil {
		return nil, err
	}
	if !answer.Content.OK {
		return nil, nexus.Errorf(cmp.Or(answer.Content.Error.Code, nexus.Internal), "nexus_info: %s", answer.Content.Error.Message)
	}
	return answer.Content.Data, nil
}

func askInto(ctx context.Context, t talk, id int, method string, params, into any) error {
	result, err := t.ask(ctx, id, method, params)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(result, into); err != nil {
		return nexus.Errorf(nexus.Unavailable, "the answer to %s is not MCP", method)
	}
	return nil
}

// A rpcMessage is what comes back.
type rpcMessage struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func request(id int, method string, params any) []byte {
	return marshalPlain(object{{"jsonrpc", "2.0"}, {"id", json.RawMessage(fmt.Sprint(id))}, {"method", method}, {"params", json.RawMessage(marshalPlain(params))}})
}

func notification(method string) []byte {
	return marshalPlain(object{{"jsonrpc", "2.0"}, {"method", method}})
}

func (m rpcMessage) outcome(method string) (json.RawMessage, error) {
	if m.Error != nil {
		return nil, nexus.Errorf(nexus.Unavailable, "%s was refused: %s", method, m.Error.Message)
	}
	return m.Result, nil
}

// A timedOutError is a server that kept us waiting.
type timedOutError struct{ msg string }

func (e *timedOutError) Error() string   { return e.Unwrap().Error() }
func (e *timedOutError) Unwrap() error   { return nexus.Errorf(nexus.Unavailable, "%s", e.msg) }
func (e *timedOutError) exitStatus() int { return exitTimedOut }
