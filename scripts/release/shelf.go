package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// A shelf is the directory that a release is put in.
type shelf struct {
	dir  string
	sums []string // lines of SHA256SUMS
}

// add writes one file of the release and remembers its checksum.
func (s *shelf) add(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.sums = append(s.sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(b.Bytes()), name))
	return os.WriteFile(filepath.Join(s.dir, name), b.Bytes(), 0o644)
}

// writeSums writes what "sha256sum -c" reads.
func (s *shelf) writeSums() error {
	slices.SortFunc(s.sums, func(a, b string) int { return bytes.Compare([]byte(a[64:]), []byte(b[64:])) })
	var b bytes.Buffer
	for _, line := range s.sums {
		b.WriteString(line)
	}
	return os.WriteFile(filepath.Join(s.dir, "SHA256SUMS"), b.Bytes(), 0o644)
}
