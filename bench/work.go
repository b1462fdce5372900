package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"nexus"
	"nexus/bus"
)

func workBenchmarks() []benchmark {
	return []benchmark{
		{"send + pull + ack over HTTP MCP, 16 connections", "≥ 0.05", func() (result, error) { return cycles(mailCycle) }},
		{"create + claim + complete over HTTP MCP, 16 connections", "≥ 0.05", func() (result, error) { return cycles(workCycle) }},
		{"handoff_list_available, 10^5 hand-offs of which 10 are for me", "≥ 0.8", listingAmongMany},
		{"1,000 parked waiters: memory each, CPU while idle, wake p99", "–", parkedWaiters},
	}
}

// A cycle is what one agent does with one thing, call by call.
type cycle func(call caller, root string, agent string) error

// A caller calls a tool and gives the answer as it came: a client that takes JSON
// apart would be measured with it, and the one of the echo does not.
type caller func(name, arguments string) (answer []byte, err error)

// cycles compares cycles of three calls with an echo of what is sent and answered
// in them; one cycle counts as one, and so does one echo.
func cycles(do cycle) (result, error) {
	const connections = 16
	return withSite(benchAgents, func(h *hub, s site) (result, error) {
		c := client(connections)
		defer c.CloseIdleConnections()
		call := func(name, arguments string) ([]byte, error) {
			answer, err := post(c, s.url, toolCall(name, arguments))
			if err == nil && !bytes.Contains(answer, []byte(`"ok":true`)) {
				err = fmt.Errorf("%s answered %s", name, answer)
			}
			return answer, err
		}
		var requests []string
		answered := 0
		err := do(func(name, arguments string) ([]byte, error) {
			answer, err := call(name, arguments)
			requests, answered = append(requests, toolCall(name, arguments)), answered+len(answer)
			return answer, err
		}, h.dir, agentName(0))
		if err != nil {
			return result{}, err
		}
		bare, err := serveHandler(echo(make([]byte, answered/len(requests))))
		if err != nil {
			return result{}, err
		}
		defer bare.close()
		return inTurn(func(d time.Duration) (float64, error) {
			return rate(connections, d, func(i int) error { return do(call, h.dir, agentName(i%connections)) })
		}, func(d time.Duration) (float64, error) {
			return rate(connections, d, func(i int) error {
				_, err := post(c, bare.url, requests[i/connections%len(requests)])
				return err
			})
		})
	})
}

// textOf finds the value of a field in an answer.
func textOf(answer []byte, field string) string {
	_, after, _ := bytes.Cut(answer, []byte(`"`+field+`":"`))
	value, _, _ := bytes.Cut(after, []byte(`"`))
	return string(value)
}

func mailCycle(call caller, root, agent string) error {
	_, err := call("message_create", fmt.Sprintf(`{"project_root":%q,"from_agent_id":%q,"subject":"s","body":%q,"target":%s}`, root, agent, body, direct(agent)))
	if err != nil {
		return err
	}
	pulled, err := call("inbox_pull", fmt.Sprintf(`{"agent_id":%q,"limit":1}`, agent))
	if err != nil {
		return err
	}
	_, err = call("inbox_ack", fmt.Sprintf(`{"agent_id":%q,"message_ids":%q}`, agent, textOf(pulled, "message_id")))
	return err
}

func workCycle(call caller, root, agent string) error {
	made, err := call("handoff_create", fmt.Sprintf(
		`{"project_root":%q,"from_agent_id":%q,"target":{"strategy":"broadcast"},"visibility":"public","payload":%q}`, root, agent, body))
	if err != nil {
		return err
	}
	on := fmt.Sprintf(`{"project_root":%q,"handoff_id":%q,"agent_id":%q}`, root, textOf(made, "handoff_id"), agent)
	if _, err := call("handoff_claim", on); err != nil {
		return err
	}
	_, err = call("handoff_complete", on)
	return err
}

func direct(agent string) nexus.Object {
	return nexus.Object(`{"strategy":"direct","agent_id":"` + agent + `"}`)
}

// listingAmongMany compares a list of ten in a store that holds little with the
// same list in one that is full of other people's work.
func listingAmongMany() (result, error) {
	measure := func(others int) (result, error) {
		return withHub(2, func(h *hub) (result, error) {
			if err := cmp.Or(h.offer(others, agentName(1)), h.offer(10, agentName(0))); err != nil {
				return result{}, err
			}
			n, err := rate(1, *duration, func(int) error {
				page, err := h.bus.Available(context.Background(), bus.AvailableParams{ProjectRoot: h.dir, AgentID: agentName(0)})
				if err == nil && len(page.Handoffs) != 10 {
					err = fmt.Errorf("the list has %d entries", len(page.Handoffs))
				}
				return err
			})
			return result{ours: n}, err
		})
	}
	little, err := measure(0)
	if err != nil {
		return result{}, err
	}
	much, err := measure(100_000 - 10)
	return rates(much.ours, little.ours), err
}

// offer creates open hand-offs for one agent.
func (h *hub) offer(n int, agent string) error {
	var next atomic.Int64
	var failure atomic.Pointer[error]
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for int(next.Add(1)) <= n && failure.Load() == nil {
				_, err := h.bus.CreateHandoff(context.Background(), bus.CreateHandoffParams{
					ProjectRoot: h.dir, FromAgentID: agent, Target: direct(agent), Visibility: "private", Payload: nexus.JSON(`"work"`),
				})
				if err != nil {
					failure.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// parkedWaiters says what a thousand agents that wait for mail cost a hub.
func parkedWaiters() (result, error) {
	const waiters = 1000
	return withHub(waiters, func(h *hub) (result, error) { return h.parkWaiters(waiters) })
}

func (h *hub) parkWaiters(waiters int) (result, error) {
	before, idle := heap(), h.db.Stats()["store_waiters"]
	woken := make(chan time.Time, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range waiters {
		go h.waitForMail(ctx, agentName(i), woken)
	}
	for h.db.Stats()["store_waiters"] < idle+float64(waiters) {
		runtime.Gosched()
	}
	each := (heap() - before) / int64(waiters)
	time.Sleep(3 * time.Second) // until the first slow poll is over
	busy := processorTime()
	const quiet = 4 * time.Second
	time.Sleep(quiet) // the point is that nothing happens
	share := float64(processorTime()-busy) / float64(quiet)
	var all []time.Duration
	for i := range 200 {
		if _, err := h.bus.Send(ctx, h.message(i, waiters)); err != nil {
			return result{}, err
		}
		sent := time.Now()
		all = append(all, max((<-woken).Sub(sent), time.Microsecond))
	}
	p50(all) // which sorts
	return result{figure: fmt.Sprintf("%d B, %.2f %% of a core, %s", each, share*100, all[197].Round(time.Microsecond))}, nil
}

// waitForMail waits until there is some, again and again.
func (h *hub) waitForMail(ctx context.Context, agent string, woken chan<- time.Time) {
	timeout := 30
	for ctx.Err() == nil {
		mail, err := h.bus.WaitInbox(ctx, bus.InboxWaitParams{PullParams: bus.PullParams{AgentID: agent}, TimeoutSeconds: &timeout})
		if err == nil && mail.Count > 0 {
			woken <- time.Now()
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
