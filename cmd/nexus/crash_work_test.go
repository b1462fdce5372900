package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"nexus/store/storetest"
)

// TestCrashWork kills a hub and stdio processes while agents offer, claim and
// complete work and empty an inbox through them. Each agent makes a call again,
// with its key, until it is answered; so everything happens exactly once, and
// what somebody was told has happened for good.
func TestCrashWork(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Run("sqlite", func(t *testing.T) {
		c := newCrash(t)
		hub := c.hub()
		handing, own, other := c.stdio("mcp"), c.stdio("mcp", "--max-event-limit", "999"), c.stdio("mcp", "--max-event-limit", "998")
		p := &workPlay{crash: c}
		p.run([]*part{hub, handing, own, other}, 1)
		c.end(hub, handing, own, other)
		p.check()
	})
	t.Run("two hubs on postgres", func(t *testing.T) {
		url := storetest.Postgres(t).URL
		c, second := newCrash(t), newCrash(t)
		for _, c := range []*crash{c, second} {
			c.useDatabase(url)
		}
		hub, otherHub := c.hub(), second.hub()
		handing, otherHanding := c.stdio("mcp"), second.stdio("mcp")
		p := &workPlay{crash: c}
		p.run([]*part{hub, otherHub, handing, otherHanding}, 2)
		c.end(hub, handing)
		second.end(otherHub, otherHanding)
		p.check()
	})
}

// useDatabase lets everybody in this home work on a database elsewhere.
func (c *crash) useDatabase(url string) {
	c.Helper()
	if err := os.Mkdir(c.home, 0o700); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.home, "config.toml"), fmt.Appendf(nil, "db = %q\n", url), 0o600); err != nil {
		c.Fatal(err)
	}
}

// A workPlay is what its agents did and were told.
type workPlay struct {
	*crash
	agents sync.WaitGroup
	over   atomic.Bool

	mu        sync.Mutex
	offered   map[string]bool
	claimed   map[string]string // who has it
	completed map[string]string
	mailed    map[string]bool
	got       map[string]string // who pulled it
}

// run lets agents work through each part and kills one part or several, again
// and again. The last ends when all agents have finished what they began.
func (p *workPlay) run(parts []*part, hubs int) {
	p.offered, p.claimed, p.completed = map[string]bool{}, map[string]string{}, map[string]string{}
	p.mailed, p.got = map[string]bool{}, map[string]string{}
	rounds := 24
	if testing.Short() {
		rounds = 6
	}
	for _, agent := range []string{"boss", "pool"} {
		p.ask(parts[0], "agent_register", map[string]any{"agent_id": agent})
	}
	for i, part := range parts {
		for j := range 2 {
			p.agents.Go(func() { p.offer(part, fmt.Sprintf("boss%d-%d", i, j)) })
			p.agents.Go(func() { p.labour(part, fmt.Sprintf("worker%d-%d", i, j)) })
			p.agents.Go(func() { p.empty(part, fmt.Sprintf("reader%d-%d", i, j)) })
		}
	}
	for range rounds {
		p.awaitAcknowledged(1 + rand.IntN(60))
		victims := []*part{parts[rand.IntN(hubs)], parts[hubs+rand.IntN(len(parts)-hubs)]}
		switch rand.IntN(3) {
		case 0:
			victims = victims[:1]
		case 1:
			victims = victims[1:]
		}
		p.kill(victims...)
	}
	p.awaitAcknowledged(20)
	p.over.Store(true)
	p.agents.Wait()
}

// A reply is an answer in the bus's envelope.
type reply struct {
	OK    bool
	Data  map[string]any
	Error struct {
		Code    string
		Details struct{ Retryable bool }
	}
}

var callNumber atomic.Int64

