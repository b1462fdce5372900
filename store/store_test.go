package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/store/storetest"
)

// note appends an event to the operators' stream.
func note(tx *store.Tx, kind string) (*nexus.Event, error) {
	e := &nexus.Event{Stream: nexus.StreamSystem, Type: kind, CreatedAt: nexus.Stamp(time.Now())}
	return e, tx.AppendEvent(e)
}

func lastEvent(t *testing.T, db *store.DB) (n int64) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) (err error) {
		n, err = tx.LastEvent()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// workspaces are the ids of all that are stored.
func workspaces(t *testing.T, db *store.DB) map[string]bool {
	t.Helper()
	stored := map[string]bool{}
	err := db.View(t.Context(), func(tx *store.Tx) error {
		all, err := tx.Workspaces()
		for _, w := range all {
			stored[w.ID] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func TestUpdate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		ctx := t.Context()

		t.Run("numbers its events", func(t *testing.T) {
			got, err := db.Update(ctx, func(tx *store.Tx) (any, error) { return note(tx, "one") })
			if err != nil {
				t.Fatal(err)
			}
			if id := got.(*nexus.Event).ID; id != 1 {
				t.Errorf("the first event has number %d", id)
			}
		})
		t.Run("an error undoes the caller", func(t *testing.T) {
			before := lastEvent(t, db)
			oops := errors.New("oops")
			_, err := db.Update(ctx, func(tx *store.Tx) (any, error) {
				if _, err := note(tx, "two"); err != nil {
					return nil, err
				}
				return nil, oops
			})
			if !errors.Is(err, oops) || lastEvent(t, db) != before {
				t.Errorf("got %v, last event %d, want %d", err, lastEvent(t, db), before)
			}
		})
		t.Run("a panic is an internal error and the writer lives on", func(t *testing.T) {
			before := lastEvent(t, db)
			_, err := db.Update(ctx, func(tx *store.Tx) (any, error) {
				_, _ = note(tx, "three")
				panic("boom")
			})
			if nexus.CodeOf(err) != nexus.Internal {
				t.Errorf("got %v, want INTERNAL_ERROR", err)
			}
			if _, err := db.Update(ctx, func(tx *store.Tx) (any, error) { return note(tx, "four") }); err != nil {
				t.Fatal(err)
			}
			if got := lastEvent(t, db); got != before+1 {
				t.Errorf("last event %d, want %d: numbers have no gaps", got, before+1)
			}
		})
		t.Run("a cancelled caller is skipped", func(t *testing.T) {
			gone, cancel := context.WithCancel(ctx)
			cancel()
			_, err := db.Update(gone, func(*store.Tx) (any, error) { t.Error("it ran"); return nil, nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	})
}

// One caller's failure in a batch leaves the others' work alone.
func TestUpdateBatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		const callers = 64
		var wg sync.WaitGroup
		var mu sync.Mutex
		var ids []int64
		for i := range callers {
			wg.Go(func() {
				got, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) {
					e, err := note(tx, fmt.Sprintf("n%d", i))
					if err != nil {
						return nil, err
					}
					id := fmt.Sprint(i)
					if _, err := tx.InsertWorkspace(bus.Workspace{ID: id, Root: id, CreatedAt: "now", LastSeenAt: "now"}); err != nil {
						return nil, err
					}
					if i%4 == 0 {
						return nil, errors.New("refused")
					}
					if i%4 == 1 {
						panic("boom")
					}
					return e, err
				})
				if (i%4 < 2) != (err != nil) {
					t.Errorf("caller %d: %v", i, err)
				}
				if err == nil {
					mu.Lock()
					ids = append(ids, got.(*nexus.Event).ID)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.Sort(ids)
		for i, id := range ids {
			if id != int64(i+1) {
				t.Fatalf("numbers %v are not 1 to %d", ids, callers/2)
			}
		}
		if got := lastEvent(t, db); got != callers/2 {
			t.Errorf("last event %d, want %d", got, callers/2)
		}
		for id := range workspaces(t, db) {
			if i, _ := strconv.Atoi(id); i%4 < 2 {
				t.Errorf("what caller %d wrote before it failed is there", i)
			}
		}
	})
}

// A reader that asks for numbers above its last never misses one, however many
// write through however many connections.
func TestEventOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		const writers, each = 4, 60
		dbs := []*store.DB{o.Open(t), o.Open(t)}
		reader := o.Open(t)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				for range each {
					if _, err := dbs[i%len(dbs)].Update(t.Context(), func(tx *store.Tx) (any, error) { return note(tx, "tick") }); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		follow(t, reader, writers*each)
		wg.Wait()
	})
}

func TestIdempotency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		dbs := []*store.DB{o.Open(t), o.Open(t)}
		call := func(db *store.DB, k nexus.Idempotency) (int64, error) {
			s := store.Of[*store.Tx]{DB: db}
			return nexus.Update(nexus.WithIdempotency(t.Context(), k), s, func(tx *store.Tx) (int64, error) {
				e, err := note(tx, "once")
				return e.ID + 41, err
			})
		}
		key := nexus.Idempotency{Op: "op", Scope: "me", Key: "k", Body: "b"}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if _, err := call(dbs[i%2], key); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := lastEvent(t, dbs[0]); got != 1 {
			t.Errorf("the call took effect %d times", got)
		}
		other := key
		other.Body = "c"
		if _, err := call(dbs[0], other); nexus.CodeOf(err) != nexus.Conflict {
			t.Errorf("another body under the same key: got %v, want CONFLICT", err)
		}
		other.Scope = "you"
		if _, err := call(dbs[0], other); err != nil {
			t.Errorf("the same key of somebody else: %v", err)
		}
	})
}

