package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// usualWindow is after how long a silent session is stale by default.
const usualWindow = time.Minute

// A session is the stay of an agent in a project.
type session struct {
	id, agent, project, presence string
}

// A place is an agent in a project.
type place struct{ agent, project string }

// openSessions lets everybody in. Those who will be stale or offline in the end
// are not heard of again.
func (d *demo) openSessions(ctx context.Context) error {
	for _, a := range d.team.Agents {
		for _, project := range a.In {
			s, err := d.open(ctx, a, project)
			if err != nil {
				return err
			}
			d.enter(s)
		}
	}
	return nil
}

func (d *demo) open(ctx context.Context, a agent, project string) (session, error) {
	var made struct {
		ID string `json:"session_id"`
	}
	args := map[string]any{
		"agent_id": a.ID, "workspace_id": d.ids["workspace."+project], "metadata": map[string]any{"client": "demo"},
	}
	err := d.hub.call(ctx, d.keys[a.ID], "session_open", args, &made)
	return session{made.ID, a.ID, project, a.Presence}, err
}

// enter notes a session that was opened.
func (d *demo) enter(s session) {
	d.sessions = append(d.sessions, s)
	d.stays[place{s.agent, s.project}] = s.id
	d.opened = time.Now()
}

// settle leaves everybody as they are to be seen.
//
// Nobody can be made older than it is. So the silence after which a session is
// stale becomes a little less than that of those who have been silent so far; the
// others stay present for as long, or while the demo runs.
func (d *demo) settle(ctx context.Context) error {
	for _, s := range d.sessions {
		if s.presence != offline {
			continue
		}
		if err := d.hub.call(ctx, d.keys[s.agent], "session_close", map[string]any{"session_id": s.id}, nil); err != nil {
			return err
		}
	}
	if err := d.beat(ctx, len(d.sessions)); err != nil {
		return err
	}
	d.window = min(max(time.Since(d.opened).Truncate(time.Second)-time.Second, time.Second), usualWindow)
	return d.slowDown(ctx)
}

// beat lets the next n sessions be heard of, if they are to be present.
func (d *demo) beat(ctx context.Context, n int) error {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for range n {
		s := d.sessions[d.beats%len(d.sessions)]
		d.beats++
		if s.presence == present {
			all.Go(func() error {
				return d.hub.call(ctx, d.keys[s.agent], "session_heartbeat", map[string]any{"session_id": s.id}, nil)
			})
		}
	}
	return all.Wait()
}

// beatsPerTick is how many sessions must be heard of with every tick so that
// each is, three times before it would be stale.
func (d *demo) beatsPerTick() int {
	return 1 + int(3*time.Duration(len(d.sessions))*d.pace/d.window)
}

// stay keeps those present who are, and changes nothing else, until ctx ends.
func (d *demo) stay(ctx context.Context) error {
	tick := time.NewTicker(d.pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			if err := d.beat(ctx, d.beatsPerTick()); err != nil {
				return err
			}
		}
	}
}
