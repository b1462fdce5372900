package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/store"
	"nexus/store/storetest"
)

func inspect(t *testing.T, o storetest.Opener, check store.Depth) (store.Inspection, error) {
	t.Helper()
	return store.Inspect(t.Context(), store.InspectOptions{
		URL: o.URL, Busy: 5 * time.Second, Check: check, PresentSince: time.Now().Add(-time.Minute),
	})
}

// A look sees what is there, beside whoever has it open, and makes nothing.
func TestInspect(t *testing.T) {
	storetest.EachEmpty(t, func(t *testing.T, o storetest.Opener) {
		i, err := inspect(t, o, store.NoCheck)
		if i.Kind == "sqlite" {
			if nexus.CodeOf(err) != nexus.NotFound {
				t.Errorf("without a file: %v", err)
			}
			if left, _ := os.ReadDir(filepath.Dir(o.URL)); len(left) > 0 {
				t.Errorf("the look made %v", left)
			}
		} else if err != nil || i.Schema != 0 || i.Server < 150000 || time.Since(i.ServerTime).Abs() > time.Minute {
			t.Errorf("of an empty schema: %+v, %v", i, err)
		}
		db := o.Open(t)
		now := nexus.Stamp(time.Now())
		_, err = db.Update(t.Context(), func(tx *store.Tx) (any, error) {
			for _, id := range []string{"ada", "bob"} {
				if err := tx.SaveAgent(bus.RegisteredAgent{Agent: bus.Agent{ID: id, CreatedAt: now}, UpdatedAt: now}, nil); err != nil {
					return nil, err
				}
			}
			return note(tx, "hello")
		})
		if err != nil {
			t.Fatal(err)
		}
		i, err = inspect(t, o, store.FullCheck)
		if err != nil {
			t.Fatal(err)
		}
		if i.Schema != db.SchemaVersion() || i.KnownSchema != db.SchemaVersion() || i.Bytes == 0 || len(i.Faults) > 0 {
			t.Errorf("it is %+v", i)
		}
		if i.Counts != (store.Counts{Agents: 2}) || i.LastEventAt == "" {
			t.Errorf("it counts %+v, the last event %q", i.Counts, i.LastEventAt)
		}
	})
}

// What cannot be read is said to be so, and stays as it is.
func TestInspectDamage(t *testing.T) {
	o := storetest.SQLite(t)
	db, err := store.Open(t.Context(), o.Options())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(o.URL + ".bell"); err != nil || len(left) > 0 {
		t.Errorf("a store that was closed left %v, %v", left, err)
	}
	whole, err := os.ReadFile(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	// A page that no schema is in.
	torn := append([]byte(nil), whole...)
	for i := len(torn) - 3*4096; i < len(torn); i++ {
		torn[i] = 0xff
	}
	if err := os.WriteFile(o.URL, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	if i, err := inspect(t, o, store.QuickCheck); err == nil && len(i.Faults) == 0 {
		t.Errorf("a torn file passes: %+v", i)
	}
	if err := os.WriteFile(o.URL, []byte(strings.Repeat("no database. ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := inspect(t, o, store.NoCheck); nexus.CodeOf(err) != nexus.DBError {
		t.Errorf("what is no database: %v", err)
	}
	for _, beside := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Stat(o.URL + beside); err == nil {
			t.Errorf("the look made a %s file", beside)
		}
	}
}
