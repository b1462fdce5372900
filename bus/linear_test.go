package bus_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"nexus"
	"nexus/store/storetest"
)

// A history records what concurrent clients asked and were told.
type history struct {
	clock atomic.Int64

	mu  sync.Mutex
	ops []porcupine.Operation
}

// call runs and records one call of a client. Times are positions in the order
// of beginnings and ends, which is all that matters.
func (h *history) call(client int, input any, do func() any) {
	began := h.clock.Add(1)
	output := do()
	ended := h.clock.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: input, Call: began, Output: output, Return: ended})
}

// check wants an order of the calls, one after the other, that explains all the
// answers and contradicts nobody's experience.
func (h *history) check(t *testing.T, model porcupine.Model) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch porcupine.CheckOperationsTimeout(model, h.ops, time.Minute) {
	case porcupine.Illegal:
		slices.SortFunc(h.ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
		for _, o := range h.ops {
			t.Logf("%3d–%3d client %d: %+v → %+v", o.Call, o.Return, o.ClientId, o.Input, o.Output)
		}
		t.Fatal("no order of these calls explains their answers")
	case porcupine.Unknown:
		t.Fatal("the history is too long to be checked")
	}
}

// eachPair runs a test on two handles of one database, as two hubs would have
// them.
func eachPair(t *testing.T, test func(t *testing.T, kits [2]*kit)) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		kits := [2]*kit{newKit(t, o.Open(t), settings()), newKit(t, o.Open(t), settings())}
		kits[1].root = kits[0].root
		test(t, kits)
	})
}

// concurrently runs clients on both handles.
func concurrently(clients int, client func(n int)) {
	var wg sync.WaitGroup
	for n := range clients {
		wg.Go(func() { client(n) })
	}
	wg.Wait()
}

// endOf is how a call ended: "" well.
func endOf(err *nexus.Error) string {
	if err == nil {
		return ""
	}
	return string(err.Code)
}

// A step on a hand-off, and what it was told.
type (
	workStep struct {
		Verb, Agent string
		Attempt     int // 0 for none
	}
	workTold struct {
		Code    string
		Attempt int
	}
	workState struct {
		Status, By string
		Attempt    int
	}
)

// afterWork is the hand-off as one client after the other would find it.
func afterWork(state, input, output any) (bool, any) {
	s, in, out := state.(workState), input.(workStep), output.(workTold)
	mine := s.Status == "CLAIMED" && s.By == in.Agent
	want, next := "", s
	switch {
	case in.Verb == "handoff_get":
		return out.Code == s.Status && out.Attempt == s.Attempt, s
	case in.Verb == "handoff_claim" && s.Status != "OPEN":
		want = string(nexus.AlreadyClaimed)
	case in.Verb == "handoff_claim":
		next = workState{"CLAIMED", in.Agent, s.Attempt + 1}
	case in.Verb == "handoff_requeue" && s.Status != "REJECTED":
		want = string(nexus.InvalidTransition)
	case in.Verb == "handoff_requeue":
		next = workState{"OPEN", "", s.Attempt}
	case in.Attempt != 0 && (in.Attempt < s.Attempt || mine && in.Attempt != s.Attempt || s.Status == "OPEN" && in.Attempt == s.Attempt):
		want = string(nexus.LeaseLost)
	case !mine && s.Status == "CLAIMED":
		want = string(nexus.NotOwner)
	case !mine && s.Status == "OPEN" && in.Verb == "handoff_reject":
		want = string(nexus.NotOwner)
	case !mine:
		want = string(nexus.InvalidTransition)
	case in.Verb == "handoff_complete":
		next.Status = "COMPLETED"
	case in.Verb == "handoff_reject":
		next.Status = "REJECTED"
	}
	told := want != "" || out.Attempt == 0 || out.Attempt == next.Attempt
	return out.Code == want && told, next
}

