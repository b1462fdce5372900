package store

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"nexus"
	"nexus/bus"
	"nexus/search"
)

// A searchSource is where documents of one kind come from. To make something
// else be found, add a file search_source_KIND.go with one of these and name it
// in searchSources; nothing else knows.
type searchSource struct {
	kind string
	// mentions tells which documents an event concerns: an id for one, a place
	// alone for all that is or was in it. It may name too many, and it must name
	// those that are deleted.
	mentions func(e nexus.Event) []search.Mention
	// read finds documents by id; those that are gone are left out.
	read func(t *Tx, ids []string) ([]search.Document, error)
	// scan reads all documents in the order of their ids, those after one, and
	// scanPlace those of one place. Without it an event that mentions a place makes
	// the whole index be made anew.
	scan      func(t *Tx, after string, limit int) ([]search.Document, error)
	scanPlace func(t *Tx, place, after string, limit int) ([]search.Document, error)
	// count is how many there are, more or less.
	count string
	// readable are those of the ids that an agent may read who may not read the
	// log.
	readable func(t *Tx, agentID string, ids []string) ([]string, error)
	// sights tell who sees documents, in the words of the log; nil where everybody
	// does.
	sights func(t *Tx, ids []string) ([]sight, error)
	// places finds channels, topics and the like by name; nil where there are none.
	places func(t *Tx, names []string) ([]string, error)
}

// A sight is what decides who sees a document.
type sight struct {
	id    string
	event nexus.Event
}

func scanSight(r row) (s sight, err error) {
	var target json.RawMessage
	err = r.scan(&s.id, &s.event.Actor, &s.event.Visibility, &target, &s.event.CreatedAt)
	s.event.Target = target
	return s, err
}

// searchSources is everything that can be found. Notes of the
// memory and threads of agents belong here, too.
func searchSources() []searchSource {
	return []searchSource{messageSource, handoffSource, artifactSource, postSource}
}

func sourceOf(kind string) (searchSource, bool) {
	for _, s := range searchSources() {
		if s.kind == kind {
			return s, true
		}
	}
	return searchSource{}, false
}

// SearchKinds lists the kinds of documents that there are tables for.
func (t *Tx) SearchKinds() []string {
	var kinds []string
	for _, s := range searchSources() {
		kinds = append(kinds, s.kind)
	}
	return kinds
}

// SearchLog looks at the events after a number, and tells what they mention.
func (t *Tx) SearchLog(after int64, limit int) (search.LogSlice, error) {
	slice := search.LogSlice{End: after}
	var err error
	if slice.First, slice.Last, err = t.logBounds(); err != nil {
		return slice, err
	}
	err = t.query(`SELECT event_id, type, handoff_id, payload FROM events WHERE event_id > $1 ORDER BY event_id LIMIT $2`,
		args(after, limit), func(r row) error {
			var e nexus.Event
			if err := r.scan(&e.ID, &e.Type, &e.HandoffID, &e.Payload); err != nil {
				return err
			}
			slice.End = e.ID
			slice.Mentions = append(slice.Mentions, mentions(e)...)
			return nil
		})
	return slice, err
}

func mentions(e nexus.Event) (all []search.Mention) {
	for _, s := range searchSources() {
		for _, m := range s.mentions(e) {
			m.EventID, m.Kind = e.ID, s.kind
			if s.scanPlace == nil { // then only all of it can be read again
				m.Place = ""
			}
			all = append(all, m)
		}
	}
	return all
}

// mentionOf is the document that a field of an event's payload names.
func mentionOf(e nexus.Event, field string) []search.Mention {
	var payload map[string]json.RawMessage
	var id string
	if json.Unmarshal(e.Payload, &payload) != nil || json.Unmarshal(payload[field], &id) != nil || id == "" {
		return nil
	}
	return []search.Mention{{ID: id}}
}

// SearchDocuments finds documents by id; those that are gone are left out.
func (t *Tx) SearchDocuments(kind string, ids []string) ([]search.Document, error) {
	s, ok := sourceOf(kind)
	if !ok || len(ids) == 0 {
		return nil, nil
	}
	return s.read(t, ids)
}

// ScanDocuments reads the documents of a kind, those of a place or all, in the
// order of their ids.
func (t *Tx) ScanDocuments(kind, place, after string, limit int) ([]search.Document, error) {
	s, ok := sourceOf(kind)
	switch {
	case !ok || place != "" && s.scanPlace == nil:
		return nil, nil
	case place != "":
		return s.scanPlace(t, place, after, limit)
	}
	return s.scan(t, after, limit)
}

// CountDocuments is about how many documents there are to index.
func (t *Tx) CountDocuments() (total int64, err error) {
	for _, s := range searchSources() {
		var n int64
		if _, err := t.one(s.count, nil, &n); err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// ReadableDocuments are those of the ids that an agent may read who may not read
// the log.
func (t *Tx) ReadableDocuments(kind, agentID string, ids []string) ([]string, error) {
	s, ok := sourceOf(kind)
	if !ok || len(ids) == 0 {
		return nil, nil
	}
	return s.readable(t, agentID, ids)
}

// VisibleDocuments are those of the ids that an agent may read who may read the
// log: its own, and those that the log shows it.
func (t *Tx) VisibleDocuments(kind, agentID string, ids []string, now time.Time) ([]string, error) {
	visible, err := t.ReadableDocuments(kind, agentID, ids)
	s, ok := sourceOf(kind)
	if err != nil || !ok || s.sights == nil || len(visible) == len(ids) {
		return visible, err
	}
	agent, _, err := t.Agent(agentID)
	if err != nil {
		return nil, err
	}
	sights, err := s.sights(t, ids)
	for _, one := range sights {
		if bus.CanSee(one.event, bus.ProfileOf(agentID, agent.Agent), now) && !slices.Contains(visible, one.id) {
			visible = append(visible, one.id)
		}
	}
	return visible, err
}

// SearchPlaces finds what somebody may mean by the names of places: workspaces
// by id, name or path, and channels, topics and the like by id or name. A
// workspace without a name is called as its directory is.
func (t *Tx) SearchPlaces(names []string) (workspaces, places []string, err error) {
	all, err := t.Workspaces()
	workspaces = []string{} // none is not all
	for _, w := range all {
		name := filepath.Base(w.Root)
		if w.DisplayName != nil && *w.DisplayName != "" {
			name = *w.DisplayName
		}
		if slices.ContainsFunc(names, func(n string) bool { return n == w.ID || n == w.Root || n == name }) {
			workspaces = append(workspaces, w.ID)
		}
	}
	places = append([]string{}, names...)
	for _, s := range searchSources() {
		if err != nil || s.places == nil {
			continue
		}
		var some []string
		some, err = s.places(t, names)
		places = append(places, some...)
	}
	return workspaces, places, err
}
