package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"nexus"
)

// What an artifact may be.
const (
	ArtifactFile     = "file"
	ArtifactText     = "text"
	ArtifactJSON     = "json"
	ArtifactMarkdown = "markdown"
)

// Where an artifact is kept: in the store, or in the workspace with only its
// path in the store.
const (
	StoredInline = "inline"
	StoredPath   = "path"
)

// An Artifact is something an agent shows to others of its workspace. It never
// changes. One that is stored as a path is a reference: its bytes are read by
// whoever may read the file, and shown by the bus to the operator alone.
type Artifact struct {
	ID          string     `json:"artifact_id"`
	WorkspaceID string     `json:"workspace_id"`
	Type        string     `json:"artifact_type"`
	Stored      string     `json:"stored"`
	Size        int64      `json:"size_bytes"`
	Metadata    nexus.JSON `json:"metadata"`
	CreatedAt   string     `json:"created_at"`
	Content     *string    `json:"content,omitempty"` // inline
	Path        *string    `json:"path,omitempty"`    // path

	Name *string `json:"-"`
}

type artifactRows interface {
	InsertArtifact(Artifact) error
	Artifact(id string) (Artifact, bool, error)
	// Shared is what shared.md shows of a workspace.
	Shared(SharedQuery) (SharedView, error)
}

// PutArtifactParams describe an artifact.
type PutArtifactParams struct {
	ProjectRoot string     `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	Type        string     `json:"artifact_type" jsonschema:"file, text, json or markdown"`
	Name        string     `json:"name,omitempty" jsonschema:"what to call it"`
	Path        string     `json:"path,omitempty" jsonschema:"a file in the project, to be kept as a reference; relative to project_root, or absolute"`
	Content     *string    `json:"content,omitempty" jsonschema:"the content itself, up to 64 KB"`
	Metadata    nexus.JSON `json:"metadata,omitempty" jsonschema:"anything else about it"`
}

// PutArtifactResult is an artifact as it was registered.
type PutArtifactResult struct {
	ID          string  `json:"artifact_id"`
	WorkspaceID string  `json:"workspace_id"`
	Type        string  `json:"artifact_type"`
	Stored      string  `json:"stored"`
	Size        int64   `json:"size_bytes"`
	CreatedAt   string  `json:"created_at"`
	Path        *string `json:"path,omitempty"`
}

// PutArtifact registers an artifact and notes it in the log. Content that is
// given is kept; a path that comes with it must still be in the workspace.
func (s *Service) PutArtifact(ctx context.Context, p PutArtifactParams) (PutArtifactResult, error) {
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return PutArtifactResult{}, err
	}
	now := s.now()
	a, err := s.newArtifact(p, at, now)
	if err != nil {
		return PutArtifactResult{}, err
	}
	actor := nexus.ActorFrom(ctx).AgentID
	if nexus.ActorFrom(ctx).Kind == nexus.KindOperator {
		actor = nexus.OperatorID
	}
	return nexus.Update(ctx, s.store, func(tx Tx) (PutArtifactResult, error) {
		if err := s.enroll(tx, actor); err != nil {
			return PutArtifactResult{}, err
		}
		if _, _, err := s.enterWorkspace(tx, at, now); err != nil {
			return PutArtifactResult{}, err
		}
		if actor != "" {
			if _, err := s.permitted(ctx, tx, actor, putArtifact, now); err != nil {
				return PutArtifactResult{}, err
			}
		}
		if err := tx.InsertArtifact(a); err != nil {
			return PutArtifactResult{}, err
		}
		return PutArtifactResult{a.ID, a.WorkspaceID, a.Type, a.Stored, a.Size, a.CreatedAt, a.Path}, tx.AppendEvent(artifactEvent(a, actor))
	})
}

// newArtifact checks a description and makes an artifact of it. Size is checked
// before form, so that nobody can make the bus parse what it will not keep.
func (s *Service) newArtifact(p PutArtifactParams, at place, now time.Time) (Artifact, error) {
	a := Artifact{
		ID: s.newID("art"), WorkspaceID: at.id, Type: strings.ToLower(strings.TrimSpace(p.Type)), Name: pointer(p.Name),
		Stored: StoredInline, Metadata: p.Metadata, CreatedAt: nexus.Stamp(now), Content: p.Content,
	}
	if !slices.Contains([]string{ArtifactFile, ArtifactText, ArtifactJSON, ArtifactMarkdown}, a.Type) {
		return a, nexus.Invalid("artifact_type", "artifact_type must be file, text, json or markdown, not %q.", p.Type)
	}
	if a.Content == nil && strings.TrimSpace(p.Path) == "" {
		return a, nexus.Invalid("content", "An artifact needs content, or the path of a file in the project.")
	}
	content := deref(a.Content)
	if err := cmp.Or(s.fits("content", len(content)), s.fits("name", len(p.Name)), s.fits("metadata", len(p.Metadata))); err != nil {
		return a, err
	}
	if a.Type == ArtifactJSON && a.Content != nil && !json.Valid([]byte(content)) {
		return a, nexus.Invalid("content", "content is not valid JSON. Correct it, or register it as text.")
	}
	a.Size = int64(len(content))
	if strings.TrimSpace(p.Path) == "" {
		return a, nil
	}
	inside, err := within(at.root, p.Path)
	if err != nil || a.Content != nil {
		return a, err
	}
	a.Stored, a.Path = StoredPath, pointer(filepath.Join(at.root, inside))
	a.Size, err = fileSize(at.root, inside, p.Path)
	return a, err
}

func artifactEvent(a Artifact, actor string) *nexus.Event {
	payload := map[string]any{
		"artifact_id": a.ID, "workspace_id": a.WorkspaceID, "artifact_type": a.Type, "name": a.Name,
		"stored": a.Stored, "size_bytes": a.Size, "created_at": a.CreatedAt,
	}
	if a.Path != nil {
		payload["path"] = *a.Path
	}
	return &nexus.Event{
		WorkspaceID: a.WorkspaceID, Stream: nexus.StreamWorkspace, Type: "artifact.created", Actor: actor,
		Visibility: nexus.VisibilityPublic, Payload: mustJSON(payload), CreatedAt: a.CreatedAt,
	}
}

// ReadArtifactParams name an artifact.
type ReadArtifactParams struct {
	ProjectRoot string `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	ArtifactID  string `json:"artifact_id" jsonschema:"the artifact"`
}

