package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"nexus"
)

// What an agent may be kept from doing. Whoever is not kept from something may
// do it.
const (
	sendDirect    = "messages.send_direct"
	sendBroadcast = "messages.send_broadcast"
	sendChannel   = "messages.send_channel"
	createWork    = "handoffs.create"
	doWork        = "handoffs.work"
	cancelWork    = "handoffs.cancel"
	planWork      = "tasks" // whoever may give work out or take it
	createChannel = "channels.create"
	putArtifact   = "artifacts.put"
	readLog       = "events.read"

	// Whoever may be asked to judge work was named by its creator.
	anything = ""
)

// Permissions are what an agent may do: of a preset, and of its own, which
// outrank the preset's. What is not mentioned is allowed.
type Permissions struct {
	Messages struct {
		SendDirect    *bool    `json:"send_direct,omitempty"`
		SendBroadcast *bool    `json:"send_broadcast,omitempty"`
		SendChannel   *bool    `json:"send_channel,omitempty"`
		AllowedPeers  []string `json:"allowed_peers,omitempty"` // everybody when empty
	} `json:"messages,omitzero"`
	Handoffs struct {
		Create *bool `json:"create,omitempty"`
		Work   *bool `json:"work,omitempty"`
		Cancel *bool `json:"cancel,omitempty"`
	} `json:"handoffs,omitzero"`
	Channels struct {
		Create *bool `json:"create,omitempty"`
	} `json:"channels,omitzero"`
	Artifacts struct {
		Put *bool `json:"put,omitempty"`
	} `json:"artifacts,omitzero"`
	Events struct {
		Read *bool `json:"read,omitempty"`
	} `json:"events,omitzero"`
	Limits struct {
		MessagesPerMinute int `json:"messages_per_minute,omitempty"` // 0 for no limit
		MaxRecipients     int `json:"max_recipients,omitempty"`
	} `json:"limits,omitzero"`
}

// allow tells whether a permission is not withheld.
func (p *Permissions) allow(name string) bool {
	if name == planWork {
		return p.allow(createWork) || p.allow(doWork)
	}
	flag := map[string]*bool{
		sendDirect: p.Messages.SendDirect, sendBroadcast: p.Messages.SendBroadcast, sendChannel: p.Messages.SendChannel,
		createWork: p.Handoffs.Create, doWork: p.Handoffs.Work, cancelWork: p.Handoffs.Cancel,
		createChannel: p.Channels.Create, putArtifact: p.Artifacts.Put, readLog: p.Events.Read,
	}[name]
	return flag == nil || *flag
}

// parsePermissions reads permissions as somebody writes them. null is none.
func parsePermissions(field string, raw nexus.Object) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var p Permissions
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return nexus.Invalid(field, "%s must be an object of messages {send_direct, send_broadcast, send_channel, allowed_peers}, "+
			"handoffs {create, work, cancel}, channels {create}, artifacts {put}, events {read} and limits {messages_per_minute, max_recipients}.", field)
	}
	if p.Limits.MessagesPerMinute < 0 || p.Limits.MaxRecipients < 0 {
		return nexus.Invalid(field, "The limits in %s must be 0, which is none, or more.", field)
	}
	return nil
}

// A Standing is how an agent stands: when it was last seen, and what it may do.
type Standing struct {
	LastSeenAt  string
	PresetID    string
	PresetFlags json.RawMessage // of a preset that is no builtin
	Permissions json.RawMessage
}

