package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"nexus"
)

// An Agent is an identity on the bus. It belongs to no workspace.
type Agent struct {
	ID           string          `json:"agent_id"`
	Role         *string         `json:"role"`
	Capabilities json.RawMessage `json:"capabilities"`
	Metadata     json.RawMessage `json:"metadata"`
	CreatedAt    string          `json:"created_at"`
	LastSeenAt   *string         `json:"last_seen_at"`
}

// A Registration is what an agent is told that registers, often not for the first
// time.
type Registration struct {
	RegisteredAgent
	Hint
}

// RegisteredAgent is an [Agent] with the moment it was last changed.
type RegisteredAgent struct {
	Agent
	UpdatedAt string `json:"updated_at"`
}

type agentRows interface {
	Agent(id string) (RegisteredAgent, bool, error)
	Agents() ([]Agent, error)
	AgentExists(id string) (bool, error)
	// SaveAgent inserts or replaces an agent, and with it the words by which its
	// capabilities are found.
	SaveAgent(a RegisteredAgent, capabilities []string) error
	// InsertAgent adds an agent that can do nothing in particular, unless it is
	// registered already.
	InsertAgent(RegisteredAgent) (made bool, err error)
	// TouchAgent notes that an agent acted, if it was last seen before the given
	// moment. One that is not registered stays so.
	TouchAgent(id, at, before string) error
	// AgentsWithCapability and AgentsWithRole find by index: nobody scans the
	// registry.
	AgentsWithCapability(capabilities []string) ([]Agent, error)
	AgentsWithRole(role string) ([]Agent, error)
	Capabilities() ([]Capability, error)
}

// RegisterParams describe an agent.
type RegisterParams struct {
	AgentID      string     `json:"agent_id" jsonschema:"the name you go by, everywhere"`
	Role         *string    `json:"role,omitempty" jsonschema:"what you are, such as reviewer"`
	Capabilities nexus.JSON `json:"capabilities,omitempty" jsonschema:"what you can do: a list of words, or an object of word: true"`
	Metadata     nexus.JSON `json:"metadata,omitempty" jsonschema:"anything else about you"`
}

// Register makes an agent known, or changes what is known of it. What is left
// out stays as it was.
func (s *Service) Register(ctx context.Context, p RegisterParams) (Registration, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return Registration{}, err
	}
	if err := cmp.Or(mayRegister(p.AgentID), s.actAs(ctx, p.AgentID)); err != nil {
		return Registration{}, err
	}
	if err := s.checkProfile(&p); err != nil {
		return Registration{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (Registration, error) {
		if err := tx.Lock("agent/" + p.AgentID); err != nil {
			return Registration{}, err
		}
		a, err := s.saveAgent(tx, p, p.AgentID, now)
		if err != nil {
			return Registration{}, err
		}
		hint, err := s.hint(tx, p.AgentID, now, mostUnread)
		return Registration{a, hint}, err
	})
}

// checkProfile refuses a description that is too large or that routing could
// not read, and unwraps capabilities that came as a string.
func (s *Service) checkProfile(p *RegisterParams) error {
	if inner, ok := jsonInString(p.Capabilities); ok {
		p.Capabilities = inner
	}
	if err := cmp.Or(
		s.fits("capabilities", len(p.Capabilities)), s.fits("metadata", len(p.Metadata)),
		nexus.CheckText("capabilities", p.Capabilities), nexus.CheckJSON("capabilities", p.Capabilities),
	); err != nil {
		return err
	}
	words, err := capabilitySet(p.Capabilities)
	if err != nil {
		return err
	}
	for _, word := range words {
		if err := brief("capabilities", word); err != nil {
			return err
		}
	}
	return brief("role", deref(p.Role))
}

func (s *Service) saveAgent(tx Tx, p RegisterParams, by string, now time.Time) (RegisteredAgent, error) {
	a, found, err := tx.Agent(p.AgentID)
	if err != nil {
		return a, err
	}
	stamp := nexus.Stamp(now)
	kind := "agent.updated"
	if !found {
		a = RegisteredAgent{Agent: Agent{ID: p.AgentID, CreatedAt: stamp}}
		kind = "agent.registered"
	}
	if p.Role != nil {
		a.Role = p.Role
	}
	if p.Capabilities != nil {
		a.Capabilities = p.Capabilities
	}
	if p.Metadata != nil {
		a.Metadata = p.Metadata
	}
	a.UpdatedAt, a.LastSeenAt = stamp, &stamp
	capabilities, err := capabilitySet(a.Capabilities)
	if err != nil {
		return a, err
	}
	if err := tx.SaveAgent(a, capabilities); err != nil {
		return a, err
	}
	return a, s.system(tx, now, kind, by, map[string]any{"agent_id": a.ID, "role": a.Role, "capabilities": capabilities})
}

// AgentList is every agent there is.
type AgentList struct {
	Agents []Agent `json:"agents"`
}

// Agents lists all agents, the oldest first.
func (s *Service) Agents(ctx context.Context, _ None) (AgentList, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (AgentList, error) {
		all, err := tx.Agents()
		for i := range all {
			s.glances.overlay(&all[i])
		}
		return AgentList{all}, err
	})
}

// AgentParams name an agent.
type AgentParams struct {
	AgentID string `json:"agent_id" jsonschema:"whom to look up"`
}

