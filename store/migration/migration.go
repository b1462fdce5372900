// Package migration holds the scripts that make the tables, in one folder per
// database. Both have the same numbers and names.
package migration

import "embed"

// Files are the scripts.
//
//go:embed sqlite/*.sql postgres/*.sql
var Files embed.FS

// The folders of the databases.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)
