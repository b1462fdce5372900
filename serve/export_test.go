package serve

import "time"

// HurryStreams makes the streams of a hub look at the clock more often, speak up
// sooner and drop slow clients sooner.
func HurryStreams(s *Server, beat, silence, patience time.Duration) {
	s.feed.times = streamTimes{beat, silence, patience}
}
