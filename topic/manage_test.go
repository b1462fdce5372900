package topic_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/topic"
)

// operator lets the test act as whoever runs the hub.
func (k *kit) operator() { k.actor = nexus.Actor{Kind: nexus.KindOperator} }

// post writes a message and returns its id.
func (k *kit) post(peer, id, text string, replyTo any) string {
	k.t.Helper()
	item := object{"content_markdown": text}
	if replyTo != nil {
		item["reply_to"] = replyTo
	}
	sent := k.call(peer, "sync", object{"topic_id": id, "outbox": item, "wait_seconds": 0})["sent"].([]any)
	return sent[0].(object)["message"].(object)["message_id"].(string)
}

// bodies are the texts of the messages on a page.
func bodies(page object) []string {
	all := []string{}
	for _, m := range page["messages"].([]any) {
		all = append(all, m.(object)["content_markdown"].(string))
	}
	return all
}

// types are the types of all events on a stream, in order.
func (k *kit) types(stream string) []string {
	k.t.Helper()
	types := []string{}
	for _, e := range k.call("", "observe_events", object{"after": 0, "stream": stream, "limit": 200})["items"].([]any) {
		if kind := e.(object)["type"].(string); strings.HasPrefix(kind, "topic.") {
			types = append(types, kind)
		}
	}
	return types
}

func TestDelete(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		id, other := k.open("work", "ada", "bob"), k.open("play", "ada")
		root := k.post("ada", id, "root", nil)
		reply := k.post("bob", id, "reply", root)
		k.post("ada", id, "reply to the reply", reply)
		kept := k.post("bob", id, "kept", nil)
		foreign := k.post("ada", other, "foreign", nil)
		gone := k.call("", "topic_delete_messages", object{"topic_id": id, "message_ids": []string{root, root, foreign, "none"}})
		k.want("with all that answers it", []any{gone["status"], gone["deleted_count"], len(gone["deleted_message_ids"].([]any))}, `["deleted",3,3]`)
		k.want("left", bodies(k.call("", "topic_read", object{"topic_id": id})), `["kept"]`)
		k.want("elsewhere", bodies(k.call("", "topic_read", object{"topic_id": other})), `["foreign"]`)
		k.want("nothing to delete", k.call("", "topic_delete_messages", object{"topic_id": id, "message_ids": []string{root}})["deleted_count"], `0`)
		if k.post("ada", id, "next", kept); k.call("", "topic_look", object{"topic_id": id})["topic"].(object)["last_seq"] != 5.0 {
			k.t.Error("a number was given twice")
		}
		k.want("counted", k.call("", "topic_look", object{"topic_id": id})["topic"].(object)["message_count"], `2`)
		k.fails("", "topic_delete_messages", nexus.InvalidArgument, "", object{"topic_id": id, "message_ids": []string{}})

		k.want("deleted", k.call("", "topic_delete", object{"topic_id": id})["deleted_message_count"], `2`)
		for _, name := range []string{"topic_look", "topic_read", "topic_presence", "topic_export", "topic_delete", "topic_close"} {
			k.fails("", name, nexus.TopicNotFound, "Topic not found.", object{"topic_id": id})
		}
		k.fails("ada", "sync", nexus.TopicNotFound, "", object{"topic_id": id})
		k.want("all", k.call("", "topic_wipe", nil), `{"deleted_messages":1,"deleted_topics":1}`)
		k.want("none left", len(k.call("", "topic_list", object{"status": "all"})["topics"].([]any)), `0`)
		k.want("what the log says", k.types("system"), `["topic.created","topic.joined","topic.joined","topic.created","topic.joined",`+
			`"topic.posted","topic.posted","topic.posted","topic.posted","topic.posted","topic.messages_deleted","topic.posted","topic.deleted","topic.deleted"]`)

		k.actor = nexus.Actor{Kind: nexus.KindAgent, AgentID: "ada"}
		for _, name := range []string{"topic_delete", "topic_delete_messages", "topic_rename", "topic_wipe", "topic_post"} {
			k.fails("", name, nexus.PermissionDenied, "", nil)
		}
	})
}

func TestRename(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		id := k.open("plan", "ada")
		k.post("ada", id, "plan, not plans; the plan (plan) is: plan plan", nil)
		k.post("ada", id, "nothing here", nil)
		r := k.call("", "topic_rename", object{"topic_id": id, "name": " plan $1 B "})
		k.want("renamed", []any{r["old_name"], r["name"], r["rewritten_messages"]}, `["plan","plan $1 B",1]`)
		k.want("rewritten", bodies(k.call("", "topic_read", object{"topic_id": id}))[0],
			`"plan $1 B, not plans; the plan $1 B (plan $1 B) is: plan $1 B plan $1 B"`)
		k.want("left alone", k.call("", "topic_rename", object{"topic_id": id, "name": "C", "rewrite_messages": false})["rewritten_messages"], `0`)
		k.want("found", k.call("", "topic_resolve", object{"name": "C"})["topic_id"] == id, `true`)
		k.fails("", "topic_rename", nexus.InvalidArgument, "name must be a non-empty string", object{"topic_id": id, "name": " "})
	})
}

