package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"nexus"
	"nexus/topic"
)

// An AgentBus is a database of agent-bus, the program that topics replace. It is
// only ever read.
type AgentBus struct {
	conn *sqliteConn
	tx   *Tx
}

var _ topic.Source = (*AgentBus)(nil)

// agentBusSchema is the version of its schema that can be read.
const agentBusSchema = "6"

// OpenAgentBus opens a database of agent-bus and reads all of it as it is now.
func OpenAgentBus(path string) (*AgentBus, error) {
	conn, err := openToRead(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nexus.Errorf(nexus.NotFound, "There is no file %s.", path)
	}
	if err != nil {
		return nil, err
	}
	b := &AgentBus{conn, &Tx{conn: conn}}
	if err := b.begin(path); err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

func (b *AgentBus) begin(path string) error {
	if _, err := b.conn.exec("BEGIN"); err != nil {
		return err
	}
	switch err := checkOwner(b.tx, path); {
	case err == nil || errors.Is(err, ErrForeign):
		return nexus.Errorf(nexus.ConfigError, "%s is no database of agent-bus.", path)
	case nexus.CodeOf(err) != nexus.SchemaMismatch:
		return err
	}
	version, err := b.version()
	if err == nil && version != agentBusSchema {
		err = nexus.Errorf(nexus.SchemaMismatch, "%s has schema %q; only schema %s can be imported. Bring it up to date with agent-bus first.",
			path, version, agentBusSchema)
	}
	return err
}

// version is that of the schema, "" where the file has not all of its tables or
// does not say.
func (b *AgentBus) version() (version string, err error) {
	var parts int
	_, err = b.tx.one(`
		SELECT (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('topics', 'messages'))
			+ (SELECT count(*) FROM pragma_table_info('meta') WHERE name IN ('key', 'value'))`, nil, &parts)
	if err != nil || parts < 4 {
		return "", err
	}
	_, err = b.tx.one(`SELECT value FROM meta WHERE key = 'schema_version'`, nil, &version)
	return version, err
}

// Close ends the reading.
func (b *AgentBus) Close() error { return b.conn.close() }

// openToRead opens a file without changing a byte of it. Where the program that
// made it left no log beside it, not even a lock is taken.
func openToRead(path string) (*sqliteConn, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	switch info, err := os.Stat(absolute); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, nexus.Errorf(nexus.ConfigError, "%s is not a file: name the database itself.", path)
	}
	how := "immutable=1"
	if hasLog(absolute) {
		how = "mode=ro"
	}
	uri := url.URL{Scheme: "file", Path: absolute, RawQuery: how}
	c, err := sqlite.OpenConn(uri.String(), sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return nil, sqliteError("open", err)
	}
	c.SetBusyTimeout(5 * time.Second)
	return &sqliteConn{Conn: c, stmts: map[string]prepared{}}, nil
}

// isAgentBus knows a database of agent-bus by one of its tables. One whose
// version is missing, or that is not complete, is one too.
func isAgentBus(tx *Tx) (bool, error) {
	for _, name := range []string{"meta", "topics"} {
		if exists, err := tx.tableExists(name); err != nil || exists {
			return exists, err
		}
	}
	return false, nil
}

func foreignTopics(path string) error {
	return nexus.Errorf(nexus.SchemaMismatch,
		"%s is a database of agent-bus, which Nexus does not write to. It was left as it is. "+
			"Take its topics over with \"nexus import agent-bus %s\" and run without AGENT_BUS_DB and --db. To start with no topics, name a new file there or wipe this one: delete it.", path, path)
}

// refuseUntouched refuses a database of another program, or of a newer version of
// this one, before it is opened for writing: closing such a connection would tidy
// up what others left. What it cannot judge it leaves to those who open the file.
func refuseUntouched(path string, m migrations) error {
	if isOurs(path) && !hasLog(path) {
		return nil
	}
	conn, err := openToRead(path)
	if err != nil {
		return nil //nolint:nilerr // it is told when the file is opened
	}
	defer func() { _ = conn.close() }()
	conn.SetBusyTimeout(0) // who opens it for writing waits
	tx := &Tx{conn: conn}
	err = checkOwner(tx, path)
	if err == nil {
		_, err = m.pending(tx)
	}
	if code := nexus.CodeOf(err); code == nexus.SchemaMismatch || code == nexus.MigrationError || errors.Is(err, ErrForeign) {
		return err
	}
	return nil
}

