package bus

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nexus"
)

// A Message is what one agent tells others.
type Message struct {
	ID            string       `json:"message_id"`
	WorkspaceID   string       `json:"workspace_id"`
	ChannelID     *string      `json:"channel_id"`
	FromAgentID   string       `json:"from_agent_id"`
	FromSessionID *string      `json:"from_session_id"`
	Target        nexus.Object `json:"target"`
	Subject       string       `json:"subject"`
	Body          string       `json:"body"`
	Artifacts     []string     `json:"artifacts"`
	ParentID      *string      `json:"parent_message_id"`
	CreatedAt     string       `json:"created_at"`

	Provenance Provenance `json:"-"`
}

// A Provenance says how the sender of a message was known.
type Provenance struct {
	Sender string `json:"sender"` // agent, operator or bus
	Proof  string `json:"proof"`  // key, session or claimed
	// Via is whose key it was, if not the sender's.
	Via string `json:"via,omitempty"`
}

// The senders and the proofs of a [Provenance].
const (
	SenderAgent    = "agent"
	SenderOperator = "operator"
	SenderBus      = "bus" // a notice of the bus itself

	ProofKey     = "key"     // an API key of the sender
	ProofSession = "session" // the secret of a session of the sender
	ProofClaimed = "claimed" // nothing but its word
)

// provenance is how the one who speaks for an agent is known.
func provenance(ctx context.Context, agentID, sessionSecret string) Provenance {
	a := nexus.ActorFrom(ctx)
	p := Provenance{Sender: SenderAgent, Proof: ProofClaimed}
	if a.Kind == nexus.KindOperator {
		p.Sender = SenderOperator
	}
	switch {
	case a.AgentID == agentID:
		p.Proof = ProofKey
	case sessionSecret != "": // it was checked before
		p.Proof = ProofSession
	}
	if a.AgentID != agentID {
		p.Via = a.AgentID
	}
	return p
}

type messageRows interface {
	InsertMessage(Message) error
	// MessagePlace is the workspace and channel of a message.
	MessagePlace(id string) (workspaceID, channelID string, found bool, err error)
	// InsertDeliveries puts a message into inboxes, an id for each recipient.
	InsertDeliveries(messageID string, recipients, ids []string, at string) error
}

