// Package search finds stored text again, by its words and by its meaning. It
// keeps an index beside what it indexes and follows the log to keep it true; it
// knows no SQL and no HTTP.
package search

import "slices"

// What can be found.
const (
	KindMessage   = "message"
	KindHandoff   = "handoff"
	KindArtifact  = "artifact"
	KindTopicPost = "topic_post"
	KindMemory    = "memory"
	KindThread    = "thread"
)

// Kinds lists what can be found.
func Kinds() []string {
	return slices.Clone([]string{KindMessage, KindHandoff, KindArtifact, KindTopicPost, KindMemory, KindThread})
}

// A Document is one thing that can be found, as its own table has it.
type Document struct {
	Kind      string
	ID        string
	Workspace string // "" for none
	Place     string // the channel or topic it is in, "" for none
	Sender    string // who wrote it
	Title     string
	// Borrowed tells that the title is that of the place: it is shown, but whoever
	// looks for its words wants what has them itself.
	Borrowed  bool
	CreatedAt string
	Text      string
}
