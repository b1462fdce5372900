package bus

import (
	"context"
	"errors"
	"time"

	"nexus"
)

// PullParams ask for mail.
type PullParams struct {
	AgentID      string `json:"agent_id" jsonschema:"whose inbox to pull"`
	Limit        *int   `json:"limit,omitempty" jsonschema:"how many to take, 1 to 200; default 50"`
	LeaseSeconds *int   `json:"lease_seconds,omitempty" jsonschema:"how long you need, 10 to 3600; default 300"`
	Credentials
}

// PullResult is the mail that was taken.
type PullResult struct {
	Messages []InboxMessage `json:"messages"`
	Count    int            `json:"count"`
	Hint
}

const (
	usualMail = 50
	mostMail  = 200
)

// Pull leases the oldest claimable deliveries in the caller's inbox.
//
// A delivery is held by one claimant at a time. If the lease lapses before
// [Service.Ack], it is offered again with its attempt raised.
func (s *Service) Pull(ctx context.Context, p PullParams) (PullResult, error) {
	claim, now, err := s.claim(p)
	if err != nil {
		return PullResult{}, err
	}
	return trusted(ctx, s, s.proof(ctx, p.AgentID, p.Credentials), func(tx Tx) (PullResult, error) {
		mail, err := s.pull(tx, claim, now)
		if errors.Is(err, errNoMail) {
			s.glances.note(p.AgentID, now)
			return PullResult{Messages: []InboxMessage{}, Hint: Hint{new(int)}}, touch(tx, p.AgentID, now, pollGrain)
		}
		return mail, err
	})
}

// claim checks what a pull asks for.
func (s *Service) claim(p PullParams) (Claim, time.Time, error) {
	now := s.now()
	if err := required("agent_id", p.AgentID); err != nil {
		return Claim{}, now, err
	}
	limit, err := pageLimit(p.Limit, usualMail, mostMail)
	if err != nil {
		return Claim{}, now, err
	}
	lease := s.knobs().InboxLease
	if p.LeaseSeconds != nil {
		lease = clampSeconds(*p.LeaseSeconds)
	}
	return Claim{p.AgentID, nexus.Stamp(now), nexus.Stamp(now.Add(lease)), limit, maxAttempts}, now, nil
}

// errNoMail says that there was nothing to take and nothing to park.
var errNoMail = errors.New("no mail")

// pull takes what a claim asks for, or fails with errNoMail.
func (s *Service) pull(tx Tx, claim Claim, now time.Time) (PullResult, error) {
	taken, parked, err := tx.ClaimDeliveries(claim)
	if err == nil && len(taken)+len(parked) == 0 {
		err = errNoMail
	}
	if err != nil {
		return PullResult{Messages: []InboxMessage{}}, err
	}
	hint, err := s.hint(tx, claim.AgentID, now, mostUnread)
	if err != nil {
		return PullResult{}, err
	}
	result := PullResult{taken, len(taken), hint}
	if err := s.acted(tx, claim.AgentID, now); err != nil {
		return result, err
	}
	ids := make([]string, len(taken))
	for i, m := range taken {
		ids[i] = m.MessageID
	}
	return result, s.system(tx, now, "inbox.pulled", claim.AgentID,
		map[string]any{"agent_id": claim.AgentID, "message_ids": ids, "parked_message_ids": notNil(parked)})
}

// InboxWaitParams are [PullParams] and how long to wait.
type InboxWaitParams struct {
	PullParams
	TimeoutSeconds *int `json:"timeout_seconds,omitempty" jsonschema:"how long to wait for mail; default 0, do not wait"`
}

// WaitedMail is the mail that came.
type WaitedMail struct {
	PullResult
	TimedOut bool `json:"timed_out"`
}

// WaitInbox is [Service.Pull] that waits, if asked to, until there is something
// to take: new mail, or mail whose lease lapses.
func (s *Service) WaitInbox(ctx context.Context, p InboxWaitParams) (WaitedMail, error) {
	if p.TimeoutSeconds == nil || *p.TimeoutSeconds <= 0 {
		mail, err := s.Pull(ctx, p.PullParams)
		return WaitedMail{PullResult: mail}, err
	}
	if p.AgentID == nexus.OperatorID { // nobody could write to one who is not known
		_, err := nexus.Update(withoutKey{ctx}, s.store, func(tx Tx) (None, error) {
			return None{}, s.trust(ctx, tx, p.AgentID, p.Credentials)
		})
		if err != nil {
			return WaitedMail{}, err
		}
	}
	// The first look always tries to take: if this call is a repeat, that is how
	// it gets the answer that was kept. Later ones first see whether there is
	// anything, so that waiting writes nothing.
	waiting := true
	mail, timedOut, err := nexus.Await(ctx, s.store, []string{nexus.InboxKey(p.AgentID)}, s.waitLimit(*p.TimeoutSeconds),
		func(ctx context.Context) (mail WaitedMail, found bool, due time.Time, err error) {
			mail.Messages, mail.Hint = []InboxMessage{}, Hint{new(int)}
			if !waiting {
				waiting, due, err = s.mailWaits(ctx, p.AgentID)
			}
			if err != nil || !waiting {
				return mail, false, due, err
			}
			waiting = false
			taken, err := s.takeMail(ctx, p.PullParams)
			if errors.Is(err, errNoMail) {
				_, due, err = s.mailWaits(ctx, p.AgentID)
				return mail, false, due, err
			}
			return taken, err == nil, due, err
		})
	mail.TimedOut = timedOut
	return mail, err
}

// mailWaits tells whether there is something to take, and otherwise when the next
// lease lapses.
func (s *Service) mailWaits(ctx context.Context, agentID string) (waiting bool, due time.Time, err error) {
	waiting, err = nexus.View(ctx, s.store, func(tx Tx) (bool, error) {
		n, err := tx.CountUnread(agentID, nexus.Stamp(s.now()), 1)
		if err != nil || n > 0 {
			return n > 0, err
		}
		lapse, err := tx.NextLapse(agentID)
		if at, parse := nexus.ParseStamp(lapse); parse == nil {
			due = at.Add(time.Microsecond) // a lease holds to its very end
		}
		return false, err
	})
	if waiting {
		due = s.now() // look again at once
	}
	return waiting, due, err
}

// takeMail is a pull that leaves no trace when there was nothing to take: that
// must not be kept as the answer of a call that goes on waiting.
func (s *Service) takeMail(ctx context.Context, p PullParams) (WaitedMail, error) {
	claim, now, err := s.claim(p)
	if err != nil {
		return WaitedMail{}, err
	}
	return trusted(ctx, s, s.proof(ctx, p.AgentID, p.Credentials), func(tx Tx) (WaitedMail, error) {
		mail, err := s.pull(tx, claim, now)
		return WaitedMail{PullResult: mail}, err
	})
}
