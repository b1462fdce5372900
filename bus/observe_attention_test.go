package bus_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nexus"
)

// attention is what needs a person, a line for each: its kind and what it is
// called.
func (k *kit) attention(arguments object) (lines []string, all object) {
	k.t.Helper()
	all = k.call("observe_attention", arguments)
	for _, item := range items(all) {
		lines = append(lines, fmt.Sprint(item["kind"], " ", item["title"]))
	}
	return lines, all
}

func TestAttention(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		k.register("b")
		k.as(operator, func() { k.send("operator", direct("boss")) })
		lines, all := k.attention(nil)
		k.want("nothing", []any{lines, all["truncated"], all["total"]},
			`[null,false,{"agent_stale":0,"handoff_parked":0,"handoff_waiting":0,"lease_lapsing":0,"mail_parked":0,"mail_unread":0,"verify":0}]`)

		claim := func(title string, more ...object) object {
			h := k.handoff(anybody, append(more, object{"payload": title})...)
			k.call("handoff_claim", k.on(h, "b", object{"lease_seconds": 600}))
			return h
		}
		parked := k.handoff(anybody, object{"max_attempts": 1, "payload": "parked work"})
		k.call("handoff_claim", k.on(parked, "b", object{"lease_seconds": 10}))
		k.pass(11 * time.Second)
		k.available("b") // somebody comes by
		k.pass(time.Second)
		judged := claim("to verify", object{"acceptance_criteria": []string{"fine"}})
		k.call("handoff_complete", k.on(judged, "b"))
		held := claim(`{"title":"held work"}`)
		first, second := k.handoff(anybody, object{"payload": "waiting work\nmore"}), k.handoff(anybody)
		k.handoff(anybody, object{"depends_on": []any{second["handoff_id"]}, "payload": "blocked"})
		k.call("handoff_cancel", k.on(second, "boss"))
		k.handoff(object{"strategy": "role", "role": "nobody"}, object{"payload": "for nobody"})
		k.send("boss", direct("operator"), object{"subject": "first question"})
		k.pass(time.Second)
		k.send("boss", direct("operator"), object{"subject": "second question"})
		k.send("boss", direct("boss"), object{"subject": "lost mail"})
		for range 6 {
			k.call("inbox_pull", object{"agent_id": "boss", "lease_seconds": 10})
			k.pass(11 * time.Second)
		}
		k.pass(60 * time.Second)
		lines, all = k.attention(nil)
		k.want("what needs a person", lines, mustText([]string{
			"agent_stale held work", "mail_parked lost mail", "handoff_parked parked work", "verify to verify", "handoff_waiting for nobody", "mail_unread second question",
		}))
		by := map[string]object{}
		for _, item := range items(all) {
			by[item["kind"].(string)] = item
		}
		k.want("the stale agent", []any{by["agent_stale"]["agent_id"], by["agent_stale"]["count"], by["agent_stale"]["handoff_id"], by["agent_stale"]["message_id"]},
			mustText([]any{"b", 1, held["handoff_id"], nil}))
		k.want("unread", []any{by["mail_unread"]["agent_id"], by["mail_unread"]["count"]}, `["boss",2]`)
		k.want("parked mail", []any{by["mail_parked"]["agent_id"], by["mail_parked"]["count"], by["mail_parked"]["until"]}, `["boss",4,null]`)

		k.pass(415 * time.Second) // the lease has less than a minute left
		lines, _ = k.attention(object{"workspace": k.place()})
		k.want("the first", lines[:2], `["lease_lapsing held work","agent_stale held work"]`)
		k.pass(time.Minute)
		lines, all = k.attention(nil)
		k.want("a lease that lapsed", lines[0], `"lease_lapsing held work"`)
		k.want("nobody holds it", all["total"].(object)["agent_stale"], `0`)
		if !strings.Contains(mustText(lines), "handoff_waiting waiting work\"") {
			k.t.Errorf("nobody takes %v: %v", first["handoff_id"], lines)
		}
		lines, _ = k.attention(object{"workspace": k.elsewhere().place()})
		k.want("elsewhere", lines, `null`)
	})
}

// What is asked of a person is bounded, the most urgent of it comes first, and a
// key that is limited to a workspace must name it.
func TestAttentionBounds(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		for i := range 101 {
			h := k.handoff(anybody, object{"payload": fmt.Sprintf("work %d", i)})
			k.call("handoff_claim", k.on(h, "boss", object{"lease_seconds": 3600 - i}))
		}
		k.pass(3590 * time.Second)
		lines, all := k.attention(nil)
		k.want("how many", []any{len(lines), lines[0], all["truncated"], all["total"].(object)["lease_lapsing"]}, `[100,"lease_lapsing work 100",true,101]`)
		place := k.place()
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "boss", Scopes: nexus.Scopes("read workspace:" + place)}, func() {
			k.fails("observe_attention", nexus.PermissionDenied, nil)
			k.call("observe_attention", object{"workspace": place})
		})
	})
}
