package store

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// Check reads the whole database file at path and returns what is wrong with
// it; nothing, if all is well. A deep check also compares every index with its
// table and looks for rows that refer to nothing, which takes much longer.
//
// It changes nothing: it makes no file, migrates nothing and mends nothing.
// Others may work on the database meanwhile. The error is for what could not be
// checked: there is no such file, or it is none of ours.
func Check(ctx context.Context, path string, deep bool) ([]string, error) {
	conn, err := openOwn(path)
	switch {
	case isDamage(err):
		return []string{"the file is damaged or is no database"}, nil
	case err != nil:
		return nil, err
	}
	defer func() { _ = conn.close() }()
	conn.SetInterrupt(ctx.Done())
	return conn.problems(ctx, deep)
}

// problems runs SQLite's own checks on the connection's database.
func (c *sqliteConn) problems(ctx context.Context, deep bool) ([]string, error) {
	checks := []string{`SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok'`}
	if deep {
		checks = []string{
			`SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
			`SELECT 'a row of ' || "table" || ' refers to a row of ' || parent || ' that is not there' FROM pragma_foreign_key_check LIMIT 100`,
		}
	}
	found := []string{}
	for _, sql := range checks {
		some, err := list(&Tx{conn: c}, sql, nil, text)
		found = append(found, some...)
		if isDamage(err) { // too much to go on looking
			return append(found, "the file is damaged"), nil
		}
		if err != nil {
			return nil, interrupted(ctx, err)
		}
	}
	return found, nil
}

// isDamage tells whether an error means that the file is not what it should be.
func isDamage(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}
