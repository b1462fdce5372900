package serve

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"nexus"
)

const (
	backupType = "application/vnd.sqlite3"
	// backupPause is when it is worth asking again while another one is made.
	backupPause = 10 // seconds
)

// serveBackup sends a copy of the whole database. Copies are large, so one is
// made at a time, and none for a client that has hung up or by a hub that stops.
func (s *Server) serveBackup(w http.ResponseWriter, r *http.Request) {
	if err := s.mayBackUp(r.Context()); err != nil {
		s.fail(w, r, err)
		return
	}
	if !s.backups.TryLock() {
		s.fail(w, r, nexus.Errorf(nexus.RateLimited, "Another backup is being made. Try again when it is done.").With("limit", "backups").With("retry_after_seconds", backupPause))
		return
	}
	defer s.backups.Unlock()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.stopping, func() {
		cancel(nexus.Errorf(nexus.Unavailable, "The hub is stopping. Make the backup when it runs again, or with nexus admin backup."))
	})()
	copied, size, err := s.deps.Backup(ctx)
	switch {
	case r.Context().Err() != nil && err != nil: // nobody is left to tell
		return
	case err != nil:
		s.fail(w, r, err)
		return
	}
	defer func() { _ = copied.Close() }()
	h := w.Header()
	h.Set("Content-Type", backupType)
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	h.Set("Content-Disposition", `attachment; filename="nexus-`+s.deps.Now().UTC().Format("20060102-150405")+`.db"`)
	s.sendBackup(ctx, w, copied)
}

func (s *Server) mayBackUp(ctx context.Context) error {
	if err := nexus.ActorFrom(ctx).Administers(); err != nil {
		return err
	}
	if s.deps.Backup == nil {
		return nexus.Errorf(nexus.ValidationError, "There is no database to back up here.")
	}
	return nil
}

// sendBackup copies until the client has it all. A client that no longer takes
// anything would hold up a hub that stops; then the connection is cut.
func (s *Server) sendBackup(ctx context.Context, w http.ResponseWriter, copied io.Reader) {
	defer context.AfterFunc(ctx, func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) })()
	n, err := io.Copy(w, copied)
	if err != nil {
		s.deps.Log.InfoContext(ctx, "a backup was not sent to its end", "bytes", n, "cause", err)
		panic(http.ErrAbortHandler) // the client must not take a part for the whole
	}
	s.deps.Log.InfoContext(ctx, "a backup was sent", "bytes", n)
}
