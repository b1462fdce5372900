package topic

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nexus"
)

// What people see of topics: lists with counts, pages of messages, and the
// surroundings of one.

type browseRows interface {
	// BrowseTopics is a page of topics in one of the orders.
	BrowseTopics(BrowseQuery) ([]Topic, error)
	// PostsBefore are the last messages before a number, in order.
	PostsBefore(topicID string, seq int64, limit int) ([]Post, error)
}

// How many topics and messages a page has at most.
const (
	mostBrowsed = 1000
	mostRead    = 200
)

// The orders of topics.
const (
	ByUpdate = "last_updated_desc"
	ByNewest = "created_desc"
	ByOldest = "created_asc"
)

// A BrowseQuery selects topics. Those after one that is named by its moment and
// its id, where a page goes on.
type BrowseQuery struct {
	Status    string // "" for any
	Sort      string
	Words     string // in the name, in whatever case; "" for any
	AfterTime float64
	AfterID   string // "" to begin
	Limit     int
	// Workspaces limits it to some; nil does not.
	Workspaces []string
}

// BrowseParams ask for a page of topics.
type BrowseParams struct {
	Status string `json:"status,omitempty" jsonschema:"open, closed or all; default all"`
	Sort   string `json:"sort,omitempty" jsonschema:"last_updated_desc, created_desc or created_asc; default last_updated_desc"`
	Query  string `json:"q,omitempty" jsonschema:"part of the name"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"how many to show, 1 to 1000; default 200"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before, as it was"`
}

// A Row is a topic with what is in it.
type Row struct {
	Topic
	WorkspaceID *string `json:"workspace_id"`
	Count       int     `json:"message_count"`
	LastSeq     int64   `json:"last_seq"`
	UpdatedAt   float64 `json:"last_updated_at"`
}

func (t Topic) row() Row {
	r := Row{Topic: t, Count: t.Count, LastSeq: t.LastSeq, UpdatedAt: t.UpdatedAt}
	if t.WorkspaceID != "" {
		r.WorkspaceID = &t.WorkspaceID
	}
	return r
}

