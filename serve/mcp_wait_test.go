package serve

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// start posts in the background and delivers the answer.
func (d *desk) start(ctx context.Context, body string, headers ...string) <-chan *httptest.ResponseRecorder {
	done := make(chan *httptest.ResponseRecorder, 1)
	r := d.request(ctx, http.MethodPost, body, headers...)
	go func() {
		w := httptest.NewRecorder()
		d.handler.ServeHTTP(w, r)
		done <- w
	}()
	return done
}

func TestWaitBlocksNobody(t *testing.T) {
	for _, version := range allVersions {
		d := newDesk(t, HTTPOptions{})
		body, headers := callMessage(version, "1", "wait", `{"timeout_seconds":30}`)
		if version != "2026-07-28" {
			headers = append(headers, headerSession, d.open())
		}
		waiting := d.start(t.Context(), body, headers...)
		<-d.toy.parked
		other, otherHeaders := callMessage(version, "2", "echo", `{"text":"meanwhile"}`)
		if w := d.post(other, otherHeaders...); !strings.Contains(w.Body.String(), "meanwhile") {
			t.Errorf("%s: got %s", version, w.Body)
		}
		d.toy.release <- struct{}{}
		if w := <-waiting; !strings.Contains(w.Body.String(), `"found":true`) {
			t.Errorf("%s: got %s", version, w.Body)
		}
	}
}

func TestCancelEndsWaitInSilence(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	id, other := d.open(), d.open()
	wait := func(session, id string) <-chan *httptest.ResponseRecorder {
		body, headers := callMessage("2025-11-25", id, "wait", `{"timeout_seconds":30}`)
		done := d.start(t.Context(), body, append(headers, headerSession, session)...)
		<-d.toy.parked
		return done
	}
	first, second, foreign := wait(id, `"a"`), wait(id, `2`), wait(other, `"a"`)
	cancel := func(session, requestID string) {
		t.Helper()
		w := d.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+requestID+`,"reason":"enough"}}`, headerSession, session)
		if w.Code != http.StatusAccepted {
			t.Errorf("got status %d", w.Code)
		}
	}
	cancel(id, `"never sent"`)
	cancel(id, `"a"`)
	if w := <-first; w.Code != http.StatusAccepted || w.Body.Len() > 0 {
		t.Errorf("the cancelled call was answered: %d %s", w.Code, w.Body)
	}
	d.toy.release <- struct{}{}
	d.toy.release <- struct{}{}
	for _, done := range []<-chan *httptest.ResponseRecorder{second, foreign} {
		if w := <-done; !strings.Contains(w.Body.String(), `"found":true`) {
			t.Errorf("another call was cancelled: %d %s", w.Code, w.Body)
		}
	}
	if n := len(d.mcp.flights.byConn); n != 0 {
		t.Errorf("%d connections are left in flight", n)
	}
}

func TestEndOfSessionEndsItsWaits(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	id := d.open()
	body, headers := callMessage("2025-11-25", "1", "wait", `{"timeout_seconds":30}`)
	waiting := d.start(t.Context(), body, append(headers, headerSession, id)...)
	<-d.toy.parked
	d.do(http.MethodDelete, "", headerSession, id)
	if w := <-waiting; w.Code != http.StatusAccepted {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestHangUpEndsWait(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		d := newDesk(t, HTTPOptions{})
		server := httptest.NewServer(d.handler)
		ctx, hangUp := context.WithCancel(t.Context())
		body, headers := callMessage(version, "1", "wait", `{"timeout_seconds":40}`)
		failed := make(chan error, 1)
		go func() { failed <- postTo(ctx, server, body, headers...) }()
		<-d.toy.parked
		hangUp()
		if <-failed == nil {
			t.Error("the client did not hang up")
		}
		server.Close() // waits for the handler, which would take 40 s
	}
}

// The time-outs of the server are for clients that dawdle, not for waits.
func TestServerTimeoutsDoNotEndWait(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	server := httptest.NewUnstartedServer(d.handler)
	server.Config.ReadTimeout = 50 * time.Millisecond
	server.Config.WriteTimeout = 50 * time.Millisecond
	server.Start()
	defer server.Close()
	body, headers := callMessage("2025-11-25", "1", "wait", `{"timeout_seconds":1}`)
	if err := postTo(t.Context(), server, body, headers...); err != nil {
		t.Error(err)
	}
}

func postTo(ctx context.Context, server *httptest.Server, body string, headers ...string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		return err
	}
	setMCPHeaders(r.Header, headers...)
	resp, err := server.Client().Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = bufio.NewReader(resp.Body).ReadString('}')
	return err
}

func TestHangUpDoesNotStopWrite(t *testing.T) {
	for _, version := range allVersions {
		for _, token := range []bool{false, true} { // ours, and the SDK's
			d := newDesk(t, HTTPOptions{})
			body, headers := callMessage(version, "1", "slow", `{}`)
			if token {
				body = withToken(body)
			}
			ctx, hangUp := context.WithCancel(t.Context())
			done := d.start(ctx, body, headers...)
			<-d.toy.begun
			hangUp()
			close(d.toy.finish)
			if err := <-d.toy.ended; err != nil {
				t.Errorf("%s, progress token %t: the write was stopped: %v", version, token, err)
			}
			<-done
		}
	}
}

