package hub

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"nexus"
)

const (
	longestName    = 256
	shortestSecret = 16
	longestSecret  = 256
)

func checkWorkspace(tx Tx, id *string) error {
	if notBlank(id) == nil {
		return nil
	}
	exists, err := tx.WorkspaceExists(*id)
	if err == nil && !exists {
		return nexus.Invalid("workspace", "There is no workspace %q. Take the workspace_id of one that workspace_list shows.", clip(*id, longestName))
	}
	return err
}

func checkName(name *string) error {
	switch {
	case name == nil:
		return nil
	case utf8.RuneCountInString(*name) > longestName:
		return nexus.Invalid("name", "name is too long; at most %d characters are allowed.", longestName)
	case strings.ContainsFunc(*name, unicode.IsControl):
		return nexus.Invalid("name", "name holds a control character.")
	}
	return nil
}

func checkSecret(secret string) error {
	if secret == "" {
		return nil
	}
	if n := utf8.RuneCountInString(secret); n < shortestSecret || n > longestSecret || strings.ContainsFunc(secret, unicode.IsControl) {
		return nexus.Invalid("secret", "secret must have %d to %d characters, none of them a control character. Leave it out and a good one is made.",
			shortestSecret, longestSecret)
	}
	return nil
}

func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return "whsec_" + hex.EncodeToString(random[:])
}

// notBlank is nil where there is nothing.
func notBlank(s *string) *string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return nil
	}
	return s
}
