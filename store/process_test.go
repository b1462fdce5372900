package store_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"nexus"
	"nexus/store"
	"nexus/store/storetest"
)

// childVariable makes the test binary a writer on the database it names.
const childVariable = "NEXUS_STORE_TEST_WRITER"

const childEvents = 200

func TestMain(m *testing.M) {
	if url := os.Getenv(childVariable); url != "" {
		if err := writeEvents(url, childEvents); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func writeEvents(url string, n int) error {
	ctx := context.Background()
	db, err := store.Open(ctx, storetest.Opener{URL: url}.Options())
	if err != nil {
		return err
	}
	for i := range n {
		if _, err := db.Update(ctx, func(tx *store.Tx) (any, error) { return note(tx, "child "+strconv.Itoa(i)) }); err != nil {
			return err
		}
	}
	return db.Close()
}

// Several processes write one database while a reader follows: it sees every
// event once and in order, and is woken for them.
func TestEventOrderAcrossProcesses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		const children = 3
		reader := o.Open(t)
		for range children {
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), childVariable+"="+o.URL)
			child.Stderr = os.Stderr
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := child.Wait(); err != nil {
					t.Errorf("a writer: %v", err)
				}
			}()
		}
		follow(t, reader, children*childEvents)
	})
}

// follow reads the log as a cursor does until it has seen n events.
func follow(t *testing.T, db *store.DB, n int64) {
	t.Helper()
	var cursor int64
	look := func(ctx context.Context) (int64, bool, time.Time, error) {
		var seen []int64
		err := db.View(ctx, func(tx *store.Tx) (err error) {
			seen, err = tx.EventNumbers(cursor)
			return err
		})
		for _, id := range seen {
			if id != cursor+1 {
				t.Errorf("number %d came after %d", id, cursor)
			}
			cursor = id
		}
		return cursor, cursor >= n, time.Time{}, err
	}
	_, timedOut, err := nexus.Await(t.Context(), db, []string{nexus.LogKey("", nexus.StreamSystem)}, 2*time.Minute, look)
	if err != nil || timedOut {
		t.Errorf("stopped at %d of %d: %v", cursor, n, err)
	}
}
