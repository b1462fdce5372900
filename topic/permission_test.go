package topic_test

import (
	"testing"
	"time"

	"nexus"
)

// as makes calls with the key of an agent, and then as whoever made them before.
func (k *kit) as(agentID string, calls func()) {
	k.t.Helper()
	before := k.actor
	k.actor = nexus.Actor{Kind: nexus.KindAgent, AgentID: agentID, Scopes: nexus.UsualScopes + " admin"}
	calls()
	k.actor = before
}

// Who may not write to channels reads topics and joins them, and changes nothing.
func TestOnlyReading(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		k.call("", "agent_register", object{"agent_id": "eve"})
		k.call("", "agent_update", object{"agent_id": "eve", "preset_id": "builtin:observer"})
		id := k.open("work", "ada")
		k.say("ada", id, "one")
		message := object{"content_markdown": "two"}
		k.as("eve", func() {
			k.call("eve", "topic_join", object{"topic_id": id, "agent_name": "somebody"})
			k.want("it reads", texts(k.hear("eve", id, object{"outbox": []object{}})), `["one"]`)
			for name, arguments := range map[string]object{
				"topic_create":          {"name": "new"},
				"topic_close":           {"topic_id": id},
				"topic_rename":          {"topic_id": id, "name": "play"},
				"topic_delete":          {"topic_id": id},
				"topic_delete_messages": {"topic_id": id, "message_ids": []string{"x"}},
				"topic_wipe":            {},
				"sync":                  {"topic_id": id, "wait_seconds": 0, "outbox": message},
			} {
				e := k.fails("eve", name, nexus.PermissionDenied, "", arguments)
				k.want(name, []any{e.Details["required_permission"], e.Details["agent_id"]}, `["messages.send_channel","eve"]`)
			}
		})
		k.want("nothing came of it", []any{len(k.call("", "topic_list", nil)["topics"].([]any)), texts(k.hear("ada", id))}, `[1,[]]`)

		k.call("", "agent_update", object{"agent_id": "eve", "permissions": object{"messages": object{"send_channel": true}}})
		k.as("eve", func() { k.say("eve", id, "may I?") })
		k.actor = nexus.Actor{Kind: nexus.KindProcess}
		k.say("eve", id, "without a key nobody knows who it is")
		k.want("now it writes", len(texts(k.hear("ada", id))), `2`)
	})
}

// A mention is a direct message of whose key it is, whatever its name in the topic.
func TestMentionsAreDirectMessages(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		k.call("", "workspace_resolve", object{"project_root": k.root})
		for _, id := range []string{"eve", "bob", "cid"} {
			k.call("", "agent_register", object{"agent_id": id})
		}
		id := k.open("work", "somebody")
		inbox := func(agent string) int {
			return len(k.call("", "inbox_peek", object{"agent_id": agent})["messages"].([]any))
		}
		limit := func(permissions object) {
			k.call("", "agent_update", object{"agent_id": "eve", "permissions": permissions})
		}
		// missed are whom a message did not reach, and for lack of what.
		missed := func(text string) (all [][]any) {
			k.t.Helper()
			k.as("eve", func() {
				said := k.say("somebody", id, text)
				k.want("posted", len(said["sent"].([]any)), `1`)
				warnings, _ := said["warnings"].([]any)
				for _, w := range warnings {
					about := w.(object)["context"].(object)
					k.want("code", w.(object)["code"], `"MENTION_NOT_DELIVERED"`)
					all = append(all, []any{about["agent_id"], about["required_permission"], about["limit"]})
				}
			})
			return all
		}
		limit(object{"messages": object{"send_direct": false}})
		k.want("no mail", missed("@bob @nobody"), `[["bob","messages.send_direct",null]]`)
		limit(object{"messages": object{"allowed_peers": []string{"cid"}}})
		k.want("peers", missed("@bob @cid"), `[["bob","messages.allowed_peers",null]]`)
		k.want("told", []int{inbox("bob"), inbox("cid")}, `[0,1]`)

		k.pass(time.Hour)
		limit(object{"limits": object{"messages_per_minute": 2}})
		mail := object{"project_root": k.root, "from_agent_id": "eve", "subject": "s", "body": "b", "target": object{"strategy": "direct", "agent_id": "bob"}}
		k.call("", "message_create", mail)
		k.want("too many", missed("@bob @cid"), `[["cid",null,"limits.messages_per_minute"]]`)
		k.fails("", "message_create", nexus.RateLimited, "", mail)
		k.pass(time.Minute)
		k.want("a minute later", missed("@bob @cid"), `null`)
		k.want("told then", []int{inbox("bob"), inbox("cid")}, `[3,2]`)
		k.want("by whom", k.call("", "inbox_peek", object{"agent_id": "cid"})["messages"].([]any)[0].(object)["from_agent_id"], `"eve"`)

		limit(object{"messages": object{"send_direct": false}})
		k.actor = nexus.Actor{Kind: nexus.KindProcess}
		k.want("a process without a key", k.say("somebody", id, "@bob")["warnings"], `null`)
	})
}