// isOurs looks for our mark in the header of the file, or for no header at all.
func isOurs(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	header := make([]byte, 100)
	if _, err := io.ReadFull(f, header); err != nil {
		return true
	}
	return binary.BigEndian.Uint32(header[68:]) == applicationID
}

// micro selects seconds as a whole number of microseconds; text would cut them.
func micro(column string) string { return "CAST(round(" + column + " * 1000000) AS INTEGER)" }

func fromMicro(n int64) float64 { return topic.Seconds(time.UnixMicro(n)) }

// Topics are all topics, with the last number that each has given.
func (b *AgentBus) Topics() ([]topic.Topic, error) {
	return list(b.tx, `
		SELECT topic_id, name, status, metadata_json, `+micro("created_at")+`, `+micro("closed_at")+`, close_reason,
			max(coalesce((SELECT next_seq - 1 FROM topic_seq s WHERE s.topic_id = topics.topic_id), 0),
				coalesce((SELECT max(seq) FROM messages m WHERE m.topic_id = topics.topic_id), 0))
		FROM topics ORDER BY created_at, topic_id`, nil, func(r row) (t topic.Topic, err error) {
		var created, closed int64
		var metadata json.RawMessage
		err = r.scan(&t.ID, &t.Name, &t.Status, &metadata, &created, &closed, &t.CloseReason, &t.LastSeq)
		t.Metadata, t.CreatedAt, t.UpdatedAt = readable(metadata), fromMicro(created), fromMicro(created)
		if closed != 0 {
			at := fromMicro(closed)
			t.ClosedAt, t.UpdatedAt = &at, at
		}
		return t, err
	})
}

// readable is metadata that is an object; anything else was none.
func readable(raw json.RawMessage) nexus.Object {
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return nil
	}
	return nexus.Object(raw)
}

// Posts are messages after a number, in order.
func (b *AgentBus) Posts(topicID string, after int64, limit int) ([]topic.Post, error) {
	return list(b.tx, `
		SELECT message_id, topic_id, seq, sender, message_type, reply_to, content_markdown, metadata_json, client_message_id, `+micro("created_at")+`
		FROM messages WHERE topic_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, args(topicID, after, limit), func(r row) (p topic.Post, err error) {
		var created int64
		var metadata json.RawMessage
		err = r.scan(&p.ID, &p.TopicID, &p.Seq, &p.Sender, &p.Type, &p.ReplyTo, &p.Content, &metadata, &p.ClientMessageID, &created)
		p.Metadata, p.CreatedAt = readable(metadata), fromMicro(created)
		return p, err
	})
}

// Peers are the cursors of a topic.
func (b *AgentBus) Peers(topicID string) ([]topic.Peer, error) {
	return list(b.tx, `SELECT agent_name, last_seq, `+micro("updated_at")+` FROM cursors WHERE topic_id = $1 ORDER BY agent_name`,
		args(topicID), func(r row) (p topic.Peer, err error) {
			var updated int64
			err = r.scan(&p.AgentName, &p.LastSeq, &updated)
			p.UpdatedAt = fromMicro(updated)
			return p, err
		})
}

// Reservations are the names that are taken in a topic. Older versions reserved
// none.
func (b *AgentBus) Reservations(topicID string) ([]topic.Reservation, error) {
	exists, err := b.tx.tableExists("agent_name_reservations")
	if err != nil || !exists {
		return nil, err
	}
	return list(b.tx, `
		SELECT topic_id, agent_name, reclaim_token, `+micro("created_at")+`, `+micro("last_claimed_at")+`
		FROM agent_name_reservations WHERE topic_id = $1 ORDER BY agent_name`, args(topicID), func(r row) (v topic.Reservation, err error) {
		var token string
		var created, claimed int64
		if err := r.scan(&v.TopicID, &v.Name, &token, &created, &claimed); err != nil {
			return v, fmt.Errorf("read a reserved name: %w", err)
		}
		v.TokenHash, v.CreatedAt, v.ClaimedAt = topic.HashToken(token), fromMicro(created), fromMicro(claimed)
		return v, nil
	})
}
