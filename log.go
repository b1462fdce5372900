package nexus

import "slices"

// A LogFilter says which events of the log are wanted: those that every list
// has something for. An empty list matches all.
type LogFilter struct {
	Workspaces, Streams, Types, Actors, Traces []string
}

// Matches tells whether an event is wanted.
func (f *LogFilter) Matches(e *Event) bool {
	return allows(f.Workspaces, e.WorkspaceID) && allows(f.Streams, e.Stream) && allows(f.Types, e.Type) &&
		allows(f.Actors, e.Actor) && allows(f.Traces, e.Trace)
}

func allows(wanted []string, value string) bool {
	return len(wanted) == 0 || slices.Contains(wanted, value)
}

// A LogPage is a piece of the log as it stood at one moment.
type LogPage struct {
	Events []Event
	// Next is how far the log was looked through: go on after it, be there
	// events or not.
	Next int64
	// First is the number of the oldest event that is left, and Last the highest
	// that was ever given to one. With no event left First is Last+1.
	First, Last int64
}
