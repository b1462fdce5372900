package serve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"nexus"
	"nexus/serve"
	"nexus/store/storetest"
)

// The page follows the rules that promtool checks.
func TestMetricsLint(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		db := o.Open(t)
		s, _ := aBus(t, db, serve.Options{Gauges: []serve.Gauges{db}})
		ask(t, s, "POST", "/api/v1/op/inbox_wait", `{"agent_id":"ada","timeout_seconds":0}`)
		page := ask(t, s, "GET", "/metrics", "").Body.String()
		problems, err := promlint.New(strings.NewReader(page)).Lint()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
		for _, want := range []string{
			"nexus_store_commit_seconds_count ", "nexus_store_wake_seconds_bucket{le=", "nexus_store_queued_updates 0\n",
			`nexus_events_total{type="agent.registered"} 1`, `nexus_build_info{version="1.2.3"} 1`,
			`nexus_http_requests_total{route="POST /api/v1/op/{name}",status="200"} 2`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("/metrics lacks %s", want)
			}
		}
	})
}

// labels are the lines of the page that have labels, without their numbers.
func labels(page string) []string {
	var all []string
	for line := range strings.Lines(page) {
		if i := strings.LastIndex(line, "} "); i > 0 && !strings.HasPrefix(line, "#") {
			all = append(all, line[:i+1])
		}
	}
	return all
}

// Whatever clients send, the page grows no lines for it.
func TestMetricsStaySmall(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	send := func(i int) {
		word := fmt.Sprintf("word%d", i)
		ask(t, s, "GET", "/"+word, "")
		ask(t, s, "GET", "/api/v1/echo/"+word, "")
		ask(t, s, "POST", "/api/v1/op/"+word, `{}`)
		ask(t, s, word, "/api/v1/info", "")
		ask(t, s, "GET", "/api/v1/info?x="+word, "")
		ask(t, s, "GET", "/mcp/"+word, "", "X-Api-Key", unknownKey)
		ask(t, s, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+word+`"}}`, "X-Api-Key", operatorKey)
		ask(t, s, "GET", "/healthz", "", "Host", word+".example.org", "X-Request-Id", word)
	}
	send(0)
	before := labels(ask(t, s, "GET", "/metrics", "").Body.String())
	for i := range 20 {
		send(i + 1)
	}
	after := labels(ask(t, s, "GET", "/metrics", "").Body.String())
	for _, line := range after {
		if strings.Contains(line, "word") || strings.Contains(line, "nxs_") {
			t.Errorf("a client chose the label %s", line)
		}
		if !slices.Contains(before, line) && !strings.Contains(line, `"GET /metrics"`) {
			t.Errorf("there is a new line %s", line)
		}
	}
}

func TestMetricsOfWaits(t *testing.T) {
	y := newToys()
	s := newHub(t, y.deps(t), serve.Options{MaxWaiters: 1})
	done := make(chan struct{})
	go func() {
		defer close(done)
		ask(t, s, "POST", "/api/v1/op/wait", `{"timeout_seconds":30}`)
	}()
	<-y.parked
	ask(t, s, "POST", "/api/v1/op/wait", `{"timeout_seconds":30}`)
	y.wake("toy")
	<-done
	ask(t, s, "POST", "/api/v1/op/wait", `{"timeout_seconds":0}`)
	ask(t, s, "GET", "/api/v1/echo/a", "", "X-Api-Key", unknownKey)
	page := ask(t, s, "GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`nexus_wait_seconds_count{operation="wait"} 2`,
		`nexus_request_seconds_count{operation="wait"} 1`,
		`nexus_rate_limited_total{limit="waiters"} 1`,
		"nexus_wrong_keys_total 1\n",
		`nexus_http_requests_total{route="none",status="401"} 1`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}

type measured struct{ figures }

func (measured) Figures() []nexus.Figure {
	h := nexus.NewHistogram(1, 2)
	h.Observe(1.5)
	return []nexus.Figure{
		{Name: "things", Help: "Things.", Label: "colour", Value: "red", Number: 3},
		{Name: "things", Help: "Things.", Label: "colour", Value: "blue", Number: 4},
		{Name: "thing_seconds", Help: "How long things took.", Spread: h},
		{Name: "bad name", Help: "Is left out."},
	}
}

func TestFigures(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{Gauges: []serve.Gauges{measured{}}})
	page := ask(t, s, "GET", "/metrics", "").Body.String()
	for _, want := range []string{
		"# HELP nexus_things Things.\n# TYPE nexus_things gauge\nnexus_things{colour=\"blue\"} 4\nnexus_things{colour=\"red\"} 3\n",
		`nexus_thing_seconds_bucket{le="1"} 0`, `nexus_thing_seconds_bucket{le="2"} 1`, "nexus_thing_seconds_sum 1.5",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(page, "left out") {
		t.Error("a bad name is shown")
	}
}
