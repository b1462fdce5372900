package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nexus/hub"
)

// receivers answer on loopback and count who came.
func receiver(t *testing.T, h http.HandlerFunc) (url string, came chan *http.Request) {
	came = make(chan *http.Request, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came <- r
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, came
}

func sender(t *testing.T, o WebhookOptions) *WebhookSender {
	s := NewWebhookSender(o)
	t.Cleanup(s.Close)
	return s
}

func yes() bool { return true }

func TestWebhookSend(t *testing.T) {
	url, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, r.Method+" "+r.Header.Get("X-Test")+" "+string(body)+strings.Repeat(".", 1<<20))
	})
	got, err := sender(t, WebhookOptions{AllowPrivate: yes}).Send(t.Context(),
		hub.WebhookRequest{URL: url, Header: map[string]string{"X-Test": "here"}, Body: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != 503 || got.RetryAfter != 7*time.Second || !strings.HasPrefix(got.Text, "POST here {}") || len(got.Text) != webhookAnswer {
		t.Errorf("got %d, retry after %s, %d bytes of text: %.20s", got.Status, got.RetryAfter, len(got.Text), got.Text)
	}
}

// What counts is the address that is dialled: a name that stands for a private
// one is as good as the address itself.
func TestWebhookSendRefusesPrivate(t *testing.T) {
	url, came := receiver(t, func(http.ResponseWriter, *http.Request) {})
	port := url[strings.LastIndexByte(url, ':'):]
	s := sender(t, WebhookOptions{})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"} {
		_, err := s.Send(t.Context(), hub.WebhookRequest{URL: "http://" + host + port})
		if err == nil || !strings.Contains(err.Error(), "is not a public address") || strings.Contains(err.Error(), port) {
			t.Errorf("%s: got %v", host, err)
		}
	}
	if len(came) > 0 {
		t.Error("somebody was told")
	}
}

// A connection that was made while private addresses were allowed is of no use
// afterwards.
func TestWebhookSendForgetsConnections(t *testing.T) {
	url, came := receiver(t, func(http.ResponseWriter, *http.Request) {})
	allowed := true
	s := sender(t, WebhookOptions{AllowPrivate: func() bool { return allowed }})
	if _, err := s.Send(t.Context(), hub.WebhookRequest{URL: url}); err != nil {
		t.Fatal(err)
	}
	allowed = false
	if _, err := s.Send(t.Context(), hub.WebhookRequest{URL: url}); err == nil || len(came) != 1 {
		t.Errorf("got %v after %d requests", err, len(came))
	}
}

// A receiver that closed a kept connection meanwhile is told on a new one: that
// is no failure.
func TestWebhookSendOnDeadConnection(t *testing.T) {
	closing := false
	url, came := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Header["X-Idempotency-Key"] != nil {
			t.Error("a header that is only for the transport was sent")
		}
		if closing {
			closing = false
			panic(http.ErrAbortHandler)
		}
	})
	s := sender(t, WebhookOptions{AllowPrivate: yes})
	for i := range 2 {
		got, err := s.Send(t.Context(), hub.WebhookRequest{URL: url, Body: []byte("{}")})
		if err != nil || got.Status != http.StatusOK {
			t.Errorf("request %d: got %d, %v", i, got.Status, err)
		}
		closing = true
	}
	if len(came) != 3 {
		t.Errorf("%d requests came, want 3", len(came))
	}
}

func TestWebhookSendFollowsNoRedirect(t *testing.T) {
	elsewhere, came := receiver(t, func(http.ResponseWriter, *http.Request) {})
	for _, code := range []int{301, 302, 303, 307, 308} {
		url, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, code) })
		got, err := sender(t, WebhookOptions{AllowPrivate: yes}).Send(t.Context(), hub.WebhookRequest{URL: url, Body: []byte("{}")})
		if err != nil || got.Status != code {
			t.Errorf("%d: got %d, %v", code, got.Status, err)
		}
	}
	if len(came) > 0 {
		t.Error("a redirect was followed")
	}
}

func TestWebhookSendGivesUp(t *testing.T) {
	hang := make(chan struct{})
	url, came := receiver(t, func(http.ResponseWriter, *http.Request) { <-hang })
	defer close(hang)
	_, err := sender(t, WebhookOptions{AllowPrivate: yes, Time: 50 * time.Millisecond}).Send(t.Context(), hub.WebhookRequest{URL: url + "/?token=hush"})
	if err == nil || err.Error() != "no answer within 50ms" {
		t.Errorf("got %v", err)
	}
	<-came
}

// A certificate that nobody vouches for is refused.
func TestWebhookSendVerifies(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("somebody was told") }))
	defer s.Close()
	_, err := sender(t, WebhookOptions{AllowPrivate: yes}).Send(t.Context(), hub.WebhookRequest{URL: s.URL + "/?token=hush"})
	if err == nil || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "0": 0, "-5": 0, "30": 30 * time.Second, "99999999999999": 24 * time.Hour,
		"Sun, 01 Mar 2026 12:01:00 GMT": time.Minute, "Sun, 01 Mar 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}
