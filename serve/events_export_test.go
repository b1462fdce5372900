package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"nexus"
	"nexus/serve"
)

// aLog is the log of the one workspace there is. It has so many events, and fails
// from one on if it is told to.
type aLog struct {
	events, fails int64
	pages         chan context.Context // one for each page that is read
	more          chan struct{}        // if there is one, each page waits for it
}

func (l aLog) LogEnd(_ context.Context, workspaceID string) (int64, error) {
	if workspaceID != "w" {
		return 0, nexus.Errorf(nexus.NotFound, "There is no such workspace.")
	}
	return l.events, nil
}

func (l aLog) Log(ctx context.Context, workspaceID string, after, upTo int64, limit int) ([]nexus.Event, error) {
	if l.more != nil {
		l.pages <- ctx
		<-l.more
	}
	var page []nexus.Event
	for id := after + 1; id <= min(upTo, after+int64(limit)); id++ {
		if id == l.fails {
			return nil, errors.New("the disk is gone")
		}
		page = append(page, nexus.Event{
			ID: id, WorkspaceID: workspaceID, Stream: nexus.StreamWorkspace, Type: "message.created", Actor: "a",
			Payload: nexus.JSON(`{"subject":"a<b"}`), CreatedAt: "2026-03-01T12:00:00.000000Z",
		})
	}
	return page, nil
}

const exportPath = "/api/v1/workspaces/w/events/export"

func TestExport(t *testing.T) {
	d := newToys().deps(t)
	d.Exports = aLog{events: 1234}
	s := newHub(t, d, serve.Options{})
	got := ask(t, s, "GET", exportPath, "")
	if got.Code != 200 || got.Header().Get("Content-Type") != "application/x-ndjson" ||
		got.Header().Get("Content-Disposition") != `attachment; filename="nexus-events-w.ndjson"` {
		t.Fatalf("got %d %v", got.Code, got.Header())
	}
	lines := strings.Split(strings.TrimSuffix(got.Body.String(), "\n"), "\n")
	if len(lines) != 1235 {
		t.Fatalf("%d lines", len(lines))
	}
	var manifest serve.ExportManifest
	if err := json.Unmarshal([]byte(lines[0]), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Kind != "manifest" || manifest.FormatVersion != serve.ExportFormat || *manifest.Filters.WorkspaceID != "w" || manifest.LastEventID != 1234 || manifest.SchemaVersion != 7 {
		t.Errorf("the manifest is %s", lines[0])
	}
	const want = `{"event_id":1234,"workspace_id":"w","stream":"workspace","type":"message.created","created_at":"2026-03-01T12:00:00.000000Z",` +
		`"actor_agent_id":"a","task_id":null,"handoff_id":null,"visibility":null,"target":null,"payload":{"subject":"a<b"}}`
	if lines[1234] != want {
		t.Errorf("the last line is %s, want %s", lines[1234], want)
	}
	if got := ask(t, s, "GET", "/api/v1/workspaces/nowhere/events/export", ""); got.Code != 404 || code(t, got.Body.Bytes()) != nexus.NotFound {
		t.Errorf("an unknown workspace: %d %s", got.Code, got.Body)
	}
	if got := ask(t, s, "HEAD", exportPath, ""); got.Code != 200 || got.Body.Len() != 0 {
		t.Errorf("HEAD: %d, %d bytes", got.Code, got.Body.Len())
	}
}

// An export that fails on the way is cut off: nobody takes it for whole.
func TestExportCutOff(t *testing.T) {
	d := newToys().deps(t)
	d.Exports = aLog{events: 5000, fails: 1200}
	h := runWith(t, d, serve.Options{})
	resp, err := h.client.Get(h.url + exportPath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Error("the export ends as if it were whole")
	}
}

// A client that hangs up stops the reading.
func TestExportHangUp(t *testing.T) {
	d := newToys().deps(t)
	l := aLog{events: 1 << 40, pages: make(chan context.Context), more: make(chan struct{})}
	d.Exports = l
	h := runWith(t, d, serve.Options{})
	ctx, hangUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", h.url+exportPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() {
		resp, err := h.client.Do(r)
		if err == nil {
			_, err = bufio.NewReader(resp.Body).ReadString('\n')
			<-ctx.Done()
			_ = resp.Body.Close()
		}
		asked <- err
	}()
	<-l.pages
	l.more <- struct{}{}
	reading := <-l.pages // the first page is on its way
	hangUp()
	<-asked
	<-reading.Done()
	l.more <- struct{}{} // and this one is the last
	h.stop()
	select {
	case <-l.pages:
		t.Error("it reads on for nobody")
		l.more <- struct{}{}
	case <-h.ended:
	}
}