// withToken asks for progress, which is what sends a call to the SDK.
func withToken(call string) string {
	if strings.Contains(call, `"_meta":{`) {
		return strings.Replace(call, `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	}
	return strings.Replace(call, `"name":`, `"_meta":{"progressToken":"p"},"name":`, 1)
}

func TestStopAnswersWaits(t *testing.T) {
	stopping, stop := context.WithCancel(t.Context())
	d := newDesk(t, HTTPOptions{Stopping: stopping})
	var answers []<-chan *httptest.ResponseRecorder
	for _, version := range allVersions {
		for _, seconds := range []string{"30", "300"} {
			body, headers := callMessage(version, "1", "wait", `{"timeout_seconds":`+seconds+`}`)
			answers = append(answers, d.start(t.Context(), body, headers...))
			<-d.toy.parked
		}
	}
	stop()
	for _, done := range answers {
		if w := <-done; w.Code != 200 || !strings.Contains(w.Body.String(), `"structuredContent":{"ok":true,"data":{"found":false,"timed_out":true}}`) {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	}
	if w := d.post(pingMessage); w.Code != 200 {
		t.Errorf("a request during the drain: %d", w.Code)
	}
	body, headers := callMessage("2025-11-25", "1", "wait", `{"timeout_seconds":30}`)
	if w := d.post(body, headers...); !strings.Contains(w.Body.String(), `"timed_out":true`) {
		t.Errorf("a wait during the drain: %s", w.Body)
	}
}

// A pulseWriter shows what a stream has sent while it is still open.
type pulseWriter struct {
	header  http.Header
	mu      sync.Mutex
	status  int
	body    strings.Builder
	flushed int // how much of the body went out
}

func newPulseWriter() *pulseWriter { return &pulseWriter{header: http.Header{}} }

func (w *pulseWriter) Header() http.Header { return w.header }

func (w *pulseWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
}

func (w *pulseWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.body.Write(b)
}

func (w *pulseWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushed = w.body.Len()
}

// seen is what a client has of the stream.
func (w *pulseWriter) seen() (status int, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status, w.body.String()[:w.flushed]
}

func TestLongWaitIsAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, HTTPOptions{})
		w := newPulseWriter()
		body, headers := callMessage("2025-11-25", "1", "wait", `{"timeout_seconds":100}`)
		go d.handler.ServeHTTP(w, d.request(t.Context(), http.MethodPost, body, headers...))
		synctest.Wait()
		if status, text := w.seen(); status != 200 || text != ": \n\n" || w.Header().Get("Content-Type") != "text/event-stream" {
			t.Errorf("at once: %d %q %v", status, text, w.Header())
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if _, text := w.seen(); text != strings.Repeat(": \n\n", 3) {
			t.Errorf("after 31 s: %q", text)
		}
		d.toy.release <- struct{}{}
		synctest.Wait()
		_, text := w.seen()
		_, event, _ := strings.Cut(text, "event: message\ndata: ")
		if !strings.HasSuffix(event, "}\n\n") || !strings.Contains(event, `"found":true`) || strings.Contains(text, "id:") {
			t.Errorf("at the end: %q", text)
		}
	})
}

func TestGETStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopping, stop := context.WithCancel(t.Context())
		d := newDesk(t, HTTPOptions{Stopping: stopping})
		open := func(ctx context.Context, id string) (*pulseWriter, <-chan struct{}) {
			w, done := newPulseWriter(), make(chan struct{})
			r := d.request(ctx, http.MethodGet, "", headerSession, id)
			go func() {
				d.handler.ServeHTTP(w, r)
				close(done)
			}()
			synctest.Wait()
			if status, text := w.seen(); status != 200 || text != ": \n\n" {
				t.Errorf("at once: %d %q", status, text)
			}
			return w, done
		}
		id := d.open()
		ctx, hangUp := context.WithCancel(t.Context())
		_, left := open(ctx, id)
		_, ended := open(t.Context(), id)
		w, stopped := open(t.Context(), d.open())
		time.Sleep(46 * time.Second)
		synctest.Wait()
		if _, text := w.seen(); text != strings.Repeat(": \n\n", 4) {
			t.Errorf("after 46 s: %q", text)
		}
		hangUp()
		<-left
		d.do(http.MethodDelete, "", headerSession, id)
		<-ended
		stop()
		<-stopped
	})
}

func TestSessionIsLookedUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, HTTPOptions{})
		id := d.open()
		for range 5 {
			d.post(pingMessage, headerSession, id)
		}
		if d.sessions.loads != 0 {
			t.Errorf("%d look-ups of a session just opened", d.sessions.loads)
		}
		if err := d.sessions.DropSession(t.Context(), sessionName(id)); err != nil { // as another node would
			t.Fatal(err)
		}
		time.Sleep(holdSession)
		if w := d.post(pingMessage, headerSession, id); w.Code != http.StatusNotFound {
			t.Errorf("got status %d", w.Code)
		}
	})
}

// Without a session nothing tells one client's request 1 from another's, so a
// cancellation must not guess.
func TestCancelWithoutSession(t *testing.T) {
	d := newDesk(t, HTTPOptions{})
	body, headers := callMessage("2025-11-25", "1", "wait", `{"timeout_seconds":30}`)
	waiting := d.start(t.Context(), body, headers...)
	<-d.toy.parked
	if w := d.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); w.Code != http.StatusAccepted {
		t.Errorf("got status %d", w.Code)
	}
	d.toy.release <- struct{}{}
	if w := <-waiting; !strings.Contains(w.Body.String(), `"found":true`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
