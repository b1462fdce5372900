package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/client"
)

// healthTime is how long a hub may take to say that it is ready.
const healthTime = 5 * time.Second

// healthcheckCommand is for what looks after a hub in an image that holds nothing
// but nexus.
func healthcheckCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "healthcheck",
		Short:  "Ask the running hub of this home whether it is ready",
		Hidden: true,
		Long: `Ask the running hub of this home over HTTP whether it is ready. The exit status
is 0 when it is, and 6 when it is not or when there is none.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			return checkHealth(cmd.Context(), cfg.Home)
		},
	}
}

// checkHealth asks the hub that hub.json names, and never the store: that the
// store works does not mean that anybody serves it.
func checkHealth(ctx context.Context, home string) error {
	hub, err := client.ReadHubInfo(home)
	if err != nil {
		return nexus.Errorf(nexus.Unavailable, "no hub runs in %s; start one with nexus serve", home)
	}
	limited, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	address := nearAddress(hub.Addresses.Dashboard) + "/readyz"
	r, err := http.NewRequestWithContext(limited, http.MethodGet, address, nil)
	if err != nil {
		return nexus.Errorf(nexus.Unavailable, "hub.json in %s names no address that can be asked: %q", home, address)
	}
	// The hub is this home's own, and its certificate has its public name, not the
	// one it is asked under here. Nothing secret is sent.
	asker := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
	}}
	answer, err := asker.Do(r)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return nexus.Errorf(nexus.Unavailable, "the hub of %s does not answer at %s: %v", home, address, rootCause(err))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nexus.Errorf(nexus.Unavailable, "the hub of %s is not ready: %s answers %s", home, address, answer.Status)
	}
	return nil
}

// nearAddress is where a hub that listens on every address is asked from its own
// machine.
func nearAddress(dashboard string) string {
	u, err := url.Parse(dashboard)
	if err != nil {
		return dashboard
	}
	ip, err := netip.ParseAddr(u.Hostname())
	switch {
	case err != nil || !ip.IsUnspecified():
		return dashboard
	case ip.Is4():
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	default:
		u.Host = net.JoinHostPort("::1", u.Port())
	}
	return u.String()
}
