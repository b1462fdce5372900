package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nexus/client"
)

// writeCertificate makes a certificate for this machine and returns those who
// trust it.
func writeCertificate(t *testing.T, certFile, keyFile, name string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(certFile, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

func TestTLS(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cert, key := filepath.Join(home, "cert.pem"), filepath.Join(home, "key.pem")
	pool := writeCertificate(t, cert, key, "first")
	cmd := exec.Command("nexus", "serve", "--port", "0", "--tls-cert", cert, "--tls-key", key)
	cmd.Env = []string{"HOME=" + home, "GORACE=" + raceOptions}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	defer trusting.CloseIdleConnections()
	var info client.HubInfo
	if !eventually(func() bool {
		var err error
		if info, err = client.ReadHubInfo(filepath.Join(home, ".nexus")); err != nil {
			return false
		}
		resp, err := trusting.Get(info.Addresses.Dashboard + "/healthz")
		if err == nil {
			defer resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK && resp.ProtoMajor == 2
	}) {
		t.Fatalf("no hub answers over HTTPS at %q", info.Addresses.Dashboard)
	}
	if !strings.HasPrefix(info.Addresses.MCP, "https://") {
		t.Errorf("hub.json says %s", info.Addresses.MCP)
	}
	if resp, err := http.Get(strings.Replace(info.Addresses.Dashboard, "https", "http", 1) + "/healthz"); err == nil {
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Error("it speaks plain HTTP as well")
		}
	}
}

func TestBadTLS(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cert, key := filepath.Join(home, "cert.pem"), filepath.Join(home, "key.pem")
	writeCertificate(t, cert, key, "first")
	writeCertificate(t, filepath.Join(home, "other.pem"), filepath.Join(home, "other-key.pem"), "other")
	for _, cfg := range []*Config{
		{TLSCert: cert}, {TLSKey: key}, {TLSCert: cert, TLSKey: filepath.Join(home, "none")}, {TLSCert: cert, TLSKey: filepath.Join(home, "other-key.pem")},
	} {
		if _, err := loadTLS(cfg); err == nil || !strings.Contains(err.Error(), "CONFIG_ERROR") {
			t.Errorf("%s, %s: %v", cfg.TLSCert, cfg.TLSKey, err)
		}
	}
}

// A certificate that was renewed is shown without a restart; one that is broken
// is not.
func TestRenewedCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &certificate{certFile: filepath.Join(dir, "cert.pem"), keyFile: filepath.Join(dir, "key.pem")}
	name := func() string {
		t.Helper()
		c.checked = time.Time{} // as if it had been a while
		pair, err := c.current(nil)
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.Subject.CommonName
	}
	writeCertificate(t, c.certFile, c.keyFile, "first")
	if err := c.load(); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != "first" {
		t.Errorf("got %s", got)
	}
	later := func(d time.Duration) {
		if err := os.Chtimes(c.certFile, time.Now().Add(d), time.Now().Add(d)); err != nil {
			t.Fatal(err)
		}
	}
	writeCertificate(t, c.certFile, c.keyFile, "second")
	later(time.Minute)
	if got := name(); got != "second" {
		t.Errorf("got %s", got)
	}
	if err := os.WriteFile(c.certFile, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	later(2 * time.Minute)
	if got := name(); got != "second" {
		t.Errorf("got %s", got)
	}
}
