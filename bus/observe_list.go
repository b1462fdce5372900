package bus

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"nexus"
)

// What an operator sees of the whole hub. It is read from the store as it is:
// visibility is not applied, nothing is swept or stamped.
//
// Every list goes along an index, newest first, and looks at a bounded number of
// rows. One that finds little of what was asked for therefore gives a short page
// and a cursor to go on with; only a page without next_cursor is the last.
type observeRows interface {
	observeMessageRows
	observeWorkRows
	observeLogRows
	observeGraphRows
	observeActivityRows
	observeAttentionRows
}

// A Stretch is which rows of a list are wanted: so many after so many, and how
// many rows may be looked at to find them.
type Stretch struct {
	Offset, Limit, Look int
}

// Walked is a part of a list. More tells that there may be further rows behind
// the place Last, up to which everything was looked at.
type Walked[R any, K string | int64] struct {
	Rows []R
	Last K
	More bool
}

const (
	// lookAt bounds how many rows are looked at for one page of what only reading
	// them can tell.
	lookAt = 5_000
	// beyond every id that the bus makes.
	beyond = "~"
)

// observed is the workspace a list is limited to, "" for all of them. Every list
// and every row that an operation of this kind shows is asked for here, so a key
// that is limited to some workspaces must name one of them.
func observed(ctx context.Context, workspace string) (string, error) {
	workspace = strings.TrimSpace(workspace)
	if strings.EqualFold(workspace, "all") {
		workspace = ""
	}
	if err := brief("workspace", workspace); err != nil {
		return "", err
	}
	return workspace, nexus.ActorFrom(ctx).MayEnter(workspace)
}

// badParam refuses a value that is none of those there are.
func badParam(field, format string, args ...any) error {
	return nexus.Errorf(nexus.InvalidParam, format, args...).With("field", field)
}

// oneOf checks that a word is one of those there are, in whatever case; "" is
// none at all.
func oneOf(field, word string, words []string) ([]string, error) {
	word = strings.TrimSpace(word)
	if word == "" {
		return nil, nil
	}
	i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
	if i < 0 {
		return nil, badParam(field, "There is no %s %q: use %s.", field, clip(word), strings.Join(words, ", "))
	}
	return words[i : i+1], nil
}

// moment reads a time as people and programs write it, "" for none.
func moment(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() > 0 && at.Year() < 10_000 {
			return nexus.Stamp(at), nil
		}
	}
	return "", badParam(field, "%s must be a moment such as 2026-03-01T12:00:00Z, not %q.", field, clip(text))
}

// anID is what ids look like, and so do the cursors of these lists.
var anID = regexp.MustCompile(`^[a-z]+_[0-9A-Za-z]+$`)

// below is where a page begins: the place that a cursor names, or the newest row.
func below(cursor string) (string, error) {
	if cursor == "" {
		return beyond, nil
	}
	if len(cursor) > longestName || !anID.MatchString(cursor) {
		return "", nexus.Invalid("cursor", "cursor is not one of ours. Pass back next_cursor as it was, or leave it out to start with the newest.")
	}
	return cursor, nil
}

// ObserveParams select rows of a list that is read newest first.
type ObserveParams struct {
	Workspace string `json:"workspace,omitempty" jsonschema:"only this workspace; all, or nothing, for every one"`
	Limit     *int   `json:"limit,omitempty" jsonschema:"how many to show; default 100, of hand-offs 1000 and of sessions 2000"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before, as it was"`
}

// Listed is a page of a list. Without next_cursor it is the last one.
type Listed[R any] struct {
	Items      []R     `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

const usualListed = 100

// observe checks what all lists have in common and reads a page, of usual length
// unless another one is asked for.
func observe[R any](ctx context.Context, s *Service, p ObserveParams, usual, most int,
	read func(tx Tx, workspaceID, below string, st Stretch) (Walked[R, string], error),
) (Listed[R], error) {
	var none Listed[R]
	workspace, err := observed(ctx, p.Workspace)
	if err != nil {
		return none, err
	}
	limit, err := pageLimit(p.Limit, usual, most)
	if err != nil {
		return none, err
	}
	from, err := below(p.Cursor)
	if err != nil {
		return none, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (Listed[R], error) {
		page, err := read(tx, workspace, from, Stretch{Limit: limit, Look: lookAt})
		return Listed[R]{page.Rows, page.next()}, err
	})
}

// next is the cursor behind a page, nil for none.
func (w Walked[R, K]) next() *K {
	if !w.More {
		return nil
	}
	return &w.Last
}