func TestBrowse(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		ids := map[string]string{}
		for _, name := range []string{"Alpha", "beta", "100%_sure", "alphabet"} {
			ids[name] = k.open(name)
			k.pass(time.Second)
		}
		k.call("", "topic_post", object{"topic_id": ids["Alpha"], "content_markdown": "hi"})
		k.call("", "topic_close", object{"topic_id": ids["beta"]})
		names := func(arguments object) []string {
			all := []string{}
			for {
				page := k.call("", "topic_browse", arguments)
				for _, item := range page["items"].([]any) {
					all = append(all, item.(object)["name"].(string))
				}
				if page["next_cursor"] == nil {
					return all
				}
				arguments["cursor"] = page["next_cursor"]
			}
		}
		for _, test := range []struct {
			arguments object
			want      string
		}{
			{object{"sort": "created_asc", "limit": 1}, `["Alpha","beta","100%_sure","alphabet"]`},
			{object{"sort": "created_desc", "limit": 3}, `["alphabet","100%_sure","beta","Alpha"]`},
			{object{"sort": "last_updated_desc", "limit": 2, "status": "open"}, `["Alpha","alphabet","100%_sure"]`},
			{object{"status": "closed"}, `["beta"]`},
			{object{"q": "ALPHA", "sort": "created_asc"}, `["Alpha","alphabet"]`},
			{object{"q": "%_"}, `["100%_sure"]`},
			{object{"q": "_a"}, `[]`},
		} {
			k.want(fmt.Sprint(test.arguments), names(test.arguments), test.want)
		}
		for _, bad := range []object{{"sort": "odd"}, {"status": "odd"}, {"limit": 0}, {"cursor": "odd"}} {
			k.fails("", "topic_browse", nexus.InvalidArgument, "", bad)
		}
		for _, nul := range []string{"\x00", "alp\x00ha", "zebra\x00"} {
			k.fails("", "topic_browse", nexus.InvalidArgument, "q holds a NUL character.", object{"q": nul})
		}
		k.call("", "topic_browse", object{"limit": 1000})
		k.fails("", "topic_browse", nexus.InvalidArgument, "limit must be <= 1000", object{"limit": 1001})
	})
}

func TestLookAndRead(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		id := k.open("work", "ada")
		var posts []string
		for i := range 60 {
			posts = append(posts, k.post("ada", id, fmt.Sprint(i+1), nil))
		}
		ends := func(page object) []string {
			all := bodies(page)
			return []string{all[0], all[len(all)-1]}
		}
		latest := k.call("", "topic_look", object{"topic_id": id})
		k.want("the latest", []any{ends(latest), latest["context_mode"], latest["has_earlier"], latest["has_later"]}, `[["11","60"],"latest",true,false]`)
		k.want("who is there", latest["presence"].([]any)[0].(object)["agent_name"], `"ada"`)
		around := k.call("", "topic_look", object{"topic_id": id, "focus": posts[29]})
		k.want("around one", []any{ends(around), around["context_mode"], around["has_earlier"], around["has_later"]}, `[["5","55"],"focus",true,true]`)
		k.want("one that is not there", k.call("", "topic_look", object{"topic_id": id, "focus": "none"})["context_mode"], `"latest"`)

		after := k.call("", "topic_read", object{"topic_id": id, "after_seq": 10, "limit": 3})
		k.want("after", []any{bodies(after), after["has_more"]}, `[["11","12","13"],true]`)
		before := k.call("", "topic_read", object{"topic_id": id, "before_seq": 3})
		k.want("before", []any{bodies(before), before["has_more"]}, `[["1","2"],false]`)
		k.fails("", "topic_read", nexus.InvalidArgument, "", object{"topic_id": id, "after_seq": 1, "before_seq": 3})
		k.call("", "topic_read", object{"topic_id": id, "limit": 200})
		k.fails("", "topic_read", nexus.InvalidArgument, "limit must be <= 200", object{"topic_id": id, "limit": 201})
		if k.call("", "topic_presence", object{"topic_id": id})["count"] != 1.0 {
			k.t.Error("one who only reads is present")
		}
		got := make(chan object)
		go func() {
			data, _ := k.try("", "topic_read", object{"topic_id": id, "after_seq": 60, "timeout_seconds": 120})
			got <- data
		}()
		k.post("ada", id, "61", nil)
		k.want("waited for", bodies(<-got), `["61"]`)
	})
}

