package main

import (
	"path/filepath"

	"github.com/spf13/cobra"
)

// A hostItem is a host as the list shows it.
type hostItem struct {
	Host      string `json:"host"`
	Title     string `json:"title"`
	File      string `json:"file"` // "" where only the host knows
	Project   string `json:"project_file,omitempty"`
	Installed bool   `json:"installed"`
	Connected bool   `json:"connected"`
	Problem   string `json:"problem,omitempty"` // why that cannot be told
}

// listHosts shows every host and whether it is here and connected.
func (a *app) listHosts(cmd *cobra.Command, w connectWish) error {
	if w.write || w.check || w.file != "" || w.agent != "" || w.newKey {
		return usageErrorf("%q needs the name of a host for that; nexus connect alone lists them", cmd.CommandPath())
	}
	u, err := newUserDirs(a.env)
	if err != nil {
		return err
	}
	var all []hostItem
	for _, h := range hosts {
		item, _ := a.survey(h, u, w)
		all = append(all, item)
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, items(all))
	}
	rows := [][]string{{a.heading(a.stdout, "HOST"), a.heading(a.stdout, "STATE"), a.heading(a.stdout, "FILE")}}
	for _, item := range all {
		rows = append(rows, []string{item.Host, item.state(), item.File})
	}
	return printTable(a.stdout, rows)
}

func (i hostItem) state() string {
	switch {
	case i.Problem != "":
		return "unreadable"
	case i.Connected:
		return "connected"
	case i.Installed:
		return "installed"
	}
	return "-"
}

// survey looks at one host, and gives the entry it has.
func (a *app) survey(h host, u userDirs, w connectWish) (hostItem, entry) {
	item := hostItem{Host: h.id, Title: h.title, Project: h.project}
	p, err := a.plan(h, w)
	if err == nil {
		err = p.err
	}
	item.File = p.file.path
	if err != nil {
		item.Problem = err.Error()
	}
	item.Installed = p.file.exists || h.leftTraces(u, p.file.path)
	var e entry
	e, _, item.Connected = p.present()
	return item, e
}

// leftTraces tells whether a directory is there that only the host makes.
func (h host) leftTraces(u userDirs, file string) bool {
	dir := filepath.Dir(file)
	if h.id == "claude-code" {
		dir = filepath.Join(u.home, ".claude")
	}
	return file != "" && dir != u.home && pathExists(dir)
}