// ask makes a call, and makes it again as long as nobody answers: with the same
// key, so that it is the same call.
func (p *workPlay) ask(through *part, operation string, arguments map[string]any) reply {
	arguments["project_root"] = p.project
	if operation == "agent_register" || strings.HasPrefix(operation, "inbox_") {
		delete(arguments, "project_root")
	}
	if operation != "handoff_list_available" {
		arguments["idempotency_key"] = fmt.Sprint("call ", callNumber.Add(1))
	}
	text, _ := json.Marshal(arguments) // texts and numbers always marshal
	for {
		who := through.current()
		if who == nil {
			p.Errorf("%s was never answered", operation)
			return reply{}
		}
		said, err := sendTo(who, operation, string(text))
		if err != nil {
			if !who.wasKilled() {
				p.Errorf("%s was not answered, and nobody was killed: %v", operation, err)
				return reply{}
			}
			continue
		}
		var r reply
		if err := json.Unmarshal([]byte(said), &r); err != nil {
			p.Errorf("%s was answered %q", operation, said)
			return reply{}
		}
		if !r.OK && r.Error.Details.Retryable {
			continue
		}
		if operation != "handoff_list_available" {
			p.acknowledge(operation + string(text))
		}
		return r
	}
}

func sendTo(who *player, operation, arguments string) (string, error) {
	if who.client == nil {
		return throughAPI(who, "op/"+operation, arguments)
	}
	answer, err := who.client.tell(operation, arguments)
	if err != nil {
		return "", err
	}
	said, ok := <-answer
	if !ok {
		return "", errors.New("the process ended")
	}
	return said, nil
}

// acknowledge counts an answer, for [crash.awaitAcknowledged].
func (p *workPlay) acknowledge(call string) {
	p.crash.mu.Lock()
	p.told[call] = call
	p.crash.mu.Unlock()
	select {
	case p.grew <- struct{}{}:
	default:
	}
}

// once notes who did something that happens once.
func (p *workPlay) once(what map[string]string, id, who, did string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := what[id]; before != "" {
		p.Errorf("%s and %s both %s %s", before, who, did, id)
	}
	what[id] = who
}

func (p *workPlay) note(what map[string]bool, id any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, _ := id.(string)
	if text == "" || what[text] {
		p.Errorf("made %v, again or not at all", id)
	}
	what[text] = true
}

// offer makes work and sends mail, as fast as others take it.
func (p *workPlay) offer(through *part, me string) {
	for !p.over.Load() {
		made := p.ask(through, "handoff_create", map[string]any{
			"from_agent_id": "boss", "target": map[string]any{"strategy": "broadcast"}, "visibility": "public", "payload": me,
		})
		p.note(p.offered, made.Data["handoff_id"])
		sent := p.ask(through, "message_create", map[string]any{
			"from_agent_id": "boss", "subject": me, "body": "read this", "target": map[string]any{"strategy": "direct", "agent_id": "pool"},
		})
		p.note(p.mailed, sent.Data["message_id"])
	}
}

// labour takes work and completes it.
func (p *workPlay) labour(through *part, me string) {
	for !p.over.Load() {
		open := p.ask(through, "handoff_list_available", map[string]any{"agent_id": me, "limit": 3})
		list, _ := open.Data["handoffs"].([]any)
		if len(list) == 0 {
			continue
		}
		id := list[rand.IntN(len(list))].(map[string]any)["handoff_id"].(string)
		claim := p.ask(through, "handoff_claim", map[string]any{"agent_id": me, "handoff_id": id, "lease_seconds": 3600})
		if !claim.OK {
			if claim.Error.Code != "HANDOFF_ALREADY_CLAIMED" {
				p.Errorf("%s could not claim: %+v", me, claim.Error)
			}
			continue
		}
		p.once(p.claimed, id, me, "claimed")
		done := p.ask(through, "handoff_complete", map[string]any{
			"agent_id": me, "handoff_id": id, "attempt": claim.Data["attempt"], "result": me,
		})
		if !done.OK {
			p.Errorf("%s could not complete what it had claimed: %+v", me, done.Error)
			continue
		}
		p.once(p.completed, id, me, "completed")
	}
}

