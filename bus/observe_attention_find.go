package bus

import (
	"maps"
	"slices"
	"strings"
	"time"

	"nexus"
)

// workItem is a hand-off that needs looking at, and who has to do with it.
func workItem(kind string, h Handoff, agentID, until *string) AttentionItem {
	return AttentionItem{Kind: kind, WorkspaceID: &h.WorkspaceID, AgentID: agentID, HandoffID: &h.ID, Since: &h.UpdatedAt, Until: until}
}

// lapsing is work whose lease is about to end, or has ended and nobody came by.
func (s *Service) lapsing(tx Tx, workspace string, now time.Time) (items []AttentionItem, more bool, err error) {
	work, err := tx.LapsingHandoffs(workspace, nexus.Stamp(now.Add(lapsesSoon)), attentionLook)
	for _, h := range work {
		items = append(items, workItem(LeaseLapsing, h, h.ClaimedBy, h.LeaseExpiresAt))
	}
	return items, len(work) == attentionLook, err
}

// oldest is work in a state, oldest first.
func oldest(tx Tx, workspace, status string) (Walked[Handoff, string], error) {
	return tx.OldestHandoffs(WorkQuery{WorkspaceID: workspace, States: []string{status}, Below: beyond}, Stretch{Limit: attentionLook, Look: lookAt})
}

// inState finds work that stays in a state until somebody decides.
func inState(status, kind string) func(Tx, string, time.Time) ([]AttentionItem, bool, error) {
	return func(tx Tx, workspace string, _ time.Time) (items []AttentionItem, more bool, err error) {
		work, err := oldest(tx, workspace, status)
		for _, h := range work.Rows {
			who := h.ClaimedBy
			if who == nil {
				who = &h.FromAgentID
			}
			items = append(items, workItem(kind, h, who, h.ExpiresAt))
		}
		return items, work.More, err
	}
}

// waiting is open work that nobody has taken for long, or that nobody could take.
func (s *Service) waiting(tx Tx, workspace string, now time.Time) (items []AttentionItem, more bool, err error) {
	work, err := oldest(tx, workspace, HandoffOpen)
	long := nexus.Stamp(now.Add(-waitsLong))
	known := map[string]bool{} // whether anybody could take what has such a target
	for _, h := range work.Rows {
		if err != nil {
			break
		}
		if h.overdue(nexus.Stamp(now)) {
			continue
		}
		if h.UpdatedAt >= long {
			somebody, judged := known[string(h.Target)]
			if !judged && len(known) < mostTargets {
				somebody, err = anybodyFor(tx, h, now)
				known[string(h.Target)] = somebody
			} else if !judged {
				more = true
				continue
			}
			if somebody {
				continue
			}
		}
		items = append(items, workItem(WorkWaiting, h, &h.FromAgentID, h.ExpiresAt))
	}
	return items, more || work.More, err
}

// anybodyFor tells whether a registered agent could take a hand-off.
func anybodyFor(tx Tx, h Handoff, now time.Time) (bool, error) {
	t, err := ParseTarget(h.Target)
	if err != nil || t == nil {
		return false, nil // what cannot be read is for nobody
	}
	if h.eligible(Profile{}, now) {
		n, err := tx.CountAgents()
		return n > 0, err
	}
	found := map[string]Agent{}
	if err := candidates(tx, *t, found); err != nil {
		return false, err
	}
	for id, a := range found {
		if h.eligible(ProfileOf(id, a), now) {
			return true, nil
		}
	}
	return false, nil
}

// silent finds those who hold work and have not been heard of lately, by the
// work that comes back first.
func (s *Service) silent(tx Tx, workspace string, now time.Time) (items []AttentionItem, more bool, err error) {
	work, err := oldest(tx, workspace, HandoffClaimed)
	if err != nil {
		return nil, false, err
	}
	held := map[string][]Handoff{}
	for _, h := range work.Rows {
		if who := deref(h.ClaimedBy); !h.overdue(nexus.Stamp(now)) {
			held[who] = append(held[who], h)
		}
	}
	if len(held) == 0 {
		return nil, work.More, nil
	}
	holders := slices.Sorted(maps.Keys(held))
	heard, err := tx.LastHeard(holders)
	for _, who := range holders {
		mine := held[who]
		last := s.glances.latest(who, heard[who])
		for _, h := range mine {
			last = max(last, h.UpdatedAt)
		}
		if s.presence(last, now) == IsPresent {
			continue
		}
		h := slices.MinFunc(mine, func(a, b Handoff) int { return strings.Compare(deref(a.LeaseExpiresAt), deref(b.LeaseExpiresAt)) })
		item := workItem(HolderIsSilent, h, &who, h.LeaseExpiresAt)
		n := len(mine)
		item.Count, item.Since = &n, &last
		items = append(items, item)
	}
	return items, work.More, err
}

func mailItem(kind string, m MailPile) AttentionItem {
	return AttentionItem{
		Kind: kind, WorkspaceID: &m.WorkspaceID, AgentID: &m.AgentID, MessageID: &m.MessageID, DeliveryID: &m.DeliveryID,
		Title: pointer(Title(m.Subject)), Count: &m.Count, Since: &m.Since,
	}
}

// parkedMail is mail that was handed out too often, an item for each inbox.
func parkedMail(tx Tx, workspace string, _ time.Time) (items []AttentionItem, more bool, err error) {
	piles, err := tx.ParkedMail(workspace, attentionLook, attentionLook)
	for _, m := range piles {
		items = append(items, mailItem(MailParked, m))
		more = more || m.Count == attentionLook
	}
	return items, more || len(piles) == attentionLook, err
}

// unreadMail is what the operator has not read, an item for each who wrote.
func unreadMail(tx Tx, workspace string, _ time.Time) (items []AttentionItem, more bool, err error) {
	mail, err := tx.UnreadMail(nexus.OperatorID, workspace, attentionLook)
	at := map[[2]string]int{}
	var piles []MailPile
	for _, m := range mail {
		place := [2]string{m.WorkspaceID, m.AgentID}
		i, known := at[place]
		if !known {
			at[place] = len(piles)
			piles = append(piles, m)
			continue
		}
		piles[i].Count++
		piles[i].Since = m.Since
	}
	for _, m := range piles {
		items = append(items, mailItem(MailUnread, m))
	}
	return items, len(mail) == attentionLook, err
}
