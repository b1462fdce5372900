package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// A shift is a team at work: threads that wait for an answer, and work that is
// under way.
type shift struct {
	*demo
	turns  []turn
	pieces []*piece
}

// A piece is a job on its way.
type piece struct {
	job
	id, task string
	by       string // who has it, "" while nobody
	finished bool   // but not verified
}

const (
	mostTurns  = 4
	mostPieces = 6
	liveLease  = 120 // seconds
)

// work lets somebody do something with every tick until ctx ends. What goes
// wrong may be the doing of whoever looks around: it is said, and work goes on.
func (d *demo) work(ctx context.Context, ticks <-chan time.Time, progress io.Writer) error {
	s := &shift{demo: d}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks:
		}
		err := d.beat(ctx, d.beatsPerTick())
		if err == nil {
			err = s.step(ctx)
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintln(progress, "demo:", err)
		}
	}
}

// step is the next thing that happens.
func (s *shift) step(ctx context.Context) error {
	switch n := s.chance.IntN(10); {
	case n < 4:
		return s.talkOn(ctx)
	case n < 8:
		return s.workOn(ctx)
	case n < 9:
		return s.report(ctx)
	default:
		return s.tidy(ctx)
	}
}

// talkOn begins a thread, or lets somebody read its mail and answer.
func (s *shift) talkOn(ctx context.Context) error {
	if len(s.turns) < mostTurns && s.chance.IntN(2) == 0 || len(s.turns) == 0 {
		t := turn{thread: s.nextThread()}
		if err := s.say(ctx, &t); err != nil {
			return err
		}
		s.turns = append(s.turns, t)
		return nil
	}
	t := s.turns[0]
	s.turns = s.turns[1:]
	_, reader := t.thread.speaker(t.line - 1)
	if err := s.readMail(ctx, reader, map[string]any{"agent_id": reader, "limit": 10, "lease_seconds": liveLease}); err != nil {
		return err
	}
	if t.line == len(t.thread.Lines) {
		return nil
	}
	if err := s.say(ctx, &t); err != nil {
		return err
	}
	s.turns = append(s.turns, t)
	return nil
}

// workOn offers a new piece of work, or brings one a little further. One that
// cannot be brought further, as when it was cancelled, is forgotten.
func (s *shift) workOn(ctx context.Context) error {
	if len(s.pieces) < mostPieces && s.chance.IntN(3) == 0 || len(s.pieces) == 0 {
		return s.offer(ctx)
	}
	i := s.chance.IntN(len(s.pieces))
	done, err := s.advance(ctx, s.pieces[i])
	if done || err != nil {
		s.pieces = slices.Delete(s.pieces, i, i+1)
	}
	return err
}

// offer offers the next job, which gets something done that is noted as a task.
func (s *shift) offer(ctx context.Context) error {
	j := s.talk.Jobs[s.jobs%len(s.talk.Jobs)]
	s.jobs++
	label := strings.TrimPrefix(j.To, "capability:")
	task, err := s.call(ctx, step{Op: "task_create", As: j.From, In: j.In, Args: map[string]any{
		"title": j.Payload, "labels": []string{label}, "priority": s.chance.IntN(60),
	}})
	if err != nil {
		return err
	}
	args := map[string]any{"visibility": "public", "payload": j.Payload, "task_id": task, "priority": s.chance.IntN(60)}
	if len(j.Criteria) > 0 {
		args["acceptance_criteria"] = j.Criteria
	}
	id, err := s.call(ctx, step{Op: "handoff_create", As: j.From, In: j.In, To: j.To, Args: args})
	if err != nil {
		return err
	}
	s.pieces = append(s.pieces, &piece{job: j, id: id, task: task})
	return nil
}

// advance does what comes next with a piece of work, and tells whether that was
// the last.
func (s *shift) advance(ctx context.Context, p *piece) (done bool, err error) {
	on := func(op, as string, args map[string]any) error {
		args["handoff_id"] = p.id
		return s.do(ctx, step{Op: op, As: as, In: p.In, Args: args})
	}
	switch {
	case p.finished:
		return true, on("handoff_verify", p.From, map[string]any{"verdict": "accept", "feedback": "Just what I wanted."})
	case p.by == "":
		return false, s.claim(ctx, p)
	case s.chance.IntN(3) == 0:
		return false, on("handoff_renew", p.by, map[string]any{"lease_seconds": liveLease})
	case p.Reason != "":
		return true, on("handoff_reject", p.by, map[string]any{"reason": p.Reason})
	}
	p.finished = len(p.Criteria) > 0
	return !p.finished, on("handoff_complete", p.by, map[string]any{"result": p.Result, "complete_task": true})
}

// claim lets somebody who can do a job, and is there, take it.
func (s *shift) claim(ctx context.Context, p *piece) error {
	var able []string
	for _, a := range s.team.Agents {
		if a.Presence == present && a.ID != p.From && a.can(strings.TrimPrefix(p.To, "capability:")) {
			able = append(able, a.ID)
		}
	}
	if len(able) == 0 {
		return fmt.Errorf("nobody is there who could do %q", p.Payload)
	}
	by := able[s.chance.IntN(len(able))]
	err := s.do(ctx, step{Op: "handoff_claim", As: by, In: p.In, Args: map[string]any{"handoff_id": p.id, "lease_seconds": liveLease}})
	if err != nil {
		return err
	}
	p.by = by
	return s.do(ctx, step{Op: "task_update", As: by, In: p.In, Args: map[string]any{
		"task_id": p.task, "status": "in_progress", "assignee": by,
	}})
}

// report lets beacon tell everybody what it sees.
func (s *shift) report(ctx context.Context) error {
	body := fmt.Sprintf("%d threads wait for an answer, %d pieces of work are under way. CPU %d %%, disk of build-2 %d %%. Nothing to do.",
		len(s.turns), len(s.pieces), 3+s.chance.IntN(20), 68+s.chance.IntN(5))
	return s.do(ctx, step{Op: "message_create", As: "beacon", In: "infra", Args: map[string]any{"subject": "How it goes", "body": body}})
}

// tidy lets somebody catch up with its mail, or take some and be slow about it.
func (s *shift) tidy(ctx context.Context) error {
	a := s.team.Agents[s.chance.IntN(len(s.team.Agents))]
	if a.Presence != present {
		return nil
	}
	args := map[string]any{"agent_id": a.ID, "limit": 1 + s.chance.IntN(5), "lease_seconds": liveLease}
	if s.chance.IntN(4) == 0 {
		return s.hub.call(ctx, s.keys[a.ID], "inbox_pull", args, nil)
	}
	return s.readMail(ctx, a.ID, args)
}
