package store

import (
	"encoding/json"
	"slices"
	"strings"

	"nexus"
	"nexus/search"
)

// handoffSource are hand-offs with what came of them. They change, and each
// change that adds text has its event.
var handoffSource = searchSource{
	kind: search.KindHandoff,
	mentions: func(e nexus.Event) []search.Mention {
		quiet := []string{"handoff.claimed", "handoff.renewed"} // they change no text
		if e.HandoffID == "" || !strings.HasPrefix(e.Type, "handoff.") || slices.Contains(quiet, e.Type) {
			return nil
		}
		return []search.Mention{{ID: e.HandoffID}}
	},
	read: func(t *Tx, ids []string) ([]search.Document, error) {
		return list(t, handoffDocuments+` WHERE `+t.dialect().oneOf("h.handoff_id", 1), args(elements(ids)), scanHandoffDocument)
	},
	scan: func(t *Tx, after string, limit int) ([]search.Document, error) {
		return list(t, handoffDocuments+` WHERE h.handoff_id > $1 ORDER BY h.handoff_id LIMIT $2`, args(after, limit), scanHandoffDocument)
	},
	count: `SELECT count(*) FROM handoffs`,
	readable: func(t *Tx, agentID string, ids []string) ([]string, error) {
		return list(t, `SELECT handoff_id FROM handoffs WHERE `+t.dialect().oneOf("handoff_id", 1)+` AND (from_agent_id = $2 OR claimed_by = $2)`,
			args(elements(ids), agentID), text)
	},
	sights: func(t *Tx, ids []string) ([]sight, error) {
		return list(t, `SELECT handoff_id, from_agent_id, visibility, target, created_at FROM handoffs WHERE `+t.dialect().oneOf("handoff_id", 1),
			args(elements(ids)), scanSight)
	},
}

const handoffDocuments = `
	SELECT h.handoff_id, h.workspace_id, h.from_agent_id, h.created_at, t.title, h.payload, h.acceptance_criteria, h.result, h.rejected_reason, h.feedback
	FROM handoffs h LEFT JOIN tasks t ON t.task_id = h.task_id`

// scanHandoffDocument puts everything that somebody wrote into one text. A
// payload or result that is JSON is searched for the texts in it.
func scanHandoffDocument(r row) (d search.Document, err error) {
	var title, payload, result, reason, feedback string
	var criteria json.RawMessage
	if err := r.scan(&d.ID, &d.Workspace, &d.Sender, &d.CreatedAt, &title, &payload, &criteria, &result, &reason, &feedback); err != nil {
		return d, err
	}
	d.Kind, d.Title = search.KindHandoff, title
	var wanted []string
	if criteria != nil {
		if err := json.Unmarshal(criteria, &wanted); err != nil {
			return d, err
		}
	}
	parts := slices.Concat([]string{jsonWords(payload)}, wanted, []string{jsonWords(result), reason, feedback})
	d.Text = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
	return d, nil
}

// jsonWords are the texts in a JSON object or list, a line each with its name;
// any other text is itself.
func jsonWords(s string) string {
	var v any
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, `"`) || json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	var lines []string
	gatherWords("", v, &lines)
	return strings.Join(lines, "\n")
}

func gatherWords(name string, v any, lines *[]string) {
	switch v := v.(type) {
	case string:
		if name != "" {
			v = name + ": " + v
		}
		*lines = append(*lines, v)
	case []any:
		for _, element := range v {
			gatherWords(name, element, lines)
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for n := range v {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			gatherWords(n, v[n], lines)
		}
	}
}
