package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"nexus/hub"
)

const (
	// DefaultWebhookTime is how long a receiver may take.
	DefaultWebhookTime = 10 * time.Second
	webhookAnswer      = 1 << 10 // bytes of an answer that are read
	webhookHeader      = 32 << 10
)

// WebhookOptions say how webhooks may be reached.
type WebhookOptions struct {
	// AllowPrivate tells whether addresses that are not public may be dialled;
	// nil for no.
	AllowPrivate func() bool
	// Time is how long one request may take, [DefaultWebhookTime] when zero.
	Time time.Duration
}

// A WebhookSender is a [hub.Sender] over HTTP. What it may dial is decided by
// the address that a connection is really made to, so neither a name nor a
// redirect leads it astray.
type WebhookSender struct {
	opts WebhookOptions
	// Each has connections of its own: one that was made while private addresses
	// were allowed is not used when they no longer are.
	public, anywhere *http.Client
}

// NewWebhookSender makes a sender.
func NewWebhookSender(o WebhookOptions) *WebhookSender {
	if o.AllowPrivate == nil {
		o.AllowPrivate = func() bool { return false }
	}
	if o.Time == 0 {
		o.Time = DefaultWebhookTime
	}
	return &WebhookSender{opts: o, public: webhookClient(o, publicOnly), anywhere: webhookClient(o, nil)}
}

type dialControl func(ctx context.Context, network, address string, c syscall.RawConn) error

// webhookClient asks no proxy: it would dial whatever it is told to.
func webhookClient(o WebhookOptions, control dialControl) *http.Client {
	dialer := &net.Dialer{Timeout: o.Time, ControlContext: control}
	return &http.Client{
		Timeout: o.Time,
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    o.Time,
			MaxIdleConnsPerHost:    1,
			MaxIdleConns:           64,
			IdleConnTimeout:        time.Minute,
			DisableCompression:     true,
			MaxResponseHeaderBytes: webhookHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

var errNotPublic = errors.New("is not a public address. Private ones are allowed with the setting webhook_allow_private")

func publicOnly(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !hub.IsPublic(at.Addr()) {
		return fmt.Errorf("%s %w", at.Addr(), errNotPublic)
	}
	return nil
}

// Send posts once; see [hub.Sender].
func (s *WebhookSender) Send(ctx context.Context, r hub.WebhookRequest) (hub.WebhookResponse, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return hub.WebhookResponse{}, errors.New("the url is not well-formed: set another one")
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	// It is not sent, but lets the transport try again on a new connection if a
	// kept one turns out to be dead: receivers know what they saw by its id.
	request.Header["X-Idempotency-Key"] = nil
	client := s.public
	if s.opts.AllowPrivate() {
		client = s.anywhere
	}
	response, err := client.Do(request)
	if err != nil {
		return hub.WebhookResponse{}, s.reason(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(response.Body, webhookAnswer)) // the status counts, whatever comes after it
	return hub.WebhookResponse{
		Status: response.StatusCode, Text: string(text), RetryAfter: retryAfter(response.Header.Get("Retry-After"), time.Now()),
	}, nil
}

// Close ends connections that are kept for later.
func (s *WebhookSender) Close() {
	s.public.CloseIdleConnections()
	s.anywhere.CloseIdleConnections()
}

// reason is an error without the URL, which may be as good as a secret.
func (s *WebhookSender) reason(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		if u.Timeout() {
			return fmt.Errorf("no answer within %s", s.opts.Time)
		}
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && errors.Is(err, errNotPublic) {
		return op.Err
	}
	return err
}

// retryAfter reads seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	const most = 24 * time.Hour // and safe to multiply
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(0, min(seconds, int(most/time.Second)))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, min(at.Sub(now), most))
	}
	return 0
}
