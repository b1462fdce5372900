//go:build unix

package main

import (
	"errors"
	"syscall"
)

// lockTarget is the file that the kernel locks.
func lockTarget(path string) string { return path }

// processAlive tells whether a process of this machine exists. One that we may
// not signal does.
func processAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
