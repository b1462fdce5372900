package op

import (
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus/topic"
)

// TopicOps is topics in the catalogue: the ten tools of peers, and what people do
// with topics.
func TopicOps(t *topic.Service) []*Op {
	return slices.Concat(peerOps(t), talkOps(t), topicAdminOps(t))
}

// peerOps are how peers find each other.
func peerOps(t *topic.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "ping", Title: "Ping", Effect: Read, Family: Topics,
			Doc: "Whether topics can be used, and which versions are running.",
		}, t.Ping),
		Define(Info{
			Name: "topic_create", Title: "Open a topic", Effect: Write, Family: Topics, Route: "POST /topics",
			Doc:   "Make a topic to talk in, or find the newest open one of that name (mode reuse, the default). Then topic_join.",
			Shape: shape(choice("mode", "reuse", "new")),
		}, t.Create),
		Define(Info{
			Name: "topic_list", Title: "List topics", Effect: Read, Family: Topics,
			Doc:   "The topics there are, newest first.",
			Shape: shape(choice("status", "open", "closed", "all")),
		}, t.List),
		Define(Info{
			Name: "topic_resolve", Title: "Find a topic", Effect: Read, Family: Topics,
			Doc:   "The newest open topic of a name; with allow_closed the newest closed one if none is open.",
			Shape: shape(usually("allow_closed", "false")),
		}, t.Resolve),
		Define(Info{
			Name: "topic_close", Title: "Close a topic", Effect: Write, Family: Topics, Route: "POST /topics/{topic_id}/close",
			Doc: "End a topic: it can still be read, and nobody writes to it any more.",
		}, t.Close),
		Define(Info{
			Name: "topic_join", Title: "Join a topic", Effect: Write, Family: Topics, Joins: true, Route: "POST /topics/{topic_id}/join",
			Doc: "Take a name in a topic, by topic_id or name; needed before sync. The name is yours for as long as the topic lives. " +
				"Keep the reclaim_token: with it you go on under the name after a restart.",
			Shape: shape(usually("allow_closed", "false")),
		}, t.Join),
		Define(Info{
			Name: "topic_presence", Title: "Who is there", Effect: Read, Family: Topics, Route: "GET /topics/{topic_id}/presence",
			Doc:   "The peers that were active in a topic lately, the latest first.",
			Shape: shape(atLeast("window_seconds", 1, "300"), atLeast("limit", 1, "200")),
		}, t.Presence),
		Define(Info{
			Name: "messages_search", Title: "Search messages", Effect: Read, Family: Topics, Route: "GET /search/messages",
			Doc:   "Find messages in all topics, or in one. You need not have joined.",
			Shape: shape(choice("mode", "hybrid", "fts", "semantic"), atLeast("limit", 1, "20"), usually("include_content", "false")),
		}, t.SearchMessages),
	}
}

// talkOps are how peers talk.
func talkOps(t *topic.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "cursor_reset", Title: "Read again", Effect: Write, Family: Topics,
			Doc:   "Set how far you have read in a topic: last_seq 0 makes sync return everything again.",
			Shape: shape(atLeast("last_seq", 0, "0")),
		}, t.Reset),
		Define(Info{
			Name: "sync", Title: "Send and receive", Effect: Write, Family: Topics, Wait: "wait_seconds", Usual: topic.UsualWait,
			Doc: "Send messages and receive what others wrote since, in one call. With nothing to receive it waits up to wait_seconds. " +
				"Call it again at once while has_more is true. Mark what should be answered with message_type question; answer with message_type answer and reply_to.",
			Shape: shape(
				outbox(t.Settings()), syncItems(t.Settings()), usually("include_self", "false"), atLeast("wait_seconds", 0, "60"),
				usually("auto_advance", "true"), atLeast("ack_through", 0, "")),
		}, t.Sync),
	}
}

