package bus

import (
	"context"

	"nexus"
)

// PreviewLength is how many characters of a body a list shows.
const PreviewLength = 160

// An ObservedMessage is a message and how it stands in every inbox.
type ObservedMessage struct {
	ID            string             `json:"message_id"`
	WorkspaceID   string             `json:"workspace_id"`
	ChannelID     *string            `json:"channel_id"`
	FromAgentID   string             `json:"from_agent_id"`
	CreatedAt     string             `json:"created_at"`
	Subject       string             `json:"subject"`
	Preview       string             `json:"preview"`
	ParentID      *string            `json:"parent_message_id"`
	Target        nexus.Object       `json:"target"`
	Provenance    Provenance         `json:"provenance"`
	FromSessionID *string            `json:"from_session_id"`
	Body          *string            `json:"body,omitempty"`
	Artifacts     []string           `json:"artifacts,omitempty"`
	Deliveries    []ObservedDelivery `json:"deliveries"`
	// MoreDeliveries tells that the list of deliveries was cut.
	MoreDeliveries bool `json:"more_deliveries,omitempty"`

	Text string `json:"-"` // as much of the body as was asked for
}

// An ObservedDelivery is a message in one inbox, in the lane it is in now.
type ObservedDelivery struct {
	ID             string  `json:"delivery_id"`
	Recipient      string  `json:"recipient_agent_id"`
	Status         string  `json:"status"`
	CreatedAt      string  `json:"created_at"`
	Attempts       int     `json:"attempts"`
	DeliveredAt    *string `json:"delivered_at"`
	LeaseExpiresAt *string `json:"lease_expires_at"`
	ReadAt         *string `json:"read_at"`
}

type observeMessageRows interface {
	// MessageBounds are ids between which all messages of a span of time are, and
	// few others.
	MessageBounds(since, until string) (above, below string, err error)
	ObservedMessages(MessageQuery, Stretch) (Walked[ObservedMessage, string], error)
	// CountMessages counts those that match, among the newest far where an index
	// alone tells and among the newest near where not, and tells whether there may
	// be more.
	CountMessages(q MessageQuery, far, near int) (n int, more bool, err error)
	ObservedMessage(id string) (ObservedMessage, bool, error)
	// DeliveriesOfAll are the deliveries of messages, at most so many of each, and
	// which messages have more.
	DeliveriesOfAll(messageIDs []string, most int) (all map[string][]ObservedDelivery, cut map[string]bool, err error)
	// MessageTexts are the newest messages below a place with all their words.
	MessageTexts(workspaceID, below string, limit int) ([]MessageText, error)
}

// A MessageQuery selects messages. Blank fields match everything.
type MessageQuery struct {
	WorkspaceID  string
	Agent, Peer  string // Agent sent or got it; Peer was at the other end
	From, To     string
	ChannelID    string
	Lane         string // some delivery is in it, that of To if there is one
	Since, Until string // from a moment on, and before another
	Undelivered  bool   // nobody got it
	Above, Below string // between these ids
	Bodies       bool
	Now          string
}

// ObserveMessagesParams select messages.
type ObserveMessagesParams struct {
	Workspace   string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one"`
	Agent       string `json:"agent,omitempty" jsonschema:"sent or received by this agent"`
	Peer        string `json:"peer,omitempty" jsonschema:"with agent: only what those two wrote to each other"`
	FromAgent   string `json:"from_agent,omitempty" jsonschema:"sent by this agent"`
	ToAgent     string `json:"to_agent,omitempty" jsonschema:"received by this agent"`
	Channel     string `json:"channel,omitempty" jsonschema:"filed under this channel_id"`
	Lane        string `json:"lane,omitempty" jsonschema:"some delivery is unread, delivered, read or parked; that of to_agent if given"`
	Since       string `json:"since,omitempty" jsonschema:"sent at or after this moment"`
	Until       string `json:"until,omitempty" jsonschema:"sent before this moment"`
	Undelivered bool   `json:"undelivered,omitempty" jsonschema:"only what reached nobody"`
	IncludeBody bool   `json:"include_body,omitempty" jsonschema:"whole bodies and artifacts, not only the beginning"`
	Page        *int   `json:"page,omitempty" jsonschema:"which page, from 1; for the newest ten thousand or so, beyond which cursor leads"`
	PageSize    *int   `json:"page_size,omitempty" jsonschema:"how many to show, 1 to 200; default 50"`
	Cursor      string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before, as it was; outranks page"`
}

// MessageList is a page of messages, newest first.
type MessageList struct {
	Items    []ObservedMessage `json:"items"`
	Page     int               `json:"page"`
	PageSize int               `json:"page_size"`
	// Total is how many there are. It is not counted for a page by cursor.
	Total *int `json:"total"`
	// TotalIsEstimate tells that counting was given up: there are that many or more.
	TotalIsEstimate bool    `json:"total_is_estimate"`
	NextCursor      *string `json:"next_cursor"`
}

const (
	usualPage = 50
	mostPage  = 200
	// countTo is how far a list is counted beyond the page that is shown, and how
	// far pages can be had by number. Counting an index that far takes a
	// millisecond or two, however much there is.
	countTo = 10_000
	// countNear is how far a list is counted of which every row must be looked at.
	countNear = 1_000
	// fewDeliveries and mostDeliveries are how many deliveries of a message are
	// shown in a list, and where there is only one message.
	fewDeliveries  = 100
	mostDeliveries = 1_000
)

