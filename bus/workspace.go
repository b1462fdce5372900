package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nexus"
)

// A Workspace is a project on this machine, known by where it really is.
type Workspace struct {
	ID          string  `json:"workspace_id"`
	DisplayName *string `json:"display_name"`
	Root        string  `json:"root_realpath"`
	CreatedAt   string  `json:"created_at"`
	LastSeenAt  string  `json:"last_seen_at"`
}

type workspaceRows interface {
	Workspace(id string) (Workspace, bool, error)
	Workspaces() ([]Workspace, error)
	InsertWorkspace(Workspace) (created bool, err error)
	UpdateWorkspace(id string, displayName *string, seenAt string) error
}

// ResolveParams name a project.
type ResolveParams struct {
	ProjectRoot string  `json:"project_root" jsonschema:"absolute path of the project"`
	DisplayName *string `json:"display_name,omitempty" jsonschema:"a name for people"`
}

// Resolve finds the workspace of a project, and makes it known if it was not.
func (s *Service) Resolve(ctx context.Context, p ResolveParams) (Workspace, error) {
	if err := required("project_root", p.ProjectRoot); err != nil {
		return Workspace{}, err
	}
	if !IsWorkspaceID(p.ProjectRoot) && !filepath.IsAbs(p.ProjectRoot) {
		return Workspace{}, nexus.Invalid("project_root", "project_root must be an absolute path, not %q.", clip(p.ProjectRoot))
	}
	if err := brief("display_name", deref(p.DisplayName)); err != nil {
		return Workspace{}, err
	}
	place, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return Workspace{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (Workspace, error) {
		w, created, err := s.enterWorkspace(tx, place, now)
		if err != nil || created && p.DisplayName == nil {
			return w, err
		}
		if p.DisplayName != nil {
			w.DisplayName = p.DisplayName
		}
		w.LastSeenAt = nexus.Stamp(now)
		return w, tx.UpdateWorkspace(w.ID, w.DisplayName, w.LastSeenAt)
	})
}

// WorkspaceList is every workspace that the caller may enter.
type WorkspaceList struct {
	Workspaces []Workspace `json:"workspaces"`
}

// Workspaces lists the workspaces, to a key that is limited to some of them only
// those.
func (s *Service) Workspaces(ctx context.Context, _ None) (WorkspaceList, error) {
	return nexus.View(ctx, s.store, func(tx Tx) (WorkspaceList, error) {
		all, err := tx.Workspaces()
		actor := nexus.ActorFrom(ctx)
		return WorkspaceList{slices.DeleteFunc(all, func(w Workspace) bool { return actor.MayEnter(w.ID) != nil })}, err
	})
}

// A place is where a project really is, and the workspace id that follows.
type place struct {
	id, root string
}

// IsWorkspaceID tells whether a text is what ids of workspaces look like, and so
// no path.
func IsWorkspaceID(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// locate resolves the project a call works in: by its path, or by the id of a
// workspace that is known, whose directory may be on another machine or gone.
func (s *Service) locate(ctx context.Context, projectRoot string) (place, error) {
	if !IsWorkspaceID(projectRoot) {
		return locatePath(ctx, projectRoot)
	}
	if err := nexus.ActorFrom(ctx).MayEnter(projectRoot); err != nil {
		return place{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (place, error) {
		w, found, err := tx.Workspace(projectRoot)
		if err == nil && !found {
			err = nexus.Errorf(nexus.WorkspaceUnresolved, "There is no workspace %q. workspace_list shows them.", projectRoot)
		}
		return place{w.ID, w.Root}, err
	})
}

// locatePath resolves the path of a project. Two paths to the same directory
// are the same workspace; there is no default one. A key that is limited to other
// workspaces is refused here, whatever it came for.
func locatePath(ctx context.Context, projectRoot string) (place, error) {
	if strings.TrimSpace(projectRoot) == "" {
		return place{}, noWorkspace()
	}
	if strings.ContainsRune(projectRoot, 0) {
		return place{}, nexus.Invalid("project_root", "project_root holds a NUL character.")
	}
	unresolved := nexus.Errorf(nexus.WorkspaceUnresolved, "project_root %q does not exist or cannot be read.", clip(projectRoot))
	absolute, err := filepath.Abs(projectRoot)
	if err != nil {
		return place{}, unresolved
	}
	root, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		unresolved.Err = err
		return place{}, unresolved
	}
	sum := sha256.Sum256([]byte(root))
	id := hex.EncodeToString(sum[:])
	return place{id, root}, nexus.ActorFrom(ctx).MayEnter(id)
}

func noWorkspace() error {
	return nexus.Errorf(nexus.WorkspaceRequired, "No workspace was given: pass project_root.").With("field", "project_root")
}

// seenGrain is how fresh a workspace's last_seen_at is kept. Stamping it with
// every call would make all callers of a workspace wait for one row.
const seenGrain = time.Second

// enterWorkspace makes sure the workspace exists and notes that it is in use.
func (s *Service) enterWorkspace(tx Tx, at place, now time.Time) (w Workspace, created bool, err error) {
	w, found, err := tx.Workspace(at.id)
	if err != nil {
		return w, false, err
	}
	if found {
		if w.LastSeenAt < nexus.Stamp(now.Add(-seenGrain)) {
			w.LastSeenAt = nexus.Stamp(now)
			err = tx.UpdateWorkspace(w.ID, w.DisplayName, w.LastSeenAt)
		}
		return w, false, err
	}
	stamp := nexus.Stamp(now)
	w = Workspace{ID: at.id, Root: at.root, CreatedAt: stamp, LastSeenAt: stamp}
	created, err = tx.InsertWorkspace(w)
	if err != nil || !created { // another call was faster
		return w, false, err
	}
	return w, true, s.system(tx, now, "workspace.created", "", map[string]any{"workspace_id": w.ID, "root_realpath": w.Root})
}

// DefaultWorkspace is the id of the workspace of a project, which is named by its
// path, or by that id if the workspace is known.
func (s *Service) DefaultWorkspace(ctx context.Context, projectRoot string) (string, error) {
	if IsWorkspaceID(projectRoot) {
		at, err := s.locate(ctx, projectRoot)
		return at.id, err
	}
	absolute, err := filepath.Abs(projectRoot)
	if err != nil {
		return "", err
	}
	w, err := s.Resolve(ctx, ResolveParams{ProjectRoot: absolute})
	return w.ID, err
}