// empty pulls mail and acknowledges it.
func (p *workPlay) empty(through *part, me string) {
	for !p.over.Load() {
		mail := p.ask(through, "inbox_pull", map[string]any{"agent_id": "pool", "limit": 2, "lease_seconds": 3600})
		list, _ := mail.Data["messages"].([]any)
		if len(list) == 0 {
			continue
		}
		var ids []string
		for _, m := range list {
			id := m.(map[string]any)["message_id"].(string)
			p.once(p.got, id, me, "pulled")
			ids = append(ids, id)
		}
		read := p.ask(through, "inbox_ack", map[string]any{"agent_id": "pool", "message_ids": ids})
		if n, _ := read.Data["acknowledged"].(float64); int(n) != len(ids) {
			p.Errorf("%s acknowledged %d and was told %+v", me, len(ids), read)
		}
	}
}

// check compares what everybody was told with what is there.
func (p *workPlay) check() {
	reader, err := startClient(p.command("mcp"))
	if err != nil {
		p.Fatal(err)
	}
	defer func() {
		if err := reader.hangUp(); err != nil {
			p.Error(err)
		}
	}()
	look := func(operation, arguments string) map[string]any {
		answer, err := reader.tell(operation, arguments)
		if err != nil {
			p.Fatal(err)
		}
		said := <-answer
		var r reply
		if err := json.Unmarshal([]byte(said), &r); err != nil || !r.OK {
			p.Fatalf("%s: %s", operation, said)
		}
		return r.Data
	}
	events := map[string]map[any]int{}
	for cursor := 0.0; ; {
		page := look("event_get", fmt.Sprintf(`{"project_root":%q,"agent_id":"boss","stream":"handoff","cursor":%.0f,"limit":500}`, p.project, cursor))
		for _, e := range page["events"].([]any) {
			e := e.(map[string]any)
			kind := e["type"].(string)
			if events[kind] == nil {
				events[kind] = map[any]int{}
			}
			events[kind][e["handoff_id"]]++
		}
		if page["has_more"] == false {
			break
		}
		cursor = page["next_cursor"].(float64)
	}
	for id := range p.offered {
		h := look("handoff_get", fmt.Sprintf(`{"project_root":%q,"agent_id":"boss","handoff_id":%q}`, p.project, id))
		want := [...]any{"OPEN", nil, nil}
		if who := p.completed[id]; who != "" {
			want = [...]any{"COMPLETED", who, who}
		}
		if got := [...]any{h["status"], h["claimed_by"], h["result"]}; got != want {
			p.Errorf("%s is %v, want %v", id, got, want)
		}
		ends := 0
		if p.completed[id] != "" {
			ends = 1
		}
		if events["handoff.created"][id] != 1 || events["handoff.claimed"][id] != ends || events["handoff.completed"][id] != ends {
			p.Errorf("%s was created %d times, claimed %d, completed %d", id,
				events["handoff.created"][id], events["handoff.claimed"][id], events["handoff.completed"][id])
		}
	}
	if n := len(events["handoff.created"]); n != len(p.offered) {
		p.Errorf("%d hand-offs were made, and there are %d", len(p.offered), n)
	}
	pool, boss := look("inbox_count", `{"agent_id":"pool"}`), look("inbox_count", `{"agent_id":"boss"}`)
	if got, want := fmt.Sprint(pool["read"], pool["in_flight"], pool["unread"]), fmt.Sprint(len(p.got), 0, len(p.mailed)-len(p.got)); got != want {
		p.Errorf("the inbox holds %s (read, in flight, unread), want %s", got, want)
	}
	if got, want := fmt.Sprint(boss["unread"]), fmt.Sprint(len(p.completed)); got != want {
		p.Errorf("the boss was told of %s completions, and there were %s", got, want)
	}
	p.Logf("%d offered, %d completed, %d sent, %d read, %d calls", len(p.offered), len(p.completed), len(p.mailed), len(p.got), len(p.told))
}
