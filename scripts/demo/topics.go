package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// A forum is what the team talks about in topics; topics.toml explains its
// fields.
type forum struct {
	Topics []topicTalk `toml:"topic"`
}

type topicTalk struct {
	Keep     string         `toml:"keep"`
	Name     string         `toml:"name"`
	In       string         `toml:"in"`
	Metadata map[string]any `toml:"metadata"`
	Close    string         `toml:"close"` // why it was closed, if it was
	Readers  map[string]int `toml:"readers"`
	Posts    []struct {
		As      string `toml:"as"`
		Name    string `toml:"name"`
		Type    string `toml:"type"`
		Answers string `toml:"answers"`
		Text    string `toml:"text"`
	} `toml:"post"`
}

// discuss fills the topics. Agents join and write with their own keys.
func (d *demo) discuss(ctx context.Context) error {
	for _, t := range d.forum.Topics {
		if err := d.discussOne(ctx, t); err != nil {
			return fmt.Errorf("topic %q: %w", t.Name, err)
		}
	}
	return nil
}

func (d *demo) discussOne(ctx context.Context, t topicTalk) error {
	var made struct {
		ID string `json:"topic_id"`
	}
	args := map[string]any{"name": t.Name, "mode": "new"}
	if t.In != "" {
		args["project_root"] = d.roots[t.In]
	}
	if t.Metadata != nil {
		args["metadata"] = t.Metadata
	}
	if err := d.hub.call(ctx, d.hub.key, "topic_create", args, &made); err != nil {
		return err
	}
	d.ids[t.Keep] = made.ID
	members := &membership{d, made.ID, map[string]string{}}
	read := map[string]int{}
	for i, p := range t.Posts {
		read[p.As] = i + 1
		message := map[string]any{"content_markdown": p.Text}
		if p.Type != "" {
			message["message_type"] = p.Type
		}
		if p.Answers != "" {
			message["reply_to"] = d.ids[t.Keep+"."+p.Answers]
		}
		id, err := members.say(ctx, p.As, message)
		if err != nil {
			return err
		}
		if p.Name != "" {
			d.ids[t.Keep+"."+p.Name] = id
		}
	}
	for name, upTo := range t.Readers {
		read[name] = max(read[name], upTo)
	}
	for _, name := range slices.Sorted(maps.Keys(read)) {
		if err := members.read(ctx, name, read[name]); err != nil {
			return err
		}
	}
	if t.Close == "" {
		return nil
	}
	return d.hub.call(ctx, d.hub.key, "topic_close", map[string]any{"topic_id": made.ID, "reason": t.Close}, nil)
}

// A membership is who has joined a topic, and with which token.
type membership struct {
	*demo
	topic  string
	tokens map[string]string
}

// as are the arguments with which an agent shows who it is.
func (m *membership) as(ctx context.Context, agent string) (map[string]any, error) {
	if m.tokens[agent] == "" {
		var joined struct {
			Token string `json:"reclaim_token"`
		}
		if err := m.hub.call(ctx, m.keys[agent], "topic_join", map[string]any{"topic_id": m.topic, "agent_name": agent}, &joined); err != nil {
			return nil, err
		}
		m.tokens[agent] = joined.Token
	}
	return map[string]any{"topic_id": m.topic, "agent_name": agent, "reclaim_token": m.tokens[agent], "wait_seconds": 0}, nil
}

// say posts a message and returns its id. What others wrote is not read with it.
func (m *membership) say(ctx context.Context, agent string, message map[string]any) (id string, err error) {
	args, err := m.as(ctx, agent)
	if err != nil {
		return "", err
	}
	args["outbox"], args["auto_advance"] = []any{message}, false
	var done struct {
		Sent []struct {
			Message struct {
				ID string `json:"message_id"`
			} `json:"message"`
		} `json:"sent"`
	}
	if err := m.hub.call(ctx, m.keys[agent], "sync", args, &done); err != nil {
		return "", err
	}
	return done.Sent[0].Message.ID, nil
}

// read lets an agent have read so many posts.
func (m *membership) read(ctx context.Context, agent string, upTo int) error {
	args, err := m.as(ctx, agent)
	if err != nil {
		return err
	}
	args["auto_advance"], args["ack_through"] = false, upTo
	return m.hub.call(ctx, m.keys[agent], "sync", args, nil)
}
