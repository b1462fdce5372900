package topic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nexus"
)

// A Post is one message of a topic.
type Post struct {
	ID              string       `json:"message_id"`
	TopicID         string       `json:"topic_id"`
	Seq             int64        `json:"seq"`
	Sender          string       `json:"sender"`
	Type            string       `json:"message_type"`
	ReplyTo         *string      `json:"reply_to"`
	Content         string       `json:"content_markdown"`
	Metadata        nexus.Object `json:"metadata"`
	ClientMessageID *string      `json:"client_message_id"`
	CreatedAt       float64      `json:"created_at"`
}

type postRows interface {
	// InsertPost adds a message whose number is the next.
	InsertPost(Post) error
	// CountPosts moves a topic's counter on.
	CountPosts(topicID string, lastSeq int64, added int, at float64) error
	// Post finds a message of a topic by id.
	Post(topicID, id string) (Post, bool, error)
	// PostOf finds a message by the id that its sender gave it.
	PostOf(topicID, sender, clientMessageID string) (Post, bool, error)
	// PostsAfter are the messages after a number, in order, without those of one
	// sender; "" leaves nobody out.
	PostsAfter(topicID string, seq int64, without string, limit int) ([]Post, error)
	// PostNumbered finds a message of a topic by its number.
	PostNumbered(topicID string, seq int64) (Post, bool, error)
}

// A draft is a message that is to be sent.
type draft struct {
	Content  string
	Type     string
	ReplyTo  *string
	Metadata nexus.Object
	ClientID *string
}

// Sent is a message that was sent, or that was sent before under the same
// client_message_id.
type Sent struct {
	Message   Post `json:"message"`
	Duplicate bool `json:"duplicate"`
}

// post appends messages to a topic whose row the transaction holds, all of them
// or none. t is moved on with them.
func (s *Service) post(ctx context.Context, tx Tx, t *Topic, sender string, drafts []draft, now time.Time) ([]Sent, []Warning, error) {
	var sent []Sent
	var warnings []Warning
	added := 0
	for i, d := range drafts {
		if d.ClientID != nil {
			old, found, err := tx.PostOf(t.ID, sender, *d.ClientID)
			if err != nil {
				return nil, nil, err
			}
			if found {
				sent = append(sent, Sent{old, true})
				continue
			}
		}
		if err := checkReply(tx, t.ID, i, d); err != nil {
			return nil, nil, err
		}
		t.LastSeq++
		p := Post{
			ID: s.newID("post"), TopicID: t.ID, Seq: t.LastSeq, Sender: sender, Type: d.Type, ReplyTo: d.ReplyTo,
			Content: d.Content, Metadata: d.Metadata, ClientMessageID: d.ClientID, CreatedAt: Seconds(now),
		}
		if err := cmp.Or(tx.InsertPost(p), s.logPost(tx, *t, p, now)); err != nil {
			return nil, nil, err
		}
		missed, err := s.tellMentioned(ctx, tx, *t, p)
		if err != nil {
			return nil, nil, err
		}
		sent, warnings, added = append(sent, Sent{p, false}), append(warnings, missed...), added+1
	}
	if added == 0 {
		return sent, warnings, nil
	}
	tx.Wake(nexus.TopicKey(t.ID))
	return sent, warnings, tx.CountPosts(t.ID, t.LastSeq, added, Seconds(now))
}

func checkReply(tx Tx, topicID string, i int, d draft) error {
	if d.ReplyTo == nil {
		return nil
	}
	_, found, err := tx.Post(topicID, *d.ReplyTo)
	if err == nil && !found {
		err = invalid("outbox", "outbox[%d].reply_to must be the message_id of a message in this topic", i)
	}
	return err
}

func (s *Service) logPost(tx Tx, t Topic, p Post, now time.Time) error {
	return s.log(tx, t, "topic.posted", p.Sender, map[string]any{
		"message_id": p.ID, "seq": p.Seq, "sender": p.Sender, "message_type": p.Type, "reply_to": p.ReplyTo,
	}, now)
}

