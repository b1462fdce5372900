package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nexus"
)

// A verdict is how a check came out.
type verdict string

const (
	verdictOK    verdict = "ok"
	verdictWarn  verdict = "warn" // works, and will not for long or not well
	verdictFail  verdict = "fail"
	verdictFixed verdict = "fixed"
)

// A finding is the outcome of one check.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Found   string  `json:"found"`
	Fix     string  `json:"fix,omitempty"` // what to do about it

	mend func() error // does it, where that is safe
}

func ok(found string, args ...any) finding {
	return finding{Verdict: verdictOK, Found: fmt.Sprintf(found, args...)}
}

func warn(fix, found string, args ...any) finding {
	return finding{Verdict: verdictWarn, Fix: fix, Found: fmt.Sprintf(found, args...)}
}

func fail(fix, found string, args ...any) finding {
	return finding{Verdict: verdictFail, Fix: fix, Found: fmt.Sprintf(found, args...)}
}

// mended adds what --fix may do.
func (f finding) mended(by func() error) finding {
	f.mend = by
	return f
}

// A doctor looks at one home and its surroundings.
type doctor struct {
	app    *app
	cfg    *Config
	cfgErr error // why cfg is only the defaults
	deep   bool
	now    time.Time
	hub    hubStatus
}

func doctorCommand(a *app) *cobra.Command {
	var deep, fix bool
	cmd := &cobra.Command{
		Use:   "doctor [--deep] [--fix]",
		Short: "Look for what is wrong, and say how to mend it",
		Long: `Check the home, the settings, the store, the hub and the hosts that are connected
to it, and say for each what was found and what to do. The exit status is 1 if a
check failed.

Nothing is changed, but for what --fix mends: modes that are too open, and files
that a hub or a process left behind.`,
		Example: "  nexus doctor\n  nexus doctor --deep\n  nexus doctor --fix",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{app: a, deep: deep, now: time.Now()}
			if err := d.settle(); err != nil {
				return err
			}
			d.hub = lookAtHub(cmd.Context(), d.cfg)
			found := d.examine(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if fix {
				mendAll(found)
			}
			return a.printFindings(cmd, found)
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "Read the whole database, indexes too.")
	cmd.Flags().BoolVar(&fix, "fix", false, "Mend what is safe to mend.")
	return cmd
}

// settle loads the settings. With bad ones the rest is checked with the defaults.
func (d *doctor) settle() error {
	d.cfg, d.cfgErr = d.app.load()
	if d.cfgErr == nil {
		return nil
	}
	home, err := homeOnly(d.app.flags, d.app.env)
	if err != nil {
		return err
	}
	none := func(string) (string, bool) { return "", false }
	r := resolver{env: none, config: &Config{winners: map[string]given{}}}
	r.flags = map[string]given{"home": {origin: fromFlag, text: home.Home}}
	for _, s := range settings {
		if err := r.resolve(s); err != nil {
			return err
		}
	}
	d.cfg = r.config
	return nil
}

// examine makes every check, each under its name.
func (d *doctor) examine(ctx context.Context) (all []finding) {
	for _, c := range []struct {
		name string
		run  func(context.Context) []finding
	}{
		{"settings", d.checkSettings},
		{"home", d.checkHome},
		{"modes", d.checkModes},
		{"disk", d.checkDisk},
		{"lock", d.checkLock},
		{"hub files", d.checkHubFiles},
		{"hub", d.checkHub},
		{"port", d.checkPort},
		{"database", d.checkDatabase},
		{"doorbell", d.checkBell},
		{"hosts", d.checkHosts},
	} {
		for _, f := range c.run(ctx) {
			if f.Check == "" {
				f.Check = c.name
			}
			all = append(all, f)
		}
	}
	return all
}

func mendAll(found []finding) {
	for i := range found {
		f := &found[i]
		if f.mend == nil {
			continue
		}
		if err := f.mend(); err != nil {
			f.Fix += fmt.Sprintf(" (--fix could not: %v)", rootCause(err))
			continue
		}
		f.Verdict, f.Fix = verdictFixed, ""
	}
}

func (a *app) printFindings(cmd *cobra.Command, found []finding) error {
	failed := len(slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.Verdict != verdictFail }))
	if err := a.showFindings(cmd, found); err != nil || failed == 0 {
		return err
	}
	return &checksFailedError{failed, len(found)}
}

func (a *app) showFindings(cmd *cobra.Command, found []finding) error {
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, items(found))
	}
	var rows [][]string
	for _, f := range found {
		v := string(f.Verdict)
		if f.Verdict != verdictOK {
			v = a.heading(a.stdout, strings.ToUpper(v))
		}
		rows = append(rows, []string{v, f.Check, f.Found})
		if f.Fix != "" {
			rows = append(rows, []string{"", "", "→ " + f.Fix})
		}
	}
	return printTable(a.stdout, rows)
}

// A checksFailedError ends a doctor's visit that found something.
type checksFailedError struct{ failed, of int }

func (e *checksFailedError) Error() string   { return e.Unwrap().Error() }
func (e *checksFailedError) exitStatus() int { return exitFailed }

func (e *checksFailedError) Unwrap() error {
	return nexus.Errorf(nexus.ConfigError, "%d of %d checks failed; each says what to do", e.failed, e.of)
}
