package op

import (
	"nexus"
	"nexus/search"
)

// SearchOps is the search in the catalogue.
func SearchOps(s *search.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "search", Title: "Search everything", Effect: Read, Family: Bus, Added: true, Route: "GET /search",
			Doc: "Find messages, hand-offs, artifacts and posts again, by their words and by what they mean, best first. " +
				"Ask in plain words; \"quotes\", -word, from:, in:, type:, before: and after: narrow it. Without words it lists the newest. " +
				"warnings tell when something may be missing.",
		}, s.Find),
		Define(Info{
			Name: "search_status", Title: "How the search index is doing", Effect: Read, Family: Bus, Faces: operators, Route: "GET /search/status",
			Doc: "How much is indexed, whether that is all, how far a rebuild is, and whose vectors there are.",
		}, s.Status),
		Define(Info{
			Name: "search_reindex", Title: "Make the search index anew", Effect: Write, Scope: nexus.ScopeAdmin, Family: Bus, Faces: operators,
			Route: "POST /search/reindex",
			Doc:   "Make the search index anew from what is stored, in the background. Searches go on meanwhile; search_status tells how far it is.",
		}, s.Reindex),
	}
}
