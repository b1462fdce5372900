package bus_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nexus"
)

// TestModelDeliveries plays inboxes against [mailModel].
func TestModelDeliveries(t *testing.T) {
	eachModel(t, 30, 5, func(k *kit, rt *rapid.T) {
		// The inboxes are new in every game.
		m := &mailModel{k: k, team: newID("tea"), inboxes: map[string][]mail{}, owners: []string{newID("agt"), newID("agt")}}
		for _, name := range m.owners {
			k.register(name, object{"role": m.team})
		}
		rt.Repeat(map[string]func(*rapid.T){
			"send": m.send, "pull": m.pull, "pull again": m.pull, "pull once more": m.pull, "ack": m.ack, "extend": m.extend, "requeue": m.requeue,
			"time": func(rt *rapid.T) { k.moveClock(rt, m.moments()) },
			"":     m.look,
		})
		m.checkArchive(rt)
	})
}

// A mail is a delivery as the model knows it.
type mail struct {
	message, status string
	lease           time.Time
	attempts        int
	read            time.Time
}

// A mailModel is what inboxes should be, each in the order of its deliveries.
type mailModel struct {
	k       *kit
	team    string
	owners  []string
	inboxes map[string][]mail
}

// lane is where a delivery is now.
func (d *mail) lane(now time.Time) string {
	if d.status == "delivered" && now.After(d.lease) {
		return "unread"
	}
	return d.status
}

func (m *mailModel) count(owner, lane string) (n int) {
	for _, d := range m.inboxes[owner] {
		if d.lane(m.k.now()) == lane {
			n++
		}
	}
	return n
}

func (m *mailModel) moments() (all []time.Time) {
	for _, owner := range m.owners {
		for _, d := range m.inboxes[owner] {
			if d.status == "delivered" {
				all = append(all, d.lease)
			}
		}
	}
	return all
}

func (m *mailModel) send(rt *rapid.T) {
	to := rapid.IntRange(0, len(m.owners)).Draw(rt, "to")
	target, reached := object{"strategy": "role", "role": m.team}, m.owners
	if to < len(m.owners) {
		target, reached = direct(m.owners[to]), m.owners[to:to+1]
	}
	sent := m.k.expect(rt, "message_create", "", object{
		"project_root": m.k.root, "from_agent_id": "sender", "subject": "hello", "body": "world", "target": target,
	})
	same(rt, "recipients", sent["recipients"], reached)
	for _, owner := range reached {
		m.inboxes[owner] = append(m.inboxes[owner], mail{message: sent["message_id"].(string), status: "unread"})
	}
}

func (m *mailModel) pull(rt *rapid.T) {
	owner, now := rapid.SampledFrom(m.owners).Draw(rt, "owner"), m.k.now()
	limit := rapid.IntRange(1, 4).Draw(rt, "limit")
	arguments := object{"agent_id": owner, "limit": limit}
	until := now.Add(lease(rt, arguments, "lease_seconds"))
	verb := rapid.SampledFrom([]string{"inbox_pull", "inbox_wait"}).Draw(rt, "verb")
	got := m.k.expect(rt, verb, "", arguments)
	want := []object{}
	for i := range m.inboxes[owner] {
		d := &m.inboxes[owner][i]
		if limit == 0 || d.lane(now) != "unread" {
			continue
		}
		limit-- // one that is parked takes a place too
		if d.attempts == 5 {
			d.status = "parked"
			continue
		}
		d.status, d.lease, d.attempts = "delivered", until, d.attempts+1
		want = append(want, object{"message_id": d.message, "status": "delivered", "lease_expires_at": nexus.Stamp(until)})
	}
	taken := []object{}
	for _, x := range messages(got) {
		taken = append(taken, object{"message_id": x["message_id"], "status": x["status"], "lease_expires_at": x["lease_expires_at"]})
	}
	same(rt, owner+"'s mail at "+nexus.Stamp(now), taken, want)
	same(rt, "the hint", []any{got["count"], got["unread"]}, []any{len(want), m.count(owner, "unread")})
}

// some draws messages of an inbox, one of somebody else's and none at all among
// them, and where the model has them.
func (m *mailModel) some(rt *rapid.T) (owner string, ids []string, known []*mail, strange bool) {
	owner = rapid.SampledFrom(m.owners).Draw(rt, "owner")
	for i := range m.inboxes[owner] {
		if rapid.IntRange(0, 2).Draw(rt, "this one") == 0 {
			ids, known = append(ids, m.inboxes[owner][i].message), append(known, &m.inboxes[owner][i])
		}
	}
	if strange = rapid.IntRange(0, 5).Draw(rt, "a strange one") == 0; strange {
		ids = append(ids, "msg_none")
	}
	return owner, ids, known, strange
}