// Page is a page of topics. Without next_cursor it is the last one.
type Page struct {
	Items      []Row   `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

// Browse lists topics with how much is in each.
func (s *Service) Browse(ctx context.Context, p BrowseParams) (Page, error) {
	q := BrowseQuery{Sort: cmp.Or(p.Sort, ByUpdate), Words: strings.TrimSpace(p.Query), Workspaces: nexus.ActorFrom(ctx).Scopes.Workspaces()}
	var err error
	if q.Status, err = readStatus(cmp.Or(p.Status, "all")); err != nil {
		return Page{}, err
	}
	if !slices.Contains([]string{ByUpdate, ByNewest, ByOldest}, q.Sort) {
		return Page{}, invalid("sort", "sort must be last_updated_desc, created_desc or created_asc")
	}
	if strings.ContainsRune(q.Words, 0) { // where SQLite ends a pattern
		return Page{}, invalid("q", "q holds a NUL character.")
	}
	limit, err := upTo(mostBrowsed, "limit", p.Limit, 200)
	if err != nil {
		return Page{}, err
	}
	q.Limit = limit + 1
	if q.AfterTime, q.AfterID, err = readPlace(p.Cursor); err != nil {
		return Page{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Page, error) {
		all, err := tx.BrowseTopics(q)
		page := Page{Items: []Row{}}
		if len(all) > limit {
			all = all[:limit]
			last := all[limit-1]
			at := last.CreatedAt
			if q.Sort == ByUpdate {
				at = last.UpdatedAt
			}
			page.NextCursor = writePlace(at, last.ID)
		}
		for _, t := range all {
			page.Items = append(page.Items, t.row())
		}
		return page, err
	})
}

// A place is where a page ends, for the next one to go on.
type place struct {
	At float64 `json:"t"`
	ID string  `json:"i"`
}

func writePlace(at float64, id string) *string {
	s := base64.RawURLEncoding.EncodeToString(mustJSON(place{at, id}))
	return &s
}

func readPlace(cursor string) (at float64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	var p place
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(raw, &p) != nil || p.ID == "" {
		return 0, "", invalid("cursor", "cursor is not one of ours: pass back next_cursor as it was, or leave it out to start again")
	}
	return p.At, p.ID, nil
}

// LookParams name a topic, and a message to look around.
type LookParams struct {
	TopicID string `json:"topic_id" jsonschema:"the topic"`
	Focus   string `json:"focus,omitempty" jsonschema:"a message; those around it are shown instead of the latest"`
}

// Look is a topic with messages of it.
type Look struct {
	Topic Row `json:"topic"`
	// ContextMode is latest, or focus where messages around one are shown.
	ContextMode string  `json:"context_mode"`
	Focus       *string `json:"focus_message_id"`
	Messages    []Post  `json:"messages"`
	HasEarlier  bool    `json:"has_earlier"`
	HasLater    bool    `json:"has_later"`
	Presence    []Peer  `json:"presence"`
}

const (
	latestShown = 50
	aroundFocus = 25
)

// Look shows a topic: its latest messages, or those around one, and who is there.
func (s *Service) Look(ctx context.Context, p LookParams) (Look, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (Look, error) {
		t, err := find(ctx, p.TopicID, tx.Topic)
		if err != nil {
			return Look{}, err
		}
		l := Look{Topic: t.row(), ContextMode: "latest"}
		if err := l.read(tx, t, p.Focus); err != nil {
			return Look{}, err
		}
		now := Seconds(s.now())
		l.Presence, err = tx.TopicPeers(t.ID, now-300, 200)
		for i := range l.Presence {
			l.Presence[i].Age = max(0, now-l.Presence[i].UpdatedAt)
		}
		return l, err
	})
}

// read fetches the messages to show. A focus that is gone shows the latest.
func (l *Look) read(tx Tx, t Topic, focus string) error {
	before, after := t.LastSeq+1, latestShown
	if focus != "" {
		p, found, err := tx.Post(t.ID, focus)
		if err != nil {
			return err
		}
		if found {
			l.ContextMode, l.Focus, before, after = "focus", &focus, p.Seq, aroundFocus
		}
	}
	earlier, err := tx.PostsBefore(t.ID, before, after+1)
	if err != nil {
		return err
	}
	if l.HasEarlier = len(earlier) > after; l.HasEarlier {
		earlier = earlier[1:]
	}
	l.Messages = earlier
	if l.Focus == nil {
		return nil
	}
	later, err := tx.PostsAfter(t.ID, before-1, "", aroundFocus+2) // with the one itself
	if l.HasLater = len(later) > aroundFocus+1; l.HasLater {
		later = later[:aroundFocus+1]
	}
	l.Messages = append(l.Messages, later...)
	return err
}

// ReadParams ask for messages of a topic in order.
type ReadParams struct {
	TopicID   string `json:"topic_id" jsonschema:"the topic"`
	AfterSeq  *int64 `json:"after_seq,omitempty" jsonschema:"those after this one"`
	BeforeSeq *int64 `json:"before_seq,omitempty" jsonschema:"the last ones before this one"`
	Limit     *int   `json:"limit,omitempty" jsonschema:"how many, 1 to 200; default 50"`
	Timeout   *int   `json:"timeout_seconds,omitempty" jsonschema:"with after_seq: how long to wait for the first, up to max_wait_timeout_seconds; default 0"`
}

// PostPage is messages of a topic, in order.
type PostPage struct {
	TopicID  string `json:"topic_id"`
	Messages []Post `json:"messages"`
	Count    int    `json:"count"`
	HasMore  bool   `json:"has_more"` // further ones in the direction of reading
	LastSeq  int64  `json:"last_seq"` // of the topic
}

// Read is messages of a topic in order: after a number, before one, or the
// latest. It leaves no mark: nobody is present who only reads.
func (s *Service) Read(ctx context.Context, p ReadParams) (PostPage, error) {
	limit, err := upTo(mostRead, "limit", p.Limit, 50)
	if err != nil {
		return PostPage{}, err
	}
	if p.AfterSeq != nil && p.BeforeSeq != nil {
		return PostPage{}, invalid("after_seq", "Provide at most one of after_seq and before_seq")
	}
	look := func(ctx context.Context) (PostPage, bool, time.Time, error) {
		page, err := s.readPage(ctx, p, limit)
		return page, page.Count > 0, time.Time{}, err
	}
	if p.AfterSeq == nil || p.Timeout == nil || *p.Timeout <= 0 {
		page, _, _, err := look(ctx)
		return page, err
	}
	wait := min(time.Duration(min(*p.Timeout, int(longestWait/time.Second)))*time.Second, s.Settings().MaxWait)
	page, _, err := nexus.Await(ctx, s.store, []string{nexus.TopicKey(strings.TrimSpace(p.TopicID))}, wait, look)
	return page, err
}

func (s *Service) readPage(ctx context.Context, p ReadParams, limit int) (PostPage, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (PostPage, error) {
		t, err := find(ctx, p.TopicID, tx.Topic)
		if err != nil {
			return PostPage{}, err
		}
		page := PostPage{TopicID: t.ID, LastSeq: t.LastSeq}
		if p.AfterSeq != nil {
			page.Messages, err = tx.PostsAfter(t.ID, *p.AfterSeq, "", limit+1)
			if page.HasMore = len(page.Messages) > limit; page.HasMore {
				page.Messages = page.Messages[:limit]
			}
		} else {
			before := t.LastSeq + 1
			if p.BeforeSeq != nil {
				before = *p.BeforeSeq
			}
			page.Messages, err = tx.PostsBefore(t.ID, before, limit+1)
			if page.HasMore = len(page.Messages) > limit; page.HasMore {
				page.Messages = page.Messages[1:]
			}
		}
		page.Count = len(page.Messages)
		return page, err
	})
}
