package main

import (
	"embed"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

//go:embed team.toml story.toml talk.toml topics.toml
var files embed.FS

// A team is who the demo is about.
type team struct {
	Projects []project `toml:"project"`
	Presets  []preset  `toml:"preset"`
	Agents   []agent   `toml:"agent"`
}

type project struct {
	Name  string `toml:"name"`
	About string `toml:"about"`
}

type preset struct {
	Keep        string         `toml:"keep"` // as in a step
	Name        string         `toml:"name"`
	Description string         `toml:"description"`
	Flags       map[string]any `toml:"flags"`
}

type agent struct {
	ID           string         `toml:"id"`
	Role         string         `toml:"role"`
	Capabilities []string       `toml:"capabilities"`
	Preset       string         `toml:"preset"`
	Permissions  map[string]any `toml:"permissions"`
	In           []string       `toml:"in"`
	Presence     string         `toml:"presence"`
	Person       bool           `toml:"person"`
	About        string         `toml:"about"`
}

// How an agent is there when the hub has been filled.
const (
	present = "present"
	stale   = "stale"
	offline = "offline"
)

// can tells whether an agent has a capability.
func (a agent) can(capability string) bool { return slices.Contains(a.Capabilities, capability) }

// free tells whether nothing limits an agent.
func (a agent) free() bool { return a.Preset == "" && a.Permissions == nil }

// A talk is what goes on while nothing special happens.
type talk struct {
	Threads []thread `toml:"thread"`
	Jobs    []job    `toml:"job"`
}

// In a thread two agents take turns.
type thread struct {
	In      string   `toml:"in"`
	From    string   `toml:"from"`
	To      string   `toml:"to"`
	Subject string   `toml:"subject"`
	Lines   []string `toml:"lines"`
}

// speaker is who says line n, and to whom.
func (t thread) speaker(n int) (from, to string) {
	if n%2 == 0 {
		return t.From, t.To
	}
	return t.To, t.From
}

// A job is offered, claimed and completed, or given back where it has a reason.
type job struct {
	In       string   `toml:"in"`
	From     string   `toml:"from"`
	To       string   `toml:"to"`
	Payload  string   `toml:"payload"`
	Criteria []string `toml:"criteria"`
	Result   string   `toml:"result"`
	Reason   string   `toml:"reason"`
}

// read reads one of the files of the demo.
func read(name string, into any) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := toml.NewDecoder(f).DisallowUnknownFields().Decode(into); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
