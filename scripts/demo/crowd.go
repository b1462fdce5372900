package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"golang.org/x/sync/errgroup"
)

// each does something n times, a few at once. What it does the i-th time may
// depend on i and on the chance it is given, and on nothing that happens
// meanwhile: so the same seed gives the same crowd.
func (d *demo) each(n int, do func(i int, chance *rand.Rand) error) error {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range n {
		all.Go(func() error { return do(i, rand.New(rand.NewPCG(d.seed, uint64(i)+1))) })
	}
	return all.Wait()
}

// hire brings the team to the number of agents that was asked for. The new ones
// are like those who are there, and may do everything.
func (d *demo) hire(ctx context.Context) error {
	n := max(d.agents-len(d.team.Agents), 0)
	d.hands = make([]agent, n)
	keys, sessions := make([]string, n), make([]session, n)
	err := d.each(n, func(i int, chance *rand.Rand) error {
		like := d.team.Agents[chance.IntN(len(d.team.Agents))]
		a := agent{
			ID: fmt.Sprintf("%s-%03d", like.ID, i+2), Role: like.Role, Capabilities: like.Capabilities,
			In: like.In[:1], Presence: []string{present, stale, offline}[chance.IntN(3)], About: "Works like " + like.ID + ".",
		}
		d.hands[i] = a
		key, err := d.makeAgent(ctx, a)
		keys[i] = key
		return err
	})
	if err != nil {
		return err
	}
	for i, a := range d.hands {
		d.keys[a.ID] = keys[i]
	}
	err = d.each(n, func(i int, _ *rand.Rand) (err error) {
		sessions[i], err = d.open(ctx, d.hands[i], d.hands[i].In[0])
		return err
	})
	for _, s := range sessions {
		d.enter(s)
	}
	return err
}

// What the new ones have to do with each other, for each of them.
const (
	lettersEach = 4
	jobEvery    = 8
)

// busy gives the new ones mail, some of which is read, and work.
func (d *demo) busy(ctx context.Context) error {
	if len(d.hands) == 0 {
		return nil
	}
	err := d.each(lettersEach*len(d.hands), func(i int, chance *rand.Rand) error {
		return d.letter(ctx, d.hands, d.hands[i%len(d.hands)], chance)
	})
	if err != nil {
		return err
	}
	err = d.each(len(d.hands), func(i int, chance *rand.Rand) error {
		if chance.IntN(2) == 0 {
			return nil
		}
		id := d.hands[i].ID
		return d.readMail(ctx, id, map[string]any{"agent_id": id, "limit": 1 + chance.IntN(50), "lease_seconds": 600})
	})
	if err != nil {
		return err
	}
	return d.each(len(d.hands)/jobEvery, func(i int, chance *rand.Rand) error {
		j := d.talk.Jobs[chance.IntN(len(d.talk.Jobs))]
		task := step{Op: "task_create", As: d.hands[i].ID, In: j.In, Args: map[string]any{
			"title": j.Payload, "priority": chance.IntN(100), "labels": []string{strings.TrimPrefix(j.To, "capability:")},
		}}
		if err := d.do(ctx, task); err != nil {
			return err
		}
		return d.do(ctx, step{Op: "handoff_create", As: d.hands[i].ID, In: j.In, To: j.To, Args: map[string]any{
			"visibility": "public", "payload": j.Payload, "priority": chance.IntN(100),
		}})
	})
}

// letter lets one of the given agents write to another.
func (d *demo) letter(ctx context.Context, all []agent, from agent, chance *rand.Rand) error {
	t := d.talk.Threads[chance.IntN(len(d.talk.Threads))]
	return d.do(ctx, step{
		Op: "message_create", As: from.ID, In: from.In[0], To: all[chance.IntN(len(all))].ID,
		Args: map[string]any{"subject": t.Subject, "body": t.Lines[chance.IntN(len(t.Lines))]},
	})
}

// lengthenLog sends mail until the log has as many events as were asked for.
func (d *demo) lengthenLog(ctx context.Context) error {
	if d.events == 0 {
		return nil
	}
	var newest struct {
		Items []struct {
			ID int64 `json:"event_id"`
		} `json:"items"`
	}
	if err := d.hub.get(ctx, "/events?limit=1&before=9007199254740991", &newest); err != nil {
		return err
	}
	all := append([]agent{}, d.hands...)
	for _, a := range d.team.Agents {
		if a.free() {
			all = append(all, a)
		}
	}
	missing := max(d.events-newest.Items[0].ID, 0)
	return d.each(int(missing), func(_ int, chance *rand.Rand) error {
		return d.letter(ctx, all, all[chance.IntN(len(all))], chance)
	})
}