// Agent is one agent's details.
func (s *Service) Agent(ctx context.Context, p AgentParams) (Agent, error) {
	if err := required("agent_id", p.AgentID); err != nil {
		return Agent{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Agent, error) {
		a, found, err := tx.Agent(p.AgentID)
		if err == nil && !found {
			err = noAgent(p.AgentID)
		}
		s.glances.overlay(&a.Agent)
		return a.Agent, err
	})
}

func noAgent(id string) error {
	return nexus.Errorf(nexus.NotFound, "There is no agent %q. agent_list shows who is registered.", id).With("agent_id", id)
}

// A Capability is a word and those who claim it.
type Capability struct {
	Capability string   `json:"capability"`
	Count      int      `json:"agent_count"`
	Agents     []string `json:"agents"`
}

// CapabilityList is every capability that somebody has.
type CapabilityList struct {
	Capabilities []Capability `json:"capabilities"`
}

// Capabilities lists what can be asked for, and whom it would reach.
func (s *Service) Capabilities(ctx context.Context, _ None) (CapabilityList, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (CapabilityList, error) {
		all, err := tx.Capabilities()
		return CapabilityList{all}, err
	})
}

// capabilitySet reads capabilities in any of their forms, sorted, each once: a
// word, a list of words, or an object whose true entries count.
func capabilitySet(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var word string
	var words []string
	var flags map[string]any
	switch {
	case json.Unmarshal(raw, &word) == nil:
		words = []string{word}
	case json.Unmarshal(raw, &flags) == nil:
		for name, value := range flags {
			if truthy(value) {
				words = append(words, name)
			}
		}
	case unmarshalStrings(raw, &words):
	default:
		return nil, nexus.Invalid("capabilities", "capabilities must be a list of words, one word, or an object of word: true.")
	}
	words = slices.DeleteFunc(words, func(w string) bool { return strings.TrimSpace(w) == "" })
	slices.Sort(words)
	return slices.Compact(words), nil
}

func unmarshalStrings(raw json.RawMessage, into *[]string) bool {
	var items []*string
	if json.Unmarshal(raw, &items) != nil {
		return false
	}
	for _, s := range items {
		if s == nil {
			return false
		}
		*into = append(*into, *s)
	}
	return true
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// jsonInString finds the list or object that a sloppy client sent as a string.
func jsonInString(raw json.RawMessage) (json.RawMessage, bool) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, false
	}
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "{") || !json.Valid([]byte(s)) {
		return nil, false
	}
	return json.RawMessage(s), true
}

// How fresh last_seen_at is kept in the store by calls that only look, since
// looking all the time must not mean writing all the time, and by those that act,
// of which it would be a good part of what they write. In between, [glances]
// knows.
const (
	pollGrain = 200 * time.Millisecond
	actGrain  = 5 * time.Second
)

// touch notes that an agent acted, unless that was noted less than a grain ago.
func touch(tx Tx, agentID string, now time.Time, grain time.Duration) error {
	return tx.TouchAgent(agentID, nexus.Stamp(now), nexus.Stamp(now.Add(-grain)))
}

// acted notes that an agent did something that everybody may do. What this
// process wrote down less than a grain ago it need not write again; of what other
// processes wrote it knows nothing.
func (s *Service) acted(tx Tx, agentID string, now time.Time) error {
	if !s.glances.noteDue(agentID, now) {
		return nil
	}
	return touch(tx, agentID, now, 0)
}

// seen notes that an agent looked at something. It is a courtesy: if it fails,
// the look itself still counts.
func (s *Service) seen(ctx context.Context, a Agent, now time.Time) {
	s.glances.note(a.ID, now)
	if a.LastSeenAt == nil || *a.LastSeenAt >= nexus.Stamp(now.Add(-pollGrain)) {
		return
	}
	_, _ = nexus.Update(ctx, s.store, func(tx Tx) (None, error) {
		return None{}, touch(tx, a.ID, now, pollGrain)
	})
}

// glances remembers, in this process, when agents last did something, for the
// moments between two stamps in the store.
type glances struct {
	mu sync.Mutex
	of map[string]glance
}

// A glance is when an agent did something, and when that was last written down
// because it acted.
type glance struct {
	at     string
	stored time.Time
}

// mostGlances bounds the memory; who is forgotten is stamped soon anyway.
const mostGlances = 50_000

func (g *glances) note(agentID string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.of[agentID]
	g.put(agentID, glance{nexus.Stamp(now), known.stored})
}

// noteDue also tells whether it is time to write it down. A transaction that runs
// again, at the same moment, is told the same again.
func (g *glances) noteDue(agentID string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	stored := g.of[agentID].stored
	due := !now.After(stored) || now.Sub(stored) >= actGrain
	if due {
		stored = now
	}
	g.put(agentID, glance{nexus.Stamp(now), stored})
	return due
}

func (g *glances) put(agentID string, seen glance) {
	if g.of == nil || len(g.of) >= mostGlances {
		g.of = map[string]glance{}
	}
	g.of[agentID] = seen
}

// latest is when an agent last did something, as far as is known here and there.
func (g *glances) latest(agentID, known string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(known, g.of[agentID].at)
}

// overlay shows an agent as seen when it last did something.
func (g *glances) overlay(a *Agent) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if seen, ok := g.of[a.ID]; ok && a.LastSeenAt != nil && seen.at > *a.LastSeenAt {
		a.LastSeenAt = &seen.at
	}
}
