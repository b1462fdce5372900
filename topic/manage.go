package topic

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"nexus"
)

// What only whoever runs the hub may do to topics.

type manageRows interface {
	// DeleteTopic deletes a topic and all that belongs to it.
	DeleteTopic(id string) error
	// DeletePosts deletes messages and tells how many there were.
	DeletePosts(topicID string, ids []string) (int, error)
	// Replies are the ids of the messages that answer one of these.
	Replies(topicID string, ids []string) ([]string, error)
	RenameTopic(id, name string, at float64) error
	RewritePost(topicID, id, content string) error
	UncountPosts(topicID string, removed int, at float64) error
}

// administers refuses those who do not run the hub.
func administers(ctx context.Context) error { return nexus.ActorFrom(ctx).Administers() }

// DeleteParams name a topic to delete.
type DeleteParams struct {
	TopicID string `json:"topic_id" jsonschema:"the topic"`
}

// Deleted tells what was deleted.
type Deleted struct {
	Status  string `json:"status"`
	TopicID string `json:"topic_id"`
	Count   int    `json:"deleted_message_count"`
}

// Delete deletes a topic with its messages, cursors and reserved names.
func (s *Service) Delete(ctx context.Context, p DeleteParams) (Deleted, error) {
	if err := administers(ctx); err != nil {
		return Deleted{}, err
	}
	now := s.now()
	return change(ctx, s, func(tx Tx) (Deleted, error) {
		t, err := find(ctx, p.TopicID, tx.LockTopic)
		if err != nil {
			return Deleted{}, err
		}
		return Deleted{"deleted", t.ID, t.Count}, s.delete(ctx, tx, t, now)
	})
}

func (s *Service) delete(ctx context.Context, tx Tx, t Topic, now time.Time) error {
	if err := tx.DeleteTopic(t.ID); err != nil {
		return err
	}
	tx.Wake(nexus.TopicKey(t.ID))
	return s.log(tx, t, "topic.deleted", nexus.ActorFrom(ctx).Name(), map[string]any{"message_count": t.Count}, now)
}

// Wiped tells how much was deleted.
type Wiped struct {
	Topics   int `json:"deleted_topics"`
	Messages int `json:"deleted_messages"`
}

// Wipe deletes all topics.
func (s *Service) Wipe(ctx context.Context, _ None) (Wiped, error) {
	if err := administers(ctx); err != nil {
		return Wiped{}, err
	}
	now := s.now()
	return change(ctx, s, func(tx Tx) (Wiped, error) {
		all, err := tx.Topics("")
		if err != nil {
			return Wiped{}, err
		}
		all = slices.DeleteFunc(all, func(t Topic) bool { return mayEnter(ctx, t) != nil })
		w := Wiped{Topics: len(all)}
		for _, t := range all {
			w.Messages += t.Count
			if err := s.delete(ctx, tx, t, now); err != nil {
				return Wiped{}, err
			}
		}
		return w, nil
	})
}

// DeletePostsParams name messages to delete.
type DeletePostsParams struct {
	TopicID    string   `json:"topic_id" jsonschema:"the topic"`
	MessageIDs []string `json:"message_ids" jsonschema:"the messages; answers to them go with them"`
}

// DeletedPosts tells which messages were deleted.
type DeletedPosts struct {
	Status string   `json:"status"`
	Count  int      `json:"deleted_count"`
	IDs    []string `json:"deleted_message_ids"`
}

const mostDeleted = 1000

// DeletePosts deletes messages of one topic and the answers to them, and the
// answers to those. Their numbers are not given again.
func (s *Service) DeletePosts(ctx context.Context, p DeletePostsParams) (DeletedPosts, error) {
	if err := administers(ctx); err != nil {
		return DeletedPosts{}, err
	}
	if len(p.MessageIDs) == 0 || len(p.MessageIDs) > mostDeleted {
		return DeletedPosts{}, invalid("message_ids", "message_ids must have 1 to %d items", mostDeleted)
	}
	now := s.now()
	return change(ctx, s, func(tx Tx) (DeletedPosts, error) {
		t, err := find(ctx, p.TopicID, tx.LockTopic)
		if err != nil {
			return DeletedPosts{}, err
		}
		ids, err := withReplies(tx, t.ID, p.MessageIDs)
		if err != nil || len(ids) == 0 {
			return DeletedPosts{"deleted", 0, []string{}}, err
		}
		n, err := tx.DeletePosts(t.ID, ids)
		if err != nil {
			return DeletedPosts{}, err
		}
		if err := tx.UncountPosts(t.ID, n, Seconds(now)); err != nil {
			return DeletedPosts{}, err
		}
		tx.Wake(nexus.TopicKey(t.ID))
		return DeletedPosts{"deleted", n, ids}, s.log(tx, t, "topic.messages_deleted", nexus.ActorFrom(ctx).Name(),
			map[string]any{"message_ids": ids}, now)
	})
}

