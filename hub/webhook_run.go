package hub

import (
	"cmp"
	"context"
	"slices"
	"time"

	"nexus"
)

const (
	atOnce    = 8                // webhooks that a node works for at the same time
	headsPage = 500              // events looked at in one go
	mostAhead = 1000             // events that may be looked at again after a restart
	storeRest = 5 * time.Second  // after the store did not answer
	stopGrace = 3 * time.Second  // for requests under way when the node stops
	stopTime  = 10 * time.Second // for the store to be told
)

// RunWebhooks tells webhooks of the log until ctx ends. It may run on any number
// of nodes that share a database: each webhook is worked for by one of them at a
// time. While there is no active webhook it does not even listen to the log.
func (s *Service) RunWebhooks(ctx context.Context) error {
	changed, stop := s.store.Watch(nexus.WebhooksKey)
	defer stop()
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	p := &postroom{
		Service: s, node: cmp.Or(s.node, s.newID("node")), stopping: ctx.Done(),
		routes: map[string]*route{}, busy: map[string]*route{}, reports: make(chan report, atOnce), stale: true,
	}
	defer p.close(sending, cut)
	for {
		wake := p.step(sending)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			p.stale = true
		case <-p.log:
		case <-wake:
		case r := <-p.reports:
			p.hear(r)
		}
	}
}

// A postroom is one node's work for webhooks. It looks at each event once for
// all of them; whoever may want it is hungry, and gets a goroutine that works
// for it for a while. Only the goroutine of RunWebhooks touches it.
type postroom struct {
	*Service
	node     string
	stopping <-chan struct{}

	routes map[string]*route
	stale  bool  // the routes must be read again
	last   int64 // the newest event that was held against the routes

	log   <-chan struct{} // tells of new events; nil while nobody wants any
	unlog func()

	busy    map[string]*route // those worked for, as they were when that began
	turns   int
	reports chan report
}

// A route is an active webhook.
type route struct {
	hook   Webhook
	hungry bool      // there may be something to tell
	after  time.Time // no use in trying before
	turn   int       // when it was last worked for: the longest ago comes first
}

// A report is what came of working for a webhook.
type report struct {
	id       string
	position int64
	hungry   bool
	after    time.Time
}

// step does what can be done now and returns what tells when there is more to
// do although nothing happens.
func (p *postroom) step(ctx context.Context) <-chan time.Time {
	err := p.load(ctx)
	if err == nil {
		err = p.look(ctx)
	}
	if err == nil {
		err = p.advance(ctx)
	}
	if err == nil { // once more if somebody else has moved one on
		err = p.load(ctx)
	}
	if err != nil {
		p.webhooks.Log.Warn("webhooks wait: the store does not answer", "err", err)
		return p.webhooks.Alarm(p.now().Add(storeRest))
	}
	now := p.now()
	p.start(ctx, now)
	return p.alarm(now)
}

// load reads the routes if they may have changed. It listens before it reads, so
// that it misses nothing; then each looks for itself what there is to tell.
func (p *postroom) load(ctx context.Context) error {
	if !p.stale {
		return nil
	}
	if p.log == nil {
		p.log, p.unlog = p.store.Watch(nexus.EveryEventKey)
	}
	routes := map[string]*route{}
	err := p.store.View(ctx, func(tx Tx) error {
		hooks, err := tx.Webhooks()
		if err != nil {
			return err
		}
		clear(routes)
		for _, w := range hooks {
			if w.IsActive {
				routes[w.ID] = &route{hook: w, hungry: true}
			}
		}
		p.last, err = tx.LastEvent()
		return err
	})
	if err != nil {
		return err
	}
	for id, r := range routes {
		if old := p.routes[id]; old != nil {
			r.turn = old.turn
		}
	}
	p.routes, p.stale = routes, false
	if len(routes) == 0 {
		p.deafen()
	}
	return nil
}

func (p *postroom) deafen() {
	if p.log != nil {
		p.unlog()
		p.log = nil
	}
}

