package op

import "nexus/bus"

// artifactOps are what agents show to each other, and shared.md.
func artifactOps(b *bus.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "artifact_put", Title: "Register an artifact", Effect: Write, Family: Bus,
			Doc: "Register something for others to look at, and pass its artifact_id in a message or a hand-off instead of the thing itself. " +
				"Up to 64 KB go into content. For more, write a file in the project and give its path: only the reference is kept, so do not move the file. It never changes; put again for a new version.",
		}, b.PutArtifact),
		Define(Info{
			Name: "artifact_get", Title: "Look at an artifact", Effect: Read, Family: Bus,
			Doc: "One artifact by its artifact_id: its content, or the path of the file to read, and its metadata.",
		}, b.ReadArtifact),
		Define(Info{
			Name: "shared_md_render", Title: "Write shared.md", Effect: Write, Family: Bus,
			Doc: "Write a page for people about a workspace: who is there, open tasks, open hand-offs, newest events. The answer says where the file is. Agents need no such file; the other tools know more.",
		}, b.RenderShared),
	}
}
