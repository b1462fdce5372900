package main

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"nexus"
)

// loadTLS is how the hub encrypts, nil when it does not.
func loadTLS(cfg *Config) (*tls.Config, error) {
	switch {
	case cfg.TLSCert == "" && cfg.TLSKey == "":
		return nil, nil
	case cfg.TLSCert == "" || cfg.TLSKey == "":
		return nil, nexus.Errorf(nexus.ConfigError, "tls_cert and tls_key go together: one of them is missing")
	}
	c := &certificate{certFile: cfg.TLSCert, keyFile: cfg.TLSKey}
	if err := c.load(); err != nil {
		return nil, nexus.Errorf(nexus.ConfigError, "cannot use the certificate %s with the key %s: %v", cfg.TLSCert, cfg.TLSKey, rootCause(err))
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.current}, nil
}

// A certificate is read again when its file has changed, so that renewing it
// needs no restart.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	pair    *tls.Certificate
	changed time.Time // of the file that was read
	checked time.Time
}

// certificateGrain is how often the file is looked at, at most.
const certificateGrain = 10 * time.Second

func (c *certificate) load() error {
	info, err := os.Stat(c.certFile)
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.pair, c.changed, c.checked = &pair, info.ModTime(), time.Now()
	return nil
}

// current is the certificate to show. One that cannot be read does not replace
// one that could.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < certificateGrain {
		return c.pair, nil
	}
	c.checked = time.Now()
	if info, err := os.Stat(c.certFile); err != nil || info.ModTime().Equal(c.changed) {
		return c.pair, nil
	}
	if err := c.load(); err != nil {
		slog.Warn("the new certificate cannot be used; the old one goes on", "file", c.certFile, "err", err)
	}
	return c.pair, nil
}
