// Package remote makes vectors with a service that speaks OpenAI's embeddings
// protocol, as many local and hosted ones do.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"nexus"
	"nexus/search"
)

// Options say which service to ask.
type Options struct {
	BaseURL string // up to and without /embeddings
	Model   string
	Key     string       // "" for none
	Client  *http.Client // nil for one of its own
}

// An Embedder asks the service. It is safe for concurrent use.
type Embedder struct {
	address string
	model   string
	name    string
	key     string
	client  *http.Client
}

var _ search.Embedder = (*Embedder)(nil)

const (
	patience  = 30 * time.Second
	mostBytes = 64 << 20
)

// New makes an embedder; it asks nothing yet.
func New(o Options) *Embedder {
	e := &Embedder{
		address: strings.TrimRight(o.BaseURL, "/") + "/embeddings", model: o.Model, name: o.Model, key: o.Key, client: o.Client,
	}
	if u, err := url.Parse(o.BaseURL); err == nil {
		e.name += "@" + u.Host
	}
	if e.client == nil {
		e.client = &http.Client{Timeout: patience}
	}
	return e
}

// Name tells its vectors from those of others.
func (e *Embedder) Name() string { return e.name }

type request struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

type response struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Embed makes a vector for each text.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	input := make([]string, len(texts))
	for i, text := range texts {
		if input[i] = text; strings.TrimSpace(text) == "" {
			input[i] = "-" // some services refuse a blank text, and with it all others
		}
	}
	body, err := json.Marshal(request{e.model, input, "float"})
	if err != nil {
		return nil, err
	}
	answer, err := e.ask(ctx, body)
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) {
			return nil, unusable("it numbers a vector %d of %d texts", d.Index, len(texts))
		}
		vectors[d.Index] = d.Embedding
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, unusable("vector %d has %d numbers, the first one %d", i, len(v), len(vectors[0]))
		}
	}
	return vectors, nil
}

func (e *Embedder) ask(ctx context.Context, body []byte) (answer response, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	r.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		r.Header.Set("Authorization", "Bearer "+e.key)
	}
	reply, err := e.client.Do(r)
	if err != nil {
		return answer, &nexus.Error{Code: nexus.Unavailable, Msg: "The embedding service cannot be reached: " + cause(err), Err: err}
	}
	defer func() { _ = reply.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(reply.Body, mostBytes))
	if err != nil {
		return answer, &nexus.Error{Code: nexus.Unavailable, Msg: "The embedding service stopped in the middle of its answer.", Err: err}
	}
	err = json.Unmarshal(raw, &answer)
	if reply.StatusCode != http.StatusOK {
		return answer, nexus.Errorf(nexus.Unavailable, "The embedding service answered %s: %s", reply.Status, short(answer.Error.Message))
	}
	if err != nil {
		return answer, unusable("it is no JSON of the expected form")
	}
	return answer, nil
}

func unusable(format string, args ...any) error {
	return nexus.Errorf(nexus.Unavailable, "The answer of the embedding service cannot be used: %s.", fmt.Sprintf(format, args...))
}

// cause is the last of the errors, which says what happened without the address.
func cause(err error) string {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}

// short keeps a message of somebody else to one short line.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	const most = 200
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
