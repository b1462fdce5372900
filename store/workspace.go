package store

import "nexus/bus"

const workspaceColumns = `workspace_id, display_name, root_realpath, created_at, last_seen_at`

func scanWorkspace(r row) (w bus.Workspace, err error) {
	err = r.scan(&w.ID, &w.DisplayName, &w.Root, &w.CreatedAt, &w.LastSeenAt)
	return w, err
}

// Workspace finds a workspace by id.
func (t *Tx) Workspace(id string) (bus.Workspace, bool, error) {
	return first(t, `SELECT `+workspaceColumns+` FROM workspaces WHERE workspace_id = $1`, args(id), scanWorkspace)
}

// Workspaces lists all workspaces, the oldest first.
func (t *Tx) Workspaces() ([]bus.Workspace, error) {
	return list(t, `SELECT `+workspaceColumns+` FROM workspaces ORDER BY created_at, workspace_id`, nil, scanWorkspace)
}

// InsertWorkspace adds a workspace, unless somebody else just did.
func (t *Tx) InsertWorkspace(w bus.Workspace) (bool, error) {
	n, err := t.exec(`
		INSERT INTO workspaces (`+workspaceColumns+`) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (workspace_id) DO NOTHING`,
		w.ID, w.DisplayName, w.Root, w.CreatedAt, w.LastSeenAt)
	return n == 1, err
}

// UpdateWorkspace names a workspace and notes when it was used.
func (t *Tx) UpdateWorkspace(id string, displayName *string, seenAt string) error {
	return t.send(`UPDATE workspaces SET display_name = $2, last_seen_at = $3 WHERE workspace_id = $1`, id, displayName, seenAt)
}

// LastWorkspace is where an agent was last, or else the workspace used last.
func (t *Tx) LastWorkspace(agentID string) (id string, err error) {
	found, err := t.one(`SELECT workspace_id FROM sessions WHERE agent_id = $1 ORDER BY session_id DESC LIMIT 1`, args(agentID), &id)
	if err != nil || found {
		return id, err
	}
	_, err = t.one(`SELECT workspace_id FROM workspaces ORDER BY last_seen_at DESC LIMIT 1`, nil, &id)
	return id, err
}
