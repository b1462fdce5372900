package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/topic"
)

func topicBenchmarks() []benchmark {
	return []benchmark{
		{"sync with one message, 64 peers in 64 topics; message_create", "–", func() (result, error) { return syncing(64, 64) }},
		{"the same, 64 peers in one topic", "–", func() (result, error) { return syncing(64, 1) }},
		{"the same, 1 peer", "–", func() (result, error) { return syncing(1, 1) }},
		{"wake of a sync in the same process, p50; of event_wait", "–", wakeSync},
		{"1,000 syncs that wait for ten seconds", "–", idleSyncs},
	}
}

// A circle is topics with peers in them.
type circle struct {
	*hub
	topics *topic.Service
	peers  []nexus.Membership
}

// newCircle has peers join topics in turn.
func newCircle(h *hub, peers, topics int) (*circle, error) {
	c := &circle{hub: h, topics: topic.New(topic.Config{
		Store: store.Of[topic.Tx]{DB: h.db}, Settings: topic.DefaultSettings(), Now: time.Now, NewID: newID, Version: "bench",
	})}
	ctx := context.Background()
	ids := make([]string, topics)
	for i := range ids {
		name := fmt.Sprint("topic ", i)
		t, err := c.topics.Create(ctx, topic.CreateParams{Name: &name})
		if err != nil {
			return nil, err
		}
		ids[i] = t.ID
	}
	for i := range peers {
		joining := nexus.WithMemberships(ctx, nexus.Memberships{Fresh: newID("token")})
		j, err := c.topics.Join(joining, topic.JoinParams{AgentName: agentName(i), TopicID: ids[i%topics]})
		if err != nil {
			return nil, err
		}
		c.peers = append(c.peers, nexus.Membership{TopicID: j.ID, Name: j.AgentName, Token: j.ReclaimToken})
	}
	return c, nil
}

// sync sends what is given and receives, waiting so long.
func (c *circle) sync(peer nexus.Membership, outbox json.RawMessage, wait int) (topic.SyncResult, error) {
	ctx := nexus.WithMemberships(context.Background(), nexus.Memberships{Held: []nexus.Membership{peer}})
	return c.topics.Sync(ctx, topic.SyncParams{TopicID: peer.TopicID, Outbox: outbox, WaitSeconds: &wait})
}

var outbox = func() json.RawMessage {
	raw, err := json.Marshal([]map[string]string{{"content_markdown": body}})
	if err != nil {
		panic(err) // text can be written
	}
	return raw
}()

// syncing is how fast peers send and receive in one call. The baseline is the
// same text sent as mail by as many callers.
func syncing(peers, topics int) (result, error) {
	return withHub(benchAgents, func(h *hub) (result, error) {
		c, err := newCircle(h, peers, topics)
		if err != nil {
			return result{}, err
		}
		ours, err := rate(peers, *duration, func(i int) error {
			_, err := c.sync(c.peers[i%peers], outbox, 0)
			return err
		})
		if err != nil {
			return result{}, err
		}
		base, err := withHub(benchAgents, func(h *hub) (result, error) {
			r, err := rate(peers, *duration, h.send)
			return result{base: r}, err
		})
		return rates(ours, base.base), err
	})
}

func wakeSync() (result, error) {
	return withHub(benchAgents, func(h *hub) (result, error) {
		c, err := newCircle(h, 2, 1)
		if err != nil {
			return result{}, err
		}
		idle := h.db.Stats()["store_waiters"]
		parked := func() bool { return h.db.Stats()["store_waiters"] > idle }
		ours, err := handOver(fromReturn,
			func() error { _, err := c.sync(c.peers[0], nil, 30); return err }, parked,
			func() error { _, err := c.sync(c.peers[1], outbox, 0); return err })
		if err != nil {
			return result{}, err
		}
		base, err := handOver(fromReturn, h.waitForEvent(), parked, func() error { return h.send(0) })
		return times(ours, base), err
	})
}

// waitForEvent waits for the next event of the workspace, each time it is called.
func (h *hub) waitForEvent() func() error {
	timeout, cursor := 30, int64(0)
	return func() error {
		page, err := h.bus.WaitEvents(context.Background(), bus.WaitParams{
			ReadParams:     bus.ReadParams{ProjectRoot: h.dir, AgentID: agentName(1), Stream: nexus.StreamWorkspace, Cursor: &cursor},
			TimeoutSeconds: &timeout,
		})
		cursor = page.NextCursor
		return err
	}
}

// idleSyncs is what waiting costs: processor time, and events that were written.
func idleSyncs() (result, error) {
	const waiting, seconds = 1000, 10
	return withHub(1, func(h *hub) (result, error) {
		c, err := newCircle(h, waiting, 10)
		if err != nil {
			return result{}, err
		}
		var all sync.WaitGroup
		for _, peer := range c.peers {
			all.Go(func() { _, _ = c.sync(peer, nil, seconds+5) })
		}
		for h.db.Stats()["store_waiters"] < waiting {
			runtime.Gosched()
		}
		before, commits := processorTime(), h.db.Stats()["store_updates_total"]
		<-time.After(seconds * time.Second)
		used, wrote := processorTime()-before, h.db.Stats()["store_updates_total"]-commits
		all.Wait()
		return result{figure: fmt.Sprintf("%d ms of processor time, %.0f commits", used.Milliseconds(), wrote)}, nil
	})
}
