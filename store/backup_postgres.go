package store

import (
	"net/url"
	"strings"
)

// libpq are the parameters of an address that PostgreSQL's own programs know
// and that are no secrets.
var libpq = []string{"host", "port", "user", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey"}

// DumpCommand is the command line that backs a PostgreSQL database up to a file.
// The password is not part of it: pg_dump asks, or looks into its own files.
func DumpCommand(address, file string) string {
	words := append([]string{"pg_dump", "--format=custom", "--no-owner"}, schemaFlag(address)...)
	return shellLine(append(words, "--file="+file, "--dbname="+withoutSecrets(address)))
}

// RestoreCommand is the command line that puts such a file back.
func RestoreCommand(address, file string) string {
	return shellLine([]string{
		"pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction", "--dbname=" + withoutSecrets(address), file,
	})
}

// schemaFlag confines a dump to our schema where the address names one.
func schemaFlag(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Query().Get("search_path") == "" {
		return nil
	}
	schema, _, _ := strings.Cut(u.Query().Get("search_path"), ",")
	return []string{"--schema=" + strings.TrimSpace(schema)}
}

func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://…"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	given, kept := u.Query(), url.Values{}
	for _, name := range libpq {
		if value := given.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	u.RawQuery, u.Fragment = kept.Encode(), ""
	return u.String()
}

// shellLine writes words as a shell would read them back.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:@%") != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