func (m *mailModel) ack(rt *rapid.T) {
	owner, ids, known, _ := m.some(rt)
	want := []string{}
	for _, d := range known {
		if d.status == "unread" || d.status == "delivered" {
			d.status, d.read = "read", m.k.now()
			want = append(want, d.message)
		}
	}
	if ids == nil {
		ids = []string{}
	}
	got := m.k.expect(rt, "inbox_ack", "", object{"agent_id": owner, "message_ids": ids})
	slices.Sort(want)
	same(rt, "acknowledged", got, object{"acknowledged": len(want), "read_message_ids": want, "unread": m.count(owner, "unread")})
}

func (m *mailModel) extend(rt *rapid.T) {
	owner, ids, known, strange := m.some(rt)
	seconds := rapid.SampledFrom([]int{1, 10, 60, 99999}).Draw(rt, "extend_seconds")
	now := m.k.now()
	until := now.Add(time.Duration(min(max(seconds, 10), 3600)) * time.Second)
	idle := slices.ContainsFunc(known, func(d *mail) bool { return d.lane(now) != "delivered" })
	code := nexus.Code("")
	switch {
	case len(ids) == 0:
		code, ids = nexus.ValidationError, []string{}
	case idle:
		code = nexus.InvalidTransition
	case strange:
		code = nexus.NotFound
	}
	got := m.k.expect(rt, "inbox_extend", code, object{"agent_id": owner, "message_ids": ids, "extend_seconds": seconds})
	if code != "" {
		return
	}
	for _, d := range known {
		d.lease = until
	}
	same(rt, "extended", got, object{"extended": len(known), "lease_expires_at": nexus.Stamp(until), "unread": m.count(owner, "unread")})
}

func (m *mailModel) requeue(rt *rapid.T) {
	owner, ids, known, _ := m.some(rt)
	want := []string{}
	for _, d := range known {
		if d.status == "parked" {
			*d = mail{message: d.message, status: "unread"}
			want = append(want, d.message)
		}
	}
	code := nexus.Code("")
	switch {
	case len(ids) == 0:
		code, ids = nexus.ValidationError, []string{}
	case len(want) == 0:
		code = nexus.NotFound
	}
	got := m.k.expect(rt, "inbox_requeue", code, object{"agent_id": owner, "message_ids": ids})
	if code == "" {
		slices.Sort(want)
		same(rt, "requeued", got, object{"requeued": len(want), "message_ids": want, "unread": m.count(owner, "unread")})
	}
}

// look compares what everybody sees, whatever happened before.
func (m *mailModel) look(rt *rapid.T) {
	now := m.k.now()
	for _, owner := range m.owners {
		got := m.k.expect(rt, "inbox_count", "", object{"agent_id": owner})
		same(rt, "the count", got, object{"unread": m.count(owner, "unread"), "in_flight": m.count(owner, "delivered"), "read": m.count(owner, "read")})
		want, lanes := [][]any{}, [][]any{}
		for _, d := range m.inboxes[owner] {
			if d.status != "read" {
				want = append(want, []any{d.message, d.lane(now)})
			}
		}
		for _, x := range messages(m.k.expect(rt, "inbox_peek", "", object{"agent_id": owner, "include_parked": true, "limit": 200})) {
			lanes = append(lanes, []any{x["message_id"], x["status"]})
		}
		same(rt, "a look into the inbox", lanes, want)
	}
}

// checkArchive wants to find in the archive what was read, newest first, and in
// each message's status how often it was handed out.
func (m *mailModel) checkArchive(rt *rapid.T) {
	for _, owner := range m.owners {
		var read []mail
		for _, d := range m.inboxes[owner] {
			if d.status == "read" {
				read = append(read, d)
			}
			for _, s := range m.k.expect(rt, "message_status", "", object{"message_id": d.message})["deliveries"].([]any) {
				if s := s.(object); s["recipient"] == owner {
					same(rt, "how it stands", []any{s["status"], s["attempts"]}, []any{d.lane(m.k.now()), d.attempts})
				}
			}
		}
		slices.Reverse(read)
		slices.SortStableFunc(read, func(a, b mail) int { return b.read.Compare(a.read) })
		want, got := []string{}, []string{}
		for _, d := range read {
			want = append(want, d.message)
		}
		for _, x := range messages(m.k.expect(rt, "inbox_history", "", object{"agent_id": owner, "limit": 200})) {
			got = append(got, x["message_id"].(string))
		}
		same(rt, "the archive", got, want)
	}
}
