package topic

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"nexus"
)

// The states of a topic. A closed one can be read and not written to.
const (
	Open   = "open"
	Closed = "closed"
)

// A Topic is a named stream of messages.
type Topic struct {
	ID          string       `json:"topic_id"`
	Name        string       `json:"name"`
	Status      string       `json:"status"`
	CreatedAt   float64      `json:"created_at"`
	ClosedAt    *float64     `json:"closed_at"`
	CloseReason *string      `json:"close_reason"`
	Metadata    nexus.Object `json:"metadata"`

	WorkspaceID string  `json:"-"` // "" for none
	LastSeq     int64   `json:"-"`
	Count       int     `json:"-"` // of messages
	UpdatedAt   float64 `json:"-"`
}

type topicRows interface {
	// Topic finds a topic by id.
	Topic(id string) (Topic, bool, error)
	// KeepTopic is Topic that keeps others from deleting it until this one is done.
	KeepTopic(id string) (Topic, bool, error)
	// LockTopic is Topic that keeps others from posting until this one is done.
	LockTopic(id string) (Topic, bool, error)
	// NewestTopic finds the newest topic of a name that has a status; with
	// workspaces only in these.
	NewestTopic(name, status string, workspaces ...string) (Topic, bool, error)
	// Topics lists topics, newest first; status "" is any.
	Topics(status string) ([]Topic, error)
	InsertTopic(Topic) error
	// CloseTopic closes a topic that is open and tells whether it was.
	CloseTopic(id string, at float64, reason *string) (bool, error)
}