func TestIdempotencyKeepsNoSecret(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		ctx := nexus.WithIdempotency(t.Context(), nexus.Idempotency{Op: "op", Key: "k", Secret: true})
		make := func() (any, error) {
			return db.Update(ctx, func(*store.Tx) (any, error) { return made("s1"), nil })
		}
		if _, err := make(); err != nil {
			t.Fatal(err)
		}
		_, err := make()
		if e := nexus.AsError(err); e == nil || e.Code != nexus.Conflict || e.Details["id"] != "s1" {
			t.Errorf("got %v, want CONFLICT that names s1", err)
		}
	})
}

type made string

func (m made) MadeID() string { return string(m) }

func TestWakeOnlyThoseConcerned(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		mine, stopMine := db.Watch("inbox/me")
		defer stopMine()
		yours, stopYours := db.Watch("inbox/you")
		defer stopYours()
		drain(mine, yours) // a listener that just connected wakes everybody once
		if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) { tx.Wake("inbox/me"); return nil, nil }); err != nil {
			t.Fatal(err)
		}
		select {
		case <-mine:
		default:
			t.Error("the commit was answered before it woke its waiter")
		}
		if !store.IsPostgres(o.URL) {
			select {
			case <-yours:
				t.Error("a commit for somebody else woke this waiter")
			default:
			}
		}
	})
}

func drain(channels ...<-chan struct{}) {
	for _, c := range channels {
		select {
		case <-c:
		default:
		}
	}
}

func TestWakeAcrossProcesses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		here, there := o.Open(t), o.Open(t)
		ready, stop := here.Watch("inbox/me")
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		go func() {
			_, err := there.Update(ctx, func(tx *store.Tx) (any, error) {
				tx.Wake("inbox/me")
				return note(tx, "rung")
			})
			if err != nil {
				t.Error(err)
			}
		}()
		select {
		case <-ready:
		case <-ctx.Done():
			t.Fatal("the waiter was never woken")
		}
	})
}

