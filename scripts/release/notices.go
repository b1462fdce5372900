package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const noticesHead = `Nexus is made with the software below. Each part is followed by its licence.
Nexus itself is under the Apache License 2.0: see LICENSE.
`

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// thirdParty is the licences of everything that is linked into the binary for t.
// Most of them ask to be passed on with it. A library that has none stops the
// release.
func thirdParty(ctx context.Context, t target) ([]byte, error) {
	const each = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}	{{.Dir}}{{end}}{{end}}`
	list, err := run(ctx, t.environment(), "go", "list", "-deps", "-f", each, "./cmd/nexus")
	if err != nil {
		return nil, err
	}
	golang, err := run(ctx, nil, "go", "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	lines := append(strings.Split(list, "\n"), strings.Replace(golang, "\n", "\t", 1))
	slices.Sort(lines)
	b := bytes.NewBufferString(noticesHead)
	for _, line := range slices.Compact(lines) {
		name, dir, ok := strings.Cut(line, "\t")
		if !ok {
			continue // the standard library has no module
		}
		if err := addLicences(b, name, dir); err != nil {
			return nil, err
		}
	}
	if err := addLicences(b, "word vectors", filepath.Join("search", "embed")); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func addLicences(b *bytes.Buffer, name, dir string) error {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(b, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("=", 72), name, e.Name(), bytes.TrimSpace(text))
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s", name, dir)
	}
	return nil
}