// topicAdminOps are for people: they read without joining, write as the operator
// and tidy up.
func topicAdminOps(t *topic.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "topic_browse", Title: "Look over the topics", Effect: Read, Family: Topics, Faces: operators, Route: "GET /topics",
			Doc: "Topics with how much is in each, in an order of choice. Pass next_cursor back for more.",
		}, t.Browse),
		Define(Info{
			Name: "topic_look", Title: "Look at a topic", Effect: Read, Family: Topics, Faces: operators, Route: "GET /topics/{topic_id}",
			Doc: "A topic with its latest messages, or those around the one in focus, and who is there.",
		}, t.Look),
		Define(Info{
			Name: "topic_read", Title: "Read a topic", Effect: Read, Family: Topics, Faces: operators, Wait: "timeout_seconds", Route: "GET /topics/{topic_id}/messages",
			Doc: "Messages of a topic in order: after one, before one, or the latest. With after_seq and timeout_seconds it waits for the first. It leaves no mark.",
		}, t.Read),
		Define(Info{
			Name: "topic_post", Title: "Write to a topic", Effect: Write, Family: Topics, Faces: operators, Route: "POST /topics/{topic_id}/messages",
			Doc: "Write as the operator, who joins nothing. Agents join and use sync.",
		}, t.Post),
		Define(Info{
			Name: "topic_export", Title: "Export a topic", Effect: Read, Family: Topics, Faces: operators,
			Doc: "A topic as Markdown or JSON, up to 10,000 messages; truncated tells that there are more after last_seq.",
		}, t.Export),
		Define(Info{
			Name: "topic_rename", Title: "Rename a topic", Effect: Danger, Family: Topics, Faces: operators, Route: "PATCH /topics/{topic_id}",
			Doc: "Give a topic another name, and put it into its messages where they have the old one.",
		}, t.Rename),
		Define(Info{
			Name: "topic_delete", Title: "Delete a topic", Effect: Danger, Family: Topics, Faces: operators, Route: "DELETE /topics/{topic_id}",
			Doc: "Delete a topic with its messages, cursors and reserved names.",
		}, t.Delete),
		Define(Info{
			Name: "topic_delete_messages", Title: "Delete messages of a topic", Effect: Danger, Family: Topics, Faces: operators, Route: "DELETE /topics/{topic_id}/messages",
			Doc: "Delete messages and whatever answers them. Their numbers are not given again.",
		}, t.DeletePosts),
		Define(Info{
			Name: "topic_wipe", Title: "Delete all topics", Effect: Danger, Family: Topics, Faces: operators,
			Doc: "Delete all topics with everything in them.",
		}, t.Wipe),
	}
}

// shape joins changes of a schema.
func shape(changes ...func(*jsonschema.Schema)) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for _, change := range changes {
			change(s)
		}
	}
}

// usually says what an argument is when it is left out.
func usually(name, value string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Properties[name].Default = json.RawMessage(value) }
}

// choice lists the words that an argument may be, the usual one first.
func choice(name string, words ...string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for _, w := range words {
			s.Properties[name].Enum = append(s.Properties[name].Enum, w)
		}
		s.Properties[name].Default = json.RawMessage(`"` + words[0] + `"`)
	}
}

// atLeast says how small a number may be, and what it usually is, if anything.
func atLeast(name string, least float64, value string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		s.Properties[name].Minimum = &least
		if value != "" {
			s.Properties[name].Default = json.RawMessage(value)
		}
	}
}

// syncItems shows how many messages a sync may return. A setting that is no
// number shows what is usual; sync itself says what is wrong.
func syncItems(set topic.Settings) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		most := set.MaxSyncItems
		if most < 1 {
			most = 20
		}
		usual, _ := json.Marshal(min(20, most))
		atLeast("max_items", 1, string(usual))(s)
		limit := float64(most)
		s.Properties["max_items"].Maximum = &limit
	}
}

// outbox shows what a message looks like.
func outbox(set topic.Settings) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		property := func(kind, doc string) *jsonschema.Schema { return &jsonschema.Schema{Type: kind, Description: doc} }
		orNull := func(kind, doc string) *jsonschema.Schema {
			return &jsonschema.Schema{Types: []string{kind, "null"}, Description: doc}
		}
		*s.Properties["outbox"] = jsonschema.Schema{
			Type: "array", Description: s.Properties["outbox"].Description, MaxItems: &set.MaxOutbox,
			Items: &jsonschema.Schema{
				Type: "object", Required: []string{"content_markdown"},
				Properties: map[string]*jsonschema.Schema{
					"content_markdown":  property("string", "the message"),
					"message_type":      property("string", "such as message, question or answer; default message"),
					"reply_to":          orNull("string", "message_id of the message it answers"),
					"metadata":          orNull("object", "anything to keep with it"),
					"client_message_id": orNull("string", "sent again under the same id, it is posted once"),
				},
				PropertyOrder: []string{"content_markdown", "message_type", "reply_to", "metadata", "client_message_id"},
			},
		}
	}
}
