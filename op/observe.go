package op

import "nexus/bus"

// operators are where the operations of an operator show. They are no tools of
// agents.
const operators = REST | RPC | CLI

// observeOps are the operator's view of the whole hub.
func observeOps(b *bus.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "observe_graph", Title: "Who is there and who talks to whom", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /graph",
			Doc:   "Every agent with its presence and the state of its inbox, who wrote to whom in the last hours, and the work that is open or claimed. The newest messages are counted; truncated tells that there were more.",
		}, b.ObserveGraph),
		Define(Info{
			Name: "observe_attention", Title: "What needs a person", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /attention",
			Doc: "What needs a person, the most urgent first: what runs out first, then what waits longest. Leases that end within a minute, work to be verified, " +
				"parked, or waiting for ten minutes or for nobody, parked mail, mail for the operator, and agents that are silent with work in their hands. " +
				"total counts each kind; truncated tells that there is more than is shown or counted.",
		}, b.ObserveAttention),
		Define(Info{
			Name: "observe_messages", Title: "List messages", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /messages",
			Doc: "Messages of all agents, newest first, with how each stands in every inbox. Pages by number or, further back and while others write, by next_cursor; only a page without next_cursor is the last. " +
				"total is exact, unless total_is_estimate says that there are that many or more.",
		}, b.ObserveMessages),
		Define(Info{
			Name: "observe_message", Title: "Look at a message", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /messages/{message_id}",
			Doc:   "One message with its body and how it stands in every inbox.",
		}, b.ObserveMessage),
		Define(Info{
			Name: "observe_search", Title: "Search messages", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /messages/search",
			Doc:   "The newest messages that have these words, as they stand, in subject or body, in whatever case. truncated tells that older messages were not looked at.",
		}, b.SearchMessages),
		Define(Info{
			Name: "observe_handoffs", Title: "List hand-offs", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /handoffs",
			Doc:   "Hand-offs of all agents, newest first, up to 1000 a page.",
		}, b.ObserveHandoffs),
		Define(Info{
			Name: "observe_handoff", Title: "Look at a hand-off", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /handoffs/{handoff_id}",
			Doc:   "One hand-off with what it waits for and what the log says of it.",
		}, b.ObserveHandoff),
		Define(Info{
			Name: "observe_tasks", Title: "List tasks of all", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /tasks",
			Doc:   "Tasks of all workspaces, newest first, up to 1000 a page.",
		}, b.ObserveTasks),
		Define(Info{
			Name: "observe_artifacts", Title: "List artifacts", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /artifacts",
			Doc:   "Artifacts of all workspaces, newest first, up to 1000 a page, without their content.",
		}, b.ObserveArtifacts),
		Define(Info{
			Name: "observe_artifact", Title: "Look at an artifact", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /artifacts/{artifact_id}",
			Doc: "One artifact with its content where that is text, up to 256 KB of it. The file behind one that is kept as a path is shown to those who run the hub; " +
				"unavailable tells why it cannot be. Its bytes are at GET /artifacts/{artifact_id}/content.",
		}, b.ObserveArtifact),
		Define(Info{
			Name: "observe_sessions", Title: "List sessions", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /sessions",
			Doc:   "Sessions of all agents, newest first, up to 2000 a page, and whether anybody is in them: present, stale or offline.",
		}, b.ObserveSessions),
		Define(Info{
			Name: "observe_events", Title: "Read the whole log", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /events",
			Doc:   "The log as it is, of every workspace and the system, whoever may see what: upwards from after or since, or newest first below before or until.",
		}, b.ObserveEvents),
		Define(Info{
			Name: "observe_activity", Title: "How much happens", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /activity",
			Doc: "How much happened over time, on the whole hub or in one workspace: events, messages, mail read, work given out, claimed, completed and failed. " +
				"The newest is counted; truncated tells that there was more.",
		}, b.ObserveActivity),
		Define(Info{
			Name: "observe_event_types", Title: "List types of events", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /events/types",
			Doc:   "Every type of event that is in the log, and how many there are. A count of counted_to means that many or more.",
		}, b.ObserveEventTypes),
		Define(Info{
			Name: "observe_peers", Title: "List an agent's conversations", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /conversations/peers",
			Doc:   "With whom an agent exchanged messages, the latest first, each with the last message and how many of the other's it has not read, and how many of its messages reached nobody.",
		}, b.ObservePeers),
		Define(Info{
			Name: "observe_workspaces", Title: "Look over the workspaces", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /workspaces",
			Doc:   "The workspaces, those used last first, with how much is in each. A number of counted_to means that many or more.",
		}, b.ObserveWorkspaces),
		Define(Info{
			Name: "observe_analytics", Title: "How busy a workspace is", Effect: Read, Family: Bus, Faces: operators,
			Route: "GET /workspaces/{workspace_id}/analytics",
			Doc:   "What happened in a workspace over time, who sent and received most, and how long it took until messages were read and work was completed.",
		}, b.ObserveAnalytics),
		Define(Info{
			Name: "admin_close_session", Title: "Close anybody's session", Effect: Danger, Family: Bus, Faces: operators,
			Route: "POST /sessions/{session_id}/close",
			Doc:   "End a session as the operator. Doing it again changes nothing.",
		}, b.AdminCloseSession),
		Define(Info{
			Name: "admin_cancel_handoff", Title: "Cancel anybody's work", Effect: Danger, Family: Bus, Faces: operators,
			Route: "POST /handoffs/{handoff_id}/cancel",
			Doc:   "Cancel work that is not finished, also while somebody has it. Claimant and creator are told.",
		}, b.AdminCancelHandoff),
	}
}
