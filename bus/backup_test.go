package bus_test

import (
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"nexus/store"
	"nexus/store/storetest"
)

// A copy that is made while agents write through several handles is one state:
// every message with its deliveries and its event, no number missing.
func TestBackupOfLiveStore(t *testing.T) {
	o := storetest.SQLite(t)
	kits := []*kit{newKit(t, o.Open(t), settings()), newKit(t, o.Open(t), settings())}
	kits[1].root = kits[0].root
	for _, name := range []string{"a", "b", "c"} {
		kits[0].open(name)
	}
	everybody := object{"strategy": "broadcast"}
	var sent atomic.Int64
	done := make(chan struct{})
	var writers sync.WaitGroup
	for worker := range 4 {
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				kits[worker%2].send("a", everybody)
				sent.Add(1)
			}
		})
	}
	dir := t.TempDir()
	for i := range 5 {
		atLeast := sent.Load()
		file := filepath.Join(dir, strconv.Itoa(i))
		report, err := store.Backup(t.Context(), store.BackupOptions{From: o.URL, To: file})
		if err != nil {
			t.Fatal(err)
		}
		if problems, err := store.Check(t.Context(), file, true); err != nil || len(problems) > 0 {
			t.Errorf("the copy has problems: %v, %v", problems, err)
		}
		messages := number(t, file, `SELECT count(*) FROM messages`)
		if messages < atLeast {
			t.Errorf("%d messages were acknowledged before, and %d are in the copy", atLeast, messages)
		}
		if n := number(t, file, `SELECT count(*) FROM messages m WHERE 2 <> (SELECT count(*) FROM message_deliveries d WHERE d.message_id = m.message_id)`); n != 0 {
			t.Errorf("%d messages have not their two deliveries", n)
		}
		if n := number(t, file, `SELECT count(*) FROM events WHERE type = 'message.created'`); n != messages {
			t.Errorf("%d messages have %d events", messages, n)
		}
		if last := number(t, file, `SELECT max(event_id) FROM events`); last != report.Events {
			t.Errorf("%d events go up to number %d", report.Events, last)
		}
	}
	close(done)
	writers.Wait()
}

func number(t *testing.T, file, query string) (n int64) {
	t.Helper()
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return n
}