func TestPostAsOperator(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		id := k.open("work", "ada")
		question := k.post("ada", id, "May I?", nil)
		answer := object{"topic_id": id, "content_markdown": "You may.", "message_type": "answer", "reply_to": question, "client_message_id": "x"}
		k.want("new", k.call("", "topic_post", answer)["duplicate"], `false`)
		k.want("again", k.call("", "topic_post", answer)["duplicate"], `true`)
		got := k.hear("ada", id)["received"].([]any)
		k.want("from", []any{len(got), got[0].(object)["sender"], got[0].(object)["message_type"]}, `[1,"operator","answer"]`)
		k.fails("", "topic_post", nexus.InvalidArgument, "content_markdown must be a non-empty string", object{"topic_id": id})
		k.fails("", "topic_post", nexus.InvalidArgument, "reply_to must be the message_id of a message in this topic",
			object{"topic_id": id, "content_markdown": "a", "reply_to": "none"})
		k.call("", "topic_close", object{"topic_id": id})
		k.fails("", "topic_post", nexus.TopicClosed, "", object{"topic_id": id, "content_markdown": "late"})
	})
}

func TestExport(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("the\nplan", "ada", "bob")
		question := k.post("ada", id, "Which way?", nil)
		k.post("bob", id, "This way.\n", question)
		doc := k.call("", "topic_export", object{"topic_id": id})["document"].(string)
		k.want("document", strings.Split(doc, "\n"), `["# the plan","","- topic_id: `+id+`","- status: open","- messages: 2","",`+
			`"### [1] ada","","Which way?","","### [2] bob","","*reply to ada (#1)*","","This way.",""]`)
		later := k.call("", "topic_export", object{"topic_id": id, "after_seq": 1, "include_metadata": true})
		doc = later["document"].(string)
		k.want("later", []any{later["message_count"], strings.Contains(doc, "reply to ada (#1)"), strings.Count(doc, "2026-03-01T12:00:00Z")}, `[1,true,1]`)
		raw := k.call("", "topic_export", object{"topic_id": id, "format": "json"})
		k.want("as JSON", []any{raw["topic_name"], bodies(raw)}, `["the\nplan",["Which way?","This way.\n"]]`)
		k.fails("", "topic_export", nexus.InvalidArgument, "", object{"topic_id": id, "format": "pdf"})
	})
}

// Whom a message names hears of it in its inbox, if the hub knows it.
func TestMention(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		for _, id := range []string{"bob", "eve.2", "ada"} {
			k.call("", "agent_register", object{"agent_id": id})
		}
		id := k.open("work", "ada")
		warned := k.call("ada", "sync", object{"topic_id": id, "wait_seconds": 0, "outbox": object{"content_markdown": "@bob?"}})
		k.want("nowhere to put it", warned["warnings"].([]any)[0].(object)["code"], `"MENTION_NOT_DELIVERED"`)
		k.call("", "workspace_resolve", object{"project_root": k.root})
		said := k.call("ada", "sync", object{"topic_id": id, "wait_seconds": 0, "outbox": object{
			"content_markdown": "@bob, ask (@eve.2). Not mail@bob.org, @nobody, @bob again, nor me, @ada.",
		}})
		k.want("no warning", said["warnings"], `null`)
		inbox := func(agent string) int {
			return len(k.call("", "inbox_pull", object{"agent_id": agent})["messages"].([]any))
		}
		k.want("told", []int{inbox("bob"), inbox("eve.2"), inbox("ada")}, `[1,1,0]`)
	})
}

