package bus

import (
	"context"
	"sync"
	"time"

	"nexus"
)

type observeGraphRows interface {
	ObservedSessions(SessionQuery, Stretch) (Walked[Session, string], error)
	// Stays counts the active sessions of every agent that has some.
	Stays() ([]Stay, error)
	GraphNodes() ([]GraphNode, error)
	GraphChannels(workspaceID string, limit int) ([]Channel, error)
	// GraphEdges counts who wrote to whom among the newest deliveries, and tells
	// how many deliveries that were.
	GraphEdges(EdgeQuery) (edges []GraphEdge, counted int, err error)
	// InboxSizes counts every inbox, and tells how many deliveries that were.
	InboxSizes(now string) (sizes map[string]InboxSize, counted int, err error)
	Peers(PeerQuery) (PeerCounts, error)
	// PeerMessages are the messages of deliveries, each as it stands in that inbox.
	PeerMessages(deliveryIDs []string) (map[string]PeerMessage, error)
}

// A Stay is how an agent is on the hub: its active sessions and when it was last
// heard of in one of them.
type Stay struct {
	AgentID   string
	Sessions  int
	Heartbeat string
}

// An EdgeQuery selects deliveries: the newest of messages above an id, from a
// moment on.
type EdgeQuery struct {
	WorkspaceID  string
	Above, Since string
	Now          string
	Look, Limit  int
}

// A GraphNode is an agent in the graph.
type GraphNode struct {
	AgentID      string     `json:"agent_id"`
	Role         *string    `json:"role"`
	Capabilities nexus.JSON `json:"capabilities"`
	IsActive     bool       `json:"is_active"`
	HasKey       bool       `json:"has_key"`
	LastSeenAt   *string    `json:"last_seen_at"`
	Presence     string     `json:"presence"`
	Sessions     int        `json:"sessions"`
	Inbox        InboxSize  `json:"inbox"`
}

// An InboxSize is how many deliveries an inbox has in each lane.
type InboxSize struct {
	Unread    int `json:"unread"`
	Delivered int `json:"delivered"`
	Read      int `json:"read"`
	Parked    int `json:"parked"`
}

// A GraphEdge is what one agent wrote to another.
type GraphEdge struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	Count    int      `json:"count"`
	LastAt   string   `json:"last_at"`
	InFlight InFlight `json:"in_flight"`
}

// InFlight is what of it is not read yet.
type InFlight struct {
	Unread    int `json:"unread"`
	Delivered int `json:"delivered"`
}

// GraphParams say what to show.
type GraphParams struct {
	Workspace   string `json:"workspace,omitempty" jsonschema:"channels, messages and hand-offs of this workspace only; all, or nothing, for every one"`
	WindowHours *int   `json:"window_hours,omitempty" jsonschema:"messages of so many hours, 1 to 8760; default 24"`
}

// Graph is who is there and what is between them.
type Graph struct {
	WorkspaceID *string     `json:"workspace_id"`
	GeneratedAt string      `json:"generated_at"`
	WindowHours int         `json:"window_hours"`
	Nodes       []GraphNode `json:"nodes"`
	Channels    []Channel   `json:"channels"`
	Edges       GraphEdges  `json:"edges"`
	// Truncated tells that there is more in the window than was counted.
	Truncated bool `json:"truncated"`
}

// GraphEdges are the messages and the work between agents.
type GraphEdges struct {
	Messages []GraphEdge       `json:"messages"`
	Handoffs []ObservedHandoff `json:"handoffs"`
}

const (
	mostEdges    = 2_000
	mostWorkEdge = 1_000
	mostChannels = 500
	longestHours = 8_760
	// graphLook is how many of the newest deliveries a graph is made of.
	graphLook = 10_000
)

