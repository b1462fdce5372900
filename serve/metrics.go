package serve

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nexus"
)

// Gauges are figures that somebody else keeps, such as the store. They are read
// whenever /metrics is, and shown as nexus_NAME; a name that ends in _total is a
// counter. The names may change from one reading to the next. Who has more to
// say, such as help, labels and histograms, also has Figures() []nexus.Figure,
// which is then shown instead.
type Gauges interface {
	Stats() map[string]float64
}

// metrics counts what the hub does, in a registry of its own. Every label has
// values that the program chose; what clients send is never one.
type metrics struct {
	registry     *prometheus.Registry
	requests     *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	waits        *prometheus.HistogramVec
	http         *prometheus.CounterVec
	limited      *prometheus.CounterVec
	wrongKeys    prometheus.Counter
	signIns      *prometheus.CounterVec
	spansSent    prometheus.Counter
	spansDropped prometheus.Counter
	connections  atomic.Int64
}

func newMetrics(waiters func() int, others []Gauges) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("requests_total", "Operations that were answered, by face and by the code of the answer.", "face", "operation", "code"),
		seconds: histograms("request_seconds", "How long operations took that were not asked to wait.",
			.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30),
		waits: histograms("wait_seconds", "How long operations took that were asked to wait, up to the time that they were given.",
			.001, .01, .1, .5, 1, 2.5, 5, 10, 20, 30, 45, 60, 120, 300),
		http:         counters("http_requests_total", "HTTP requests, by the route that took them and the status of the answer.", "route", "status"),
		limited:      counters("rate_limited_total", "Requests, calls and connections that were refused because of a limit.", "limit"),
		signIns:      counters("sign_ins_total", "Attempts to sign in, by the code of the answer.", "code"),
		wrongKeys:    counter("wrong_keys_total", "Requests that came with a key that nobody has."),
		spansSent:    counter("spans_sent_total", "Spans that a collector took."),
		spansDropped: counter("spans_dropped_total", "Spans that were thrown away because the collector did not take them in time."),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.waits, m.http, m.limited, m.wrongKeys, m.signIns, m.spansSent, m.spansDropped,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("waiters", "Calls that wait at this moment.", func() float64 { return float64(waiters()) }),
		gauge("connections", "Connections that are open, those on the hand-over socket included.",
			func() float64 { return float64(m.connections.Load()) }))
	for _, g := range others {
		m.registry.MustRegister(gauges{g})
	}
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "nexus", Name: name, Help: help}, labels)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "nexus", Name: name, Help: help})
}

func gauge(name, help string, read func() float64) prometheus.GaugeFunc {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "nexus", Name: name, Help: help}, read)
}

func histograms(name, help string, buckets ...float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "nexus", Name: name, Help: help, Buckets: buckets}, []string{"operation"})
}

// says adds what does not change while the hub runs.
func (m *metrics) says(version string) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "nexus", Name: "build_info", Help: "Which version this is; always 1.",
		ConstLabels: prometheus.Labels{"version": strings.ToValidUTF8(version, "")},
	}, func() float64 { return 1 }))
}

// observe counts an operation. Calls that waited are kept apart: how long they
// took is what they were asked for.
func (m *metrics) observe(face, operation string, code nexus.Code, waited bool, took time.Duration) {
	m.requests.WithLabelValues(face, operation, codeLabel(code)).Inc()
	seconds := m.seconds
	if waited {
		seconds = m.waits
	}
	seconds.WithLabelValues(operation).Observe(took.Seconds())
}

func codeLabel(code nexus.Code) string {
	if code == "" {
		return "OK"
	}
	return string(code)
}

// refused counts an error that says which limit was reached, and returns it.
func (m *metrics) refused(err error) error {
	if e, ok := errors.AsType[*nexus.Error](err); ok {
		if limit, ok := e.Details["limit"].(string); ok {
			m.limited.WithLabelValues(limit).Inc()
		}
	}
	return err
}

func (m *metrics) answered(p *passage) {
	m.http.WithLabelValues(p.route(), statusText(p.outcome())).Inc()
}

// connected keeps count of connections. Those that are taken over by a handler
// are that handler's to count.
func (m *metrics) connected(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		m.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		m.connections.Add(-1)
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// gauges shows [Gauges] to Prometheus. It describes nothing in advance, since
// the names are known only when they are read.
type gauges struct{ Gauges }

func (g gauges) Describe(chan<- *prometheus.Desc) {}

func (g gauges) Collect(to chan<- prometheus.Metric) {
	for _, f := range g.figures() {
		if m, err := figureMetric(f); err == nil {
			to <- m // one bad name would cost the whole page
		}
	}
}

func (g gauges) figures() []nexus.Figure {
	if more, ok := g.Gauges.(interface{ Figures() []nexus.Figure }); ok {
		return more.Figures()
	}
	var all []nexus.Figure
	for name, value := range g.Stats() {
		all = append(all, nexus.Figure{Name: name, Help: strings.ReplaceAll(name, "_", " "), Number: value})
	}
	return all
}

var errFigureName = errors.New("a name has letters, digits and underscores")

func figureMetric(f nexus.Figure) (prometheus.Metric, error) {
	if strings.Trim(f.Name+f.Label, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return nil, errFigureName
	}
	var labels, values []string
	if f.Label != "" {
		labels, values = []string{f.Label}, []string{f.Value}
	}
	desc := prometheus.NewDesc("nexus_"+f.Name, f.Help, labels, nil)
	switch {
	case f.Spread != nil:
		count, sum, buckets := f.Spread.Read()
		return prometheus.NewConstHistogram(desc, count, sum, buckets, values...)
	case strings.HasSuffix(f.Name, "_total"):
		return prometheus.NewConstMetric(desc, prometheus.CounterValue, f.Number, values...)
	}
	return prometheus.NewConstMetric(desc, prometheus.GaugeValue, f.Number, values...)
}
