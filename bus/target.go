package bus

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"nexus"
)

// The ways to say whom something is for.
const (
	Direct             = "direct"
	ByCapability       = "capability"
	ByRole             = "role"
	Broadcast          = "broadcast"
	Mixed              = "mixed"
	DirectWithFallback = "direct_with_fallback"
)

// A Target says whom a message or a piece of work is for. One grammar serves
// every verb, so what one accepts no other reads differently.
type Target struct {
	Strategy      string
	AgentID       string   // direct, direct_with_fallback
	Capabilities  []string // capability: any of these
	Role          string   // role
	Rules         []Target // mixed: any of these
	FallbackAfter time.Duration
	Fallback      *Target // direct_with_fallback; nil for everybody
}

// targetShape is a target as it is written.
type targetShape struct {
	Strategy      json.RawMessage   `json:"strategy"`
	Kind          json.RawMessage   `json:"kind"`
	AgentID       json.RawMessage   `json:"agent_id"`
	Capability    json.RawMessage   `json:"capability"`
	Role          json.RawMessage   `json:"role"`
	Rules         []json.RawMessage `json:"rules"`
	FallbackAfter json.RawMessage   `json:"fallback_after_seconds"`
	Fallback      json.RawMessage   `json:"fallback"`
}

// ParseTarget reads a target; nothing, null and {} mean everybody and give nil.
func ParseTarget(raw []byte) (*Target, error) {
	if blankTarget(raw) {
		return nil, nil
	}
	t, err := parseTarget(raw, 0)
	if err != nil {
		return nil, err
	}
	return &t, nil
}

func blankTarget(raw []byte) bool {
	trimmed := strings.Join(strings.Fields(string(raw)), "")
	return trimmed == "" || trimmed == "null" || trimmed == "{}"
}

// maxTargetDepth bounds rules within rules.
const maxTargetDepth = 8

func parseTarget(raw []byte, depth int) (Target, error) {
	var shape targetShape
	if depth > maxTargetDepth {
		return Target{}, badTarget("target nests its rules too deeply.")
	}
	if err := json.Unmarshal(raw, &shape); err != nil {
		return Target{}, badTarget("target must be an object such as {\"strategy\":\"direct\",\"agent_id\":\"…\"}.")
	}
	strategy, ok := word(shape.Strategy)
	if !ok {
		strategy, ok = word(shape.Kind)
	}
	if !ok {
		return Target{}, badTarget("target needs a strategy: direct, capability, role, broadcast, mixed or direct_with_fallback.")
	}
	t := Target{Strategy: strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strategy))}
	switch t.Strategy {
	case Broadcast:
		return t, nil
	case Direct:
		return t, t.readWord(&t.AgentID, "agent_id", shape.AgentID)
	case ByRole:
		return t, t.readWord(&t.Role, "role", shape.Role)
	case ByCapability:
		return t, t.readCapabilities(shape.Capability)
	case Mixed:
		return t, t.readRules(shape.Rules, depth)
	case DirectWithFallback:
		return t, t.readFallback(shape, depth)
	}
	return Target{}, badTarget("target has an unknown strategy %q; use direct, capability, role, broadcast, mixed or direct_with_fallback.", strategy)
}

func badTarget(format string, args ...any) error { return nexus.Invalid("target", format, args...) }

// word is a JSON string that is not blank, trimmed.
func word(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	s = strings.TrimSpace(s)
	return s, s != ""
}

func (t *Target) readWord(to *string, name string, raw json.RawMessage) error {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil || strings.TrimSpace(s) == "" {
		return badTarget("target %s needs %s, a word.", t.Strategy, name)
	}
	*to = s
	return brief("target", s)
}

func (t *Target) readCapabilities(raw json.RawMessage) error {
	if w, ok := word(raw); ok {
		t.Capabilities = []string{w}
		return nil
	}
	var words []string
	if len(raw) > 0 && unmarshalStrings(raw, &words) && len(words) > 0 &&
		!slices.ContainsFunc(words, func(w string) bool { return strings.TrimSpace(w) == "" }) {
		t.Capabilities = words
		return nil
	}
	return badTarget("target capability needs capability: a word, or a list of words any of which will do.")
}

