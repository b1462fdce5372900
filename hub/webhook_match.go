package hub

import (
	"slices"
	"strings"

	"nexus"
)

const (
	everyEvent  = "*"
	mostEvents  = 100 // patterns of one webhook
	longestType = 128
	// ownEvents are about webhooks themselves. They are sent to none, or telling
	// of a failure would fail in turn.
	ownEvents = "webhook."
)

// wants tells whether the webhook is to be told of an event.
func (w Webhook) wants(e nexus.Event) bool {
	if strings.HasPrefix(e.Type, ownEvents) || w.Workspace != nil && *w.Workspace != e.WorkspaceID {
		return false
	}
	return slices.ContainsFunc(w.Events, func(pattern string) bool { return matches(pattern, e.Type) })
}

func matches(pattern, kind string) bool {
	if prefix, ok := strings.CutSuffix(pattern, everyEvent); ok {
		return strings.HasPrefix(kind, prefix)
	}
	return pattern == kind
}

// checkEvents gives the patterns sorted, each once.
func checkEvents(patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		return nil, nexus.Invalid("events", `events is required: types such as "handoff.created", patterns such as "handoff.*", or "*" for all.`)
	}
	if len(patterns) > mostEvents {
		return nil, nexus.Invalid("events", "events has %d entries; at most %d are allowed. Use patterns.", len(patterns), mostEvents)
	}
	for _, p := range patterns {
		if !isPattern(p) {
			return nil, nexus.Invalid("events", `events holds %q, which is no type of event: write one such as "handoff.created", "handoff.*", or "*".`, clip(p, longestType))
		}
		if strings.HasPrefix(p, ownEvents) {
			return nil, nexus.Invalid("events", "Events of webhooks themselves are sent to none of them: leave %q out.", p)
		}
	}
	patterns = slices.Sorted(slices.Values(patterns))
	return slices.Compact(patterns), nil
}

// isPattern takes words with dots between them, of which the last may be a star.
func isPattern(p string) bool {
	if p == everyEvent {
		return true
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(p, ".*"), ".") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			return false
		}
	}
	return len(p) <= longestType
}

// clip is a text as a message may repeat it.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
