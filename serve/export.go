package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"nexus"
	"nexus/op"
)

// A WorkspaceLog reads the log of one workspace, for those who take it away whole.
type WorkspaceLog interface {
	// LogEnd is where the log ends now. A workspace that does not exist is
	// NOT_FOUND.
	LogEnd(ctx context.Context, workspaceID string) (int64, error)
	// Log is the events after one number and up to another.
	Log(ctx context.Context, workspaceID string, after, upTo int64, limit int) ([]nexus.Event, error)
}

// ExportFormat is raised when a reader of the old form would stumble.
const ExportFormat = 1

// An ExportManifest is the first line of an export.
type ExportManifest struct {
	Kind           string        `json:"kind"`
	FormatVersion  int           `json:"format_version"`
	ExportedAt     string        `json:"exported_at"`
	SchemaVersion  int           `json:"schema_version"`
	PackageVersion string        `json:"package_version"`
	Filters        ExportFilters `json:"filters"`
	// LastEventID is where the log ended when the export began.
	LastEventID int64 `json:"last_event_id"`
}

// ExportFilters say what of the log an export is.
type ExportFilters struct {
	TraceID     *string `json:"trace_id"`
	WorkspaceID *string `json:"workspace_id,omitempty"`
}

// An exportedEvent is an event with all that is stored of it.
type exportedEvent struct {
	ID          int64           `json:"event_id"`
	WorkspaceID *string         `json:"workspace_id"`
	Stream      string          `json:"stream"`
	Type        string          `json:"type"`
	CreatedAt   string          `json:"created_at"`
	Actor       *string         `json:"actor_agent_id"`
	TaskID      *string         `json:"task_id"`
	HandoffID   *string         `json:"handoff_id"`
	Visibility  *string         `json:"visibility"`
	Target      json.RawMessage `json:"target"`
	Payload     json.RawMessage `json:"payload"`
	TraceID     *string         `json:"trace_id,omitempty"`
}

// ExportEvent writes an event as one line of an export.
func ExportEvent(w io.Writer, e nexus.Event) error {
	return writeLine(w, exportedEvent{
		ID: e.ID, WorkspaceID: orNull(e.WorkspaceID), Stream: e.Stream, Type: e.Type, CreatedAt: e.CreatedAt,
		Actor: orNull(e.Actor), TaskID: orNull(e.TaskID), HandoffID: orNull(e.HandoffID),
		Visibility: orNull(e.Visibility), Target: e.Target, Payload: e.Payload, TraceID: orNull(e.Trace),
	})
}

// writeLine writes v as one line of JSON, in one piece.
func writeLine(w io.Writer, v any) error {
	line, err := op.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// exportPage is how many events are read at a time. Each page is a read of its
// own, so however slowly it is taken an export holds nothing up.
const exportPage = 500

// serveExport sends the log of a workspace as a file, one JSON object a line. An
// export that cannot be finished is cut off, so that nobody takes it for whole.
func (s *Server) serveExport(w http.ResponseWriter, r *http.Request) {
	workspace := r.PathValue("workspace_id")
	if s.deps.Exports == nil {
		s.fail(w, r, noSuchPath(r))
		return
	}
	end, err := s.deps.Exports.LogEnd(r.Context(), workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="`+exportName(workspace)+`"`)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	if err := s.export(r.Context(), w, workspace, end); err != nil {
		s.deps.Log.DebugContext(r.Context(), "an export was not finished", "cause", err)
		panic(http.ErrAbortHandler)
	}
}

func (s *Server) export(ctx context.Context, to http.ResponseWriter, workspace string, end int64) error {
	w := bufio.NewWriter(to)
	if err := writeLine(w, ExportManifest{
		Kind: "manifest", FormatVersion: ExportFormat, ExportedAt: nexus.Stamp(s.deps.Now()), SchemaVersion: s.deps.SchemaVersion,
		PackageVersion: s.deps.Version, Filters: ExportFilters{WorkspaceID: &workspace}, LastEventID: end,
	}); err != nil {
		return err
	}
	for after := int64(0); after < end; {
		if s.isStopping() {
			return nexus.ErrStopping
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		page, err := s.deps.Exports.Log(ctx, workspace, after, end, exportPage)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := ExportEvent(w, e); err != nil {
				return err
			}
		}
		if len(page) < exportPage {
			break
		}
		after = page[len(page)-1].ID
	}
	return w.Flush()
}

// exportName is what a browser calls the file. Of the workspace it has only what
// is harmless in a header and in a file system.
func exportName(workspace string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, workspace)
	return "nexus-events-" + plain[:min(12, len(plain))] + ".ndjson"
}
