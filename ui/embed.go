// Package ui is the dashboard. Its source is TypeScript, built by "make ui" into
// dist, which is committed: the Go build needs no Node.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files is the built dashboard: index.html, and what it loads.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}
