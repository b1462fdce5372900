package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"nexus"
	"nexus/bus"
	"nexus/client"
	"nexus/hub"
	"nexus/op"
	"nexus/search"
	"nexus/search/remote"
	"nexus/serve"
	"nexus/store"
	"nexus/topic"
)

// A node is the store with all services on it: what a hub serves, and what a
// process without a hub works on itself.
type node struct {
	db    *store.DB
	bus   *bus.Service
	hub   *hub.Service
	topic *topic.Service
	board *board
	ops   *op.Catalogue

	search *search.Service

	webhooks *serve.WebhookSender

	stop       context.CancelFunc
	done       chan error
	background sync.WaitGroup
}

// openNode opens the store and joins the services.
func openNode(ctx context.Context, cfg *Config, noMigrate bool) (*node, error) {
	if err := ensureHome(cfg.Home); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Options{
		URL:          cfg.DB,
		BusyTimeout:  milliseconds(cfg.BusyTimeoutMS),
		PollInterval: milliseconds(cfg.PollIntervalMS),
		Now:          time.Now,
		Log:          slog.Default(),
		NoMigrate:    noMigrate,
	})
	if errors.Is(err, store.ErrForeign) && cfg.winners["db"].where == agentBusDB {
		return nil, noAgentBus(cfg.DB)
	}
	if err != nil {
		return nil, err
	}
	n := &node{db: db, done: make(chan error, 1)}
	n.bus = bus.New(bus.Config{
		Store:    store.Of[bus.Tx]{DB: db},
		Settings: busSettings(cfg),
		Home:     cfg.Home,
		Now:      time.Now,
		NewID:    newID,
		Versions: bus.Versions{Package: buildVersion().Version, Schema: db.SchemaVersion(), Surface: nexus.SurfaceRevision},
	})
	n.search = search.New(search.Config{Store: store.Of[search.Tx]{DB: db}, Now: time.Now, NewID: newID, Log: slog.Default()})
	n.search.Use(embedder(cfg))
	n.topic = newTopics(cfg, n)
	n.board = newBoard(cfg)
	n.board.tell = func(cfg *Config) {
		n.bus.Apply(busSettings(cfg))
		n.topic.Apply(topicSettings(cfg))
	}
	allowPrivate := func() bool { return n.board.config().WebhookAllowPrivate }
	n.webhooks = serve.NewWebhookSender(serve.WebhookOptions{AllowPrivate: allowPrivate})
	n.hub = hub.New(hub.Config{
		Store: store.Of[hub.Tx]{DB: db}, Now: time.Now, NewID: newID, Log: slog.Default(), Board: n.board, Keys: n.bus,
		OperatorHash: operatorHash(cfg.Home), Node: nodeName(cfg),
		Webhooks: hub.WebhookConfig{
			Sender: n.webhooks, Version: buildVersion().Version, AllowPrivate: allowPrivate, Log: slog.Default(),
		},
	})
	if n.ops, err = catalogue(n.bus, n.hub, n.topic, n.search); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := n.hub.LoadSettings(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	go func() { n.done <- db.Run(running) }()
	n.background.Go(func() { n.bus.RunSweeps(running) })
	return n, nil
}

// agentBusDB names the database to those who come from agent-bus.
const agentBusDB = "AGENT_BUS_DB"

// noAgentBus is what agent-bus itself says of a database without its schema.
func noAgentBus(path string) error {
	return nexus.Errorf(nexus.SchemaMismatch,
		"%s is a database of another program. It was left as it is. Name another file in %s, or wipe this one if nobody needs it: delete it.", path, agentBusDB)
}

// close ends what runs in the background and closes the store.
func (n *node) close() error {
	n.stop()
	n.background.Wait()
	n.webhooks.Close()
	return errors.Join(<-n.done, n.db.Close())
}

// nodeName is what a hub calls itself to other hubs on its database. A file has
// one hub, which takes up what it had when it was killed; a server may have many.
func nodeName(cfg *Config) string {
	if store.IsPostgres(cfg.DB) {
		return ""
	}
	return "node_of_the_file"
}

// knownOps is the catalogue of a process that hands its calls over: on services
// without a store, to know names and schemas.
func knownOps(cfg *Config) (*op.Catalogue, error) {
	return catalogue(bus.New(bus.Config{}), hub.New(hub.Config{}), topic.New(topic.Config{Settings: topicSettings(cfg)}), search.New(search.Config{}))
}

// catalogue is every operation there is.
func catalogue(b *bus.Service, h *hub.Service, t *topic.Service, s *search.Service) (*op.Catalogue, error) {
	ops, err := op.NewCatalogue(slices.Concat(op.BusOps(b), op.TopicOps(t), op.SearchOps(s), op.HubOps(h))...)
	if err != nil {
		return nil, err
	}
	ops.Guides = op.Guides()
	return ops, nil
}

