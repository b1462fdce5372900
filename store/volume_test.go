package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/store/storetest"
)

// A post is a message as a list of them knows it.
type post struct {
	id, from, to string
	at           time.Time
}

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// posted puts messages into the store of which some are from a clock that was an
// hour behind. Two agents write most, a third one hardly ever.
func posted(t *testing.T, db *store.DB, n int, from time.Time) (posts []post) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(from.Unix())))
	who := func() string { return []string{"ann", "bob"}[random.IntN(2)] }
	_, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) {
		if _, err := tx.InsertWorkspace(bus.Workspace{ID: "w", CreatedAt: nexus.Stamp(from), LastSeenAt: nexus.Stamp(from)}); err != nil {
			return nil, err
		}
		for _, name := range []string{"ann", "bob", "eve"} {
			if err := tx.SaveAgent(bus.RegisteredAgent{Agent: bus.Agent{ID: name}}, nil); err != nil {
				return nil, err
			}
		}
		for i := range n {
			p := post{from: who(), to: who(), at: from.Add(time.Duration(i) * time.Second)}
			if i%1000 == 7 {
				p.from = "eve"
			}
			if i%50 == 0 {
				p.at = p.at.Add(-time.Hour)
			}
			p.id = fmt.Sprintf("msg_%012x%08x", p.at.UnixMilli(), random.Uint32())
			m := bus.Message{ID: p.id, WorkspaceID: "w", FromAgentID: p.from, Subject: "news", Body: "none", CreatedAt: nexus.Stamp(p.at)}
			if err := tx.InsertMessage(m); err != nil {
				return nil, err
			}
			if err := tx.InsertDeliveries(p.id, []string{p.to}, []string{"dlv" + p.id[3:]}, m.CreatedAt); err != nil {
				return nil, err
			}
			posts = append(posts, p)
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(posts, func(a, b post) int { return -strings.Compare(a.id, b.id) })
	return posts
}

// However many volumes there are, an agent's lists have each message once, in the
// order of the ids.
func TestVolumes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		holdsLists(t, db, posted(t, db, 9000, day))
		if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) { return tx.Wipe(nil) }); err != nil {
			t.Fatal(err)
		}
		holdsLists(t, db, posted(t, db, 9000, day.AddDate(0, 0, -1))) // and the clock was put right
	})
}

func holdsLists(t *testing.T, db *store.DB, posts []post) {
	t.Helper()
	middle := posts[len(posts)/2].id
	for _, list := range []struct {
		query bus.MessageQuery
		holds func(post) bool
	}{
		{bus.MessageQuery{From: "ann"}, func(p post) bool { return p.from == "ann" }},
		{bus.MessageQuery{From: "eve"}, func(p post) bool { return p.from == "eve" }},
		{bus.MessageQuery{To: "bob"}, func(p post) bool { return p.to == "bob" }},
		{bus.MessageQuery{To: "eve"}, func(p post) bool { return p.to == "eve" }},
		{bus.MessageQuery{Agent: "ann"}, func(p post) bool { return p.from == "ann" || p.to == "ann" }},
		{bus.MessageQuery{Agent: "eve", Above: middle}, func(p post) bool { return p.from == "eve" && p.id > middle }},
		{bus.MessageQuery{From: "ann", To: "ann", Above: middle}, func(p post) bool { return p.from == "ann" && p.to == "ann" && p.id > middle }},
	} {
		var want []string
		for _, p := range posts {
			if list.holds(p) {
				want = append(want, p.id)
			}
		}
		if got := listed(t, db, list.query); !slices.Equal(got, want) {
			t.Errorf("%+v: %d messages are listed, of %d", list.query, len(got), len(want))
		}
	}
	sent := func(p post) bool { return p.from == "ann" }
	now := posts[0].at
	for _, p := range posts {
		if p.at.After(now) {
			now = p.at
		}
	}
	if err := db.View(t.Context(), func(tx *store.Tx) error {
		peers, err := tx.Peers(bus.PeerQuery{AgentID: "ann", Now: nexus.Stamp(now), Look: len(posts)})
		if err != nil {
			return err
		}
		n := 0
		for _, p := range peers.Sent {
			n += p.Count
		}
		if want := count(posts, sent); n != want {
			t.Errorf("%d messages were sent to peers, not %d", n, want)
		}
		since := now.Add(-30 * time.Minute)
		n, err = tx.CountSent("ann", nexus.Stamp(since), len(posts))
		if want := count(posts, func(p post) bool { return sent(p) && p.at.After(since) }); n != want || want == 0 {
			t.Errorf("%d messages were sent of late, not %d", n, want)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func count(posts []post, which func(post) bool) (n int) {
	for _, p := range posts {
		if which(p) {
			n++
		}
	}
	return n
}

// listed follows a list page by page to its end.
func listed(t *testing.T, db *store.DB, q bus.MessageQuery) (ids []string) {
	t.Helper()
	q.Below, q.Now = "~", nexus.Stamp(day)
	for more := true; more; {
		if err := db.View(t.Context(), func(tx *store.Tx) error {
			page, err := tx.ObservedMessages(q, bus.Stretch{Limit: 200, Look: 1000})
			for _, m := range page.Rows {
				ids = append(ids, m.ID)
			}
			q.Below, more = page.Last, page.More
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}