// ObserveMessages lists messages, newest first.
func (s *Service) ObserveMessages(ctx context.Context, p ObserveMessagesParams) (MessageList, error) {
	q, err := s.messageQuery(ctx, p)
	if err != nil {
		return MessageList{}, err
	}
	result, st, err := p.pages()
	if err != nil {
		return MessageList{}, err
	}
	if q.Below, err = below(p.Cursor); err != nil {
		return MessageList{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (MessageList, error) {
		q := q // the function may run again
		if q.Since != "" || q.Until != "" {
			above, end, err := tx.MessageBounds(q.Since, q.Until)
			if err != nil {
				return MessageList{}, err
			}
			q.Above, q.Below = above, min(q.Below, end)
		}
		page, err := tx.ObservedMessages(q, st)
		if err != nil {
			return MessageList{}, err
		}
		list := result
		if list.Items, list.NextCursor = page.Rows, page.next(); p.Cursor == "" {
			n, more, err := tx.CountMessages(q, st.Offset+st.Limit+countTo, st.Offset+st.Limit+countNear)
			if err != nil {
				return list, err
			}
			list.Total, list.TotalIsEstimate = &n, more
		}
		return list, s.fillMessages(tx, list.Items, p.IncludeBody, fewDeliveries)
	})
}

// messageQuery checks what is asked for.
func (s *Service) messageQuery(ctx context.Context, p ObserveMessagesParams) (q MessageQuery, err error) {
	q = MessageQuery{
		Agent: p.Agent, Peer: p.Peer, From: p.FromAgent, To: p.ToAgent, ChannelID: p.Channel,
		Undelivered: p.Undelivered, Bodies: p.IncludeBody, Now: nexus.Stamp(s.now()),
	}
	if q.WorkspaceID, err = observed(ctx, p.Workspace); err != nil {
		return q, err
	}
	if p.Peer != "" && p.Agent == "" {
		return q, badParam("peer", "peer needs agent: whose conversation with %q is it?", clip(p.Peer))
	}
	lane, err := oneOf("lane", p.Lane, []string{Unread, Delivered, ReadLane, Parked})
	if err != nil {
		return q, err
	}
	if len(lane) > 0 {
		q.Lane = lane[0]
	}
	if q.Since, err = moment("since", p.Since); err != nil {
		return q, err
	}
	q.Until, err = moment("until", p.Until)
	return q, err
}

// pages is which page is asked for, by number or by cursor.
func (p ObserveMessagesParams) pages() (list MessageList, st Stretch, err error) {
	list = MessageList{Page: 1, PageSize: usualPage}
	if p.Page != nil {
		list.Page = *p.Page
	}
	if p.PageSize != nil {
		list.PageSize = min(*p.PageSize, mostPage)
	}
	switch {
	case list.Page < 1:
		return list, st, nexus.Invalid("page", "page must be at least 1.")
	case list.PageSize < 1:
		return list, st, nexus.Invalid("page_size", "page_size must be at least 1.")
	case p.Cursor != "":
		list.Page = 1
	case list.Page > countTo/list.PageSize+1:
		return list, st, badParam("page", "Pages by number end at %d messages. Follow next_cursor to go further back.", countTo)
	}
	return list, Stretch{Offset: (list.Page - 1) * list.PageSize, Limit: list.PageSize, Look: lookAt}, nil
}

// fillMessages adds the deliveries of all the messages, and shows as much of the
// bodies as was asked for.
func (s *Service) fillMessages(tx Tx, all []ObservedMessage, bodies bool, most int) error {
	if len(all) == 0 {
		return nil
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	deliveries, cut, err := tx.DeliveriesOfAll(ids, most)
	if err != nil {
		return err
	}
	now := nexus.Stamp(s.now())
	for i := range all {
		m := &all[i]
		m.Preview = first(m.Text, PreviewLength)
		if bodies {
			m.Body = &m.Text
		} else {
			m.Artifacts = nil
		}
		m.Deliveries, m.MoreDeliveries = deliveries[m.ID], cut[m.ID]
		if m.Deliveries == nil {
			m.Deliveries = []ObservedDelivery{}
		}
		for j := range m.Deliveries {
			d := &m.Deliveries[j]
			d.Status = effective(d.Status, deref(d.LeaseExpiresAt), now)
		}
	}
	return nil
}

// first is the beginning of a text, so many characters of it.
func first(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i]
		}
		n++
	}
	return text
}

// MessageParams name a message.
type MessageParams struct {
	MessageID string `json:"message_id" jsonschema:"the message"`
}

// ObserveMessage is one message with everything that is known of it.
func (s *Service) ObserveMessage(ctx context.Context, p MessageParams) (ObservedMessage, error) {
	if err := required("message_id", p.MessageID); err != nil {
		return ObservedMessage{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (ObservedMessage, error) {
		m, found, err := tx.ObservedMessage(p.MessageID)
		if err != nil || !found {
			return m, orNotFound(err, "There is no message %q.", clip(p.MessageID))
		}
		if _, err := observed(ctx, m.WorkspaceID); err != nil {
			return ObservedMessage{}, err
		}
		one := []ObservedMessage{m}
		err = s.fillMessages(tx, one, true, mostDeliveries)
		return one[0], err
	})
}