// readOutbox reads what is to be sent: a list of messages, one message, or a
// string that holds either.
func readOutbox(raw nexus.JSON, s Settings) ([]draft, []Warning, error) {
	raw, err := unwrap("outbox", bytes.TrimSpace(raw))
	if err != nil {
		return nil, nil, err
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil, nil
	}
	items := []map[string]json.RawMessage{{}}
	into := any(&items)
	if raw[0] == '{' {
		into = &items[0]
	}
	if json.Unmarshal(raw, into) != nil || slices.ContainsFunc(items, func(m map[string]json.RawMessage) bool { return m == nil }) {
		return nil, nil, badOutbox()
	}
	if len(items) > s.MaxOutbox {
		return nil, nil, invalid("outbox", "outbox must have at most %d items", s.MaxOutbox)
	}
	var drafts []draft
	var warnings []Warning
	for i, item := range items {
		d, err := readDraft(fmt.Sprintf("outbox[%d]", i), item, s.MaxMessageChars)
		if err != nil {
			return nil, nil, err
		}
		drafts, warnings = append(drafts, d), append(warnings, unknownFields(i, item)...)
	}
	return drafts, warnings, nil
}

// unwrap looks into a string for the JSON it may hold, which must be as good as
// that which is in none.
func unwrap(field string, raw json.RawMessage) (json.RawMessage, error) {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil || !json.Valid([]byte(text)) {
		return raw, nil
	}
	inner := bytes.TrimSpace([]byte(text))
	return inner, cmp.Or(nexus.CheckText(field, inner), nexus.CheckJSON(field, inner))
}

func badOutbox() error {
	return invalid("outbox", "outbox must be a list of objects, such as [{\"content_markdown\": \"…\"}]")
}

var draftFields = []string{"content_markdown", "message_type", "reply_to", "metadata", "client_message_id"}

// unknownFields warns of what a message has that nobody will see.
func unknownFields(i int, item map[string]json.RawMessage) []Warning {
	var all []Warning
	for _, name := range slices.Sorted(maps.Keys(item)) {
		if !slices.Contains(draftFields, name) {
			all = append(all, Warning{
				Code: "UNKNOWN_FIELD", Context: map[string]any{"index": i, "field": name},
				Message: "A message has no such field; it was left out. Known: " + strings.Join(draftFields, ", ") + ".",
			})
		}
	}
	return all
}

func readDraft(at string, item map[string]json.RawMessage, mostChars int) (d draft, err error) {
	content, err := optional(at+".content_markdown", item["content_markdown"])
	if err != nil {
		return d, err
	}
	if content == nil || strings.TrimSpace(*content) == "" {
		err := invalid("outbox", "%s.content_markdown must be a non-empty string", at)
		if item["content"] != nil && content == nil {
			err = invalid("outbox", "%s.content_markdown must be a non-empty string; the field is called content_markdown, not content", at)
		}
		return d, err
	}
	if utf8.RuneCountInString(*content) > mostChars {
		return d, invalid("outbox", "%s.content_markdown exceeds max length (%d)", at, mostChars)
	}
	kind, err := word(at+".message_type", item["message_type"], 32)
	if err != nil {
		return d, err
	}
	if d.ClientID, err = word(at+".client_message_id", item["client_message_id"], 128); err != nil {
		return d, err
	}
	if d.ReplyTo, err = word(at+".reply_to", item["reply_to"], longestName); err != nil {
		return d, err
	}
	d.Metadata, err = readMetadata(at, item["metadata"], mostChars)
	d.Content, d.Type = *content, "message"
	if kind != nil {
		d.Type = *kind
	}
	return d, err
}

// readMetadata reads an object, or a string that holds one.
func readMetadata(at string, raw json.RawMessage, mostChars int) (nexus.Object, error) {
	raw, err := unwrap(at+".metadata", raw)
	switch {
	case err != nil:
		return nil, err
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case raw[0] != '{':
		return nil, invalid("outbox", "%s.metadata must be an object", at)
	case utf8.RuneCount(raw) > mostChars:
		return nil, invalid("outbox", "%s.metadata exceeds max length (%d)", at, mostChars)
	}
	return nexus.Object(raw), nil
}

// optional is a string that may be missing or null.
func optional(field string, raw json.RawMessage) (*string, error) {
	var s *string
	if len(raw) == 0 {
		return nil, nil
	}
	if json.Unmarshal(raw, &s) != nil {
		return nil, invalid("outbox", "%s must be a string", field)
	}
	return s, nil
}

// word is an optional short string without the blanks around it.
func word(field string, raw json.RawMessage, most int) (*string, error) {
	s, err := optional(field, raw)
	if err != nil || s == nil {
		return nil, err
	}
	trimmed := strings.TrimSpace(*s)
	return &trimmed, cmp.Or(required(field, trimmed), brief(field, trimmed, most))
}