// embedder is the service that makes vectors, nil where none is set up.
func embedder(cfg *Config) search.Embedder {
	if cfg.EmbeddingURL == "" {
		return nil
	}
	key := ""
	if cfg.EmbeddingKeyEnv != "" {
		if key = os.Getenv(cfg.EmbeddingKeyEnv); key == "" {
			slog.Warn("the variable that embedding_key_env names is not set; the embedding service is asked without a key", "variable", cfg.EmbeddingKeyEnv)
		}
	}
	return remote.New(remote.Options{BaseURL: cfg.EmbeddingURL, Model: cfg.EmbeddingModel, Key: key})
}

func busSettings(cfg *Config) bus.Settings {
	return bus.Settings{
		MaxWait:         seconds(cfg.MaxWaitTimeoutSeconds),
		MaxInlineSize:   cfg.MaxInlineBytes,
		InboxLease:      seconds(cfg.InboxLeaseTTLSeconds),
		HandoffLease:    seconds(cfg.HandoffLeaseTTLSeconds),
		SessionStale:    seconds(cfg.SessionStaleTTLSeconds),
		Presence:        seconds(cfg.PresenceTTLSeconds),
		SessionReap:     seconds(cfg.SessionReapSeconds),
		MaxEvents:       cfg.MaxEventLimit,
		MaxSharedEvents: cfg.MaxSharedMDEvents,
		Keep: bus.Windows{
			Events:         days(cfg.RetentionEventsKeepDays),
			ReadDeliveries: days(cfg.RetentionReadDeliveriesKeepDays),
			ClosedSessions: days(cfg.RetentionClosedSessionsKeepDays),
		},
		Strict:       cfg.TrustMode == "strict",
		ReadReceipts: cfg.InboxReadReceipts,
	}
}

// newTopics joins topics to the bus: a topic may belong to a workspace, what an
// agent may do on the bus holds there too, and who is mentioned hears of it, in the
// transaction that posts the message.
func newTopics(cfg *Config, n *node) *topic.Service {
	return topic.New(topic.Config{
		Store: store.Of[topic.Tx]{DB: n.db}, Settings: topicSettings(cfg), Now: time.Now, NewID: newID, Version: buildVersion().Version,
		Workspace: n.bus.DefaultWorkspace,
		Finder:    postFinder{n.search},
		Permit:    func(ctx context.Context, tx topic.Tx) error { return bus.MayChangeTopics(ctx, tx.(bus.Tx)) },
		Mention: func(ctx context.Context, tx topic.Tx, m topic.Mention) error {
			return n.bus.Tell(ctx, tx.(bus.Tx), bus.Notice{
				To: m.AgentID, From: m.Post.Sender, WorkspaceID: m.Topic.WorkspaceID,
				Subject: fmt.Sprintf("%s mentions you in topic %s", m.Post.Sender, m.Topic.Name),
				Body: map[string]any{
					"kind": "topic.mention", "topic_id": m.Topic.ID, "topic_name": m.Topic.Name, "message_id": m.Post.ID, "seq": m.Post.Seq,
					"sender": m.Post.Sender, "content_markdown": m.Post.Content,
				},
			})
		},
	})
}

// postFinder finds messages of topics with the search of the whole house.
type postFinder struct{ search *search.Service }

func (f postFinder) FindPosts(ctx context.Context, q topic.PostQuery) (topic.PostsFound, error) {
	p := search.FindParams{Query: q.Query, Mode: q.Mode, Types: []string{search.KindTopicPost}, Limit: &q.Limit}
	if q.TopicID != "" {
		p.In = []string{q.TopicID}
	}
	var found topic.PostsFound
	result, err := f.search.FindFTS(ctx, p)
	for _, h := range result.Items {
		found.Posts = append(found.Posts, topic.FoundPost{ID: h.ID, Snippet: h.Marked(), Words: h.Words, Meaning: h.Meaning})
	}
	for _, w := range result.Warnings {
		found.Warnings = append(found.Warnings, topic.Warning{Code: w.Code, Message: w.Message})
	}
	return found, err
}

func topicSettings(cfg *Config) topic.Settings {
	return topic.Settings{
		MaxOutbox: cfg.MaxOutbox, MaxMessageChars: cfg.MaxMessageChars, MaxSyncItems: cfg.MaxSyncItems,
		MaxWait: seconds(cfg.MaxWaitTimeoutSeconds), TextBodies: cfg.ToolTextIncludeBodies, TextMaxChars: cfg.ToolTextMaxChars,
	}
}

// longest is more than anybody means, and far from the end of what a duration
// can hold.
const longest = 100 * 365 * 24 * time.Hour

func seconds(n int) time.Duration {
	return time.Duration(min(n, int(longest/time.Second))) * time.Second
}

func milliseconds(n int) time.Duration {
	return time.Duration(min(n, int(longest/time.Millisecond))) * time.Millisecond
}

func days(n int) time.Duration {
	const day = 24 * time.Hour
	return time.Duration(min(n, int(longest/day))) * day
}

