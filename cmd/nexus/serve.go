package main

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"nexus"
	"nexus/bus"
	"nexus/client"
	"nexus/serve"
	"nexus/ui"
)

func serveCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [--host 127.0.0.1] [--port 8202] [--project-root DIR]",
		Short: "Run the hub",
		Long: `Run the hub: MCP at /mcp, REST at /api/v1, and a page that says how to connect.

On a loopback address, which is the default, this machine's own REST calls need no
key and pages of other sites are kept out. On any other address every call needs one.`,
		Example: "  nexus serve\n  nexus serve --port 9000\n  nexus serve --db postgres://nexus@db/nexus",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			return a.runServe(cmd.Context(), cfg)
		},
	}
	showSettings(cmd, "host", "port", "project_root")
	return cmd
}

// runServe is the life of a hub: lock, store, listeners, and then the same
// backwards. Nothing is announced before it answers.
func (a *app) runServe(ctx context.Context, cfg *Config) (err error) {
	if err := ensureHome(cfg.Home); err != nil {
		return err
	}
	lock, err := takeServeLock(cfg.Home, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if _, err := operatorKey(cfg.Home); err != nil {
		return err
	}
	n, err := openNode(ctx, cfg, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	n.search.Call(nodeName(cfg))
	tellNotPruned(a.stderr, pruneOnStart(ctx, cfg, n))
	listener, err := listen(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	h, err := a.newHub(ctx, cfg, n, listener.Addr())
	if err != nil {
		return err
	}
	return a.runHub(ctx, h, lock, listener)
}

func listen(cfg *Config) (net.Listener, error) {
	address := net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port))
	network := "tcp"
	if ip, err := netip.ParseAddr(cfg.Host); err == nil && ip.Is4() {
		network = "tcp4" // 0.0.0.0 alone would take IPv6 as well
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, nexus.Errorf(nexus.ConfigError, "cannot listen on %s: %v; choose another address with --host and --port", address, rootCause(err))
	}
	return l, nil
}

func rootCause(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}

// A wiredNode is a node on the wire.
type wiredNode struct {
	home   string
	node   *node
	info   client.HubInfo
	server *serve.Server
	plain  bool // no banner
	public bool // whether others can reach it
}

func (a *app) newHub(ctx context.Context, cfg *Config, n *node, address net.Addr) (*wiredNode, error) {
	encrypted, err := loadTLS(cfg)
	if err != nil {
		return nil, err
	}
	workspace := ""
	if cfg.ProjectRoot != "" {
		if workspace, err = n.bus.DefaultWorkspace(ctx, cfg.ProjectRoot); err != nil {
			return nil, err
		}
	}
	url := "http"
	if encrypted != nil {
		url = "https"
	}
	url += "://" + shownAddress(cfg.Host, address)
	h := &wiredNode{home: cfg.Home, node: n, plain: cfg.NoBanner, public: !isLoopback(address), info: client.HubInfo{
		PID: os.Getpid(), Instance: newID("hub"), Version: buildVersion().Version, SurfaceRevision: nexus.SurfaceRevision,
		Addresses: client.Addresses{MCP: url + "/mcp", API: url + "/api/v1", Dashboard: url},
		DB:        databaseName(cfg.DB),
	}}
	h.server, err = serve.New(serve.Deps{
		Catalogue: n.ops, Sessions: n.db, Keys: n.bus, SignIns: n.hub, Watcher: n.db, Events: n.db, Exports: n.bus, Artifacts: n.bus, Ready: n.db.Ping,
		Backup: backupOf(cfg), Connect: a.snippets(cfg),
		OperatorKeyHash: operatorHash(cfg.Home), Version: h.info.Version, SchemaVersion: n.db.SchemaVersion(),
		TrustMode: func() string { return n.board.config().TrustMode }, DefaultWorkspace: workspace, License: nexus.License, Dashboard: ui.Files(), Log: slog.Default(), Now: time.Now,
	}, serve.Options{
		Addr: address, TrustedHosts: cfg.TrustedHosts, TrustedProxies: cfg.TrustedProxies, UserHeader: cfg.TrustedUserHeader,
		MaxWaiters: cfg.MaxWaiters, MaxConnections: cfg.MaxConnections, TLS: encrypted,
		Rates: func() serve.Rates { return rates(n.board.config(), h.public) }, Instance: h.info.Instance, DB: h.info.DB,
		Gauges: []serve.Gauges{n.db}, OTLPEndpoint: cfg.OTLPEndpoint,
	})
	return h, err
}

// The rates at which requests are taken where others can reach the hub and
// nobody said otherwise: far above what honest use makes.
const (
	publicRatePerKey     = 500
	publicRatePerAddress = 1000
)

func rates(cfg *Config, public bool) serve.Rates {
	pick := func(asked, usual int) int {
		switch {
		case asked >= 0:
			return asked
		case public:
			return usual
		}
		return 0
	}
	return serve.Rates{PerKey: pick(cfg.RatePerKey, publicRatePerKey), PerAddress: pick(cfg.RatePerAddress, publicRatePerAddress)}
}

func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// shownAddress is the address as it was asked for, with the port that was got.
func shownAddress(host string, got net.Addr) string {
	_, port, err := net.SplitHostPort(got.String())
	if err != nil {
		return got.String()
	}
	return net.JoinHostPort(host, port)
}

// runHub serves until ctx ends or something that must run cannot.
func (a *app) runHub(ctx context.Context, h *wiredNode, lock *serveLock, listener net.Listener) error {
	serving, ctx := errgroup.WithContext(ctx)
	handover, err := serve.ListenHandover(client.SocketPath(h.home))
	if err != nil {
		slog.Warn("calls of other processes cannot be handed over; they will open the store themselves", "err", err)
	} else {
		h.info.Socket = client.SocketPath(h.home)
		serving.Go(func() error { return h.server.ServeHandover(ctx, handover) })
	}
	serving.Go(func() error { return h.server.Serve(ctx, listener) })
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var helpers errgroup.Group
	helpers.Go(func() error { return h.server.Run(background) })
	helpers.Go(func() error { return h.node.hub.WatchSettings(background) })
	serving.Go(func() error { return lock.Run(ctx) })
	serving.Go(func() error { return h.node.hub.RunWebhooks(ctx) })
	serving.Go(func() error { return h.node.search.Run(ctx) })
	if err := client.WriteHubInfo(h.home, h.info); err != nil {
		slog.Warn("hub.json cannot be written; other processes will not find this hub", "err", err)
	}
	a.announce(h)
	err = serving.Wait()
	stop()
	return errors.Join(err, helpers.Wait(), client.RemoveHubInfo(h.home, h.info.Instance))
}

const banner = `
   ·──◇──·   N E X U S
   │  │  │   agents, assistants and people,
   ·──◆──·   one team
`

// announce says on standard error what is ready, for people and for those who
// start hubs from programs.
func (a *app) announce(h *wiredNode) {
	if !h.plain && !a.quiet {
		fmt.Fprint(a.stderr, banner+"\n")
	}
	for _, line := range []string{
		"MCP Server initialized successfully - " + h.info.Addresses.MCP,
		"API Server initialized successfully - " + h.info.Addresses.API,
		"Dashboard initialized successfully - " + h.info.Addresses.Dashboard,
		"Startup complete - Nexus is ready",
	} {
		fmt.Fprintln(a.stderr, "[nexus] "+line)
	}
	if h.public {
		a.announceKey(h)
	}
}

// operatorKey is the key that nexus itself uses, made with the first start.
func operatorKey(home string) (string, error) {
	path := operatorKeyPath(home)
	text, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(text)) != "" {
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nexus.Errorf(nexus.ConfigError, "cannot read %s: %v", path, rootCause(err))
	}
	key := bus.NewKey()
	if err := os.WriteFile(path, []byte(key+"\n"), 0o600); err != nil {
		return "", nexus.Errorf(nexus.ConfigError, "cannot write %s: %v", path, rootCause(err))
	}
	return key, nil
}

func operatorKeyPath(home string) string { return filepath.Join(home, "operator.key") }

// operatorHash is the hash of the operator's key, "" while there is none.
func operatorHash(home string) string {
	text, err := os.ReadFile(operatorKeyPath(home))
	if key := strings.TrimSpace(string(text)); err == nil && key != "" {
		return bus.HashKey(key)
	}
	return ""
}

// isOperatorKey tells whether a key is the operator's, where there is one.
func isOperatorKey(home, key string) bool {
	own := operatorHash(home)
	return own != "" && subtle.ConstantTimeCompare([]byte(own), []byte(bus.HashKey(key))) == 1
}
