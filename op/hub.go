package op

import (
	"slices"

	"nexus/hub"
)

// HubOps is the hub itself in the catalogue. Its operations are for whoever runs
// it; none of them is a tool of agents.
func HubOps(h *hub.Service) []*Op { return slices.Concat(hubOps(h), webhookOps(h)) }

// hubOps are settings and sign-ins.
func hubOps(h *hub.Service) []*Op {
	const faces = REST | RPC | CLI
	return []*Op{
		Define(Info{
			Name: "settings_list", Title: "All settings", Effect: Read, Family: Bus, Faces: faces, Route: "GET /settings",
			Doc: "Every setting with its type, bounds, value, where that is from, and whether it can be changed here.",
		}, h.Settings),
		Define(Info{
			Name: "settings_change", Title: "Change settings", Effect: Danger, Family: Bus, Faces: faces, Route: "PATCH /settings", Body: "values",
			Doc: "Change settings for every node and face, all of them or none. One that is pinned by a flag, a variable or the file is refused. null takes a stored value back.",
		}, h.ChangeSettings),
		Define(Info{
			Name: "settings_reset", Title: "Reset the settings", Effect: Danger, Family: Bus, Faces: faces, Route: "POST /settings/reset",
			Doc: "Forget every setting that was changed here.",
		}, h.ResetSettings),
		Define(Info{
			Name: "sign_in_list", Title: "Who is signed in", Effect: Read, Family: Bus, Faces: faces, Route: "GET /sign-ins",
			Doc: "The people who are signed in, with since when, until when and from where.",
		}, h.SignIns),
		Define(Info{
			Name: "sign_in_revoke", Title: "Sign somebody out", Effect: Danger, Family: Bus, Faces: faces, Route: "DELETE /sign-ins/{sign_in_id}",
			Doc: "End somebody's stay at once.",
		}, h.RevokeSignIn),
	}
}
