package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"nexus"
)

// A hostFile is a host's file as it was read.
type hostFile struct {
	path   string
	real   string // what path is, or links to
	text   []byte
	mode   fs.FileMode
	exists bool
}

// readHostFile reads a file, which need not exist.
func readHostFile(path string) (hostFile, error) {
	f := hostFile{path: path, real: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		f.real = real
	} else if link, err := os.Readlink(path); err == nil { // to what is not there yet
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		f.real = link
	}
	info, err := os.Stat(f.real)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err == nil {
		f.mode, f.exists = info.Mode().Perm(), true
		f.text, err = os.ReadFile(f.real)
	}
	if err != nil {
		return f, nexus.Errorf(nexus.ConfigError, "cannot read %s: %v", path, rootCause(err))
	}
	return f, nil
}

// writable refuses a file that its owner has locked. A rename would replace it
// all the same.
func (f hostFile) writable() error {
	if f.exists && f.mode&0o200 == 0 {
		return nexus.Errorf(nexus.ConfigError, "%s is read-only and was left as it is; chmod u+w it, or paste what nexus connect prints", f.path)
	}
	return nil
}

// write puts another text in the file's place, in one step, and keeps the old one
// beside it. A file that holds a secret is made for its owner alone; one that is
// there keeps its mode.
func (f hostFile) write(text []byte, secret bool, now time.Time) (backup string, err error) {
	defer func() {
		if err != nil && nexus.CodeOf(err) == nexus.Internal {
			err = nexus.Errorf(nexus.ConfigError, "cannot write %s: %v", f.path, rootCause(err))
		}
	}()
	mode, dirMode := fs.FileMode(0o666), fs.FileMode(0o777)
	if secret {
		mode, dirMode = 0o600, 0o700
	}
	if err := os.MkdirAll(filepath.Dir(f.real), dirMode); err != nil {
		return "", err
	}
	temp := f.real + ".nexus-" + rand.Text()[:8]
	if err := writeNew(temp, text, mode); err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temp) }() // gone already when all went well
	if !f.exists {
		return "", os.Rename(temp, f.real)
	}
	if err := os.Chmod(temp, f.mode); err != nil {
		return "", err
	}
	if backup, err = f.keep(now); err != nil {
		return "", err
	}
	if current, err := os.ReadFile(f.real); err != nil || !bytes.Equal(current, f.text) {
		return "", errors.Join(os.Remove(backup), nexus.Errorf(nexus.Conflict, "%s changed meanwhile and was left as it is; run the same command again", f.path))
	}
	return backup, os.Rename(temp, f.real)
}

// keep copies the file under a name that says when.
func (f hostFile) keep(now time.Time) (string, error) {
	name := f.path + ".bak-" + now.Format("20060102-150405")
	backup := name
	for n := 2; ; n++ {
		err := writeNew(backup, f.text, f.mode)
		if err == nil {
			return backup, os.Chmod(backup, f.mode)
		}
		if !errors.Is(err, fs.ErrExist) || n > 100 {
			return "", err
		}
		backup = fmt.Sprintf("%s-%d", name, n)
	}
}

// writeNew writes a file that must not exist, down to the disk.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}
