package serve

import "time"

// HurryStreams makes the streams of a hub look at the clock more often, speak up
// sooner and drop slow clients sooner.
func HurryStreams(s *Server, beat, silence, patience time.Duration) {
	s.feed.times = streamTimes{beat, silence, patience}
}

// HurryRequests makes a hub wait less long for the rest of a request: for its
// header, and for its body. It is called before the hub serves.
func HurryRequests(s *Server, header, body time.Duration) {
	s.times = requestTimes{header, body}
}
