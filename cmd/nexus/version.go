package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"nexus"
)

// Set by the linker in a release, which has nothing else that says what it was
// made from: -X main.version=1.2.3 -X main.revision=COMMIT.
var version, revision string

// A versionInfo says which program this is.
type versionInfo struct {
	Version         string `json:"version"`
	Revision        string `json:"revision,omitempty"`
	Time            string `json:"time,omitempty"` // of the revision
	Modified        bool   `json:"modified,omitempty"`
	SurfaceRevision int    `json:"surface_revision"`
	Go              string `json:"go"`
	Platform        string `json:"platform"`
}

// buildVersion reads what the linker and the go command left in the binary.
func buildVersion() versionInfo {
	v := versionInfo{
		Version:         version,
		Revision:        revision,
		SurfaceRevision: nexus.SurfaceRevision,
		Go:              runtime.Version(),
		Platform:        runtime.GOOS + "/" + runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "(devel)" {
		v.Version = cmp.Or(v.Version, info.Main.Version)
	}
	v.Version = cmp.Or(v.Version, "dev")
	if ok {
		v.readVCS(info.Settings)
	}
	return v
}

func (v *versionInfo) readVCS(build []debug.BuildSetting) {
	for _, s := range build {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
}

func (v versionInfo) String() string {
	s := "nexus " + v.Version
	if v.Revision != "" {
		s += " " + v.Revision[:min(12, len(v.Revision))]
	}
	return s + " " + v.Go + " " + v.Platform
}

// printVersion prints one line, or an object when JSON was asked for.
func printVersion(a *app, v versionInfo) error {
	if a.json {
		return printJSON(a.stdout, v)
	}
	_, err := fmt.Fprintln(a.stdout, v)
	return err
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE:  func(*cobra.Command, []string) error { return printVersion(a, buildVersion()) },
	}
}