// A topic of a project is in the log of its workspace, and a key that is limited
// to another one does not see it.
func TestWorkspace(t *testing.T) {
	each(t, func(k *kit) {
		k.operator()
		free := k.open("free", "ada")
		id := k.call("", "topic_create", object{"name": "bound", "project_root": k.root})["topic_id"].(string)
		k.call("ada", "topic_join", object{"topic_id": id, "agent_name": "ada"})
		k.post("ada", id, "hi", nil)
		k.want("in its workspace", k.types("workspace"), `["topic.created","topic.joined","topic.posted"]`)
		workspace := k.call("", "topic_look", object{"topic_id": id})["topic"].(object)["workspace_id"].(string)

		keyed := nexus.WithIdempotency(k.t.Context(), nexus.Idempotency{Op: "topic_create", Scope: "conn", Key: "k", Body: "b"})
		for range 2 { // a key is the topic's, not the workspace's
			name := "keyed"
			made, err := k.topics.Create(keyed, topic.CreateParams{Name: &name, Mode: "new", ProjectRoot: k.root})
			if err != nil || made.Name != name {
				k.t.Errorf("got %v, %v", made, err)
			}
		}
		k.call("", "topic_delete", object{"topic_id": k.call("", "topic_resolve", object{"name": "keyed"})["topic_id"]})

		limited := func(workspaceID string) {
			k.actor = nexus.Actor{Kind: nexus.KindAgent, AgentID: "eve", Scopes: nexus.Scopes("read workspace:" + workspaceID + " write")}
		}
		limited(workspace)
		k.want("seen", len(k.call("", "topic_list", nil)["topics"].([]any)), `1`)
		k.want("browsed", len(k.call("", "topic_browse", nil)["items"].([]any)), `1`)
		k.want("searched", k.call("", "messages_search", object{"query": "hi"})["count"], `1`)
		k.fails("ada", "sync", nexus.PermissionDenied, "", object{"topic_id": free})
		k.fails("", "topic_create", nexus.PermissionDenied, "", object{"name": "free"})
		k.fails("", "topic_resolve", nexus.TopicNotFound, "", object{"name": "free"})
		k.hear("ada", id)
		k.want("found by the workspace's id", k.call("", "topic_create", object{"name": "bound", "project_root": workspace})["topic_id"], `"`+id+`"`)
		mine := k.call("", "topic_create", object{"name": "free", "project_root": k.root})["topic_id"]
		k.want("a name of its own in the workspace", []any{mine != free, k.call("", "topic_resolve", object{"name": "free"})["topic_id"] == mine}, `[true,true]`)
		limited("another")
		k.want("not seen", len(k.call("", "topic_list", nil)["topics"].([]any)), `0`)
		k.want("not browsed", len(k.call("", "topic_browse", nil)["items"].([]any)), `0`)
		k.want("not searched", k.call("", "messages_search", object{"query": "hi"})["count"], `0`)
		for _, name := range []string{"topic_look", "topic_read", "topic_presence", "topic_export", "topic_close", "sync", "messages_search"} {
			arguments := object{"topic_id": id}
			if name == "messages_search" {
				arguments["query"] = "hi"
			}
			k.fails("ada", name, nexus.PermissionDenied, "", arguments)
		}
	})
}

func TestSearchWords(t *testing.T) {
	each(t, func(k *kit) {
		id, other := k.open("work", "ada"), k.open("play", "ada")
		k.post("ada", id, "The Quick brown fox", nil)
		k.post("ada", other, "a quick one, 100%", nil)
		found := k.call("", "messages_search", object{"query": "QUICK fox", "mode": "fts"})
		hit := found["results"].([]any)[0].(object)
		k.want("found", []any{found["count"], found["mode"], found["topic_id"], hit["topic_name"], hit["seq"], hit["snippet"], hit["rank"].(float64) < 0, hit["content_markdown"]},
			`[1,"fts",null,"work",1,"The Quick brown fox",true,null]`)
		k.want("in one topic", k.call("", "messages_search", object{"query": "quick", "topic_id": other, "include_content": true})["results"].([]any)[0].(object)["content_markdown"],
			`"a quick one, 100%"`)
		k.want("in no other topic, whatever the query says", k.call("", "messages_search", object{"query": "quick in:" + id, "topic_id": other})["count"],
			fmt.Sprint(k.call("", "messages_search", object{"query": "quick", "topic_id": other})["count"]))
		k.want("marks alone", k.call("", "messages_search", object{"query": `""`, "mode": "fts"})["count"], `0`)
		k.want("no syntax", k.call("", "messages_search", object{"query": `100% "`, "mode": "fts"})["count"], `1`)
		k.want("not the name of the topic", k.call("", "messages_search", object{"query": "work", "mode": "fts"})["count"], `0`)
		k.want("all the words", k.call("", "messages_search", object{"query": "quick zebra", "mode": "fts"})["count"], `0`)
		k.want("as many as there may be", k.call("", "messages_search", object{"query": "quick", "mode": "fts", "limit": 1000})["warnings"], `null`)
		more := k.call("", "messages_search", object{"query": "quick", "mode": "fts", "limit": 1001})
		warning := more["warnings"].([]any)[0].(object)
		k.want("more than there may be", []any{more["count"], warning["code"], warning["context"]}, `[2,"LIMIT_LOWERED",{"limit":1000}]`)
		k.fails("", "messages_search", nexus.InvalidArgument, "query must be a non-empty string", object{"query": " "})
		k.fails("", "messages_search", nexus.InvalidArgument, "query must be <= 8192 bytes", object{"query": strings.Repeat("x", 8193)})
		k.fails("", "messages_search", nexus.InvalidArgument, "limit must be > 0", object{"query": "x", "limit": 0})
		k.fails("", "messages_search", nexus.InvalidArgument, "", object{"query": "x", "mode": "odd"})
		k.fails("", "messages_search", nexus.TopicNotFound, "", object{"query": "x", "topic_id": "none"})
	})
}
