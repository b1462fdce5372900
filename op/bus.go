package op

import (
	"slices"

	"nexus/bus"
)

// BusOps is the bus in the catalogue.
func BusOps(b *bus.Service) []*Op {
	return slices.Concat(identityOps(b), messageOps(b), workOps(b), artifactOps(b), directoryOps(b), observeOps(b), adminOps(b), shimOps())
}

// identityOps are who is there and what happened.
func identityOps(b *bus.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "nexus_info", Title: "Versions", Effect: Read, Family: Bus,
			Doc: "Versions of the hub, its schema and its tools. Call it when a tool does not behave as its description says: if surface_revision differs from what you remember, list the tools again.",
		}, b.Info),

		Define(Info{
			Name: "workspace_resolve", Title: "Find a workspace", Effect: Write, Family: Bus, Core: true,
			Doc: "Turn the absolute path of a project into its workspace_id, and make the workspace known. Two paths to the same directory give the same workspace. Do this first; session_open wants the id.",
		}, b.Resolve),
		Define(Info{
			Name: "workspace_list", Title: "List workspaces", Effect: Read, Family: Bus,
			Doc: "Every workspace on this hub that you may enter.",
		}, b.Workspaces),

		Define(Info{
			Name: "agent_register", Title: "Register", Effect: Write, Family: Bus, Core: true,
			Doc: "Make yourself known, or change what is known of you: role and capabilities are how others find you. The name is global and stays yours over restarts. What you leave out stays as it was.",
		}, b.Register),
		Define(Info{
			Name: "agent_list", Title: "List agents", Effect: Read, Family: Bus, Core: true,
			Doc: "Who is registered, with role, capabilities and when each last acted. Use it to find whom to write to.",
		}, b.Agents),
		Define(Info{
			Name: "agent_get", Title: "Look up an agent", Effect: Read, Family: Bus,
			Doc: "One agent's role, capabilities, metadata and when it last acted.",
		}, b.Agent),
		Define(Info{
			Name: "capability_list", Title: "List capabilities", Effect: Read, Family: Bus,
			Doc: "Which capabilities somebody has, and who. Look here before you address a capability.",
		}, b.Capabilities),

		Define(Info{
			Name: "session_open", Title: "Open a session", Effect: Write, Family: Bus, Core: true, Secret: true,
			Doc: "Begin your stay in a workspace. Broadcasts reach only those with an open session that is heard of. Keep session_id and session_secret: the secret is shown only here and may be asked for later.",
		}, b.Open),
		Define(Info{
			Name: "session_heartbeat", Title: "Stay present", Effect: Write, Family: Bus, Core: true,
			Doc: "Say that you are still here, every few minutes. A session silent for half an hour misses broadcasts; one silent for a day is closed.",
		}, b.Heartbeat),
		Define(Info{
			Name: "session_close", Title: "Close a session", Effect: Write, Family: Bus,
			Doc: "End your stay in a workspace. Doing it again changes nothing.",
		}, b.CloseSession),

		Define(Info{
			Name: "event_get", Title: "Read the log", Effect: Read, Family: Bus,
			Doc: "What happened in a workspace, from a cursor on: for observing, not for receiving your mail (that is inbox_pull). Pass next_cursor back to go on; go on while has_more is true.",
		}, b.ReadEvents),
		Define(Info{
			Name: "event_wait", Title: "Wait for the log", Effect: Read, Family: Bus, Wait: "timeout_seconds",
			Doc: "As event_get. With timeout_seconds above 0 it waits that long for the first event that matches, and your turn is parked meanwhile; without, it does not wait. timed_out tells that nothing came.",
		}, b.WaitEvents),
	}
}

// messageOps are mail.
func messageOps(b *bus.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "message_create", Title: "Send a message", Effect: Write, Family: Bus, Core: true,
			Doc: "Send a message into the inbox of everybody it is for. Prefer a direct one: target {\"strategy\":\"direct\",\"agent_id\":\"…\"}; answer whoever wrote to you this way. " +
				"Groups: {\"strategy\":\"capability\",\"capability\":\"…\"}, {\"strategy\":\"role\",\"role\":\"…\"}, or {\"strategy\":\"mixed\",\"rules\":[…]}. " +
				"Without a target it goes to everybody present in the workspace: for news and open questions only, never for work that one should do. " +
				"The answer says whom it reached and, in excluded_stale, who was passed by.",
		}, b.Send),
		Define(Info{
			Name: "channel_create", Title: "Create a channel", Effect: Write, Family: Bus,
			Doc: "Make a label to file messages under, or find the one of that name. A channel never decides who gets a message.",
		}, b.CreateChannel),
		Define(Info{
			Name: "channel_list", Title: "List channels", Effect: Read, Family: Bus,
			Doc: "The channels of a workspace; every workspace has \"general\".",
		}, b.Channels),

		Define(Info{
			Name: "inbox_pull", Title: "Take your mail", Effect: Write, Family: Bus, Core: true,
			Doc: "Take your waiting mail, oldest first, with bodies. Each message is yours for lease_seconds: acknowledge it with inbox_ack when handled, or it is offered again. One that was handed out five times without being acknowledged is parked.",
		}, b.Pull),
		Define(Info{
			Name: "inbox_wait", Title: "Wait for mail", Effect: Write, Family: Bus, Core: true, Wait: "timeout_seconds",
			Doc: "As inbox_pull, but waits up to timeout_seconds until there is something to take. timed_out tells that nothing came.",
		}, b.WaitInbox),
		Define(Info{
			Name: "inbox_requeue", Title: "Offer parked mail again", Effect: Write, Family: Bus,
			Doc: "Put parked messages back into your inbox as if they were new.",
		}, b.RequeueMail),
		Define(Info{
			Name: "inbox_ack", Title: "Acknowledge mail", Effect: Write, Family: Bus, Core: true,
			Doc: "Say that you have handled messages, so that they are not offered again. Doing it twice does no harm.",
		}, b.Ack),
		Define(Info{
			Name: "inbox_extend", Title: "Ask for more time", Effect: Write, Family: Bus,
			Doc: "Keep messages that you pulled for longer. All of them must still be yours, or none is extended and details say why.",
		}, b.Extend),
		Define(Info{
			Name: "inbox_peek", Title: "Look into an inbox", Effect: Read, Family: Bus,
			Doc: "See what waits or is in flight, without taking it. include_parked also shows what was given up on.",
		}, b.Peek),
		Define(Info{
			Name: "inbox_count", Title: "Count your mail", Effect: Read, Family: Bus,
			Doc: "How many messages are unread, in flight and read. Cheap: do it between turns, and pull when unread is above 0.",
		}, b.Count),
		Define(Info{
			Name: "inbox_history", Title: "Read old mail", Effect: Read, Family: Bus,
			Doc: "What you have acknowledged, newest first. Pass next_cursor back for older ones.",
		}, b.History),
		Define(Info{
			Name: "message_status", Title: "What became of a message", Effect: Read, Family: Bus,
			Doc: "How a message you sent stands with each recipient: unread, delivered, read or parked. Look here instead of sending it again.",
		}, b.Status),
	}
}
