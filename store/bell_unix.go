//go:build unix

package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A bell rings the other processes on the same file after a commit: one
// datagram socket per process, under a random name in a folder beside the
// database that only its owner may enter. Where such sockets cannot be had (the
// path is too long, the system has none) it stays silent and the poll remains.
type bell struct {
	dir    string
	name   string
	socket *net.UnixConn

	mu       sync.Mutex
	number   uint64
	peers    []string
	listedAt time.Time // when the folder was last changed, as of the last listing
}

// sunPath is how long the path of a socket may be on the strictest system.
const sunPath = 103

func newBell(dir string, log *slog.Logger) *bell {
	b := &bell{dir: dir}
	var random [6]byte
	_, _ = rand.Read(random[:])
	b.name = hex.EncodeToString(random[:])
	path := filepath.Join(dir, b.name)
	if len(path) > sunPath {
		log.Info("the path of the database is too long for a doorbell; other processes are heard by polling", "path", dir)
		return b
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		log.Info("no doorbell; other processes are heard by polling", "error", err)
		return b
	}
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		log.Info("no doorbell; other processes are heard by polling", "error", err)
		return b
	}
	b.socket = socket
	return b
}

// rings tells whether this bell works.
func (b *bell) rings() bool { return b.socket != nil }

// alone tells whether no other process has the file open, as far as is known.
func (b *bell) alone() bool {
	if !b.rings() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.others()) == 0
}

// ring tells the others which keys changed. It never waits: whoever does not
// empty its queue will notice the gap in the numbers.
func (b *bell) ring(keys []string) {
	if !b.rings() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	others := b.others()
	if len(others) == 0 {
		return
	}
	b.number++
	datagram := encodeRing(b.name, b.number, keys)
	for _, name := range others {
		path := filepath.Join(b.dir, name)
		if errors.Is(b.send(path, datagram), unix.ECONNREFUSED) { // its process is gone
			_ = os.Remove(path)
		}
	}
}

func (b *bell) send(path string, datagram []byte) error {
	raw, err := b.socket.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Control(func(fd uintptr) {
		sent = unix.Sendto(int(fd), datagram, unix.MSG_DONTWAIT, &unix.SockaddrUnix{Name: path})
	})
	return errors.Join(err, sent)
}

// others lists the folder again when it has changed. A change within the grain
// of the file system's clock could be missed, so a young folder is always
// listed.
func (b *bell) others() []string {
	info, err := os.Stat(b.dir)
	if err != nil {
		return nil
	}
	if info.ModTime().Equal(b.listedAt) && time.Since(b.listedAt) > 50*time.Millisecond {
		return b.peers
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return nil
	}
	b.listedAt, b.peers = info.ModTime(), b.peers[:0]
	for _, e := range entries {
		if e.Name() != b.name {
			b.peers = append(b.peers, e.Name())
		}
	}
	return b.peers
}

// listen wakes those who wait here for what other processes committed.
func (b *bell) listen(ctx context.Context, w *wakes) {
	if !b.rings() {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = b.socket.SetReadDeadline(time.Now()) })
	defer stop()
	heard := heard{last: map[string]uint64{}}
	buffer := make([]byte, maxDatagram+1)
	for {
		n, _, err := b.socket.ReadFromUnix(buffer)
		if err != nil {
			return
		}
		if keys := heard.take(buffer[:n]); keys != nil {
			w.wake(keys)
		} else {
			w.wakeAll()
		}
	}
}

func (b *bell) Close() error {
	if !b.rings() {
		return nil
	}
	err := os.Remove(filepath.Join(b.dir, b.name))
	if errors.Is(err, fs.ErrNotExist) { // another process found nobody listening, and tidied up
		err = nil
	}
	return errors.Join(err, b.socket.Close())
}
