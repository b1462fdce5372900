package main

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"nexus"
)

// A step is one operation of the catalogue; story.toml explains its fields.
type step struct {
	Op    string         `toml:"op"`
	As    string         `toml:"as"`
	In    string         `toml:"in"`
	To    string         `toml:"to"`
	Keep  string         `toml:"keep"`
	Times int            `toml:"times"`
	Ack   bool           `toml:"ack"`
	Args  map[string]any `toml:"args"`
}

// pulled is the mail that an agent took.
type pulled struct {
	Messages []struct {
		ID string `json:"message_id"`
	} `json:"messages"`
}

// do makes the calls of a step.
func (d *demo) do(ctx context.Context, s step) error {
	for range max(s.Times, 1) {
		id, err := d.call(ctx, s)
		if err != nil {
			return err
		}
		if s.Keep != "" {
			d.ids[s.Keep] = id
		}
	}
	return nil
}

// call makes one call of a step and returns the id of what it made, "" where it
// made nothing.
func (d *demo) call(ctx context.Context, s step) (id string, err error) {
	args, err := d.arguments(ctx, s)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Op, err)
	}
	if s.Ack {
		return "", d.readMail(ctx, s.As, args)
	}
	var made map[string]any
	if err := d.hub.call(ctx, d.keys[s.As], s.Op, args, &made); err != nil {
		return "", err
	}
	if id = madeID(s.Op, made); id == "" && s.Keep != "" {
		return "", fmt.Errorf("%s made nothing to keep as %q", s.Op, s.Keep)
	}
	return id, nil
}

// madeID is the id of what an operation made, in its answer or in the thing that
// its answer holds.
func madeID(op string, made map[string]any) string {
	noun, _, _ := strings.Cut(op, "_")
	if thing, ok := made[noun].(map[string]any); ok {
		made = thing
	}
	id, _ := made[noun+"_id"].(string)
	return id
}

// readMail takes mail of an agent and acknowledges all of it.
func (d *demo) readMail(ctx context.Context, agent string, args map[string]any) error {
	var mail pulled
	if err := d.hub.call(ctx, d.keys[agent], "inbox_pull", args, &mail); err != nil {
		return err
	}
	ids := make([]string, len(mail.Messages))
	for i, m := range mail.Messages {
		ids[i] = m.ID
	}
	return d.hub.call(ctx, d.keys[agent], "inbox_ack", map[string]any{"agent_id": agent, "message_ids": ids}, nil)
}

// arguments are those of a step with who, where and whom filled in.
func (d *demo) arguments(ctx context.Context, s step) (map[string]any, error) {
	args := map[string]any{}
	maps.Copy(args, s.Args)
	if s.In != "" {
		args["project_root"] = d.roots[s.In]
	}
	if field := callerField(s.Op); s.As != "" && field != "" {
		args[field] = s.As
	}
	if s.To != "" {
		args["target"] = d.target(ctx, s.To)
	}
	if id := d.stays[place{s.As, s.In}]; id != "" && s.Op == "message_create" {
		args["from_session_id"] = id
	}
	filled, err := d.filled(args)
	if err != nil {
		return nil, err
	}
	return filled.(map[string]any), nil
}

// callerField is the argument in which an operation is told who calls, "" where
// the key says it.
func callerField(op string) string {
	switch op {
	case "message_create", "handoff_create":
		return "from_agent_id"
	case "artifact_put", "channel_create":
		return ""
	}
	return "agent_id"
}

// target writes out whom something is for.
func (d *demo) target(ctx context.Context, to string) map[string]any {
	kind, word, found := strings.Cut(to, ":")
	switch {
	case found:
		return map[string]any{"strategy": kind, kind: word}
	case to == "everybody":
		return map[string]any{"strategy": "broadcast"}
	case to == "owner":
		to = d.owner(ctx)
	}
	return map[string]any{"strategy": "direct", "agent_id": to}
}

// owner is who answers questions to whoever runs the hub: the operator, where the
// hub has an inbox for it, or else the person who maintains the project.
func (d *demo) owner(ctx context.Context) string {
	if d.hub.call(ctx, d.hub.key, "agent_get", map[string]any{"agent_id": nexus.OperatorID}, nil) == nil {
		return nexus.OperatorID
	}
	return "ines"
}

// filled replaces "$name" by what was kept under that name, and "@90m" by that
// moment, wherever they are.
func (d *demo) filled(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return d.word(v)
	case map[string]any:
		whole := make(map[string]any, len(v))
		for name, part := range v {
			if whole[name], err = d.filled(part); err != nil {
				return nil, err
			}
		}
		return whole, nil
	case []any:
		whole := make([]any, len(v))
		for i, part := range v {
			if whole[i], err = d.filled(part); err != nil {
				return nil, err
			}
		}
		return whole, nil
	}
	return v, nil
}

func (d *demo) word(s string) (string, error) {
	if name, ok := strings.CutPrefix(s, "$"); ok {
		id, known := d.ids[name]
		if !known {
			return "", fmt.Errorf("nothing was kept as %q before", name)
		}
		return id, nil
	}
	if span, ok := strings.CutPrefix(s, "@"); ok {
		after, err := time.ParseDuration(span)
		return time.Now().Add(after).UTC().Format(time.RFC3339Nano), err
	}
	return s, nil
}