// SendParams are a message and whom it is for.
type SendParams struct {
	ProjectRoot   string       `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	FromAgentID   string       `json:"from_agent_id" jsonschema:"you"`
	Subject       string       `json:"subject" jsonschema:"one line"`
	Body          string       `json:"body" jsonschema:"the message, up to 64 KB"`
	Target        nexus.Object `json:"target,omitempty" jsonschema:"whom it is for, such as {strategy:direct,agent_id:…}; leave out to reach everybody present"`
	ChannelID     string       `json:"channel_id,omitempty" jsonschema:"a label to file it under"`
	ParentID      string       `json:"parent_message_id,omitempty" jsonschema:"the message it answers"`
	Artifacts     []string     `json:"artifacts,omitempty" jsonschema:"ids of artifacts that go with it"`
	FromSessionID string       `json:"from_session_id,omitempty" jsonschema:"your session"`
	SessionSecret string       `json:"session_secret,omitempty" jsonschema:"its secret, where trust is strict" secret:"true"`
}

// SendResult is the message as it was stored and whom it reached.
type SendResult struct {
	Message
	EventID          *int64   `json:"event_id"`
	Recipients       []string `json:"recipients"`
	DeliveredCount   int      `json:"delivered_count"`
	Warning          string   `json:"warning,omitempty"`
	ExcludedStale    []string `json:"excluded_stale,omitempty"`
	WorkspaceCreated bool     `json:"workspace_created,omitempty"`
	Hint
}

// Send stores a message, puts it into the inbox of everybody it is for, and
// notes it in the log, all or nothing.
func (s *Service) Send(ctx context.Context, p SendParams) (SendResult, error) {
	target, err := s.checkMessage(p)
	if err != nil {
		return SendResult{}, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return SendResult{}, err
	}
	now := s.now()
	m := Message{
		ID: s.newID("msg"), WorkspaceID: at.id, ChannelID: pointer(p.ChannelID), FromAgentID: p.FromAgentID,
		FromSessionID: pointer(p.FromSessionID), Subject: p.Subject, Body: p.Body,
		Artifacts: append([]string{}, p.Artifacts...), ParentID: pointer(p.ParentID), CreatedAt: nexus.Stamp(now),
		Provenance: provenance(ctx, p.FromAgentID, p.SessionSecret),
	}
	if target != nil {
		m.Target = p.Target
	}
	event := messageEvent(m, target) // made here, where it holds up nobody
	return trusted(ctx, s, s.proof(ctx, p.FromAgentID, Credentials{p.FromSessionID, p.SessionSecret}), func(tx Tx) (SendResult, error) {
		may, err := s.permitted(ctx, tx, p.FromAgentID, permissionToSend(target, m.ChannelID), now)
		if err != nil {
			return SendResult{}, err
		}
		return s.deliver(tx, m, target, at, event, may, now)
	})
}

// checkMessage refuses what can be refused without looking into the store.
func (s *Service) checkMessage(p SendParams) (*Target, error) {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return nil, err
	}
	if err := cmp.Or(
		required("from_agent_id", p.FromAgentID), required("subject", p.Subject), required("body", p.Body),
		s.fits("subject", len(p.Subject)), s.fits("body", len(p.Body)), s.fits("target", len(p.Target)),
		brief("from_agent_id", p.FromAgentID), checkArtifacts(p.Artifacts),
	); err != nil {
		return nil, err
	}
	target, err := ParseTarget(p.Target)
	if err != nil || target == nil {
		return nil, err
	}
	if target.hasFallback() {
		return nil, badTarget("A message cannot wait for a fallback: it is delivered at once. Use handoff_create for work that escalates.")
	}
	return target, nil
}

// mostArtifacts is how many artifacts may go with a message.
const mostArtifacts = 100

func checkArtifacts(ids []string) error {
	if len(ids) > mostArtifacts {
		return nexus.Invalid("artifacts", "artifacts names %d; at most %d may go with a message.", len(ids), mostArtifacts)
	}
	for _, id := range ids {
		if err := cmp.Or(required("artifacts", id), brief("artifacts", id)); err != nil {
			return err
		}
	}
	return nil
}

func (t Target) hasFallback() bool {
	return t.Strategy == DirectWithFallback || slices.ContainsFunc(t.Rules, Target.hasFallback)
}

// deliver stores the message and its deliveries.
func (s *Service) deliver(tx Tx, m Message, target *Target, at place, event nexus.Event, may *Permissions, now time.Time) (SendResult, error) {
	_, created, err := s.enterWorkspace(tx, at, now)
	if err != nil {
		return SendResult{}, err
	}
	if err := checkThread(tx, m); err != nil {
		return SendResult{}, err
	}
	to, stale, err := s.recipients(tx, m, target, now)
	if err != nil {
		return SendResult{}, err
	}
	if err := may.withinLimits(tx, m.FromAgentID, to, now); err != nil {
		return SendResult{}, err
	}
	if err := tx.InsertMessage(m); err != nil {
		return SendResult{}, err
	}
	ids := make([]string, len(to))
	for i := range ids {
		ids[i] = s.newID("dlv")
		tx.Wake(nexus.InboxKey(to[i]))
	}
	if err := tx.InsertDeliveries(m.ID, to, ids, m.CreatedAt); err != nil {
		return SendResult{}, err
	}
	hint, err := s.hint(tx, m.FromAgentID, now, fewUnread)
	if err != nil {
		return SendResult{}, err
	}
	return SendResult{
		Message: m, EventID: &event.ID, Recipients: to, DeliveredCount: len(to),
		Warning: warning(target, to, stale), ExcludedStale: stale, WorkspaceCreated: created, Hint: hint,
	}, tx.AppendEvent(&event)
}

func messageEvent(m Message, target *Target) nexus.Event {
	visibility := nexus.VisibilityPublic
	if target != nil {
		visibility = nexus.VisibilityEligible
	}
	return nexus.Event{
		WorkspaceID: m.WorkspaceID, Stream: nexus.StreamWorkspace, Type: "message.created", Actor: m.FromAgentID,
		Visibility: visibility, Target: nexus.JSON(m.Target), CreatedAt: m.CreatedAt,
		Payload: mustJSON(messageCreated{m.ID, m.ChannelID, m.FromAgentID, m.Target, m.Subject, m.CreatedAt}),
	}
}

// messageCreated is what the log says of a message: everything but the body.
type messageCreated struct {
	ID          string       `json:"message_id"`
	ChannelID   *string      `json:"channel_id"`
	FromAgentID string       `json:"from_agent_id"`
	Target      nexus.Object `json:"target"`
	Subject     string       `json:"subject"`
	CreatedAt   string       `json:"created_at"`
}

// checkThread refuses a channel or a parent that is not where the message is.
func checkThread(tx Tx, m Message) error {
	if m.ChannelID != nil {
		c, found, err := tx.Channel(*m.ChannelID)
		if err != nil || !found || c.WorkspaceID != m.WorkspaceID {
			return orNotFound(err, "There is no channel %q in this workspace. channel_list shows them.", *m.ChannelID)
		}
	}
	if m.ParentID != nil {
		workspaceID, channelID, found, err := tx.MessagePlace(*m.ParentID)
		if err != nil || !found || workspaceID != m.WorkspaceID || m.ChannelID != nil && channelID != *m.ChannelID {
			return orNotFound(err, "There is no message %q here to answer.", *m.ParentID)
		}
	}
	return nil
}

// recipients finds whom a message is for. Direct mail must have an addressee;
// groups never include the sender; a broadcast reaches those who are present,
// and names those whom it passed by.
func (s *Service) recipients(tx Tx, m Message, target *Target, now time.Time) (to, stale []string, err error) {
	switch {
	case target == nil || target.Strategy == Broadcast:
		return s.audience(tx, m, now)
	case target.Strategy == Direct:
		exists, err := tx.AgentExists(target.AgentID)
		if err == nil && !exists {
			err = noAgent(target.AgentID)
		}
		return []string{target.AgentID}, nil, err
	}
	found := map[string]Agent{}
	if err := candidates(tx, *target, found); err != nil {
		return nil, nil, err
	}
	to = []string{}
	for id, a := range found {
		if id != m.FromAgentID && target.Eligible(ProfileOf(id, a), now, now) {
			to = append(to, id)
		}
	}
	slices.Sort(to)
	return to, nil, nil
}

func (s *Service) audience(tx Tx, m Message, now time.Time) (to, stale []string, err error) {
	heartbeats, err := tx.Heartbeats(m.WorkspaceID)
	to = []string{}
	for _, h := range heartbeats {
		switch {
		case h.AgentID == m.FromAgentID:
		case Present(SessionActive, h.At, now, s.knobs().Presence):
			to = append(to, h.AgentID)
		default:
			stale = append(stale, h.AgentID)
		}
	}
	return to, stale, err
}

// candidates looks up, by index, the agents that a rule of the target names.
// Whether they match is for [Target.Eligible] to say.
func candidates(tx Tx, t Target, into map[string]Agent) error {
	var agents []Agent
	var err error
	switch t.Strategy {
	case ByCapability:
		agents, err = tx.AgentsWithCapability(t.Capabilities)
	case ByRole:
		agents, err = tx.AgentsWithRole(t.Role)
	case Direct, DirectWithFallback:
		a, found, lookup := tx.Agent(t.AgentID)
		if err = lookup; found {
			agents = []Agent{a.Agent}
		}
	}
	if err != nil {
		return err
	}
	for _, a := range agents {
		into[a.ID] = a
	}
	rules := t.Rules
	if t.Fallback != nil {
		rules = append(slices.Clone(rules), *t.Fallback)
	}
	for _, rule := range rules {
		if err := candidates(tx, rule, into); err != nil {
			return err
		}
	}
	return nil
}

// warning says what the sender might not expect.
func warning(target *Target, to, stale []string) string {
	switch {
	case len(stale) > 0:
		return fmt.Sprintf("%d of this workspace's agents were passed by because they have not been heard of lately; reach them with a direct message.", len(stale))
	case len(to) > 0:
		return ""
	case target == nil || target.Strategy == Broadcast:
		return "Nobody else is present in this workspace: the message reached nobody."
	default:
		return "No registered agent matches the target: the message reached nobody."
	}
}