// ReadArtifact is one artifact of a workspace. One of another workspace is
// answered for as one that does not exist.
func (s *Service) ReadArtifact(ctx context.Context, p ReadArtifactParams) (Artifact, error) {
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return Artifact{}, err
	}
	if err := required("artifact_id", p.ArtifactID); err != nil {
		return Artifact{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Artifact, error) {
		a, found, err := tx.Artifact(p.ArtifactID)
		if err != nil {
			return Artifact{}, err
		}
		if !found || a.WorkspaceID != at.id {
			return Artifact{}, nexus.Errorf(nexus.NotFound, "There is no artifact %q in this workspace.", p.ArtifactID).With("artifact_id", p.ArtifactID)
		}
		a.Stored = StoredPath
		if a.Content != nil {
			a.Stored = StoredInline
		}
		if a.Metadata == nil {
			a.Metadata = nexus.JSON(`{}`)
		}
		return a, nil
	})
}

// within is a path of the caller as seen from root, which is real, with all its
// symbolic links followed. Paths that leave root are refused alike, whether or
// not there is something at their end.
func within(root, path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", nexus.Invalid("path", "path holds a NUL character.")
	}
	if len(path) > maxPath {
		return "", nexus.Invalid("path", "path has more than %d bytes.", maxPath)
	}
	full := path
	if !filepath.IsAbs(full) {
		full = root + string(filepath.Separator) + path // not joined: "link/.." is not the place where link is
	}
	inside, err := filepath.Rel(root, realPath(full))
	if err != nil || !filepath.IsLocal(inside) {
		return "", outside(path)
	}
	return inside, nil
}

func outside(path string) *nexus.Error {
	return nexus.Errorf(nexus.PathOutside, "path %q leads out of the project. Give one inside it, or pass the content.", path).With("field", "path")
}

// As on Linux: how long a path may be, and how many symbolic links it may lead
// through.
const (
	maxPath  = 4096
	maxLinks = 40
)

// realPath follows an absolute path as the system does, and goes on by name
// where there is nothing. No part of what was followed is a link, so "." and
// ".." mean what they say.
func realPath(path string) string {
	at, rest := splitRoot(path)
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil || links == maxLinks { // no link, or nothing at all
			at = next
			continue
		}
		links++
		from, names := splitRoot(target)
		if filepath.IsAbs(target) {
			at = from
		}
		rest = append(names, rest...)
	}
	return at
}

// splitRoot divides a path into where it begins and the names that follow.
func splitRoot(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	names = strings.FieldsFunc(path[len(volume):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(byte(r)) })
	return volume + string(filepath.Separator), names
}

// fileSize asks for the size of a file below root, and opens nothing. Whoever
// turns part of the path into a link meanwhile leads it nowhere else.
func fileSize(root, inside, path string) (int64, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return 0, nexus.Errorf(nexus.WorkspaceUnresolved, "The project directory %q cannot be read.", root)
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Stat(inside)
	if err != nil {
		if _, system := errors.AsType[syscall.Errno](err); !system && !errors.Is(err, fs.ErrNotExist) {
			return 0, outside(path) // the system did not refuse it, the root did
		}
		e := nexus.Invalid("path", "There is no file %q in the project that can be read.", path)
		e.Err = err
		return 0, e
	}
	if !info.Mode().IsRegular() {
		return 0, nexus.Invalid("path", "%q is not a file. An artifact is one file.", path)
	}
	return info.Size(), nil
}