func TestOpenMany(t *testing.T) {
	storetest.EachEmpty(t, func(t *testing.T, o storetest.Opener) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				db, err := store.Open(t.Context(), o.Options())
				if err != nil {
					t.Error(err)
					return
				}
				if err := db.Ping(t.Context()); err != nil {
					t.Error(err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Run("a file of another program", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "foreign.db")
		store.MakeForeign(t, path)
		before, _ := os.ReadFile(path)
		_, err := store.Open(t.Context(), store.Options{URL: path})
		if nexus.CodeOf(err) != nexus.DBError {
			t.Errorf("got %v, want DB_ERROR", err)
		}
		if after, _ := os.ReadFile(path); string(before) != string(after) {
			t.Error("the file was changed")
		}
	})
	for name, script := range map[string]string{
		"a file of agent-bus of another version": `CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); INSERT INTO meta VALUES ('schema_version', '5');`,
		"a file of agent-bus without a version":  `CREATE TABLE topics (topic_id TEXT PRIMARY KEY, name TEXT); CREATE TABLE messages (message_id TEXT PRIMARY KEY);`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "agent_bus.sqlite")
			store.MakeWith(t, path, script)
			before, _ := os.ReadFile(path)
			_, err := store.Open(t.Context(), store.Options{URL: path})
			if nexus.CodeOf(err) != nexus.SchemaMismatch || !strings.Contains(err.Error(), "wipe") {
				t.Errorf("got %v, want DB_SCHEMA_MISMATCH that says how to start anew", err)
			}
			if after, _ := os.ReadFile(path); string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
	t.Run("what is no database", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "notes.txt")
		if err := os.WriteFile(path, []byte("these are my notes, and they are long enough to be looked at as a header"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), store.Options{URL: path})
		if e := nexus.AsError(err); e == nil || e.Code != nexus.DBError || e.Details["retryable"] != nil {
			t.Errorf("got %v, want DB_ERROR for good", err)
		}
	})
	t.Run("a newer database that was not closed", func(t *testing.T) {
		db := storetest.SQLite(t)
		live := db.Open(t)
		if _, err := live.Update(t.Context(), func(tx *store.Tx) (any, error) { return nil, tx.PretendMigrated(999) }); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "nexus.db")
		left := map[string][]byte{}
		for _, ending := range []string{"", "-wal"} {
			content, err := os.ReadFile(db.URL + ending)
			if err != nil || len(content) == 0 {
				t.Fatalf("%d bytes, %v", len(content), err)
			}
			if err := os.WriteFile(path+ending, content, 0o600); err != nil {
				t.Fatal(err)
			}
			left[path+ending] = content
		}
		if _, err := store.Open(t.Context(), store.Options{URL: path}); nexus.CodeOf(err) != nexus.MigrationError {
			t.Errorf("got %v, want MIGRATION_ERROR", err)
		}
		for name, before := range left {
			if after, _ := os.ReadFile(name); string(before) != string(after) {
				t.Errorf("%s was changed", filepath.Base(name))
			}
		}
	})
	t.Run("a newer database", func(t *testing.T) {
		storetest.Each(t, func(t *testing.T, o storetest.Opener) {
			db := o.Open(t)
			if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) { return nil, tx.PretendMigrated(999) }); err != nil {
				t.Fatal(err)
			}
			_, err := store.Open(t.Context(), o.Options())
			if nexus.CodeOf(err) != nexus.MigrationError {
				t.Errorf("got %v, want MIGRATION_ERROR", err)
			}
		})
	})
}

func TestFileMode(t *testing.T) {
	o := storetest.NoFile(t)
	db := o.Open(t)
	if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) { return note(tx, "x") }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{o.URL, o.URL + "-wal"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v; want 0600", name, info.Mode(), err)
		}
	}
}

// Both databases have the same tables and columns.
func TestSchemasAgree(t *testing.T) {
	sqlite, postgres := storetest.SQLite(t).Open(t), storetest.Postgres(t).Open(t)
	want, got := store.Columns(t, sqlite), store.Columns(t, postgres)
	got = slices.DeleteFunc(got, func(c string) bool { return c == "event_counter.last" }) // SQLite counts by itself
	if !slices.Equal(got, want) {
		t.Errorf("PostgreSQL has\n%v\nSQLite has\n%v", got, want)
	}
}
