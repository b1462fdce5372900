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

// A read time-out of the server is no hang-up.
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
		for _, extra := range []string{"", `"_meta":{"progressToken":1},`} { // ours, and the SDK's
			if extra != "" && version == "2026-07-28" {
				continue // the token belongs into the _meta that is there
			}
			d := newDesk(t, HTTPOptions{})
			body, headers := callMessage(version, "1", "slow", `{}`)
			body = strings.Replace(body, `"name"`, extra+`"name"`, 1)
			ctx, hangUp := context.WithCancel(t.Context())
			done := d.start(ctx, body, headers...)
			<-d.toy.begun
			hangUp()
			close(d.toy.finish)
			if err := <-d.toy.ended; err != nil {
				t.Errorf("%s %s: the write was stopped: %v", version, extra, err)
			}
			<-done
		}
	}
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

// A pulseWriter counts what a stream sends.
type pulseWriter struct {
	*httptest.ResponseRecorder
	mu sync.Mutex
}

func (w *pulseWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ResponseRecorder.Write(b)
}

func (w *pulseWriter) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Body.String()
}

func TestLongWaitIsAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, HTTPOptions{})
		w := &pulseWriter{ResponseRecorder: httptest.NewRecorder()}
		body, headers := callMessage("2025-11-25", "1", "wait", `{"timeout_seconds":100}`)
		go d.handler.ServeHTTP(w, d.request(t.Context(), http.MethodPost, body, headers...))
		synctest.Wait()
		if w.text() != ": \n\n" || w.Header().Get("Content-Type") != "text/event-stream" || !w.Flushed {
			t.Errorf("at once: %q %v", w.text(), w.Header())
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if got := strings.Count(w.text(), ": \n\n"); got != 3 {
			t.Errorf("after 31 s: %d comments", got)
		}
		d.toy.release <- struct{}{}
		synctest.Wait()
		_, event, _ := strings.Cut(w.text(), "event: message\ndata: ")
		if !strings.HasSuffix(event, "}\n\n") || !strings.Contains(event, `"found":true`) || strings.Contains(w.text(), "id:") {
			t.Errorf("at the end: %q", w.text())
		}
	})
}

func TestGETStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopping, stop := context.WithCancel(t.Context())
		d := newDesk(t, HTTPOptions{Stopping: stopping})
		open := func(ctx context.Context, id string) (*pulseWriter, <-chan struct{}) {
			w, done := &pulseWriter{ResponseRecorder: httptest.NewRecorder()}, make(chan struct{})
			r := d.request(ctx, http.MethodGet, "", headerSession, id)
			go func() {
				d.handler.ServeHTTP(w, r)
				close(done)
			}()
			synctest.Wait()
			if w.Code != 200 || w.text() != ": \n\n" || !w.Flushed {
				t.Errorf("at once: %d %q", w.Code, w.text())
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
		if got := strings.Count(w.text(), ": \n\n"); got != 4 {
			t.Errorf("after 46 s: %d comments", got)
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
		if err := d.sessions.DropSession(t.Context(), id); err != nil { // as another node would
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
