//go:build !unix

package main

import "os"

// lockTarget is the file that the kernel locks. Where a lock keeps others from
// reading, it must not be the one that names the holder.
func lockTarget(path string) string { return path + ".held" }

// processAlive tells whether a process of this machine exists.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // only the answer was wanted
	return true
}
