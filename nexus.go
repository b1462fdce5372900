// Package nexus holds the words every part of Nexus may use: errors with
// codes, events, actors, and the way a service reaches the store. It imports
// the standard library only and nothing of Nexus.
package nexus

import "time"

// SurfaceRevision counts the changes of the tool surface. Raise it with every
// change to a name, parameter, default or meaning that a client could notice,
// so that a client can tell that the schemas it cached are old.
const SurfaceRevision = 2

// TimeLayout is how every moment looks on the wire and in the store. It has a
// fixed width, so text order is time order.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// Stamp writes a moment the way the wire and the store want it.
func Stamp(t time.Time) string {
	return t.UTC().Format(TimeLayout)
}

// ParseStamp reads what [Stamp] wrote.
func ParseStamp(s string) (time.Time, error) {
	return time.Parse(TimeLayout, s)
}
