package topic

import (
	"context"
	"strings"

	"nexus"
)

// PostParams are a message of a person.
type PostParams struct {
	TopicID         string       `json:"topic_id" jsonschema:"the topic"`
	Content         string       `json:"content_markdown" jsonschema:"the message"`
	Type            string       `json:"message_type,omitempty" jsonschema:"such as message, question or answer; default message"`
	ReplyTo         string       `json:"reply_to,omitempty" jsonschema:"the message it answers"`
	Metadata        nexus.Object `json:"metadata,omitempty" jsonschema:"anything to keep with it"`
	ClientMessageID string       `json:"client_message_id,omitempty" jsonschema:"sent again under the same id, it is posted once"`
}

// PostResult is the message as it was posted.
type PostResult struct {
	Sent
	Warned
}

// Post writes as the operator: for people, who join nothing. Agents use sync.
func (s *Service) Post(ctx context.Context, p PostParams) (PostResult, error) {
	if nexus.ActorFrom(ctx).Kind != nexus.KindOperator {
		return PostResult{}, nexus.Errorf(nexus.PermissionDenied, "Only the operator posts without a name. Join the topic with topic_join and send with sync.")
	}
	item := map[string]any{"content_markdown": p.Content}
	for field, value := range map[string]string{"message_type": p.Type, "reply_to": p.ReplyTo, "client_message_id": p.ClientMessageID} {
		if value != "" {
			item[field] = value
		}
	}
	if len(p.Metadata) > 0 {
		item["metadata"] = p.Metadata
	}
	drafts, _, err := readOutbox(mustJSON(item), s.Settings())
	if err != nil {
		return PostResult{}, alone(err)
	}
	now := s.now()
	return change(ctx, s, func(tx Tx) (PostResult, error) {
		t, err := find(ctx, p.TopicID, tx.LockTopic)
		if err == nil && t.Status == Closed {
			err = nexus.Errorf(nexus.TopicClosed, "Topic is closed.")
		}
		if err != nil {
			return PostResult{}, err
		}
		sent, warnings, err := s.post(ctx, tx, &t, nexus.OperatorID, drafts, now)
		if err != nil {
			return PostResult{}, alone(err)
		}
		return PostResult{sent[0], Warned{warnings}}, nil
	})
}

// alone says of one message what was said of the first of an outbox, which a
// person does not know.
func alone(err error) error {
	e := nexus.AsError(err)
	said, ofMessage := strings.CutPrefix(e.Msg, "outbox[0].")
	if !ofMessage {
		return err
	}
	field, _, _ := strings.Cut(said, " ")
	return invalid(field, "%s", said)
}
