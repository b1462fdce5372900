//go:build unix

package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownerOf names who a file belongs to, and tells whether that is us.
func ownerOf(info fs.FileInfo) (name string, mine bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Geteuid() {
		return "", true
	}
	id := strconv.Itoa(int(stat.Uid))
	if u, err := user.LookupId(id); err == nil {
		return u.Username, false
	}
	return "user " + id, false
}

// freeSpace is how many bytes we may still write below a directory.
func freeSpace(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // the types differ between systems
}

// isLeftover tells whether a socket has nobody behind it.
func isLeftover(path string) bool {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err == nil {
		_ = conn.Close() // nothing was sent
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