// However many clients claim, renew, reject, offer again and complete one
// hand-off through two stores, there is an order in which they did.
func TestLinearHandoff(t *testing.T) {
	eachPair(t, func(t *testing.T, kits [2]*kit) {
		kits[0].register("boss")
		for range 6 {
			work := kits[0].handoff(anybody)
			var h history
			concurrently(6, func(n int) {
				k, me, mine := kits[n%2], fmt.Sprintf("worker%d", n), 0
				for range 8 {
					step := workStep{Verb: []string{
						"handoff_claim", "handoff_claim", "handoff_claim", "handoff_renew", "handoff_renew", "handoff_reject", "handoff_reject",
						"handoff_requeue", "handoff_requeue", "handoff_get", "handoff_complete",
					}[rand.IntN(11)], Agent: me}
					arguments := k.on(work, me)
					switch step.Verb {
					case "handoff_requeue", "handoff_get":
						step.Agent = "boss"
						arguments["agent_id"] = "boss"
					case "handoff_renew", "handoff_reject", "handoff_complete":
						if mine > 0 && rand.IntN(2) == 0 {
							step.Attempt = mine
							arguments["attempt"] = mine
						}
					}
					h.call(n, step, func() any {
						data, err := k.try(step.Verb, arguments)
						told := workTold{Code: endOf(err)}
						if attempt, ok := data["attempt"].(float64); ok {
							told.Attempt = int(attempt)
						}
						if step.Verb == "handoff_get" && err == nil {
							told.Code = data["status"].(string)
						}
						if step.Verb == "handoff_claim" && err == nil {
							mine = told.Attempt
						}
						return told
					})
				}
			})
			h.check(t, porcupine.Model{Init: func() any { return workState{Status: "OPEN"} }, Step: afterWork})
		}
	})
}

func equalMaps[V comparable](a, b any) bool { return maps.Equal(a.(map[string]V), b.(map[string]V)) }

// A step on an inbox: what is pulled (up to Limit) or acknowledged.
type mailStep struct {
	Verb  string
	Limit int
	IDs   []string
}

// afterMail is an inbox whose leases do not end. It is a map from the delivery
// in its order to its lane.
func afterMail(state, input, output any) (bool, any) {
	s, in, got := state.(map[string]string), input.(mailStep), output.([]string)
	next := maps.Clone(s)
	want := []string{}
	switch in.Verb {
	case "inbox_pull":
		// A pull passes over what another one is just taking, so it may get less
		// than there is, and what is not the oldest. It never gets what another has.
		for _, id := range got {
			if s[id] != "unread" {
				return false, s
			}
			next[id] = "delivered"
		}
		return len(got) <= in.Limit, next
	case "inbox_ack":
		for _, id := range in.IDs {
			if s[id] == "unread" || s[id] == "delivered" {
				next[id] = "read"
				want = append(want, id)
			}
		}
	case "inbox_count":
		lanes := map[string]int{}
		for _, lane := range s {
			lanes[lane]++
		}
		want = []string{fmt.Sprint(lanes["unread"], lanes["delivered"], lanes["read"])}
	}
	slices.Sort(want)
	return slices.Equal(got, want), next
}

// However many clients empty one inbox through two stores, each message is
// handed to one and acknowledged once, and the counts add up at every moment.
func TestLinearInbox(t *testing.T) {
	eachPair(t, func(t *testing.T, kits [2]*kit) {
		for range 4 {
			owner := newID("agt")
			kits[0].register(owner)
			fresh := map[string]string{}
			for range 12 {
				fresh[kits[0].send("sender", direct(owner))["message_id"].(string)] = "unread"
			}
			all := slices.Sorted(maps.Keys(fresh))
			var h history
			concurrently(6, func(n int) {
				k := kits[n%2]
				held := []string{}
				for range 5 {
					step := mailStep{Verb: []string{"inbox_pull", "inbox_pull", "inbox_ack", "inbox_count"}[rand.IntN(4)], Limit: 1 + rand.IntN(3)}
					arguments := object{"agent_id": owner}
					switch step.Verb {
					case "inbox_pull":
						arguments["limit"] = step.Limit
					case "inbox_ack":
						step.IDs = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(held), all[rand.IntN(len(all))]))))
						arguments["message_ids"] = step.IDs
					}
					h.call(n, step, func() any {
						data, err := k.try(step.Verb, arguments)
						if err != nil {
							t.Errorf("%s: %v", step.Verb, err)
						}
						got := []string{}
						switch step.Verb {
						case "inbox_pull":
							for _, m := range messages(data) {
								got = append(got, m["message_id"].(string))
							}
							held = append(held, got...)
						case "inbox_ack":
							for _, id := range data["read_message_ids"].([]any) {
								got = append(got, id.(string))
							}
						case "inbox_count":
							got = []string{fmt.Sprint(data["unread"], data["in_flight"], data["read"])}
						}
						slices.Sort(got)
						return got
					})
				}
			})
			h.check(t, porcupine.Model{Init: func() any { return fresh }, Step: afterMail, Equal: equalMaps[string]})
			// And nothing is left that nobody was given.
			left := kits[1].call("inbox_count", object{"agent_id": owner})["unread"].(float64)
			if got := len(messages(kits[1].call("inbox_pull", object{"agent_id": owner}))); got != int(left) {
				t.Errorf("%v are unread, and %d can be had", left, got)
			}
		}
	})
}

