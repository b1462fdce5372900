package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// hiddenKey stands for a key that was shown before.
const hiddenKey = "nxs_…"

// printEntry prints the entry as a file of its own. A key that is not new is not
// shown again.
func (a *app) printEntry(p connectPlan, e entry, key keyFound) error {
	if held := e.key(); held != "" && !key.made {
		e = e.withKey(hiddenKey)
		fmt.Fprintf(a.stderr, "The key is not shown again: --write puts it into the file, or write it for %s yourself.\n", hiddenKey)
	}
	text, err := p.host.format.put(nil, p.at, p.host.fields(e), nil)
	if err != nil {
		return err
	}
	if _, err := a.stdout.Write(text); err != nil {
		return err
	}
	a.explain(p, e, key)
	return nil
}

// explain says on standard error where the entry goes and what comes next.
func (a *app) explain(p connectPlan, e entry, key keyFound) {
	if a.quiet {
		return
	}
	if key.made {
		fmt.Fprintf(a.stderr, "This is the key of %s. It is shown only now.\n", p.wish.agent)
	}
	if p.file.path != "" {
		fmt.Fprintf(a.stderr, "It goes into %s; nexus connect %s … --write puts it there.\n", p.file.path, p.host.id)
	}
	if line := p.host.ownCommand(p.wish, e); line != "" {
		fmt.Fprintf(a.stderr, "The same by %s itself: %s\n", p.host.title, line)
	}
	fmt.Fprintln(a.stderr, p.host.next)
}

// ownCommand is how the host adds a server itself, where it has a way and no key
// would end up in the history of a shell.
func (h host) ownCommand(w connectWish, e entry) string {
	if e.URL != "" || e.key() != "" || len(e.Env) > 0 || w.file != "" {
		return ""
	}
	var line []string
	switch h.id {
	case "claude-code":
		line = []string{"claude", "mcp", "add", "--scope", w.scope, w.name, "--"}
	case "codex":
		if w.scope == "project" {
			return ""
		}
		line = []string{"codex", "mcp", "add", w.name, "--"}
	case "gemini":
		line = []string{"gemini", "mcp", "add", "--scope", w.scope, w.name}
	default:
		return ""
	}
	line = append(append(line, e.Command), e.Args...)
	for i, word := range line {
		line[i] = shellWord(word)
	}
	return strings.Join(line, " ")
}

// shellWord is a word as a shell takes it for one.
func shellWord(word string) string {
	if !strings.ContainsAny(word, " \t'\"\\$`*?[](){}<>|&;~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// A writeReport is what became of a file.
type writeReport struct {
	Host    string `json:"host"`
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	Backup  string `json:"backup,omitempty"`
}

func (a *app) writeEntry(cmd *cobra.Command, p connectPlan, e entry, key keyFound) error {
	r := writeReport{Host: p.host.id, File: p.file.path}
	text, err := p.edit(e)
	if err == nil && string(text) != string(p.file.text) {
		r.Changed = true
		r.Backup, err = p.file.write(text, e.hasSecret(), time.Now())
	}
	if err != nil {
		if key.made {
			fmt.Fprintf(a.stderr, "A key was made for %s and is written nowhere; give --new-key next time.\n", p.wish.agent)
		}
		return err
	}
	a.warnOfSecret(p, e)
	if a.wantsJSON(cmd) {
		if !p.wish.check { // then the outcome of that is what is printed
			err = printJSON(a.stdout, r)
		}
	} else {
		err = a.tellWritten(r)
	}
	if !a.quiet {
		fmt.Fprintln(a.stderr, p.host.next)
	}
	return err
}

func (a *app) tellWritten(r writeReport) error {
	said := r.File + " has the entry already; nothing was changed."
	if r.Changed {
		said = "The entry is in " + r.File + "."
	}
	if r.Backup != "" {
		said += " What was there before is in " + r.Backup + "."
	}
	_, err := fmt.Fprintln(a.stdout, said)
	return err
}

// hasSecret tells whether others could misuse the entry.
func (e entry) hasSecret() bool {
	return e.key() != "" || withoutPassword(e.Env["NEXUS_DB"]) != e.Env["NEXUS_DB"]
}

func (a *app) warnOfSecret(p connectPlan, e entry) {
	if !e.hasSecret() {
		return
	}
	if p.wish.scope == "project" && p.wish.file == "" {
		fmt.Fprintf(a.stderr, "warning: %s holds a secret now and belongs to a project: keep it out of version control, or use --scope user\n", p.file.path)
	}
	if p.file.exists && p.file.mode&0o044 != 0 {
		fmt.Fprintf(a.stderr, "warning: %s holds a secret now and others on this machine can read it: chmod 600 it\n", p.file.path)
	}
}

func (a *app) tryEntry(cmd *cobra.Command, h host, e entry) error {
	r, err := checkEntry(cmd.Context(), h, e)
	if err != nil {
		return err
	}
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, r)
	}
	_, err = fmt.Fprintf(a.stdout, "It works: %s answers over %s and offers %d tools.\n", r.Server, r.Transport, r.Tools)
	return err
}
