package op

import (
	"nexus"
	"nexus/bus"
)

// directoryOps are agents, their keys and what they may do, as whoever runs the
// hub sees to them. They are no tools of agents.
func directoryOps(b *bus.Service) []*Op {
	const faces = REST | RPC | CLI
	return []*Op{
		Define(Info{
			Name: "agent_directory", Title: "All agents", Effect: Read, Family: Bus, Faces: faces, Route: "GET /agents",
			Doc: "Every agent with its role, capabilities, permissions and whether it is active and has a key.",
		}, b.Directory),
		Define(Info{
			Name: "agent_entry", Title: "One agent", Effect: Read, Family: Bus, Faces: faces, Route: "GET /agents/{agent_id}",
			Doc: "One agent as the directory has it.",
		}, b.DirectoryEntry),
		Define(Info{
			Name: "agent_create", Title: "Create an agent with a key", Effect: Danger, Family: Bus, Faces: faces, Secret: true, Route: "POST /agents",
			Doc: "Register a new agent and give it an API key. The key is shown only in this answer.",
		}, b.CreateAgent),
		Define(Info{
			Name: "agent_update", Title: "Change an agent", Effect: Danger, Family: Bus, Faces: faces, Route: "PATCH /agents/{agent_id}",
			Doc: "Change an agent's role, capabilities, metadata, permissions or preset, or make it inactive, which makes its keys useless at once. What is left out stays as it is.",
		}, b.UpdateAgent),
		Define(Info{
			Name: "agent_delete", Title: "Delete an agent", Effect: Danger, Family: Bus, Faces: faces, Route: "DELETE /agents/{agent_id}",
			Doc: "Delete an agent with its keys, sessions and inbox. What it sent stays. To keep its mail, make it inactive instead.",
		}, b.DeleteAgent),
		Define(Info{
			Name: "agent_regenerate_key", Title: "Give an agent a new key", Effect: Danger, Scope: nexus.ScopeWrite, Family: Bus, Faces: faces, Secret: true,
			Route: "POST /agents/{agent_id}/regenerate-key",
			Doc:   "Give an agent a new API key in place of all it has. The old ones are dead at once; the new one is shown only in this answer. An agent may do this for itself.",
		}, b.RegenerateKey),
		Define(Info{
			Name: "key_list", Title: "Keys of an agent", Effect: Read, Family: Bus, Faces: faces, Route: "GET /agents/{agent_id}/keys",
			Doc: "The keys of an agent: name, scopes, expiry and last use, never the keys themselves.",
		}, b.Keys),
		Define(Info{
			Name: "key_create", Title: "Give an agent one more key", Effect: Danger, Family: Bus, Faces: faces, Secret: true, Route: "POST /agents/{agent_id}/keys",
			Doc: "Give an agent one more key with a name, scopes and an end. The key is shown only in this answer.",
		}, b.CreateKey),
		Define(Info{
			Name: "key_revoke", Title: "Revoke a key", Effect: Danger, Scope: nexus.ScopeWrite, Family: Bus, Faces: faces, Route: "DELETE /agents/{agent_id}/keys/{key_id}",
			Doc: "Make one key of an agent useless at once. An agent may revoke its own.",
		}, b.RevokeKey),
		Define(Info{
			Name: "admin_issue_keys", Title: "Give keys to those who have none", Effect: Danger, Family: Bus, Faces: faces, Secret: true,
			Route: "POST /admin/issue-keys",
			Doc:   "Give a key to every agent that has none, at most 100 at a time; call it again until it issues nothing. Keys that exist stay as they are. The keys are shown only in this answer.",
		}, b.IssueMissingKeys),
		Define(Info{
			Name: "preset_list", Title: "Permission presets", Effect: Read, Family: Bus, Faces: faces, Route: "GET /presets",
			Doc: "The presets of permissions, those that are built in first.",
		}, b.Presets),
		Define(Info{
			Name: "preset_create", Title: "Create a preset", Effect: Danger, Family: Bus, Faces: faces, Route: "POST /presets",
			Doc: "Make a preset of permissions that agents can be given.",
		}, b.CreatePreset),
		Define(Info{
			Name: "preset_update", Title: "Change a preset", Effect: Danger, Family: Bus, Faces: faces, Route: "PATCH /presets/{preset_id}",
			Doc: "Change a preset, and with it what all agents that have it may do.",
		}, b.UpdatePreset),
		Define(Info{
			Name: "preset_delete", Title: "Delete a preset", Effect: Danger, Family: Bus, Faces: faces, Route: "DELETE /presets/{preset_id}",
			Doc: "Delete a preset that no agent has.",
		}, b.DeletePreset),
	}
}