// A call that is made again with its key, however often and wherever at the same
// time, happens once; all who made it get the same answer.
func TestLinearIdempotency(t *testing.T) {
	type step struct{ Key, Body string }
	type told struct{ Code, ID string }
	eachPair(t, func(t *testing.T, kits [2]*kit) {
		kits[0].register("boss")
		var h history
		concurrently(6, func(n int) {
			k := kits[n%2]
			for i := range 6 {
				in := step{fmt.Sprint("key", i/2), []string{"do it", "do it", "do that"}[rand.IntN(3)]}
				h.call(n, in, func() any {
					data, err := k.try("handoff_create", object{
						"project_root": k.root, "from_agent_id": "boss", "target": anybody, "visibility": "public", "payload": in.Body, "idempotency_key": in.Key,
					})
					id, _ := data["handoff_id"].(string)
					return told{endOf(err), id}
				})
			}
		})
		type kept struct{ Body, ID string }
		h.check(t, porcupine.Model{
			Init:  func() any { return map[string]kept{} },
			Equal: equalMaps[kept],
			Step: func(state, input, output any) (bool, any) {
				s, in, out := state.(map[string]kept), input.(step), output.(told)
				first, used := s[in.Key]
				switch {
				case !used:
					next := maps.Clone(s)
					next[in.Key] = kept{in.Body, out.ID}
					return out.Code == "" && out.ID != "", next
				case first.Body != in.Body:
					return out.Code == string(nexus.Conflict), s
				}
				return out == told{"", first.ID}, s
			},
			Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
				byKey := map[string][]porcupine.Operation{}
				for _, o := range all {
					byKey[o.Input.(step).Key] = append(byKey[o.Input.(step).Key], o)
				}
				return slices.Collect(maps.Values(byKey))
			},
		})
		if n := len(kits[0].available("boss")); n != 3 {
			t.Errorf("three keys made %d hand-offs", n)
		}
	})
}

// A reader of the log that goes on from the cursor of its last page sees all that
// was written, in one order for everybody, and nothing twice. Each page is the
// log as it was at some moment of that call, after what was read before.
func TestLinearEvents(t *testing.T) {
	type step struct {
		Verb        string
		From, Limit int // how many were read before, and how many it may get
	}
	const writers, readers, each = 3, 3, 10
	eachPair(t, func(t *testing.T, kits [2]*kit) {
		kits[0].register("boss")
		var h history
		var log []string // as the first reader tells it
		concurrently(writers+readers, func(n int) {
			k := kits[n%2]
			if n < writers {
				for range each {
					h.call(n, step{Verb: "write"}, func() any { return []string{k.send("boss", direct("boss"))["message_id"].(string)} })
				}
				return
			}
			cursor := any(0)
			for read := 0; read < writers*each && !t.Failed(); {
				in := step{"read", read, 1 + rand.IntN(10)}
				h.call(n, in, func() any {
					page, err := k.try("event_wait", object{
						"project_root": k.root, "agent_id": "boss", "stream": "workspace", "cursor": cursor, "limit": in.Limit,
						"timeout_seconds": 30, "filters": object{"type": "message.created"},
					})
					if err != nil || page["timed_out"] == true {
						t.Errorf("a reader got %v, %v", page, err)
						return []string{}
					}
					got := []string{}
					for _, e := range page["events"].([]any) {
						got = append(got, e.(object)["payload"].(object)["message_id"].(string))
					}
					if n == writers {
						log = append(log, got...)
					}
					cursor, read = page["next_cursor"], read+len(got)
					return got
				})
			}
		})
		h.check(t, porcupine.Model{
			// The state is how much of the log is written.
			Init: func() any { return 0 },
			Step: func(state, input, output any) (bool, any) {
				written, in, out := state.(int), input.(step), output.([]string)
				if in.Verb == "write" {
					return written < len(log) && log[written] == out[0], written + 1
				}
				return in.From < written && slices.Equal(out, log[in.From:min(in.From+in.Limit, written)]), written
			},
		})
	})
}

