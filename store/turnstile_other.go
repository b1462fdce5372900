//go:build !unix

package store

// A turnstile would make the processes that write one file take turns. Without
// flock there is none, and SQLite's own lock decides.
type turnstile struct{}

func openTurnstile(string, func() bool) *turnstile { return &turnstile{} }

func (t *turnstile) enter() (leave func())       { return func() {} }
func (t *turnstile) enterAlways() (leave func()) { return func() {} }
func (t *turnstile) Close() error                { return nil }
