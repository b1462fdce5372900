package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/op"
	"nexus/serve"
	"nexus/store"
)

func exportCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export [--trace-id ID] [--output FILE]",
		Short: "Write the whole log out, one JSON object a line",
		Long: `Write the log of the whole store as one JSON object a line: first a manifest, then
every event in the order of its number, of all streams and as it is stored.

With --trace-id only the events of one thread of work: those of requests under
that W3C trace id, those that name it as trace_id in their payload, and those of
the task or hand-off of that id.`,
		Example: "  nexus admin export > log.ndjson\n  nexus admin export --output log.ndjson\n  nexus admin export --trace-id hof_0190f3…",
	}
	trace := ownFlag(cmd, "trace-id", "id", "Only the events of this trace, task or hand-off.")
	output := ownFlag(cmd, "output", "file", "Write to a file, which is replaced when all is written.")
	projectFlag(a, cmd, projectDoc)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.loadFor()
		if err != nil {
			return err
		}
		for _, f := range []*plainFlag{trace, output} {
			if f.given && f.text() == "" {
				return f.bad("some text")
			}
		}
		path, err := expandTilde(output.text(), a.env)
		if err != nil {
			return err
		}
		return onStore(cmd.Context(), cfg, func(ctx context.Context, n *node) error {
			x := exporter{db: n.db, trace: trace.text()}
			if path == "" {
				return x.write(ctx, a.stdout)
			}
			if err := replaceFile(path, func(w io.Writer) error { return x.write(ctx, w) }); err != nil {
				return err
			}
			return a.printExported(cmd, path, x.written)
		})
	}
	return cmd
}

func (a *app) printExported(cmd *cobra.Command, path string, events int) error {
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, map[string]any{"output": path, "events": events})
	}
	_, err := fmt.Fprintf(a.stdout, "%d events written to %s\n", events, path)
	return err
}

// An exporter writes the log out a page at a time, each in a read of its own, so
// that however slowly it is taken it holds nothing up. What is appended after it
// began is not part of it.
type exporter struct {
	db      *store.DB
	trace   string // "" for all
	written int
}

const exportPage = 1000

func (x *exporter) write(ctx context.Context, out io.Writer) error {
	w := bufio.NewWriter(out)
	var end int64
	if err := x.db.ViewLong(ctx, func(tx *store.Tx) (err error) {
		end, err = tx.LastEvent()
		return err
	}); err != nil {
		return err
	}
	if err := writeLine(w, serve.ExportManifest{
		Kind: "manifest", FormatVersion: serve.ExportFormat, ExportedAt: nexus.Stamp(time.Now()), SchemaVersion: x.db.SchemaVersion(),
		PackageVersion: buildVersion().Version, Filters: serve.ExportFilters{TraceID: orNull(x.trace)}, LastEventID: end,
	}); err != nil {
		return err
	}
	for after := int64(0); after < end; {
		page, err := x.page(ctx, after, end)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			if err := x.event(w, e); err != nil {
				return err
			}
		}
		after = page[len(page)-1].ID
	}
	return w.Flush()
}

func (x *exporter) page(ctx context.Context, after, end int64) (page []nexus.Event, err error) {
	err = x.db.ViewLong(ctx, func(tx *store.Tx) (err error) {
		page, err = tx.Log(after, end, exportPage)
		return err
	})
	return page, err
}

func (x *exporter) event(w io.Writer, e nexus.Event) error {
	if !inTrace(e, x.trace) {
		return nil
	}
	x.written++
	return serve.ExportEvent(w, e)
}

// inTrace tells whether an event belongs to a thread of work; "" is all of them.
func inTrace(e nexus.Event, id string) bool {
	if id == "" || e.TaskID == id || e.HandoffID == id || e.Trace == id {
		return true
	}
	if !bytes.Contains(e.Payload, []byte("trace_id")) {
		return false
	}
	var payload struct {
		TraceID string `json:"trace_id"`
	}
	return json.Unmarshal(e.Payload, &payload) == nil && payload.TraceID == id
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// writeLine writes v as one line of JSON, in one piece.
func writeLine(w io.Writer, v any) error {
	line, err := op.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// replaceFile puts a file, readable by its owner only, in the place of path when
// all of it is written. Who looks meanwhile sees the old one, and so does
// everybody if it fails.
func replaceFile(path string, write func(io.Writer) error) error {
	cannot := func(err error) error {
		return nexus.Errorf(nexus.ConfigError, "cannot write %s: %v", path, rootCause(err))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // made with mode 0600
	if err != nil {
		return cannot(err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already if all went well
	if err := write(f); err != nil {
		_ = f.Close()
		if _, ours := errors.AsType[*os.PathError](err); ours {
			return cannot(err)
		}
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return cannot(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return cannot(err)
	}
	return nil
}