// look holds new events against the routes.
func (p *postroom) look(ctx context.Context) error {
	for len(p.routes) > 0 {
		heads, err := nexus.View(ctx, p.store, func(tx Tx) ([]nexus.Event, error) { return tx.EventHeads(p.last, headsPage) })
		if err != nil {
			return err
		}
		for _, e := range heads {
			p.last = e.ID
			for _, r := range p.routes {
				r.hungry = r.hungry || r.hook.wants(e)
			}
		}
		if len(heads) < headsPage {
			break
		}
	}
	return nil
}

// start begins to work for hungry webhooks, as many as may be worked for.
func (p *postroom) start(ctx context.Context, now time.Time) {
	var waiting []*route
	for id, r := range p.routes {
		if r.hungry && p.busy[id] == nil && !r.after.After(now) {
			waiting = append(waiting, r)
		}
	}
	slices.SortFunc(waiting, func(a, b *route) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.hook.ID, b.hook.ID))
	})
	for _, r := range waiting[:min(len(waiting), atOnce-len(p.busy))] {
		p.turns++
		p.busy[r.hook.ID], r.turn, r.hungry = r, p.turns, false
		c := &courier{Service: p.Service, node: p.node, id: r.hook.ID, stopping: p.stopping}
		go func() { p.reports <- c.work(ctx) }()
	}
}

func (p *postroom) hear(r report) {
	was, is := p.busy[r.id], p.routes[r.id]
	delete(p.busy, r.id)
	if is == nil || is != was { // read again since, and hungry for that reason
		return
	}
	is.hungry, is.after = is.hungry || r.hungry, r.after
	is.hook.Position = max(is.hook.Position, r.position)
}

// advance moves the positions of those who wanted nothing for long, so that a
// restart need not look at all of it again. It writes once in mostAhead events.
func (p *postroom) advance(ctx context.Context) error {
	var behind []*route
	for id, r := range p.routes {
		if !r.hungry && p.busy[id] == nil && p.last-r.hook.Position > mostAhead {
			behind = append(behind, r)
		}
	}
	if len(behind) == 0 {
		return nil
	}
	moved, err := nexus.Update(ctx, p.store, func(tx Tx) ([]bool, error) {
		moved := make([]bool, len(behind))
		for i, r := range behind {
			var err error
			if moved[i], err = tx.AdvanceWebhook(r.hook, p.last); err != nil {
				return nil, err
			}
		}
		return moved, nil
	})
	for i, ok := range moved {
		if ok {
			behind[i].hook.Position = p.last
		} else {
			p.stale = true
		}
	}
	return err
}

// alarm is for the first moment at which somebody can be worked for who cannot
// be now; nil for none. Those who only wait for others to be done are none.
func (p *postroom) alarm(now time.Time) <-chan time.Time {
	var first time.Time
	for id, r := range p.routes {
		if r.hungry && p.busy[id] == nil && r.after.After(now) && (first.IsZero() || r.after.Before(first)) {
			first = r.after
		}
	}
	if first.IsZero() {
		return nil
	}
	return p.webhooks.Alarm(first)
}

// close lets requests under way end, for a while, and leaves the webhooks to
// other nodes.
func (p *postroom) close(sending context.Context, cut func()) {
	defer cut()
	p.deafen()
	limit := p.webhooks.Alarm(p.now().Add(stopGrace))
	for len(p.busy) > 0 {
		select {
		case r := <-p.reports:
			p.hear(r)
		case <-limit:
			cut()
			limit = nil
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(sending), stopTime)
	defer cancel()
	_, err := nexus.Update(ctx, p.store, func(tx Tx) (None, error) {
		released, err := tx.ReleaseWebhooks(p.node)
		if released {
			tx.Wake(nexus.WebhooksKey)
		}
		return None{}, err
	})
	if err != nil {
		p.webhooks.Log.Warn("webhooks are held until their leases lapse", "err", err)
	}
}
