package nexus

import "encoding/json"

// The streams of the log. [StreamSystem] belongs to no workspace and is seen
// by operators only.
const (
	StreamWorkspace = "workspace"
	StreamAgent     = "agent"
	StreamHandoff   = "handoff"
	StreamSystem    = "system"
)

// Who may see an event.
const (
	VisibilityPublic   = "public"
	VisibilityEligible = "eligible"
	VisibilityPrivate  = "private"
)

// An Event is one entry of the one log. Its ID is assigned at commit, so that
// a reader who asks for IDs above the last it saw never misses one.
type Event struct {
	ID          int64
	WorkspaceID string // "" on the system stream
	Stream      string
	Type        string
	Actor       string // "" when nobody in particular acted
	TaskID      string
	HandoffID   string
	Visibility  string          // "" reads as public
	Target      json.RawMessage // whom it concerns, when visibility is not public
	Payload     json.RawMessage
	CreatedAt   string
	Trace       string // the W3C trace id of the request that caused it, "" where none was given
}

// LogKey wakes those who wait for events of one stream in one workspace.
func LogKey(workspaceID, stream string) string { return "log/" + workspaceID + "/" + stream }

// EveryEventKey wakes those who follow the whole log.
const EveryEventKey = "log"

// InboxKey wakes those who wait for mail of one agent.
func InboxKey(agentID string) string { return "inbox/" + agentID }

// TopicKey wakes those who wait for posts in one topic.
func TopicKey(topicID string) string { return "topic/" + topicID }

// EverybodyKey wakes all who wait, whatever for.
const EverybodyKey = "*"

// MCPSessionKey wakes those who serve an MCP session when its state changed.
func MCPSessionKey(id string) string { return "mcp/" + id }

// KeysKey wakes those who remember which API key belongs to whom, and what that
// one may do.
const KeysKey = "keys"

// SettingsKey wakes those who remember the settings that the store keeps.
const SettingsKey = "settings"

// WebhooksKey wakes those who work for webhooks when one was made or changed.
const WebhooksKey = "webhooks"