// Work that is created while what it depends on is completed waits for it or
// does not, but it never waits for ever.
func TestLinearDependency(t *testing.T) {
	eachPair(t, func(t *testing.T, kits [2]*kit) {
		kits[0].register("boss")
		for range 25 {
			first := kits[0].handoff(anybody)
			kits[0].call("handoff_claim", kits[0].on(first, "boss"))
			var last object
			concurrently(2, func(n int) {
				if n == 0 {
					kits[0].call("handoff_complete", kits[0].on(first, "boss"))
				} else {
					last = kits[1].handoff(anybody, object{"depends_on": []any{first["handoff_id"]}})
				}
			})
			if _, err := kits[0].try("handoff_claim", kits[0].on(last, "boss")); err != nil {
				t.Fatalf("it waits for work that is completed: %v", err)
			}
			kits[0].call("handoff_complete", kits[0].on(last, "boss"))
		}
	})
}

// Of the last hand-offs of a task that end at the same time one is the last, and
// ends the task.
func TestLinearLastOfTask(t *testing.T) {
	eachPair(t, func(t *testing.T, kits [2]*kit) {
		kits[0].register("boss")
		for range 25 {
			task := kits[0].call("task_create", object{"project_root": kits[0].root, "agent_id": "boss", "title": "build"})["task_id"]
			var works [2]object
			for i := range works {
				works[i] = kits[0].handoff(anybody, object{"task_id": task})
				kits[0].call("handoff_claim", kits[0].on(works[i], "boss"))
			}
			concurrently(len(works), func(n int) {
				kits[n].call("handoff_complete", kits[n].on(works[n], "boss", object{"complete_task": true}))
			})
			if got := kits[0].call("task_get", object{"project_root": kits[0].root, "task_id": task})["status"]; got != "done" {
				t.Fatalf("all of its work is completed, and the task is %v", got)
			}
		}
	})
}

// A worker that renews in time keeps its claim, also against somebody who looks
// a moment later: whoever is told that a lease holds is right.
func TestLinearLease(t *testing.T) {
	eachPair(t, func(t *testing.T, kits [2]*kit) {
		kits[0].register("boss")
		for range 25 {
			work := kits[0].handoff(anybody)
			start := kits[0].now()
			kits[0].call("handoff_claim", kits[0].on(work, "worker"))
			kits[0].set(start.Add(5 * time.Minute))                  // the lease still holds
			kits[1].set(start.Add(5*time.Minute + time.Microsecond)) // it does not any more
			var renewed, claimed *nexus.Error
			concurrently(2, func(n int) {
				if n == 0 {
					_, renewed = kits[0].try("handoff_renew", kits[0].on(work, "worker", object{"attempt": 1}))
				} else {
					_, claimed = kits[1].try("handoff_claim", kits[1].on(work, "rival"))
				}
			})
			switch {
			case (renewed == nil) == (claimed == nil):
				t.Fatalf("the worker was told %v, its rival %v", renewed, claimed)
			case renewed != nil && renewed.Code != nexus.LeaseLost:
				t.Fatalf("the worker who came too late was told %v", renewed)
			case claimed != nil && claimed.Code != nexus.AlreadyClaimed:
				t.Fatalf("the rival who came too early was told %v", claimed)
			}
			who, attempt := "worker", 1
			if claimed == nil {
				who, attempt = "rival", 2
			}
			kits[1].call("handoff_complete", kits[1].on(work, who, object{"attempt": attempt}))
			kits[1].set(start)
			kits[0].set(start)
		}
	})
}
