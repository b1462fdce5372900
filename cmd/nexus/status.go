package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/client"
	"nexus/store"
)

func homeStatusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the hub, the store and how much is waiting",
		Long: `Show in one look what this home is doing: the hub, the store, and how many agents,
letters and hand-offs there are. Nothing is made or changed, hub or no hub.

nexus doctor looks for what is wrong.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			s, err := lookAround(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if a.wantsJSON(cmd) {
				return printJSON(a.stdout, s)
			}
			return a.printStatus(s)
		},
	}
}

// A statusReport is one look at a home.
type statusReport struct {
	Version     string         `json:"version"`
	Home        string         `json:"home"`
	HomeExists  bool           `json:"home_exists"`
	OperatorKey bool           `json:"operator_key"`
	Hub         hubStatus      `json:"hub"`
	Database    databaseStatus `json:"database"`
	Counts      *store.Counts  `json:"counts"` // null where they cannot be had
}

type hubState string

const (
	hubRunning hubState = "running"
	hubSilent  hubState = "silent" // its process is there and does not answer
	hubStale   hubState = "stale"  // it ended without taking hub.json away
	hubStopped hubState = "stopped"
)

type hubStatus struct {
	State       hubState          `json:"state"`
	PID         int               `json:"pid,omitempty"`
	Version     string            `json:"version,omitempty"`
	SameVersion bool              `json:"same_version,omitempty"` // as this program
	Since       string            `json:"since,omitempty"`
	Addresses   *client.Addresses `json:"addresses,omitempty"`
	DB          string            `json:"db,omitempty"` // where it is not ours
}

type databaseStatus struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"` // without passwords
	Exists      bool   `json:"exists"`
	Bytes       int64  `json:"bytes,omitempty"`
	WALBytes    int64  `json:"wal_bytes,omitempty"`
	Schema      int    `json:"schema_version,omitempty"`
	KnownSchema int    `json:"known_schema_version,omitempty"`
	Problem     string `json:"problem,omitempty"`
}

// lookPatience is how long a database may keep us waiting.
const lookPatience = 5 * time.Second

func lookAround(ctx context.Context, cfg *Config) (statusReport, error) {
	s := statusReport{Version: buildVersion().Version, Home: cfg.Home, Hub: lookAtHub(ctx, cfg)}
	info, err := os.Stat(cfg.Home)
	s.HomeExists = err == nil && info.IsDir()
	s.OperatorKey = pathExists(operatorKeyPath(cfg.Home))
	i, err := store.Inspect(ctx, inspectOptions(cfg, store.NoCheck))
	if ctx.Err() != nil {
		return s, context.Cause(ctx)
	}
	s.Database = databaseStatus{
		Kind: i.Kind, Name: databaseName(cfg.DB), Exists: nexus.CodeOf(err) != nexus.NotFound,
		Bytes: i.Bytes, WALBytes: i.WALBytes, Schema: i.Schema, KnownSchema: i.KnownSchema,
	}
	switch {
	case err == nil:
		s.Counts = &i.Counts
	case s.Database.Exists:
		s.Database.Problem = nexus.AsError(err).Msg
	}
	return s, nil
}

func inspectOptions(cfg *Config, check store.Depth) store.InspectOptions {
	return store.InspectOptions{
		URL: cfg.DB, Busy: lookPatience, Check: check,
		PresentSince: time.Now().Add(-seconds(cfg.PresenceTTLSeconds)),
	}
}

// lookAtHub finds out what is behind hub.json.
func lookAtHub(ctx context.Context, cfg *Config) hubStatus {
	info, err := client.ReadHubInfo(cfg.Home)
	if errors.Is(err, fs.ErrNotExist) {
		return hubStatus{State: hubStopped}
	}
	if err != nil {
		return hubStatus{State: hubStale}
	}
	h := hubStatus{
		State: hubStale, PID: info.PID, Version: info.Version, SameVersion: info.Version == buildVersion().Version,
		Addresses: &info.Addresses,
	}
	if info.DB != databaseName(cfg.DB) {
		h.DB = info.DB
	}
	if file, err := os.Stat(filepath.Join(cfg.Home, "hub.json")); err == nil { // which it writes when it starts
		h.Since = nexus.Stamp(file.ModTime())
	}
	switch {
	case hubAnswers(ctx, cfg.Home, info):
		h.State = hubRunning
	case processAlive(info.PID):
		h.State = hubSilent
	}
	return h
}

// hubAnswers asks through the socket, where whoever answers says which hub it is,
// or over HTTP where there is none.
func hubAnswers(ctx context.Context, home string, info client.HubInfo) bool {
	if hub, err := client.Find(ctx, home); err == nil {
		hub.Close()
		return true
	}
	return info.Socket == "" && statusOf(ctx, reachable(info.Addresses.Dashboard)+"/healthz") == http.StatusOK
}

// statusOf is what a hub answers to a GET, 0 for nothing.
func statusOf(ctx context.Context, address string) int {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func (a *app) printStatus(s statusReport) error {
	rows := [][]string{{"home", s.Home + map[bool]string{false: " (does not exist)"}[s.HomeExists]}}
	rows = append(rows, s.hubRows()...)
	d := s.Database
	switch {
	case !d.Exists:
		rows = append(rows, []string{"database", d.Name + " (made with the first call)"})
	case d.Problem != "":
		rows = append(rows, []string{"database", d.Name}, []string{"", d.Problem})
	default:
		rows = append(rows, []string{"database", fmt.Sprintf("%s, %s, schema %d", d.Name, byteSize(d.Bytes+d.WALBytes), d.Schema)})
	}
	if c := s.Counts; c != nil {
		rows = append(rows,
			[]string{"agents", fmt.Sprintf("%d, %d sessions present", c.Agents, c.SessionsPresent)},
			[]string{"mail", fmt.Sprintf("%d unread, %d in flight, %d parked", c.MailUnread, c.MailInFlight, c.MailParked)},
			[]string{"hand-offs", fmt.Sprintf("%d open, %d claimed", c.HandoffsOpen, c.HandoffsClaimed)})
	}
	rows = append(rows, []string{"program", s.Version})
	for i := range rows {
		rows[i][0] = a.heading(a.stdout, rows[i][0])
	}
	return printTable(a.stdout, rows)
}

func (s statusReport) hubRows() [][]string {
	h := s.Hub
	switch h.State {
	case hubStopped:
		return [][]string{{"hub", "not running; nexus serve starts it"}}
	case hubStale:
		return [][]string{{"hub", "not running, though hub.json is there; nexus doctor tells more"}}
	case hubSilent:
		return [][]string{{"hub", fmt.Sprintf("process %d does not answer; nexus doctor tells more", h.PID)}}
	}
	version := h.Version
	if !h.SameVersion {
		version += " (this program is " + s.Version + ")"
	}
	return [][]string{
		{"hub", fmt.Sprintf("running since %s, process %d, version %s", cmp.Or(h.Since, "?"), h.PID, version)},
		{"", h.Addresses.Dashboard},
	}
}

// byteSize is a size as people say it.
func byteSize(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	size, unit := float64(n)/1024, 0
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}
