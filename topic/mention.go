package topic

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"nexus"
)

// A Mention is a message that names an agent of the hub.
type Mention struct {
	AgentID string
	Topic   Topic
	Post    Post
}

// mention is an @ that begins a word, and the id behind it.
var mention = regexp.MustCompile(`(?:^|[^\w@./-])@([A-Za-z0-9][\w.-]{0,127})`)

// mostMentions is how many agents one message may call.
const mostMentions = 20

// tellMentioned tells the agents that a message names, in the same transaction.
// What is no agent's id is only text.
func (s *Service) tellMentioned(ctx context.Context, tx Tx, t Topic, p Post) ([]Warning, error) {
	if s.mention == nil || !strings.Contains(p.Content, "@") {
		return nil, nil
	}
	var warnings []Warning
	told := map[string]bool{p.Sender: true}
	for _, m := range mention.FindAllStringSubmatch(p.Content, -1) {
		id := strings.TrimRight(m[1], ".-")
		if told[id] || len(told) > mostMentions {
			continue
		}
		told[id] = true
		switch err := s.mention(ctx, tx, Mention{id, t, p}); nexus.CodeOf(err) {
		case "", nexus.NotFound:
		case nexus.WorkspaceRequired, nexus.PermissionDenied, nexus.RateLimited:
			warnings = append(warnings, notDelivered(nexus.AsError(err), id, p))
		default:
			return nil, err
		}
	}
	return warnings, nil
}

// notDelivered warns of a mention that reached nobody. Its context is whom it was
// meant for, and what was missing.
func notDelivered(why *nexus.Error, agentID string, p Post) Warning {
	context := map[string]any{}
	maps.Copy(context, why.Details)
	context["agent_id"], context["message_id"] = agentID, p.ID
	return Warning{Code: "MENTION_NOT_DELIVERED", Message: fmt.Sprintf("Agent %q was not told. %s", agentID, why.Msg), Context: context}
}
