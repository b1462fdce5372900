package op

import "nexus/bus"

// adminOps are for whoever looks after the store. They are no tools of agents.
func adminOps(b *bus.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "admin_prune", Title: "Prune what is old", Effect: Danger, Family: Bus, Faces: REST | RPC | CLI,
			Route: "POST /admin/prune",
			Doc: "Delete events, read deliveries and closed sessions that are older than the retention settings keep them. " +
				"Nothing that is unread, in flight, parked, active or unfinished is ever deleted. It only counts unless dry_run is false.",
		}, b.Prune),
		Define(Info{
			Name: "admin_reset", Title: "Empty the store", Effect: Danger, Family: Bus, Faces: REST | RPC | CLI,
			Route: "POST /admin/reset",
			Doc: "Delete everything: messages, mail, work, artifacts, events, workspaces and settings, whatever their state. " +
				"Agents, their keys and permissions stay unless keep_agents is false. It cannot be undone; make a backup first.",
		}, b.Reset),
	}
}
