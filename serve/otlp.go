package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nexus"
)

const (
	spanQueue = 4096 // spans that may wait; more are dropped
	spanBatch = 512  // spans that travel together
	// batchTime is how long the first of a batch waits for the last.
	batchTime = time.Second
	// postTime is how long a collector may take for a batch.
	postTime = 10 * time.Second
	// postTries and postPause say how often a batch is offered to a collector
	// that is busy or gone, and how long the first pause is; each is twice as
	// long as the one before.
	postTries = 5
	postPause = time.Second
	longPause = 30 * time.Second
	// lastPost is how long the last spans of a stopping hub may take.
	lastPost = 2 * time.Second
)

// An exporter sends spans to a collector, over OTLP in its JSON form. It never
// keeps anybody waiting: what cannot be sent is dropped and counted. A nil
// exporter exports nothing.
type exporter struct {
	url      string
	resource []byte
	queue    chan span
	client   *http.Client
	pause    time.Duration
	log      *slog.Logger
	sent     prometheus.Counter
	dropped  prometheus.Counter
	down     bool // the collector did not take the last batch; for run only
}

// newExporter makes an exporter to an endpoint such as http://127.0.0.1:4318;
// nil where there is none.
func newExporter(endpoint string, d Deps, instance string, m *metrics) (*exporter, error) {
	if endpoint == "" {
		return nil, nil //nolint:nilnil // a nil exporter is of use
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, nexus.Errorf(nexus.ConfigError, "The endpoint for traces is no address such as http://127.0.0.1:4318.")
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u = u.JoinPath("v1", "traces")
	}
	return &exporter{
		url:      u.String(),
		resource: appendAttributes(nil, serviceAttributes(d.Version, instance)),
		queue:    make(chan span, spanQueue),
		client:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: idleTime}, Timeout: postTime},
		pause:    postPause,
		log:      d.Log,
		sent:     m.spansSent,
		dropped:  m.spansDropped,
	}, nil
}

func (e *exporter) record(s span) {
	select {
	case e.queue <- s:
	default:
		e.dropped.Inc()
	}
}

// run sends what is recorded until ctx ends, and then what is left, if that is
// quick.
func (e *exporter) run(ctx context.Context) {
	defer e.client.CloseIdleConnections()
	for ctx.Err() == nil {
		if batch := e.gather(ctx); len(batch) > 0 {
			e.deliver(ctx, batch)
		}
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPost)
	defer cancel()
	for len(e.queue) > 0 && !e.down {
		e.last(ending)
	}
	e.dropped.Add(float64(len(e.queue)))
}

// gather waits for spans and takes those that come soon after the first.
func (e *exporter) gather(ctx context.Context) (batch []span) {
	select {
	case s := <-e.queue:
		batch = append(batch, s)
	case <-ctx.Done():
		return nil
	}
	enough := time.NewTimer(batchTime)
	defer enough.Stop()
	for len(batch) < spanBatch {
		select {
		case s := <-e.queue:
			batch = append(batch, s)
		case <-enough.C:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// deliver offers a batch to the collector until it takes it, refuses it, or has
// been asked often enough. An outage is logged once.
func (e *exporter) deliver(ctx context.Context, batch []span) {
	body := e.encode(batch)
	pause := e.pause
	for try := 1; ; try++ {
		// A batch that is under way when the hub stops may still arrive.
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), postTime)
		stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastPost, cancel) })
		retry, err := e.post(limit, body)
		stop()
		cancel()
		e.note(ctx, err, len(batch))
		if err == nil {
			return
		}
		if retry < 0 || try == postTries || !rest(ctx, max(pause, retry)) {
			e.dropped.Add(float64(len(batch)))
			return
		}
		pause = min(2*pause, longPause)
	}
}

// last offers what a stopping hub has left, once.
func (e *exporter) last(ctx context.Context) {
	var batch []span
	for len(batch) < spanBatch && len(e.queue) > 0 {
		batch = append(batch, <-e.queue)
	}
	_, err := e.post(ctx, e.encode(batch))
	e.note(ctx, err, len(batch))
	if err != nil {
		e.dropped.Add(float64(len(batch)))
	}
}

func (e *exporter) note(ctx context.Context, err error, spans int) {
	switch {
	case err == nil:
		e.sent.Add(float64(spans))
		if e.down {
			e.log.InfoContext(ctx, "the collector takes traces again")
		}
	case !e.down:
		e.log.WarnContext(ctx, "traces cannot be sent; they are dropped until the collector takes them", "err", err)
	}
	e.down = err != nil
}

// post sends a batch. When that did not work, it says how long to wait at least
// before the next try; less than nothing is for ever.
func (e *exporter) post(ctx context.Context, body []byte) (retry time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		retry = min(time.Duration(max(0, min(seconds, 3600)))*time.Second, longPause)
	default:
		retry = -1
	}
	return retry, fmt.Errorf("the collector answered %s", resp.Status)
}

// rest waits, and tells whether it could until the end.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
