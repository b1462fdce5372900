package bus

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"nexus"
)

// A SharedQuery says of which workspace and how much shared.md shows.
type SharedQuery struct {
	WorkspaceID string
	Lines       int // most sessions, tasks and hand-offs, of each
	Events      int
}

// A SharedView is what shared.md shows, each list in its final order. Neither
// hand-offs nor events have their payloads: what is not read cannot leak.
type SharedView struct {
	Sessions []SharedSession
	Tasks    []Task
	Handoffs []Handoff
	Events   []nexus.Event
}

// A SharedSession is an active session and who is in it.
type SharedSession struct {
	Agent
	SessionID, StartedAt, LastHeartbeatAt string
}

// RenderParams say of which workspace to write shared.md.
type RenderParams struct {
	WorkspaceID string `json:"workspace_id" jsonschema:"as workspace_resolve returned it" required:"WORKSPACE_REQUIRED"`
	LimitEvents *int   `json:"limit_events,omitempty" jsonschema:"how many of the newest events to list, 1 to 1000; default 50"`
}

// RenderResult is what was written where.
type RenderResult struct {
	Path             string `json:"path"`
	WorkspaceID      string `json:"workspace_id"`
	BytesWritten     int    `json:"bytes_written"`
	SectionsRendered int    `json:"sections_rendered"`
	LimitEvents      int    `json:"limit_events"`
	GeneratedAt      string `json:"generated_at"`
}

const (
	usualSharedEvents = 50
	mostSharedLines   = 1000
)

// RenderShared writes shared.md, a view of a workspace for people. It is made of
// one snapshot and nothing else, so the same state gives the same bytes: no
// clock decides what is in it. Readers find the old file or the new one, whole.
func (s *Service) RenderShared(ctx context.Context, p RenderParams) (RenderResult, error) {
	if err := cmp.Or(checkWorkspaceID(p.WorkspaceID), nexus.ActorFrom(ctx).MayEnter(p.WorkspaceID)); err != nil {
		return RenderResult{}, err
	}
	limit, most := usualSharedEvents, s.knobs().MaxSharedEvents
	if p.LimitEvents != nil {
		limit = *p.LimitEvents
		if limit < 1 || limit > most {
			return RenderResult{}, nexus.Invalid("limit_events", "limit_events must be between 1 and %d.", most)
		}
	}
	limit = min(limit, most)
	s.rendering.Lock()
	defer s.rendering.Unlock()
	text, err := nexus.View(ctx, s.store, func(tx Tx) (string, error) {
		w, found, err := tx.Workspace(p.WorkspaceID)
		if err != nil || !found {
			return "", orNotFound(err, "There is no workspace %q. Call workspace_resolve first.", p.WorkspaceID)
		}
		view, err := tx.Shared(SharedQuery{w.ID, mostSharedLines + 1, limit})
		return view.render(w), err
	})
	if err != nil {
		return RenderResult{}, err
	}
	path := filepath.Join(s.home, "workspaces", p.WorkspaceID, "shared.md")
	if err := s.replaceFile(path, text); err != nil {
		e := nexus.Errorf(nexus.RenderError, "%s could not be written. See that the hub may write there and that the disk has room.", path)
		e.Err = err
		return RenderResult{}, e
	}
	return RenderResult{path, p.WorkspaceID, len(text), sharedSections, limit, nexus.Stamp(s.now())}, nil
}

// checkWorkspaceID refuses what is no hash. It becomes part of a path, so
// nothing else may pass.
func checkWorkspaceID(id string) error {
	if strings.TrimSpace(id) == "" {
		return nexus.Errorf(nexus.WorkspaceRequired,
			"No workspace was given: pass the workspace_id that workspace_resolve returned.").With("field", "workspace_id")
	}
	if !IsWorkspaceID(id) {
		return nexus.Invalid("workspace_id", "workspace_id must be 64 lower-case hexadecimal digits, as workspace_resolve returned it.")
	}
	return nil
}

// replaceFile puts text in the place of a file in one step, and leaves nothing
// behind if it fails.
func (s *Service) replaceFile(path, text string) error {
	if s.home == "" {
		return fmt.Errorf("no home to write %s under", path)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".shared.md-*")
	if err != nil {
		return err
	}
	if err := fill(f, text); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return nil
}

