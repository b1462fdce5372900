package store

import "nexus/bus"

const artifactColumns = `artifact_id, workspace_id, artifact_type, name, path, content, size_bytes, metadata, created_at`

// InsertArtifact stores an artifact.
func (t *Tx) InsertArtifact(a bus.Artifact) error {
	return t.send(`INSERT INTO artifacts (`+artifactColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.ID, a.WorkspaceID, a.Type, a.Name, a.Path, a.Content, a.Size, a.Metadata, a.CreatedAt)
}

// Artifact finds an artifact by id.
func (t *Tx) Artifact(id string) (bus.Artifact, bool, error) {
	return first(t, `SELECT `+artifactColumns+` FROM artifacts WHERE artifact_id = $1`, args(id),
		func(r row) (a bus.Artifact, err error) {
			err = r.scan(&a.ID, &a.WorkspaceID, &a.Type, &a.Name, &a.Path, &a.Content, &a.Size, &a.Metadata, &a.CreatedAt)
			return a, err
		})
}