// withReplies are those of the messages that the topic has, and all that answers
// them.
func withReplies(tx Tx, topicID string, ids []string) ([]string, error) {
	all := []string{}
	seen := map[string]bool{}
	for _, id := range ids {
		_, found, err := tx.Post(topicID, id)
		if err != nil {
			return nil, err
		}
		if found && !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	for next := all; len(next) > 0; {
		replies, err := tx.Replies(topicID, next)
		if err != nil {
			return nil, err
		}
		next = slices.DeleteFunc(replies, func(id string) bool { return seen[id] })
		for _, id := range next {
			seen[id] = true
		}
		all = append(all, next...)
	}
	return all, nil
}

// RenameParams give a topic another name.
type RenameParams struct {
	TopicID string `json:"topic_id" jsonschema:"the topic"`
	Name    string `json:"name" jsonschema:"its new name"`
	Rewrite *bool  `json:"rewrite_messages,omitempty" jsonschema:"whether the old name is replaced in its messages; default true"`
}

// Renamed tells what was changed.
type Renamed struct {
	Brief
	OldName   string `json:"old_name"`
	Rewritten int    `json:"rewritten_messages"`
}

// Rename gives a topic another name and puts it into its messages where they
// have the old one, unless told not to.
func (s *Service) Rename(ctx context.Context, p RenameParams) (Renamed, error) {
	if err := administers(ctx); err != nil {
		return Renamed{}, err
	}
	name := strings.TrimSpace(p.Name)
	if err := required("name", name); err != nil {
		return Renamed{}, err
	}
	if err := brief("name", name, longestName); err != nil {
		return Renamed{}, err
	}
	now := s.now()
	return change(ctx, s, func(tx Tx) (Renamed, error) {
		t, err := find(ctx, p.TopicID, tx.LockTopic)
		if err != nil {
			return Renamed{}, err
		}
		r := Renamed{Brief: t.brief(), OldName: t.Name}
		r.Name = name
		if p.Rewrite == nil || *p.Rewrite {
			if r.Rewritten, err = rewrite(tx, t, name); err != nil {
				return Renamed{}, err
			}
		}
		if err := tx.RenameTopic(t.ID, name, Seconds(now)); err != nil {
			return Renamed{}, err
		}
		tx.Wake(nexus.TopicKey(t.ID))
		t.Name = name
		return r, s.log(tx, t, "topic.renamed", nexus.ActorFrom(ctx).Name(),
			map[string]any{"old_name": r.OldName, "rewritten_messages": r.Rewritten}, now)
	})
}

// rewrite replaces the name of a topic in its messages where it stands alone.
func rewrite(tx Tx, t Topic, name string) (n int, err error) {
	for after := int64(0); ; {
		page, err := tx.PostsAfter(t.ID, after, "", mostRead)
		if err != nil || len(page) == 0 {
			return n, err
		}
		for _, p := range page {
			after = p.Seq
			text := replaceName(p.Content, t.Name, name)
			if text == p.Content {
				continue
			}
			if err := tx.RewritePost(t.ID, p.ID, text); err != nil {
				return n, err
			}
			n++
		}
	}
}

// replaceName replaces a name where it is no part of a longer one.
func replaceName(text, old, name string) string {
	var b strings.Builder
	for from := 0; ; {
		at := strings.Index(text[from:], old)
		if at < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		begin, end := from+at, from+at+len(old)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		b.WriteString(text[from:begin])
		if inName(before) || inName(after) {
			b.WriteString(old)
		} else {
			b.WriteString(name)
		}
		from = end
	}
}

func inName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}
