package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"nexus"
)

// checkHub asks a running hub how it is.
func (d *doctor) checkHub(ctx context.Context) []finding {
	switch d.hub.State {
	case hubStopped, hubStale:
		return []finding{ok("not running; nexus serve starts it")}
	case hubSilent:
		return nil // its files say so
	}
	address := reachable(d.hub.Addresses.Dashboard)
	if got := statusOf(ctx, address+"/healthz"); got != http.StatusOK {
		return []finding{fail("restart the hub", "%s/healthz does not answer as it should (%d)", address, got)}
	}
	if got := statusOf(ctx, address+"/readyz"); got != http.StatusOK {
		return []finding{fail("see the hub's log: its store does not answer", "%s/readyz says that it is not ready (%d)", address, got)}
	}
	found := []finding{ok("process %d answers at %s", d.hub.PID, address)}
	if !d.hub.SameVersion {
		found = append(found, warn("restart the hub, so that both are the same", "the hub is version %s and this program %s", d.hub.Version, buildVersion().Version))
	}
	if d.hub.DB != "" {
		found = append(found, warn("restart the hub, or leave out --db", "the hub works on %s, these settings name %s", d.hub.DB, databaseName(d.cfg.DB)))
	}
	return found
}

// checkPort tells whether a hub could have its port, or who has it.
func (d *doctor) checkPort(ctx context.Context) []finding {
	address := net.JoinHostPort(d.cfg.Host, strconv.Itoa(d.cfg.Port))
	if d.hub.State == hubRunning || d.hub.State == hubSilent {
		return []finding{ok("the hub has it")}
	}
	l, err := listen(d.cfg)
	if err == nil {
		_ = l.Close() // it was only to know
		return []finding{ok("%s is free", address)}
	}
	who := "another program"
	if isHub(ctx, reachable("http://"+address)) {
		who = "the hub of another home"
	}
	said, _, _ := strings.Cut(nexus.AsError(err).Msg, ";") // the rest is the fix
	return []finding{fail(fmt.Sprintf("choose another port with --port, or stop who has it: %s tells", whoListens(d.cfg.Port)),
		"%s; %s may have it", said, who)}
}

// isHub tells whether a Nexus answers at an address.
func isHub(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/v1/info", http.NoBody)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var said struct {
		Data struct {
			Service string `json:"service"`
		} `json:"data"`
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return json.Unmarshal(body, &said) == nil && said.Data.Service == "nexus"
}

// whoListens is a command that names the program on a port.
func whoListens(port int) string {
	switch runtime.GOOS {
	case "linux":
		return fmt.Sprintf("ss -ltnp 'sport = :%d'", port)
	case "windows":
		return fmt.Sprintf("netstat -ano | findstr :%d", port)
	}
	return fmt.Sprintf("lsof -nP -iTCP:%d -sTCP:LISTEN", port)
}

// checkHosts looks at the entries that hosts have for Nexus.
func (d *doctor) checkHosts(context.Context) (found []finding) {
	u, err := newUserDirs(d.app.env)
	if err != nil {
		return []finding{warn("set HOME", "%v", err)}
	}
	connected := 0
	for _, h := range hosts {
		w := connectWish{name: "nexus", scope: "user"}
		item, e := d.app.survey(h, u, w)
		switch {
		case item.Problem != "":
			found = append(found, warn("correct the file", "%s cannot read its servers: %s: %s", h.title, item.File, item.Problem))
		case item.Connected:
			connected++
			found = append(found, h.examine(e, item.File)...)
		}
	}
	if found == nil {
		found = []finding{ok("%d connected", connected)}
	}
	return found
}

// examine looks whether an entry still leads somewhere.
func (h host) examine(e entry, file string) (found []finding) {
	fix := "nexus connect " + h.id + " --write"
	if e.URL != "" {
		return nil
	}
	if _, err := exec.LookPath(e.Command); err != nil {
		found = append(found, fail(fix, "%s starts %s, which cannot be started (%s)", h.title, e.Command, file))
	}
	for _, given := range []struct{ name, path string }{
		{"--home", after(e.Args, "--home")}, {"--db", after(e.Args, "--db")}, {"NEXUS_HOME", e.Env["NEXUS_HOME"]},
	} {
		if given.path == "" || isPostgres(given.path) || pathExists(given.path) {
			continue
		}
		found = append(found, fail(fix, "%s is given %s %s, which does not exist (%s)", h.title, given.name, given.path, file))
	}
	return found
}

// after is the argument that follows a flag, "" for none.
func after(args []string, flag string) string {
	if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}