func (t *Target) readRules(rules []json.RawMessage, depth int) error {
	if len(rules) == 0 {
		return badTarget("target mixed needs rules, a list of targets any of which may match.")
	}
	for _, raw := range rules {
		if blankTarget(raw) {
			return badTarget("target mixed has a blank rule, which would reach everybody. Leave it out.")
		}
		rule, err := parseTarget(raw, depth+1)
		if err != nil {
			return err
		}
		if rule.reachesAll() {
			return badTarget("A broadcast inside mixed would drown the other rules. Use {\"strategy\":\"broadcast\"} by itself.")
		}
		t.Rules = append(t.Rules, rule)
	}
	return nil
}

// reachesAll tells whether a target is for everybody, now or from some moment on.
func (t *Target) reachesAll() bool {
	return t == nil || t.Strategy == Broadcast || t.Strategy == DirectWithFallback && t.Fallback.reachesAll()
}

func (t *Target) readFallback(shape targetShape, depth int) error {
	if err := t.readWord(&t.AgentID, "agent_id", shape.AgentID); err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(strings.Trim(string(shape.FallbackAfter), `" `), 64)
	if err != nil || seconds < 0 || math.IsNaN(seconds) || seconds > 1e9 {
		return badTarget("target direct_with_fallback needs fallback_after_seconds, a number of 0 or more.")
	}
	t.FallbackAfter = time.Duration(seconds * float64(time.Second))
	if blankTarget(shape.Fallback) {
		return nil
	}
	fallback, err := parseTarget(shape.Fallback, depth+1)
	if err != nil {
		return err
	}
	t.Fallback = &fallback
	return nil
}

// A Profile is what eligibility looks at in an agent.
type Profile struct {
	AgentID      string
	Role         string
	Capabilities []string // sorted
}

// ProfileOf is how routing sees an agent; one that is not registered has only its
// name.
func ProfileOf(id string, a Agent) Profile {
	p := Profile{AgentID: id}
	if a.Role != nil {
		p.Role = *a.Role
	}
	p.Capabilities, _ = capabilitySet(a.Capabilities)
	return p
}

// Eligible is the one answer to "is it for this agent?". Names, roles and
// capabilities match exactly. The fallback opens at its moment and stays open.
func (t *Target) Eligible(p Profile, created, now time.Time) bool {
	if t == nil {
		return true
	}
	switch t.Strategy {
	case Broadcast:
		return true
	case Direct:
		return p.AgentID == t.AgentID
	case ByRole:
		return p.Role == t.Role
	case ByCapability:
		return slices.ContainsFunc(t.Capabilities, func(c string) bool {
			_, has := slices.BinarySearch(p.Capabilities, c)
			return has
		})
	case Mixed:
		return slices.ContainsFunc(t.Rules, func(r Target) bool { return r.Eligible(p, created, now) })
	case DirectWithFallback:
		return p.AgentID == t.AgentID ||
			!now.Before(created.Add(t.FallbackAfter)) && t.Fallback.Eligible(p, created, now)
	}
	return false
}

// CanSee is the one answer to "may this agent see it?". Whoever did something
// sees what it did; what cannot be read is seen by nobody.
func CanSee(e nexus.Event, p Profile, now time.Time) bool {
	if e.Actor != "" && e.Actor == p.AgentID {
		return true
	}
	switch e.Visibility {
	case "", nexus.VisibilityPublic:
		return true
	case nexus.VisibilityEligible, nexus.VisibilityPrivate:
		t, err := ParseTarget(e.Target)
		created, badTime := nexus.ParseStamp(e.CreatedAt)
		return err == nil && badTime == nil && t.Eligible(p, created, now)
	}
	return false
}
