package search

import (
	"sync/atomic"

	"nexus"
)

// counts are what the service notes while it works.
type counts struct {
	indexed  atomic.Int64 // documents that this process indexed
	behind   atomic.Int64 // events that were not looked at when a batch was last looked for
	warnings atomic.Int64
}

// Figures tell how searching and indexing are doing in this process.
func (s *Service) Figures() []nexus.Figure {
	s.vectors.mu.RLock()
	vectors := len(s.vectors.numbers)
	s.vectors.mu.RUnlock()
	return []nexus.Figure{
		{Name: "search_indexed_total", Help: "Documents that this process indexed.", Number: float64(s.counts.indexed.Load())},
		{Name: "search_behind_events", Help: "Events that the index had not come to when this process last looked.", Number: float64(s.counts.behind.Load())},
		{Name: "search_warnings_total", Help: "Reasons why searches may have missed something.", Number: float64(s.counts.warnings.Load())},
		{Name: "search_vectors", Help: "Vectors that are held in memory.", Number: float64(vectors)},
	}
}

// Stats are the figures by name.
func (s *Service) Stats() map[string]float64 {
	all := map[string]float64{}
	for _, f := range s.Figures() {
		all[f.Name] = f.Number
	}
	return all
}
