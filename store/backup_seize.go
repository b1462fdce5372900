package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"nexus"
)

// seize opens the database for this process alone, until the connection is
// closed, and refuses when another process has it open, whatever it does with
// it: as long as the database has a write-ahead log, every connection holds a
// shared lock. A file that does not exist, or is damaged, is an error that says
// so.
func seize(path string) (*sqliteConn, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, sqliteError("open", err)
	}
	c.SetBusyTimeout(0)
	conn := &sqliteConn{Conn: c, stmts: map[string]prepared{}}
	for _, sql := range []string{"PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", "COMMIT"} { // the lock stays
		if err == nil {
			_, err = conn.exec(sql)
		}
	}
	if err == nil {
		err = checkOwner(&Tx{conn: conn}, path)
	}
	if err == nil {
		return conn, nil
	}
	_ = conn.close()
	if code := sqlite.ErrCode(err).ToPrimary(); code == sqlite.ResultBusy || code == sqlite.ResultLocked {
		return nil, &nexus.Error{
			Code: nexus.Conflict, Err: err,
			Msg: fmt.Sprintf("Another process has %s open. End it (a hub, nexus mcp, another program), then try again. Nothing was changed.", path),
		}
	}
	return nil, err
}

// settle merges what is in the log into the file, so that the file alone is the
// database, and tells the last number that an event was given, also one that was
// deleted since.
func (c *sqliteConn) settle() (last int64, err error) {
	if _, err := c.exec("PRAGMA journal_mode=DELETE"); err != nil {
		return 0, err
	}
	tx := &Tx{conn: c}
	if found, err := tx.tableExists("events"); err != nil || !found {
		return 0, err
	}
	_, err = tx.one(`SELECT max(seq) FROM sqlite_sequence WHERE name = 'events'`, nil, &last)
	return last, err
}

// continueLog makes the log of the copy go on where that of the database ended,
// and notes there what was done.
func (r *restorer) continueLog(last int64, report RestoreReport) error {
	conn, err := openSQLiteConn(string(r.copy), copyPatience, false)
	if err != nil {
		return err
	}
	defer func() { _ = conn.close() }()
	payload, err := json.Marshal(map[string]any{
		"actor": nexus.KindOperator, "file": filepath.Base(report.File), "kept": report.Kept,
		"events": report.Events, "schema_version": report.SchemaVersion,
	})
	if err != nil {
		return err
	}
	err = conn.transaction(func(tx *Tx) error {
		if _, err := tx.exec(`UPDATE sqlite_sequence SET seq = $1 WHERE name = 'events' AND seq < $1`, last); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO sqlite_sequence (name, seq) SELECT 'events', $1
			WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')`, last); err != nil {
			return err
		}
		return conn.appendEvents([]*nexus.Event{{
			Stream: nexus.StreamSystem, Type: "store.restored", Actor: string(nexus.KindOperator),
			Payload: payload, CreatedAt: nexus.Stamp(r.Now()),
		}})
	})
	if err != nil {
		return err
	}
	_, err = conn.exec("PRAGMA journal_mode=WAL")
	return err
}
