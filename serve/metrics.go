package serve

import (
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nexus"
)

// Gauges are figures that somebody else keeps, such as the store. They are read
// whenever /metrics is, and shown as nexus_NAME; a name that ends in _total is a
// counter. The names may change from one reading to the next.
type Gauges interface {
	Stats() map[string]float64
}

// metrics counts what the hub does, in a registry of its own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(waiters func() int, others []Gauges) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nexus_requests_total",
			Help: "Operations that were answered, by face and by the code of the answer.",
		}, []string{"face", "operation", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "nexus_request_seconds",
			Help:    "How long operations took, including the time that they were asked to wait.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 10),
		}, []string{"operation"}),
	}
	m.registry.MustRegister(m.requests, m.seconds,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "nexus_waiters",
			Help: "Calls that wait at this moment.",
		}, func() float64 { return float64(waiters()) }))
	for _, g := range others {
		m.registry.MustRegister(gauges{g})
	}
	return m
}

func (m *metrics) observe(face, operation string, code nexus.Code, took time.Duration) {
	if code == "" {
		code = "OK"
	}
	m.requests.WithLabelValues(face, operation, string(code)).Inc()
	m.seconds.WithLabelValues(operation).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// gauges shows [Gauges] to Prometheus. It describes nothing in advance, since
// the names are known only when they are read.
type gauges struct{ Gauges }

func (g gauges) Describe(chan<- *prometheus.Desc) {}

func (g gauges) Collect(to chan<- prometheus.Metric) {
	for name, value := range g.Stats() {
		name = "nexus_" + name
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			continue // one bad name would cost the whole page
		}
		kind := prometheus.GaugeValue
		if strings.HasSuffix(name, "_total") {
			kind = prometheus.CounterValue
		}
		desc := prometheus.NewDesc(name, strings.ReplaceAll(name, "_", " "), nil, nil)
		to <- prometheus.MustNewConstMetric(desc, kind, value)
	}
}
