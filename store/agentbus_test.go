package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"nexus"
	"nexus/store"
	"nexus/store/storetest"
)

const agentBusSQL = `
	CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
	INSERT INTO meta VALUES ('schema_version', '6');
	CREATE TABLE topics (topic_id TEXT PRIMARY KEY, name TEXT, created_at REAL, status TEXT, closed_at REAL, close_reason TEXT, metadata_json TEXT);
	CREATE TABLE topic_seq (topic_id TEXT PRIMARY KEY, next_seq INTEGER, updated_at REAL);
	CREATE TABLE messages (message_id TEXT PRIMARY KEY, topic_id TEXT, seq INTEGER, sender TEXT, message_type TEXT, reply_to TEXT,
		content_markdown TEXT, metadata_json TEXT, client_message_id TEXT, created_at REAL);
	CREATE TABLE cursors (topic_id TEXT, agent_name TEXT, last_seq INTEGER, updated_at REAL, PRIMARY KEY (topic_id, agent_name));
	INSERT INTO topics VALUES ('t', 'pink', 1700000000.123456, 'open', NULL, NULL, 'no JSON');
	INSERT INTO messages VALUES ('m', 't', 7, 'ada', 'message', NULL, 'hello', '[1]', NULL, 1700000000.654321);`

// leaveAgentBus makes a database as agent-bus leaves it when it is killed: what it
// wrote last is only in the log beside the file.
func leaveAgentBus(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	live := filepath.Join(dir, "live.sqlite")
	conn, err := sqlite.OpenConn(live, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, agentBusSQL, nil); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "agent_bus.sqlite")
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(live + end)
		if err != nil || len(b) == 0 {
			t.Fatalf("read %s: %d bytes, %v", live+end, len(b), err)
		}
		if err := os.WriteFile(path+end, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// Neither refusing nor importing such a database changes a byte of it, not even
// what its owner would do at its next start.
func TestAgentBusIsOnlyRead(t *testing.T) {
	path := leaveAgentBus(t)
	before := map[string][]byte{}
	for _, end := range []string{"", "-wal"} {
		before[end], _ = os.ReadFile(path + end)
	}
	if _, err := store.Open(t.Context(), storetest.Opener{URL: path}.Options()); nexus.CodeOf(err) != nexus.SchemaMismatch {
		t.Errorf("opening it: %v", err)
	}
	from, err := store.OpenAgentBus(path)
	if err != nil {
		t.Fatal(err)
	}
	topics, err := from.Topics()
	if err != nil || len(topics) != 1 || topics[0].LastSeq != 7 || topics[0].CreatedAt != 1700000000.123456 || topics[0].Metadata != nil {
		t.Errorf("its topics are %+v, %v", topics, err)
	}
	posts, err := from.Posts("t", 0, 10)
	if err != nil || len(posts) != 1 || posts[0].CreatedAt != 1700000000.654321 || posts[0].Metadata != nil {
		t.Errorf("its messages are %+v, %v", posts, err)
	}
	if names, err := from.Reservations("t"); err != nil || len(names) != 0 { // an old one has no such table
		t.Errorf("its names are %v, %v", names, err)
	}
	if err := from.Close(); err != nil {
		t.Error(err)
	}
	for end, was := range before {
		if is, err := os.ReadFile(path + end); err != nil || !bytes.Equal(is, was) {
			t.Errorf("%s has changed, %v", filepath.Base(path+end), err)
		}
	}
}