// Brief is which topic an answer is about.
type Brief struct {
	ID     string `json:"topic_id"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

func (t Topic) brief() Brief { return Brief{t.ID, t.Name, t.Status} }

// CreateParams ask for a topic.
type CreateParams struct {
	Name        *string      `json:"name,omitempty" jsonschema:"what to call it; made up if left out"`
	Metadata    nexus.Object `json:"metadata,omitempty" jsonschema:"anything to keep with it"`
	Mode        string       `json:"mode,omitempty" jsonschema:"reuse finds the newest open topic of that name first; new always makes one"`
	ProjectRoot string       `json:"project_root,omitempty" jsonschema:"path of the project it belongs to, if any" path:"caller" beyond:"topics"`
}

// Create makes a topic, or finds the newest open one of that name. Two calls at
// once that would reuse make one topic.
func (s *Service) Create(ctx context.Context, p CreateParams) (Brief, error) {
	name, mode, err := checkCreate(p)
	if err != nil {
		return Brief{}, err
	}
	workspace, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return Brief{}, err
	}
	now := s.now()
	t := Topic{
		ID: s.newID("top"), Name: name, Status: Open, Metadata: p.Metadata, WorkspaceID: workspace,
		CreatedAt: Seconds(now), UpdatedAt: Seconds(now),
	}
	t.Name = cmp.Or(name, "topic-"+t.ID)
	return change(ctx, s, func(tx Tx) (Brief, error) {
		if mode == "reuse" && name != "" {
			if err := tx.Lock("topic-name/" + name); err != nil {
				return Brief{}, err
			}
			old, found, err := tx.NewestTopic(name, Open, within(ctx, workspace)...)
			if err != nil || found {
				return old.brief(), err
			}
		}
		if err := tx.InsertTopic(t); err != nil {
			return Brief{}, err
		}
		return t.brief(), s.log(tx, t, "topic.created", nexus.ActorFrom(ctx).Name(), map[string]any{}, now)
	})
}

func checkCreate(p CreateParams) (name, mode string, err error) {
	mode = cmp.Or(p.Mode, "reuse")
	if mode != "reuse" && mode != "new" {
		return "", "", invalid("mode", `mode must be "reuse" or "new"`)
	}
	if err := brief("metadata", string(p.Metadata), 65536); err != nil {
		return "", "", err
	}
	if p.Name == nil {
		return "", mode, nil
	}
	name = strings.TrimSpace(*p.Name)
	return name, mode, cmp.Or(required("name", name), brief("name", name, longestName))
}

// locate is the workspace of a project, "" for none. A key that is limited to
// some workspaces must name one.
func (s *Service) locate(ctx context.Context, projectRoot string) (string, error) {
	if strings.TrimSpace(projectRoot) == "" || s.workspace == nil {
		return "", nexus.ActorFrom(ctx).MayEnter("")
	}
	return s.workspace(nexus.WithoutIdempotency(ctx), projectRoot) // the key is the topic's
}

// within is where a name is looked for: in the workspace that the caller names, in
// those that its key is limited to, or everywhere.
func within(ctx context.Context, workspace string) []string {
	if workspace != "" {
		return []string{workspace}
	}
	return nexus.ActorFrom(ctx).Scopes.Workspaces()
}

// mayEnter refuses a key that is limited to other workspaces than the topic's.
func mayEnter(ctx context.Context, t Topic) error {
	return nexus.ActorFrom(ctx).MayEnter(t.WorkspaceID)
}

// find is the topic of that id, if there is one and the caller may see it.
func find(ctx context.Context, id string, lookup func(id string) (Topic, bool, error)) (Topic, error) {
	if err := required("topic_id", id); err != nil {
		return Topic{}, err
	}
	t, found, err := lookup(strings.TrimSpace(id))
	if err == nil && !found {
		err = notFound()
	}
	if err == nil {
		err = mayEnter(ctx, t)
	}
	return t, err
}

func notFound() error { return nexus.Errorf(nexus.TopicNotFound, "Topic not found.") }

// ListParams say which topics to list.
type ListParams struct {
	Status string `json:"status,omitempty" jsonschema:"which ones"`
}

// Listing is topics, newest first.
type Listing struct {
	Topics []Topic `json:"topics"`

	status string
}

// List lists topics, newest first.
func (s *Service) List(ctx context.Context, p ListParams) (Listing, error) {
	status, err := readStatus(cmp.Or(p.Status, Open))
	if err != nil {
		return Listing{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Listing, error) {
		all, err := tx.Topics(status)
		all = slices.DeleteFunc(all, func(t Topic) bool { return mayEnter(ctx, t) != nil })
		return Listing{all, cmp.Or(p.Status, Open)}, err
	})
}

// readStatus is a status to look for, "" for any.
func readStatus(word string) (string, error) {
	switch word {
	case Open, Closed:
		return word, nil
	case "all":
		return "", nil
	}
	return "", invalid("status", `status must be "open", "closed" or "all"`)
}

// ResolveParams name a topic.
type ResolveParams struct {
	Name        string `json:"name" jsonschema:"its name"`
	AllowClosed bool   `json:"allow_closed,omitempty" jsonschema:"take the newest closed one if none is open"`
}

// Resolve finds the newest open topic of a name, and failing that the newest
// closed one where that is allowed.
func (s *Service) Resolve(ctx context.Context, p ResolveParams) (Brief, error) {
	if err := required("name", p.Name); err != nil {
		return Brief{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Brief, error) {
		t, err := resolve(ctx, tx, p.Name, p.AllowClosed)
		return t.brief(), err
	})
}

func resolve(ctx context.Context, tx Tx, name string, allowClosed bool) (Topic, error) {
	name = strings.TrimSpace(name)
	t, found, err := tx.NewestTopic(name, Open, within(ctx, "")...)
	if err == nil && !found && allowClosed {
		t, found, err = tx.NewestTopic(name, Closed, within(ctx, "")...)
	}
	if err == nil && !found {
		err = notFound()
	}
	return t, err
}

// CloseParams name a topic to close.
type CloseParams struct {
	TopicID string `json:"topic_id" jsonschema:"the topic"`
	Reason  string `json:"reason,omitempty" jsonschema:"why, for those who read it later"`
}

// CloseResult is how a topic was closed, first.
type CloseResult struct {
	TopicID     string   `json:"topic_id"`
	Status      string   `json:"status"`
	ClosedAt    *float64 `json:"closed_at"`
	CloseReason *string  `json:"close_reason"`
	Warned
}

// Close ends a topic: it can be read and not written to. The first time counts;
// again it changes nothing and warns.
func (s *Service) Close(ctx context.Context, p CloseParams) (CloseResult, error) {
	now := s.now()
	at := Seconds(now)
	var reason *string
	if p.Reason != "" {
		reason = &p.Reason
	}
	if err := brief("reason", p.Reason, 65536); err != nil {
		return CloseResult{}, err
	}
	return change(ctx, s, func(tx Tx) (CloseResult, error) {
		t, err := find(ctx, p.TopicID, tx.LockTopic)
		if err != nil {
			return CloseResult{}, err
		}
		if t.Status == Closed {
			w := Warning{Code: "ALREADY_CLOSED", Message: "The topic was closed before.", Context: map[string]any{"topic_id": t.ID}}
			return CloseResult{t.ID, Closed, t.ClosedAt, t.CloseReason, Warned{[]Warning{w}}}, nil
		}
		if _, err := tx.CloseTopic(t.ID, at, reason); err != nil {
			return CloseResult{}, err
		}
		tx.Wake(nexus.TopicKey(t.ID))
		return CloseResult{TopicID: t.ID, Status: Closed, ClosedAt: &at, CloseReason: reason},
			s.log(tx, t, "topic.closed", nexus.ActorFrom(ctx).Name(), map[string]any{"close_reason": reason}, now)
	})
}
