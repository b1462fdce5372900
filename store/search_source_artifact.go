package store

import (
	"strings"

	"nexus"
	"nexus/search"
)

// artifactSource are artifacts: what is kept of them, or the path where it is.
var artifactSource = searchSource{
	kind: search.KindArtifact,
	mentions: func(e nexus.Event) []search.Mention {
		if !strings.HasPrefix(e.Type, "artifact.") {
			return nil
		}
		return mentionOf(e, "artifact_id")
	},
	read: func(t *Tx, ids []string) ([]search.Document, error) {
		return list(t, artifactDocuments+` WHERE `+t.dialect().oneOf("artifact_id", 1), args(elements(ids)), scanArtifactDocument)
	},
	scan: func(t *Tx, after string, limit int) ([]search.Document, error) {
		return list(t, artifactDocuments+` WHERE artifact_id > $1 ORDER BY artifact_id LIMIT $2`, args(after, limit), scanArtifactDocument)
	},
	count: `SELECT count(*) FROM artifacts`,
	// Whoever may enter a workspace may read its artifacts.
	readable: func(_ *Tx, _ string, ids []string) ([]string, error) { return ids, nil },
}

const artifactDocuments = `SELECT artifact_id, workspace_id, coalesce(name, path), created_at, coalesce(content, path) FROM artifacts`

func scanArtifactDocument(r row) (d search.Document, err error) {
	d.Kind = search.KindArtifact
	err = r.scan(&d.ID, &d.Workspace, &d.Title, &d.CreatedAt, &d.Text)
	return d, err
}