// limited tells whether there is anything that the agent may not do, and what.
func (st Standing) limited() (*Permissions, error) {
	flags := st.PresetFlags
	if builtin, ok := builtinPreset(st.PresetID); ok && builtin.Name != "full" {
		flags = json.RawMessage(builtin.Flags)
	}
	if len(flags) == 0 && len(st.Permissions) == 0 {
		return nil, nil
	}
	var p Permissions
	for _, raw := range []json.RawMessage{flags, st.Permissions} {
		if len(raw) == 0 {
			continue
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
	}
	return &p, nil
}

type permissionRows interface {
	// AgentStanding is how a registered agent stands.
	AgentStanding(id string) (Standing, bool, error)
	// CountSent counts what an agent has sent since a moment, up to a limit.
	CountSent(agentID, since string, limit int) (int, error)
}

// permitted notes that an agent does something that not everybody may do, and
// refuses it if it may not. It comes before the first write of what is done.
func (s *Service) permitted(ctx context.Context, tx Tx, agentID, permission string, now time.Time) (*Permissions, error) {
	s.glances.note(agentID, now)
	if err := ownerPermitted(ctx, tx, agentID, permission); err != nil {
		return nil, err
	}
	st, found, err := tx.AgentStanding(agentID)
	if err != nil || !found {
		return nil, err
	}
	p, err := st.permit(agentID, permission)
	if err != nil {
		return nil, err
	}
	return p, s.acted(tx, agentID, now)
}

// mayLook is [Service.permitted] for what leaves no trace.
func mayLook(ctx context.Context, tx Tx, agentID, permission string) error {
	if err := ownerPermitted(ctx, tx, agentID, permission); err != nil {
		return err
	}
	st, found, err := tx.AgentStanding(agentID)
	if err == nil && found {
		_, err = st.permit(agentID, permission)
	}
	return err
}

// ownerPermitted holds the owner of a key to what that owner may do, whoever it
// speaks for: nobody gets around a limit by another name.
func ownerPermitted(ctx context.Context, tx Tx, agentID, permission string) error {
	owner := nexus.ActorFrom(ctx).AgentID
	if owner == "" || owner == agentID {
		return nil
	}
	st, found, err := tx.AgentStanding(owner)
	if err == nil && found {
		_, err = st.permit(owner, permission)
	}
	return err
}

// MayChangeTopics refuses the owner of a key who may not write to channels, which
// topics are as public as.
func MayChangeTopics(ctx context.Context, tx Tx) error {
	return ownerPermitted(ctx, tx, "", sendChannel)
}

// mayTell refuses the owner of a key who may not send a direct message to an agent,
// or not so many.
func mayTell(tx Tx, owner, to string, now time.Time) error {
	st, found, err := tx.AgentStanding(owner)
	if err != nil || !found {
		return err
	}
	may, err := st.permit(owner, sendDirect)
	if err != nil {
		return err
	}
	return may.withinLimits(tx, owner, []string{to}, now)
}

// permissionsOf is what an agent may do, nil where that is everything.
func permissionsOf(tx Tx, agentID string) (*Permissions, error) {
	st, found, err := tx.AgentStanding(agentID)
	if err != nil || !found {
		return nil, err
	}
	return st.limited()
}

// permit returns what an agent may do, nil where that is everything, unless it
// may not do this.
func (st Standing) permit(agentID, permission string) (*Permissions, error) {
	p, err := st.limited()
	if err != nil || p == nil || p.allow(permission) {
		return p, err
	}
	return nil, nexus.Errorf(nexus.PermissionDenied,
		"Agent %q may not do this: it lacks the permission %s. Ask whoever runs this hub, or leave it to an agent that has it.", agentID, permission).
		With("required_permission", permission).With("agent_id", agentID)
}

// permissionToSend is what sending to a target takes. A message without one is
// for everybody, or for a channel.
func permissionToSend(target *Target, channelID *string) string {
	switch {
	case target != nil && target.Strategy == Direct:
		return sendDirect
	case target == nil && channelID != nil:
		return sendChannel
	default:
		return sendBroadcast
	}
}

// withinLimits refuses a message that its sender's permissions forbid for whom
// it would reach, or for how many there were before it.
func (p *Permissions) withinLimits(tx Tx, from string, to []string, now time.Time) error {
	if p == nil {
		return nil
	}
	if peers := p.Messages.AllowedPeers; len(peers) > 0 {
		var others []string
		for _, id := range to {
			if !slices.Contains(peers, id) {
				others = append(others, id)
			}
		}
		if len(others) > 0 {
			return nexus.Errorf(nexus.PermissionDenied, "Agent %q may write to %d named agents only, and this would reach others.", from, len(peers)).
				With("required_permission", "messages.allowed_peers").With("agent_id", from).
				With("allowed_peers", peers).With("not_allowed", others)
		}
	}
	if most := p.Limits.MaxRecipients; most > 0 && len(to) > most {
		return nexus.Errorf(nexus.PermissionDenied, "This would reach %d agents; agent %q may reach %d at a time.", len(to), from, most).
			With("required_permission", "limits.max_recipients").With("agent_id", from).With("max_recipients", most)
	}
	most := p.Limits.MessagesPerMinute
	if most == 0 {
		return nil
	}
	sent, err := tx.CountSent(from, nexus.Stamp(now.Add(-time.Minute)), most)
	if err != nil || sent < most {
		return err
	}
	return nexus.Errorf(nexus.RateLimited, "Agent %q has sent %d messages within a minute, which is as many as it may. Wait, then send again.", from, most).
		With("limit", "limits.messages_per_minute").With("agent_id", from).With("retry_after_seconds", 60)
}
