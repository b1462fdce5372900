package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"nexus/serve"
)

// A batch is what a collector gets, as the specification of OTLP writes it.
type batch struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes attributes }
		ScopeSpans []struct {
			Scope struct{ Name string }
			Spans []sentSpan
		}
	}
}

type sentSpan struct {
	TraceID, SpanID, ParentSpanID, TraceState, Name string
	Kind                                            int
	StartTimeUnixNano, EndTimeUnixNano              json.Number
	Attributes                                      attributes
	Status                                          struct{ Code int }
}

type attributes []struct {
	Key   string
	Value struct {
		StringValue *string
		IntValue    *string
	}
}

func (a attributes) get(key string) string {
	for _, one := range a {
		switch {
		case one.Key != key:
		case one.Value.StringValue != nil:
			return *one.Value.StringValue
		case one.Value.IntValue != nil:
			return *one.Value.IntValue
		}
	}
	return ""
}

// A collector takes traces. It answers with the next of the statuses, and with
// 200 when there are none left.
type collector struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	statuses []int
	asked    int
	taken    []sentSpan
	raw      bytes.Buffer
}

func newCollector(t *testing.T, statuses ...int) *collector {
	c := &collector{t: t, statuses: statuses}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != "POST" || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("%s %s %s %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
	}
	if len(c.statuses) > 0 {
		w.WriteHeader(c.statuses[0])
		c.statuses = c.statuses[1:]
		return
	}
	c.raw.Write(body)
	var b batch
	if err := json.Unmarshal(body, &b); err != nil || len(b.ResourceSpans) != 1 || len(b.ResourceSpans[0].ScopeSpans) != 1 {
		c.t.Errorf("%v in %s", err, body)
		return
	}
	about := b.ResourceSpans[0].Resource.Attributes
	if about.get("service.name") != "nexus" || about.get("service.version") != "1.2.3" || about.get("service.instance.id") != "hub-1" {
		c.t.Errorf("the resource is %s", body)
	}
	c.taken = append(c.taken, b.ResourceSpans[0].ScopeSpans[0].Spans...)
	_, _ = w.Write([]byte(`{}`))
}

func (c *collector) spans() []sentSpan {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}

func (c *collector) named(name string) (found sentSpan) {
	for _, s := range c.spans() {
		if s.Name == name {
			found = s
		}
	}
	return found
}

// exporting is a hub that sends its traces somewhere. When it is stopped, it has
// sent what there was.
func exporting(t *testing.T, endpoint string, log io.Writer) (s *serve.Server, stop func()) {
	t.Helper()
	d := newToys().deps(t)
	d.Log = slog.New(slog.NewTextHandler(log, nil))
	s = newHub(t, d, serve.Options{OTLPEndpoint: endpoint, Instance: "hub-1"})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(stop)
	return s, stop
}

func TestSpans(t *testing.T) {
	c := newCollector(t)
	s, stop := exporting(t, c.URL, io.Discard)
	ask(t, s, "POST", "/api/v1/op/echo?api_key="+alicesKey, `{"text":"a secret word"}`,
		"Traceparent", "00-"+traceID+"-"+spanID+"-01", "Tracestate", "vendor=1")
	ask(t, s, "POST", "/api/v1/op/fail", `{"code":"plain"}`, "X-Api-Key", alicesKey)
	ask(t, s, "GET", "/api/v1/info", "", "Traceparent", "00-"+strings.Repeat("9", 32)+"-"+spanID+"-00")
	ask(t, s, "a-secret-method", "/nonesuch/"+alicesKey, "")
	stop()

	request, op := c.named("POST /api/v1/op/{name}"), c.named("nexus.op echo")
	for _, span := range c.spans() {
		if span.TraceID == traceID && span.Kind == 2 {
			request = span
		}
		if span.StartTimeUnixNano == "" || span.EndTimeUnixNano < span.StartTimeUnixNano || !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(span.SpanID) ||
			!regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(span.TraceID) {
			t.Errorf("a span is %+v", span)
		}
		if span.TraceID == strings.Repeat("9", 32) {
			t.Error("a trace that is not sampled was sent")
		}
	}
	if request.Name != "POST /api/v1/op/{name}" || request.ParentSpanID != spanID || request.SpanID == spanID || request.TraceState != "vendor=1" ||
		request.Attributes.get("http.route") != "/api/v1/op/{name}" || request.Attributes.get("http.response.status_code") != "200" ||
		request.Attributes.get("nexus.actor.kind") != "agent" {
		t.Errorf("the request's span is %+v", request)
	}
	if op.TraceID != traceID || op.ParentSpanID != request.SpanID || op.Kind != 1 || op.Status.Code != 0 ||
		op.Attributes.get("nexus.operation") != "echo" || op.Attributes.get("nexus.face") != "rest" || op.Attributes.get("nexus.code") != "OK" {
		t.Errorf("the operation's span is %+v", op)
	}
	failed := c.named("nexus.op fail")
	if failed.Status.Code != 2 || failed.Attributes.get("nexus.code") != "INTERNAL_ERROR" || failed.TraceID == "" || failed.TraceID == traceID {
		t.Errorf("a failure's span is %+v", failed)
	}
	if c.named("_OTHER none").Kind != 2 || len(c.spans()) != 5 {
		t.Errorf("%d spans: %s", len(c.spans()), c.raw.String())
	}
	for _, secret := range []string{"secret", alicesKey, "alice"} {
		if strings.Contains(c.raw.String(), secret) {
			t.Errorf("the spans tell %q", secret)
		}
	}
}

func TestOTLPEndpoint(t *testing.T) {
	for _, endpoint := range []string{"127.0.0.1:4318", "ftp://here", "http://", "http://a b", "/v1/traces"} {
		if _, err := serve.New(newToys().deps(t), serve.Options{Addr: loopbackAddr, OTLPEndpoint: endpoint}); err == nil {
			t.Errorf("%q is taken", endpoint)
		}
	}
	c := newCollector(t)
	s, stop := exporting(t, c.URL+"/v1/traces", io.Discard)
	ask(t, s, "GET", "/healthz", "")
	stop()
	if len(c.spans()) != 1 {
		t.Errorf("%d spans arrived", len(c.spans()))
	}
}

// A collector that never answers costs the hub its spans and nothing else.
func TestDeadCollector(t *testing.T) {
	release := make(chan struct{})
	dead := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer dead.Close()
	defer close(release)
	var log bytes.Buffer
	s, stop := exporting(t, dead.URL, &log)
	const requests = 3000 // two spans each
	for range requests {
		if got := ask(t, s, "GET", "/api/v1/echo/a", ""); got.Code != 200 {
			t.Fatal(got.Code)
		}
	}
	if page := ask(t, s, "GET", "/metrics", "").Body.String(); strings.Contains(page, "nexus_spans_dropped_total 0\n") {
		t.Error("nothing was dropped")
	}
	stop()
	page := ask(t, s, "GET", "/metrics", "").Body.String()
	if !strings.Contains(page, "nexus_spans_sent_total 0\n") {
		t.Error("something was sent")
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings: %s", n, log.String())
	}
}
