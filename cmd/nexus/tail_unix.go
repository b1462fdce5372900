//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// whenUnread calls gone as soon as nobody reads w any more, which a program that
// seldom writes would not notice for long. It watches until the process ends.
func whenUnread(w any, gone func()) {
	f, ok := w.(*os.File)
	if !ok {
		return
	}
	go func() {
		for fds := []unix.PollFd{{Fd: int32(f.Fd())}}; ; {
			n, err := unix.Poll(fds, -1)
			switch {
			case err == unix.EINTR:
			case err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
				gone()
				return
			default:
				return
			}
		}
	}()
}
