package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"nexus"
)

// atOnce is how many calls the demo makes at the same time at most.
const atOnce = 32

// A hub is reached over REST.
type hub struct {
	url  string
	key  string // the operator's; "" where none is needed
	http *http.Client
}

func newHub(url, key string) *hub {
	return &hub{strings.TrimSuffix(url, "/"), key, &http.Client{
		Timeout:   2 * time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: atOnce},
	}}
}

// call makes one call with a key and reads the data of the answer into out,
// which may be nil.
func (h *hub) call(ctx context.Context, key, op string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if err := h.do(ctx, key, http.MethodPost, "/op/"+op, bytes.NewReader(body), out); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return nil
}

// get reads what the operator sees at a path.
func (h *hub) get(ctx context.Context, path string, out any) error {
	return h.do(ctx, h.key, http.MethodGet, path, http.NoBody, out)
}

func (h *hub) do(ctx context.Context, key, method, path string, body io.Reader, out any) error {
	r, err := http.NewRequestWithContext(ctx, method, h.url+"/api/v1"+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := h.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var said struct {
		OK    bool            `json:"ok"`
		Data  json.RawMessage `json:"data"`
		Error struct {
			Code    nexus.Code `json:"code"`
			Message string     `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return fmt.Errorf("the hub answered %s, and no JSON: %w", resp.Status, err)
	}
	if !said.OK {
		return nexus.Errorf(said.Error.Code, "%s", said.Error.Message)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(said.Data, out)
}
