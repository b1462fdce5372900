//go:build !unix

package main

// whenUnread cannot be told here; the next write fails instead.
func whenUnread(any, func()) {}
