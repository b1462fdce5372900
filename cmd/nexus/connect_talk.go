package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"nexus"
)

// A stdioTalk is with a process that was started for it.
type stdioTalk struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  *bufio.Reader
	stderr bytes.Buffer
}

// startServer starts the command of an entry as a host would: with none of the
// settings that happen to be in our environment.
func startServer(ctx context.Context, e entry) (talk, error) {
	path, err := exec.LookPath(e.Command)
	if err != nil {
		return nil, nexus.Errorf(nexus.NotFound, "the command %s cannot be started: %v; write the entry anew with nexus connect … --write", e.Command, rootCause(err))
	}
	t := &stdioTalk{cmd: exec.CommandContext(ctx, path, e.Args...)}
	t.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "NEXUS_") || strings.HasPrefix(v, "OKTO_NEXUS_")
	})
	for name, value := range e.Env {
		t.cmd.Env = append(t.cmd.Env, name+"="+value)
	}
	t.cmd.Stderr = &t.stderr
	t.cmd.WaitDelay = time.Second
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.lines = bufio.NewReader(out)
	if err := t.cmd.Start(); err != nil {
		return nil, nexus.Errorf(nexus.NotFound, "the command %s cannot be started: %v", e.Command, rootCause(err))
	}
	return t, nil
}

func (t *stdioTalk) ask(ctx context.Context, id int, method string, params any) (json.RawMessage, error) {
	// If it does not take the question, what it said before it ended tells why.
	_, _ = t.in.Write(append(request(id, method, params), '\n'))
	for {
		line, err := t.lines.ReadBytes('\n')
		if err != nil {
			return nil, t.ended(ctx)
		}
		var m rpcMessage
		if json.Unmarshal(line, &m) != nil {
			return nil, nexus.Errorf(nexus.Unavailable, "%s writes to standard output what is not MCP: %s", t.cmd.Path, shorten(string(bytes.TrimSpace(line))))
		}
		if m.ID != nil && *m.ID == id {
			return m.outcome(method)
		}
	}
}

func (t *stdioTalk) tell(ctx context.Context, method string) error {
	if _, err := t.in.Write(append(notification(method), '\n')); err != nil {
		return t.ended(ctx)
	}
	return nil
}

// saidCode is the last line of a nexus that ended in an error.
var saidCode = regexp.MustCompile(`^([A-Z]+_[A-Z_]+|CONFLICT|UNAVAILABLE): (.+)$`)

// ended says why the process is gone, in its own words if it had some.
func (t *stdioTalk) ended(ctx context.Context) error {
	_ = t.in.Close()
	err := t.cmd.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	lines := strings.Split(strings.TrimSpace(t.stderr.String()), "\n")
	last := lines[len(lines)-1]
	if m := saidCode.FindStringSubmatch(last); m != nil && slices.Contains(nexus.Codes(), nexus.Code(m[1])) {
		return nexus.Errorf(nexus.Code(m[1]), "%s", m[2])
	}
	if err == nil {
		err = errors.New("it ended before it answered")
	}
	return nexus.Errorf(nexus.Unavailable, "%s is no MCP server: %v %s", t.cmd.Path, err, shorten(last))
}

// close ends the process, which should do so by itself at the end of its input.
func (t *stdioTalk) close() {
	_ = t.in.Close()
	impatient := time.AfterFunc(2*time.Second, func() { _ = t.cmd.Process.Kill() })
	defer impatient.Stop()
	_ = t.cmd.Wait() // how it ends after the last answer is its own affair
}

// A webTalk is with a hub over HTTP.
type webTalk struct {
	e       entry
	client  http.Client
	session string
}

func visitServer(_ context.Context, e entry) (talk, error) {
	return &webTalk{e: e}, nil
}

func (t *webTalk) post(ctx context.Context, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.e.URL, bytes.NewReader(body))
	if err != nil {
		return nil, nexus.Errorf(nexus.ConfigError, "%s is not an address: %v", t.e.URL, rootCause(err))
	}
	for name, value := range t.e.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if t.session != "" {
		r.Header.Set("Mcp-Session-Id", t.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	resp, err := t.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nexus.Errorf(nexus.Unavailable, "no hub answers at %s: %v; start it with nexus serve, or correct the address", t.e.URL, rootCause(err))
	}
	defer resp.Body.Close()
	t.session = cmp.Or(resp.Header.Get("Mcp-Session-Id"), t.session)
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return nil, nexus.Errorf(nexus.AuthFailed, "the hub at %s does not accept the key; make a new one with nexus connect … --agent ID --new-key --write", t.e.URL)
	case resp.StatusCode == http.StatusNotFound:
		return nil, nexus.Errorf(nexus.NotFound, "there is no MCP server at %s; the address of a hub ends in /mcp", t.e.URL)
	case resp.StatusCode/100 != 2:
		return nil, nexus.Errorf(nexus.Unavailable, "%s answered %s", t.e.URL, resp.Status)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text = lastData(text)
	}
	return text, nil
}

// lastData is what the last event of a stream carries.
func lastData(stream []byte) (data []byte) {
	for line := range bytes.Lines(stream) {
		if d, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok && len(bytes.TrimSpace(d)) > 0 {
			data = bytes.TrimSpace(d)
		}
	}
	return data
}

func (t *webTalk) ask(ctx context.Context, id int, method string, params any) (json.RawMessage, error) {
	text, err := t.post(ctx, request(id, method, params))
	if err != nil {
		return nil, err
	}
	var m rpcMessage
	if json.Unmarshal(text, &m) != nil || m.ID == nil {
		return nil, nexus.Errorf(nexus.Unavailable, "what answers at %s is no MCP server", t.e.URL)
	}
	return m.outcome(method)
}

func (t *webTalk) tell(ctx context.Context, method string) error {
	_, err := t.post(ctx, notification(method))
	return err
}

// close ends the session that the hub keeps for us.
func (t *webTalk) close() {
	defer t.client.CloseIdleConnections()
	if t.session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, t.e.URL, http.NoBody)
	if err != nil {
		return
	}
	for name, value := range t.e.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Mcp-Session-Id", t.session)
	if resp, err := t.client.Do(r); err == nil {
		_ = resp.Body.Close()
	}
}
