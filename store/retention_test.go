package store_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/store"
	"nexus/store/storetest"
)

// fatten fills the log with events and deletes them again.
func fatten(t *testing.T, db *store.DB) {
	t.Helper()
	payload := `{"filler":"` + strings.Repeat("x", 1000) + `"}`
	for _, do := range []func(*store.Tx) error{
		func(tx *store.Tx) error {
			for range 2000 {
				if err := tx.AppendEvent(&nexus.Event{
					Stream: nexus.StreamSystem, Type: "filler", Payload: []byte(payload), CreatedAt: nexus.Stamp(time.Unix(0, 0)),
				}); err != nil {
					return err
				}
			}
			return nil
		},
		func(tx *store.Tx) error {
			n, err := tx.DeleteEvents(2000, nexus.Stamp(time.Unix(1, 0)), 5000)
			if n != 2000 {
				t.Errorf("%d events were deleted", n)
			}
			return err
		},
	} {
		if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) { return nil, do(tx) }); err != nil {
			t.Fatal(err)
		}
	}
}

// The file shrinks although another process has it open, which goes on working.
func TestVacuum(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db, other := o.Open(t), o.Open(t)
		fatten(t, db)
		if lastEvent(t, other) != 0 {
			t.Fatal("there is something left")
		}
		if err := db.Vacuum(t.Context()); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(o.URL); err == nil && info.Size() > 1<<20 {
			t.Errorf("the file still has %d bytes", info.Size())
		}
		for _, db := range []*store.DB{db, other} {
			if _, err := db.Update(t.Context(), func(tx *store.Tx) (any, error) { return note(tx, "after") }); err != nil {
				t.Error(err)
			}
		}
		if n := lastEvent(t, other); n != 2002 {
			t.Errorf("the last event has number %d, want 2002: numbers are not given twice", n)
		}
	})
}

// One who writes, or reads what was, is in the way; that is worth a retry.
func TestVacuumBusy(t *testing.T) {
	o := storetest.SQLite(t)
	options := o.Options()
	options.BusyTimeout = 1 // a nanosecond, rounded down to no patience
	db, err := store.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	fatten(t, db)
	busy := func(when string) {
		t.Helper()
		err := db.Vacuum(t.Context())
		if e := nexus.AsError(err); e == nil || e.Code != nexus.DBError || e.Details["retryable"] != true {
			t.Errorf("%s: got %v, want DB_ERROR that may be retried", when, err)
		}
	}
	unlock := store.HoldLock(t, o.URL)
	busy("somebody writes")
	unlock()
	if err := db.View(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.LastEvent(); err != nil {
			return err
		}
		busy("somebody reads")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Vacuum(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestVacuumStopped(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := o.Open(t).Vacuum(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}
