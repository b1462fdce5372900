package topic

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a model reads of an answer: beside the fields, one block of text. Some
// clients show nothing else, so all that matters is in it. What somebody chose and
// stands in a line of ours stays in that line: nobody adds a line of their own.

// ToolText is the answer as a text.
func (p Pong) ToolText() string { return fmt.Sprintf("pong (%s)", p.Package) }

// ToolText is the topic as a line of text.
func (b Brief) ToolText() string {
	return fmt.Sprintf(`Topic: name="%s", topic_id="%s", status="%s"`, inLine(b.Name), b.ID, b.Status)
}

// shownTopics is how many topics a text lists.
const shownTopics = 20

// ToolText lists the first topics.
func (l Listing) ToolText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Topics (%s): %d", l.status, len(l.Topics))
	for i, t := range l.Topics {
		if i == shownTopics {
			fmt.Fprintf(&b, "\n(%d more)", len(l.Topics)-shownTopics)
			break
		}
		fmt.Fprintf(&b, "\n- %s (%s) topic_id=%s", inLine(t.Name), t.Status, t.ID)
	}
	return b.String()
}

// ToolText is the answer as a text.
func (r CloseResult) ToolText() string {
	text := fmt.Sprintf(`Topic closed: topic_id="%s", status="%s"`, r.TopicID, r.Status)
	if r.CloseReason != nil {
		text += fmt.Sprintf(`, reason="%s"`, inLine(*r.CloseReason))
	}
	return text + r.text()
}

// ToolText has the token too, so that a client that shows only text can keep it.
func (r JoinResult) ToolText() string {
	return fmt.Sprintf("Joined as %q. %s\nreclaim_token=%s", r.AgentName, r.Brief.ToolText(), r.ReclaimToken)
}

// ToolText lists the peers.
func (p Presence) ToolText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Presence: %d peers in the last %d seconds", p.Count, p.Window)
	for _, peer := range p.Peers {
		fmt.Fprintf(&b, "\n- %s last_seq=%d age_seconds=%.0f", peer.AgentName, peer.LastSeq, peer.Age)
	}
	return b.String()
}

// ToolText is the answer as a text.
func (r ResetResult) ToolText() string {
	return fmt.Sprintf("Cursor: agent_name=%q last_seq=%d", r.AgentName, r.Cursor.LastSeq)
}

// ToolText is the state of the sync and the messages that were received.
func (r SyncResult) ToolText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Sync: status=%s received=%d sent=%d cursor=%d has_more=%t", r.Status, r.Count, len(r.Sent), r.Cursor.LastSeq, r.HasMore)
	for _, p := range r.Received {
		fmt.Fprintf(&b, "\n\n[%d] %s (%s) id=%s", p.Seq, p.Sender, inLine(p.Type), p.ID)
		if p.ReplyTo != nil {
			b.WriteString(" reply_to=" + *p.ReplyTo)
		}
		if r.settings.TextBodies {
			b.WriteString("\n" + cut(p.Content, r.settings.TextMaxChars))
		}
	}
	b.WriteString(r.text())
	return b.String()
}

// inLine is a name as it is but for what would end the line.
func inLine(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, name)
}

// cut shortens a body and says so.
func cut(body string, most int) string {
	if utf8.RuneCountInString(body) <= most {
		return body
	}
	return string([]rune(body)[:most]) + "… (truncated; content_markdown has all of it)"
}

func (w Warned) text() string {
	var b strings.Builder
	for _, one := range w.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s", one.Code)
		if one.Message != "" {
			b.WriteString(" " + one.Message)
		}
	}
	return b.String()
}