// newID makes ids that ascend with time: scattered ones would halve the write
// rate.
func newID(prefix string) string {
	return prefix + "_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}

// A localCaller makes calls on a node of this process as a hub would make them
// for it: with the same actor, so that a call which was cut and is made again
// here is known to be the same.
type localCaller struct {
	*node
	call serve.Caller
	home string
}

func newLocalCaller(n *node, home string, log *slog.Logger) *localCaller {
	return &localCaller{node: n, call: serve.Local(log), home: home}
}

func (l *localCaller) Close() error { return l.close() }

// Watch tells of commits; see [client.Local].
func (l *localCaller) Watch(keys ...string) (<-chan struct{}, func()) { return l.db.Watch(keys...) }

// Call makes one call; see [client.Local].
func (l *localCaller) Call(ctx context.Context, c client.CallRequest) client.CallAnswer {
	o := l.ops.Lookup(c.Op)
	actor, err := l.actor(ctx, c)
	if err != nil {
		return callAnswer(o.Family.Answer(nil, err))
	}
	ctx = nexus.WithMemberships(nexus.WithActor(ctx, actor), c.Memberships)
	if c.Key != "" {
		ctx = op.WithKey(ctx, c.Key)
	}
	return callAnswer(l.call(ctx, o, c.Arguments))
}

func (l *localCaller) actor(ctx context.Context, c client.CallRequest) (nexus.Actor, error) {
	switch {
	case c.APIKey != "" && isOperatorKey(l.home, c.APIKey):
		return nexus.Actor{Kind: nexus.KindOperator, Conn: c.Conn}, nil
	case c.APIKey != "":
		a, _, found, err := l.bus.KeyActor(ctx, bus.HashKey(c.APIKey))
		if err == nil && !found {
			err = nexus.Errorf(nexus.AuthFailed, "Authentication failed: unknown or inactive api_key")
		}
		a.Bound, a.Conn = true, c.Conn
		return a, err
	case c.Operator:
		return nexus.Actor{Kind: nexus.KindOperator, Conn: c.Conn}, nil
	}
	return nexus.Actor{Kind: nexus.KindProcess, Conn: c.Conn}, nil
}

func callAnswer(a op.Answer) client.CallAnswer {
	return client.CallAnswer{Code: a.Code, IsError: a.IsError, Text: a.Text, Body: a.Body}
}

// newRelay makes the way calls take from this process: to the hub of the home,
// or onto the store. A process with bus settings or a store of its own works on
// that, so that they hold.
func newRelay(cfg *Config, o client.RelayOptions) *client.Relay {
	o.Home = cfg.Home
	o.Accept = func(hub client.HubInfo) bool {
		return !cfg.BusSettingsGiven() && hub.SurfaceRevision == nexus.SurfaceRevision
	}
	o.Open = func(ctx context.Context) (client.Local, error) {
		n, err := openNode(ctx, cfg, hubUses(cfg))
		if err != nil {
			return nil, err
		}
		log := slog.Default()
		if o.Operator && !log.Enabled(ctx, slog.LevelInfo) { // whoever calls is told, and once is enough
			log = slog.New(slog.DiscardHandler)
		}
		return newLocalCaller(n, cfg.Home, log), nil
	}
	return client.NewRelay(o)
}

// hubUses tells whether a running hub has our database open: then its schema is
// not ours to change.
func hubUses(cfg *Config) bool {
	hub, err := client.ReadHubInfo(cfg.Home)
	return err == nil && hub.DB == databaseName(cfg.DB) && processAlive(hub.PID)
}

// databaseName tells databases apart, and keeps passwords to itself.
func databaseName(url string) string {
	if store.IsPostgres(url) {
		return withoutPassword(url)
	}
	path, err := filepath.Abs(url)
	if err != nil {
		return url
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// relayed is a [serve.Caller] that sends calls through a relay. Paths are made
// absolute here, where the caller's working directory is known.
func relayed(r *client.Relay) serve.Caller {
	return func(ctx context.Context, o *op.Op, arguments json.RawMessage) op.Answer {
		what := client.Op{Name: o.Name, Write: o.Effect != op.Read, Wait: o.Wait}
		a, err := r.Call(ctx, what, absolutePaths(o, o.Plain(arguments)))
		if err != nil {
			return o.Family.Answer(nil, err)
		}
		return op.Answer{Code: a.Code, IsError: a.IsError, Text: a.Text, Body: a.Body}
	}
}

func absolutePaths(o *op.Op, arguments json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	names := o.PathArguments()
	if len(names) == 0 || json.Unmarshal(arguments, &all) != nil {
		return arguments
	}
	changed := false
	for _, name := range names {
		var path string
		if json.Unmarshal(all[name], &path) != nil || strings.TrimSpace(path) == "" || filepath.IsAbs(path) || bus.IsWorkspaceID(path) {
			continue
		}
		if absolute, err := filepath.Abs(path); err == nil {
			all[name], _ = op.Marshal(absolute) // a string always marshals
			changed = true
		}
	}
	if !changed {
		return arguments
	}
	rewritten, err := op.Marshal(all)
	if err != nil {
		return arguments
	}
	return rewritten
}
