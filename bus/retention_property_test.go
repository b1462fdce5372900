package bus_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nexus/bus"
)

// Whatever agents did and however short the windows, a prune takes no mail that
// somebody still has to read, and no session that is open.
func TestRetentionProperty(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	eachKeeper(t, func(k *keeper) {
		random := rand.New(rand.NewPCG(seed, 0))
		names := []string{"a", "b", "c"}
		sessions := map[string]bool{} // whether each is open
		for _, name := range names {
			k.register(name)
		}
		for range 25 {
			for range 12 {
				k.act(random, names, sessions)
			}
			p := bus.Pruning{Keep: bus.Windows{
				Events:         time.Duration(random.IntN(3)) * time.Hour,
				ReadDeliveries: time.Duration(random.IntN(3)) * time.Hour,
				ClosedSessions: time.Duration(random.IntN(3)) * time.Hour,
			}, Batches: random.IntN(3)}
			before := k.waiting(names)
			k.prune(p)
			if diff := cmp.Diff(before, k.waiting(names)); diff != "" {
				k.t.Fatalf("seed %d: the prune %+v took mail:\n%s", seed, p.Keep, diff)
			}
			for id, open := range sessions {
				if open {
					k.want("session "+id, k.call("session_heartbeat", object{"session_id": id})["status"], `"active"`)
				}
			}
		}
	})
}

// act does something that agents do.
func (k *keeper) act(random *rand.Rand, names []string, sessions map[string]bool) {
	me, other := names[random.IntN(len(names))], names[random.IntN(len(names))]
	switch random.IntN(8) {
	case 0, 1, 2:
		k.send(me, direct(other))
	case 3, 4: // a lease that lapses now and then, so that some mail is parked
		k.call("inbox_pull", object{"agent_id": me, "lease_seconds": 600, "limit": 1 + random.IntN(3)})
	case 5:
		var ids []any
		for _, m := range messages(k.call("inbox_peek", object{"agent_id": me})) {
			ids = append(ids, m["message_id"])
		}
		random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		k.call("inbox_ack", object{"agent_id": me, "message_ids": append([]any{}, ids[:len(ids)/2]...)})
	case 6:
		k.pass(time.Duration(random.IntN(90)) * time.Minute)
	case 7:
		for id, open := range sessions {
			if open && random.IntN(2) == 0 {
				k.call("session_close", object{"session_id": id})
				sessions[id] = false
			}
		}
		sessions[k.open(me)["session_id"].(string)] = true
	}
}

// waiting is all mail that is unread, in flight or parked.
func (k *keeper) waiting(names []string) []object {
	all := []object{}
	for _, name := range names {
		all = append(all, messages(k.call("inbox_peek", object{"agent_id": name, "include_parked": true, "limit": 200}))...)
	}
	slices.SortFunc(all, func(a, b object) int {
		return strings.Compare(a["delivery_id"].(string), b["delivery_id"].(string))
	})
	return all
}
