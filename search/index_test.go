package search_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nexus/search"
	"nexus/store"
	"nexus/store/storetest"
)

// counted counts the transactions that write.
type counted struct {
	store.Of[search.Tx]
	updates *atomic.Int64
}

func (c counted) Update(ctx context.Context, fn func(search.Tx) (any, error)) (any, error) {
	c.updates.Add(1)
	return c.Of.Update(ctx, fn)
}

// Looking writes nothing, and neither does a worker that has nothing to do.
func TestIdleWritesNothing(t *testing.T) {
	each(t, func(k *kit) {
		var updates atomic.Int64
		s := search.New(search.Config{Store: counted{store.Of[search.Tx]{DB: k.db}, &updates}, Now: k.now, NewID: newID, Patience: time.Minute})
		look := func(want int64) {
			k.t.Helper()
			before := updates.Load()
			if err := s.Finish(k.t.Context(), nil); err != nil {
				k.t.Fatal(err)
			}
			if _, err := s.Find(k.t.Context(), search.FindParams{Query: "anything"}); err != nil {
				k.t.Fatal(err)
			}
			if got := updates.Load() - before; got != want {
				k.t.Errorf("%d transactions that write, want %d", got, want)
			}
		}
		look(0) // agents were registered, but there is nothing to index
		k.send("ada", "bob", "One", "A walrus.")
		look(2) // to take the index, and to change it and give it back
		look(0)
		if got := s.Stats(); got["search_indexed_total"] != 1 || got["search_behind_events"] != 0 || got["search_vectors"] != 1 {
			k.t.Errorf("figures %v", got)
		}
		k.call("agent_register", object{"agent_id": "zoe"})
		look(0)
	})
}

// A place is indexed anew without the rest, and what is gone from it goes.
func TestRebuildPlace(t *testing.T) {
	each(t, func(k *kit) {
		channel := k.call("channel_create", object{"project_root": k.root, "name": "ops"})["channel"].(object)["channel_id"].(string)
		for i := range 60 {
			k.call("message_create", object{
				"project_root": k.root, "from_agent_id": "ada", "subject": "In", "body": fmt.Sprintf("otter%d", i), "channel_id": channel,
			})
		}
		outside := k.send("ada", "bob", "Out", "otter100")
		k.finds("otter100", []string{outside}, byWords)
		if got := k.find("in:ops", object{"limit": 100}); len(got.Items) != 60 {
			k.t.Errorf("%d found in the channel, want 60", len(got.Items))
		}
		_, err := k.db.Update(k.t.Context(), func(tx *store.Tx) (any, error) {
			if err := tx.PutIndexed(0, search.Indexed{Document: search.Document{Kind: search.KindMessage, ID: "msg_gone", Place: channel}}, 0); err != nil {
				return nil, err
			}
			return nil, tx.RequestRebuild(search.Rebuild{Mark: 61, Kind: search.KindMessage, Place: channel}, "", "")
		})
		if err != nil {
			k.t.Fatal(err)
		}
		k.finish()
		err = k.db.View(k.t.Context(), func(tx *store.Tx) error {
			heads, err := tx.IndexedHeads([]int64{0, 1, 61})
			if err == nil && (len(heads) != 1 || heads[0].ID != outside) {
				k.t.Errorf("left of the old ones: %v, want only %s", heads, outside)
			}
			return err
		})
		if err != nil {
			k.t.Fatal(err)
		}
		k.finds("otter17", ids(k.find("otter17 in:ops", byWords)), byWords)
	})
}

// Both databases rank alike, down to the scores.
func TestSameScores(t *testing.T) {
	texts := []string{
		"red red red bike", "red bike with a blue bell", strings.Repeat("blue ", 30) + "red", "a bell rings", "green grass grows",
		strings.Repeat("filler words of no interest ", 20) + "bike bell",
	}
	queries := []string{"red", "red bike", "blue bell missing", "bike bell red blue", "bell -rings"}
	var mu sync.Mutex
	var scores [][]float64
	t.Run("rank", func(t *testing.T) { // ends when both have
		each(t, func(k *kit) {
			for i, text := range texts {
				k.send("ada", "bob", fmt.Sprintf("t%d", i), text)
			}
			var mine []float64
			for _, q := range queries {
				for _, h := range k.find(q, byWords).Items {
					mine = append(mine, h.Score)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			scores = append(scores, mine)
		})
	})
	if len(scores) < 2 {
		return // there is only one database to test with
	}
	if len(scores[0]) != len(scores[1]) || len(scores[0]) == 0 {
		t.Fatalf("%v and %v", scores[0], scores[1])
	}
	for i := range scores[0] {
		if math.Abs(scores[0][i]-scores[1][i]) > 0.0002 {
			t.Errorf("score %d is %v and %v", i, scores[0][i], scores[1][i])
		}
	}
}

var oddQueries = []string{
	`"`, "a*", `-"x y" z`, "'; --", "a & | ! b", "NEAR(a b)", "日本*", "from:x in:y type:z -", "\x00 a", "a\u0301*", "½ a", "a:*", `a\b "c\d"`, "'a' <-> 'b'",
	strings.Repeat("a ", 100), strings.Repeat("x", 5000), "{words}: a", "a^b", "-a -b", "İ ﬁ ß", "\u200b a \ufeff", `""`, "type:message -the", `-"`, "-*",
}

// types something; no database may call it an error.
func (k *kit) types(t testing.TB, q string) {
	t.Helper()
	for _, mode := range []string{"fts", "semantic", "hybrid"} {
		_, err := k.search.Find(t.Context(), search.FindParams{Query: q, Mode: mode})
		if err != nil && strings.TrimSpace(q) != "" {
			t.Errorf("%q: %v", q, err)
		}
	}
}

func TestOddQueries(t *testing.T) {
	each(t, func(k *kit) {
		k.send("ada", "bob", "a", `x y z a b 日本 "quoted" 'quoted' back\slash`)
		for _, q := range oddQueries {
			k.types(k.t, q)
		}
		r := rand.New(rand.NewPCG(1, 1))
		const odd = "ab \"'-*:()&|!<>\\^{}[]~@#%日é\u0301\x00\n\xff"
		for range 200 {
			var b strings.Builder
			for range r.IntN(20) {
				b.WriteByte(odd[r.IntN(len(odd))])
			}
			k.types(k.t, b.String())
		}
	})
}

func FuzzFind(f *testing.F) {
	for _, q := range oddQueries {
		f.Add(q)
	}
	k := newKit(f, storetest.SQLite(f))
	k.send("ada", "bob", "a", "x y z a b 日本")
	f.Fuzz(func(t *testing.T, q string) {
		if len(q) <= 8<<10 {
			k.types(t, q)
		}
	})
}