// fill writes, flushes and closes a new file.
func fill(f *os.File, text string) error {
	_, err := f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}

// sharedSections is how many sections there are, whatever is in them.
const sharedSections = 4

func (v SharedView) render(w Workspace) string {
	var b strings.Builder
	name := filepath.Base(w.Root)
	if w.DisplayName != nil {
		name = *w.DisplayName
	}
	fmt.Fprintf(&b, "# Shared view: %s\n\nWorkspace %s at %s.\n", prose(name), code(w.ID), code(w.Root))
	b.WriteString("Written from the store by `shared_md_render` and never read back: changes made here are lost.\n")
	section(&b, "Agents & Sessions", v.Sessions, mostSharedLines, sessionLine)
	section(&b, "Open Tasks", v.Tasks, mostSharedLines, taskLine)
	section(&b, "Open Handoffs", v.Handoffs, mostSharedLines, handoffLine)
	section(&b, "Recent Events", v.Events, len(v.Events), eventLine)
	return b.String()
}

// section writes one line for each row, up to most of them.
func section[R any](b *strings.Builder, title string, rows []R, most int, line func(R) string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, r := range rows[:min(len(rows), most)] {
		b.WriteString("- " + line(r) + "\n")
	}
	switch {
	case len(rows) == 0:
		b.WriteString("_(none)_\n")
	case len(rows) > most:
		fmt.Fprintf(b, "\n_(only the first %d are shown)_\n", most)
	}
}

func sessionLine(s SharedSession) string {
	line := code(s.ID)
	if s.Role != nil {
		line += ", " + code(*s.Role)
	}
	if words, _ := capabilitySet(s.Capabilities); len(words) > 0 {
		line += ", can " + code(strings.Join(words, ", "))
	}
	return fmt.Sprintf("%s: session %s since %s, last heard %s", line, code(s.SessionID), s.StartedAt, s.LastHeartbeatAt)
}

func taskLine(t Task) string {
	line := fmt.Sprintf("%s %s, priority %d: %s", code(t.ID), t.Status, t.Priority, prose(t.Title))
	if t.Assignee != nil {
		line += ", assigned to " + code(*t.Assignee)
	}
	if t.Reason != nil {
		line += ", because " + prose(*t.Reason)
	}
	return line
}

// hidden stands for what is not for everybody in the workspace.
const hidden = "[private]"

// handoffLine says of work that is not public neither for whom it is nor who
// took it, which would say the same.
func handoffLine(h Handoff) string {
	target, claimant := hidden, hidden
	if h.Visibility == nexus.VisibilityPublic {
		target, claimant = code(string(h.Target)), code(deref(h.ClaimedBy))
	}
	line := fmt.Sprintf("%s %s, priority %d: from %s for %s (%s) since %s",
		code(h.ID), h.Status, h.Priority, code(h.FromAgentID), target, h.Visibility, h.CreatedAt)
	if h.ClaimedBy != nil {
		line += ", claimed by " + claimant
	}
	if h.LeaseExpiresAt != nil {
		line += " until " + *h.LeaseExpiresAt
	}
	return line
}

// eventLine says of an event that is not public only that there was one.
func eventLine(e nexus.Event) string {
	line := fmt.Sprintf("#%d %s %s", e.ID, e.CreatedAt, code(e.Type))
	private := e.Visibility != "" && e.Visibility != nexus.VisibilityPublic
	switch {
	case e.Actor == "":
	case private && e.HandoffID != "" && e.Type != "handoff.created": // who took it is whom it was for
		line += " by " + hidden
	default:
		line += " by " + code(e.Actor)
	}
	if private {
		return line
	}
	if e.TaskID != "" {
		line += ", task " + code(e.TaskID)
	}
	if e.HandoffID != "" {
		line += ", hand-off " + code(e.HandoffID)
	}
	return line
}

// code shows what somebody wrote as it is, in a span that it cannot end.
func code(text string) string {
	text = oneLine(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if text == "" || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

var markdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "#", `\#`, "&", `\&`)

// prose shows what somebody wrote as plain words.
func prose(text string) string { return markdown.Replace(oneLine(text)) }

// longestText is how many characters of one text are shown.
const longestText = 300

// oneLine makes one line of a text, so that it can begin nothing of its own, and
// takes out what would turn the rest of the line around.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestText {
		text = string(runes[:longestText]) + "…"
	}
	return text
}
