//go:build !unix

package store

import (
	"context"
	"log/slog"
)

// A bell would ring the other processes on the same file. This system has no
// datagram sockets for it, so they are heard by polling.
type bell struct{}

func newBell(string, *slog.Logger) *bell { return &bell{} }

func (b *bell) rings() bool                    { return false }
func (b *bell) alone() bool                    { return false }
func (b *bell) ring([]string)                  {}
func (b *bell) listen(context.Context, *wakes) {}
func (b *bell) Close() error                   { return nil }
