package serve_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/serve"
)

// A vault is a database whose copies are made when the test says so.
type vault struct {
	begun   chan struct{} // one value for each copy that was begun
	finish  chan error    // one value lets one end
	stopped chan error    // why one was given up
	closed  chan struct{} // one value for each that was removed
	content io.Reader
	size    int64
}

func newVault(content io.Reader) *vault {
	return &vault{make(chan struct{}, 10), make(chan error, 10), make(chan error, 10), make(chan struct{}, 10), content, 8}
}

func (v *vault) backup(ctx context.Context) (io.ReadCloser, int64, error) {
	v.begun <- struct{}{}
	select {
	case err := <-v.finish:
		return &vaultCopy{v.content, v}, v.size, err
	case <-ctx.Done():
		v.stopped <- context.Cause(ctx)
		return nil, 0, context.Cause(ctx)
	}
}

type vaultCopy struct {
	io.Reader
	*vault
}

func (c *vaultCopy) Close() error {
	c.closed <- struct{}{}
	return nil
}

func newVaultHub(t *testing.T, v *vault, opts serve.Options) *serve.Server {
	t.Helper()
	d := newToys().deps(t)
	d.Backup = v.backup
	d.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 30, 45, 0, time.UTC) }
	return newHub(t, d, opts)
}

const backupPath = "/api/v1/admin/backup"

func TestBackup(t *testing.T) {
	v := newVault(strings.NewReader("database"))
	s := newVaultHub(t, v, serve.Options{})
	v.finish <- nil
	got := ask(t, s, "GET", backupPath, "")
	<-v.closed
	if got.Code != 200 || got.Body.String() != "database" {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/vnd.sqlite3", "Content-Length": "8", "Cache-Control": "no-store",
		"Content-Disposition": `attachment; filename="nexus-20260301-123045.db"`,
	} {
		if h := got.Header().Get(name); h != want {
			t.Errorf("%s is %q, want %q", name, h, want)
		}
	}
}

func TestBackupRefused(t *testing.T) {
	v := newVault(nil)
	s := newVaultHub(t, v, serve.Options{})
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"an agent", []string{"x-api-key", alicesKey}, 403},
		{"an unknown key", []string{"x-api-key", unknownKey}, 401},
		{"a page of another site", []string{"Origin", "https://evil.example"}, 403},
		{"somebody behind a proxy without a key", []string{"X-Forwarded-For", "192.0.2.7"}, 401},
	} {
		if got := ask(t, s, "GET", backupPath, "", tt.headers...); got.Code != tt.status {
			t.Errorf("%s got %d %s", tt.name, got.Code, got.Body)
		}
	}
	if len(v.begun) > 0 {
		t.Error("a copy was made all the same")
	}
	v.finish <- nexus.Errorf(nexus.ValidationError, "Use pg_dump.")
	if got := ask(t, s, "GET", backupPath, "", "x-api-key", operatorKey); got.Code != 422 || !strings.Contains(got.Body.String(), "Use pg_dump.") {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
	none := newHub(t, newToys().deps(t), serve.Options{})
	if got := ask(t, none, "GET", backupPath, ""); got.Code != 422 {
		t.Errorf("a hub with nothing to copy: %d %s", got.Code, got.Body)
	}
}

func TestBackupOneAtATime(t *testing.T) {
	v := newVault(strings.NewReader("database"))
	s := newVaultHub(t, v, serve.Options{})
	first := make(chan int, 1)
	go func() { first <- ask(t, s, "GET", backupPath, "").Code }()
	<-v.begun
	got := ask(t, s, "GET", backupPath, "")
	if got.Code != 429 || got.Header().Get("Retry-After") == "" || !strings.Contains(got.Body.String(), `"retry_after_seconds":10`) {
		t.Errorf("the second: %d %s", got.Code, got.Body)
	}
	v.finish <- nil
	if status := <-first; status != 200 {
		t.Errorf("the first: %d", status)
	}
	v.finish <- nil
	if got := ask(t, s, "GET", backupPath, ""); got.Code != 200 {
		t.Errorf("the third: %d %s", got.Code, got.Body)
	}
}

// listening is a hub with a vault on a port of its own.
func listening(t *testing.T, v *vault) (url string, stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newVaultHub(t, v, serve.Options{Addr: l.Addr()})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		done <- s.Serve(ctx, l)
	}()
	t.Cleanup(func() {
		stop()
		<-finished
	})
	return "http://" + l.Addr().String() + backupPath, stop, done
}

// fetch asks for a backup on a connection of its own.
func fetch(ctx context.Context, url string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
}

func TestBackupHangUp(t *testing.T) {
	v := newVault(nil)
	url, _, _ := listening(t, v)
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		resp, err := fetch(ctx, url)
		if err == nil {
			_ = resp.Body.Close()
		}
		gone <- err
	}()
	<-v.begun
	hangUp()
	if err := <-v.stopped; !errors.Is(err, context.Canceled) {
		t.Errorf("the copy ended with %v", err)
	}
	if err := <-gone; err == nil {
		t.Error("there was an answer")
	}
}

func TestBackupWhileStopping(t *testing.T) {
	v := newVault(nil)
	url, stop, ended := listening(t, v)
	status := make(chan int, 1)
	go func() {
		resp, err := fetch(t.Context(), url)
		if err != nil {
			status <- 0
			return
		}
		_ = resp.Body.Close()
		status <- resp.StatusCode
	}()
	<-v.begun
	stop()
	if err := <-v.stopped; nexus.CodeOf(err) != nexus.Unavailable {
		t.Errorf("the copy ended with %v", err)
	}
	if got := <-status; got != 503 {
		t.Errorf("the answer was %d", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// endless is a file that is larger than any buffer.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A client that takes a part and then nothing does not keep a hub from stopping,
// nor the copy on its disk.
func TestBackupToSlowClient(t *testing.T) {
	v := newVault(endless{})
	v.size = 1 << 40
	url, stop, ended := listening(t, v)
	v.finish <- nil
	resp, err := fetch(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	stop()
	<-v.closed
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
