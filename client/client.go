// Package client reaches a running hub: the commands of nexus use it, and so do
// the stdio processes that hand their calls to the hub of the same home.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"nexus"
)

var (
	// ErrNoHub says that no hub runs in the home.
	ErrNoHub = errors.New("no hub is running")
	// ErrGone says that the hub could not be reached, or went away before it
	// answered. Whether the call had an effect is unknown: made again with the
	// same key it has no second one.
	ErrGone = errors.New("the hub went away")
	// ErrDraining says that the hub is about to stop and did not make the call,
	// or cut its wait.
	ErrDraining = errors.New("the hub is draining")

	errAnswer = errors.New("the hub's answer cannot be read")
)

const (
	infoFile   = "hub.json"
	socketFile = "hub.sock"
	helloTime  = time.Second
	// idleTime is shorter than the hub's, so that we never write on a
	// connection that the hub is closing.
	idleTime = 30 * time.Second
)

// HubInfo is what hub.json says about the running hub of a home.
type HubInfo struct {
	PID             int       `json:"pid"`
	Instance        string    `json:"instance"`
	Version         string    `json:"version"`
	SurfaceRevision int       `json:"surface_revision"`
	Addresses       Addresses `json:"addresses"`
	Socket          string    `json:"socket"` // "" when calls cannot be handed over
	DB              string    `json:"db"`
}

// Addresses are where a hub is reached over HTTP.
type Addresses struct {
	MCP       string `json:"mcp"`
	API       string `json:"api"`
	Dashboard string `json:"dashboard"`
}

// SocketPath is where the hub of a home takes calls over.
func SocketPath(home string) string { return filepath.Join(home, socketFile) }

// ReadHubInfo reads hub.json. It is [fs.ErrNotExist] when there is none; that
// there is one does not mean that its hub still runs.
func ReadHubInfo(home string) (HubInfo, error) {
	var info HubInfo
	path := filepath.Join(home, infoFile)
	if stat, err := os.Stat(path); err == nil && !stat.Mode().IsRegular() {
		return info, fmt.Errorf("%s is no file", path) // to open a pipe is to wait
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(b, &info); err != nil {
		return info, fmt.Errorf("read %s: %w", infoFile, err)
	}
	return info, nil
}

// WriteHubInfo puts hub.json in its place. A reader sees the old one or the new
// one, never a part.
func WriteHubInfo(home string, info HubInfo) error {
	b, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(home, infoFile+".*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(home, infoFile))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// RemoveHubInfo takes hub.json away if it is still that of this instance.
func RemoveHubInfo(home, instance string) error {
	info, err := ReadHubInfo(home)
	if err != nil || info.Instance != instance {
		return nil //nolint:nilerr // what cannot be read is not ours to remove
	}
	return os.Remove(filepath.Join(home, infoFile))
}

// A CallRequest is one call that the hub makes for another process.
type CallRequest struct {
	Op        string          `json:"op"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Conn tells this process's calls from those of others.
	Conn    string `json:"conn,omitempty"`
	Profile string `json:"profile,omitempty"` // of tools; "" for all
	// APIKey binds the call to the agent whose key it is.
	APIKey string `json:"api_key,omitempty"`
	// Key makes repeating a writing call safe: under one key it acts once.
	Key string `json:"key,omitempty"`
	// Operator makes the call as whoever owns the hub.
	Operator bool `json:"operator,omitempty"`
	// Memberships are the names that the connection has in topics.
	Memberships nexus.Memberships `json:"memberships,omitzero"`
}

// A CallAnswer is the outcome of an operation in the envelope of its family.
type CallAnswer struct {
	Code    nexus.Code      `json:"code"` // "" when it went well
	IsError bool            `json:"is_error"`
	Text    string          `json:"text,omitempty"` // for a model; "" for the body itself
	Body    json.RawMessage `json:"body"`
}

// A Hub is a running hub of this machine, reached through its socket.
type Hub struct {
	Info HubInfo
	http *http.Client
}

// Find connects to the running hub of a home. It is [ErrNoHub] when there is
// none, when it does not answer, or when what answers is not what hub.json names.
func Find(ctx context.Context, home string) (*Hub, error) {
	info, err := ReadHubInfo(home)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHub, err)
	}
	if info.Socket == "" {
		return nil, fmt.Errorf("%w that takes calls over", ErrNoHub)
	}
	h := &Hub{Info: info, http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", info.Socket)
		},
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     idleTime,
		DisableCompression:  true,
	}}}
	if err := h.hello(ctx); err != nil {
		h.Close()
		return nil, fmt.Errorf("%w: %w", ErrNoHub, err)
	}
	return h, nil
}

// Close gives up the connections that are not in use.
func (h *Hub) Close() { h.http.CloseIdleConnections() }

func (h *Hub) hello(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	var said HubInfo
	if err := h.do(ctx, http.MethodGet, "/hello", nil, &said); err != nil {
		return err
	}
	if said.Instance != h.Info.Instance {
		return fmt.Errorf("%s names instance %q, but %q answers", infoFile, h.Info.Instance, said.Instance)
	}
	return nil
}

// Call has the hub make a call. Besides [ErrGone] and [ErrDraining] it fails
// only when ctx ends, which also ends a wait in the hub, or when the arguments
// are no JSON. That the operation failed is an answer.
func (h *Hub) Call(ctx context.Context, c CallRequest) (CallAnswer, error) {
	body, err := marshal(c)
	if err != nil {
		return CallAnswer{}, err
	}
	var said struct {
		CallAnswer
		Draining bool `json:"draining"`
	}
	if err := h.do(ctx, http.MethodPost, "/call", body, &said); err != nil {
		if ctx.Err() != nil {
			return CallAnswer{}, context.Cause(ctx)
		}
		if errors.Is(err, errAnswer) { // it is there, and asking again will not help
			return CallAnswer{}, err
		}
		return CallAnswer{}, fmt.Errorf("%w: %w", ErrGone, err)
	}
	if said.Draining {
		return CallAnswer{}, ErrDraining
	}
	return said.CallAnswer, nil
}

func (h *Hub) do(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://hub"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if t := nexus.TraceFrom(ctx); t.ID != "" {
		r.Header.Set("Traceparent", t.String())
		r.Header.Set("Tracestate", t.State)
	}
	resp, err := h.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", path, resp.Status)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	return nil
}

// marshal writes JSON with the arguments as they came: encoding/json would
// escape in them what means something in HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