// ObserveGraph shows who is there, who writes to whom, and what work is open.
func (s *Service) ObserveGraph(ctx context.Context, p GraphParams) (Graph, error) {
	workspace, err := observed(ctx, p.Workspace)
	if err != nil {
		return Graph{}, err
	}
	hours := 24
	if p.WindowHours != nil {
		hours = *p.WindowHours
	}
	if hours < 1 || hours > longestHours {
		return Graph{}, nexus.Invalid("window_hours", "window_hours must be between 1 and %d.", longestHours)
	}
	now := s.now()
	return nexus.ViewLong(ctx, s.store, func(tx Tx) (g Graph, err error) {
		g = Graph{WorkspaceID: pointer(workspace), GeneratedAt: nexus.Stamp(now), WindowHours: hours}
		if g.Nodes, err = s.graphNodes(tx, now); err != nil {
			return g, err
		}
		if g.Channels, err = tx.GraphChannels(workspace, mostChannels); err != nil {
			return g, err
		}
		g.Edges, g.Truncated, err = graphEdges(tx, workspace, now, time.Duration(hours)*time.Hour)
		return g, err
	})
}

// graphNodes are all agents, whatever workspace is shown.
func (s *Service) graphNodes(tx Tx, now time.Time) ([]GraphNode, error) {
	nodes, err := tx.GraphNodes()
	if err != nil {
		return nil, err
	}
	stays, err := tx.Stays()
	if err != nil {
		return nil, err
	}
	inboxes, err := s.inboxes.of(tx, now)
	if err != nil {
		return nil, err
	}
	at := make(map[string]Stay, len(stays))
	for _, stay := range stays {
		at[stay.AgentID] = stay
	}
	for i := range nodes {
		n := &nodes[i]
		n.Sessions, n.Presence, n.Inbox = at[n.AgentID].Sessions, s.presence(at[n.AgentID].Heartbeat, now), inboxes[n.AgentID]
	}
	return nodes, nil
}

func graphEdges(tx Tx, workspace string, now time.Time, window time.Duration) (e GraphEdges, truncated bool, err error) {
	since := nexus.Stamp(now.Add(-window))
	above, _, err := tx.MessageBounds(since, "")
	if err != nil {
		return e, false, err
	}
	q := EdgeQuery{workspace, above, since, nexus.Stamp(now), graphLook, mostEdges}
	edges, counted, err := tx.GraphEdges(q)
	if err != nil {
		return e, false, err
	}
	work, err := tx.ObservedHandoffs(WorkQuery{WorkspaceID: workspace, States: []string{HandoffOpen, HandoffClaimed}, Below: beyond},
		Stretch{Limit: mostWorkEdge, Look: lookAt})
	e = GraphEdges{edges, observedHandoffs(work).Rows}
	for i := range e.Handoffs { // that there is work is shown, not what it is
		e.Handoffs[i].Payload, e.Handoffs[i].Result = nil, nil
	}
	return e, counted == graphLook || len(edges) == mostEdges || work.More, err
}

// inboxSizes remembers how full the inboxes are. Counting them goes through all
// deliveries there are, so where that is much the answer is used again for a
// while: the longer, the more there was to count.
type inboxSizes struct {
	mu      sync.Mutex
	sizes   map[string]InboxSize
	counted time.Time
	good    time.Duration // for how long
}

const (
	// fewInboxes is how many deliveries are counted every time.
	fewInboxes = 20_000
	// eachInbox is for how long a delivery that was counted makes the count good:
	// some fifty times as long as counting it took.
	eachInbox = 50 * time.Microsecond
)

func (c *inboxSizes) of(tx Tx, now time.Time) (map[string]InboxSize, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if age := now.Sub(c.counted); c.sizes != nil && age >= 0 && age < c.good {
		return c.sizes, nil
	}
	sizes, n, err := tx.InboxSizes(nexus.Stamp(now))
	if err != nil {
		return nil, err
	}
	c.sizes, c.counted, c.good = sizes, now, 0
	if n > fewInboxes {
		c.good = time.Duration(n) * eachInbox
	}
	return sizes, nil
}
