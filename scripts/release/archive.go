package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"
)

// A file is one entry of an archive. It belongs to root.
type file struct {
	name string // slash-separated
	mode fs.FileMode
	body []byte
}

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

// withParents adds the directories that files lie in, as a package needs them.
func withParents(files []file) []file {
	all := slices.Clone(files)
	seen := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.name); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			all = append(all, file{dir, fs.ModeDir | 0o755, nil})
		}
	}
	return all
}

// tarball writes a compressed tar file in which nothing tells who made it, where
// and when.
func tarball(files []file, when time.Time) func(io.Writer) error {
	return func(w io.Writer) error {
		zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		tw := tar.NewWriter(zw)
		for _, f := range sorted(files) {
			if err := addToTar(tw, f, when); err != nil {
				return err
			}
		}
		return errors.Join(tw.Close(), zw.Close())
	}
}

func addToTar(w *tar.Writer, f file, when time.Time) error {
	h := &tar.Header{
		Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.body)),
		ModTime: when, Uname: "root", Gname: "root",
	}
	if f.mode.IsDir() {
		h.Typeflag, h.Name = tar.TypeDir, f.name+"/"
	}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err := w.Write(f.body)
	return err
}

// zipped is the same as a zip file.
func zipped(files []file, when time.Time) func(io.Writer) error {
	return func(w io.Writer) error {
		zw := zip.NewWriter(w)
		for _, f := range sorted(files) {
			h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
			h.SetMode(f.mode)
			entry, err := zw.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := entry.Write(f.body); err != nil {
				return err
			}
		}
		return zw.Close()
	}
}
