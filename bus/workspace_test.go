package bus_test

import (
	"os"
	"strings"
	"testing"

	"nexus"
)

// A workspace that is known can be named by its id, wherever its directory is.
func TestWorkspaceByID(t *testing.T) {
	each(t, func(k *kit) {
		k.register("boss")
		kept := k.root
		id := k.place()
		if err := os.Remove(kept); err != nil {
			k.t.Fatal(err)
		}
		k.root = id
		k.want("resolve", k.call("workspace_resolve", object{"project_root": id})["root_realpath"], mustText(kept))
		k.want("message", k.send("boss", direct("boss"))["workspace_id"], mustText(id))
		h := k.handoff(anybody)
		k.want("claim", k.call("handoff_claim", k.on(h, "boss"))["workspace_id"], mustText(id))
		task := k.call("task_create", object{"project_root": id, "agent_id": "boss", "title": "t"})
		k.want("task", k.call("task_get", object{"project_root": id, "task_id": task["task_id"]})["title"], `"t"`)
		k.want("log", k.types("boss"), `["message.created","task.created"]`)
		k.call("artifact_put", object{"project_root": id, "artifact_type": "text", "content": "x"})
		err := k.fails("artifact_put", nexus.WorkspaceUnresolved, object{"project_root": id, "artifact_type": "file", "path": "readme.md"})
		if !strings.Contains(err.Msg, kept) {
			k.t.Errorf("it does not say which directory: %s", err.Msg)
		}
		k.fails("artifact_put", nexus.PathOutside, object{"project_root": id, "artifact_type": "file", "path": "../readme.md"})

		unknown := strings.Repeat("ab", 32)
		for name, arguments := range map[string]object{
			"message_create": {"from_agent_id": "boss", "subject": "s", "body": "b"}, "channel_list": {}, "task_list": {},
			"event_get": {"agent_id": "boss", "stream": "workspace"}, "workspace_resolve": {}, "handoff_list_available": {"agent_id": "boss"},
		} {
			arguments["project_root"] = unknown
			k.fails(name, nexus.WorkspaceUnresolved, arguments)
		}
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "boss", Scopes: nexus.Scopes("mcp read workspace:" + unknown + " write")}, func() {
			k.fails("channel_list", nexus.PermissionDenied, object{"project_root": id})
		})
	})
}
