// Package bus is where agents meet: workspaces, identities, sessions, channels,
// messages and their delivery, and the log of what happened. It knows no SQL
// and no wire: it asks the store through [Tx] and is shown by package op.
package bus

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"nexus"
)

// Settings are the knobs of the bus.
type Settings struct {
	MaxWait         time.Duration // ceiling of a long poll
	MaxInlineSize   int           // bytes of inline content, inclusive
	InboxLease      time.Duration // how long a pulled delivery is held by default
	HandoffLease    time.Duration // how long a claimed hand-off is held by default
	SessionStale    time.Duration // silence after which a session reads as stale
	Presence        time.Duration // silence after which a broadcast passes a session by
	SessionReap     time.Duration // silence after which a session is closed
	MaxEvents       int           // ceiling of a page of events
	MaxSharedEvents int           // ceiling of the events in shared.md
	Keep            Windows       // how long what is over and done with is kept
	Strict          bool          // whether sensitive verbs need a session's secret
	ReadReceipts    bool          // whether senders are told that their mail was read
}

// A Tx is what the bus asks of a transaction.
type Tx interface {
	workspaceRows
	agentRows
	keyRows
	sessionRows
	channelRows
	messageRows
	deliveryRows
	eventRows
	handoffRows
	taskRows
	artifactRows
	retentionRows
	resetRows
	keylessRows
	permissionRows
	presetRows
	directoryRows
	observeRows
	noticeRows
	Lock(names ...string) error
	Wake(keys ...string)
}

// Service is the bus.
type Service struct {
	glances  glances
	keyUses  keyUses
	inboxes  inboxSizes
	store    nexus.Store[Tx]
	settings atomic.Pointer[Settings]
	now      func() time.Time
	newID    func(prefix string) string
	versions Versions
	home     string
	// rendering lets one shared.md be written at a time: a slow writer must not
	// put an older view over a newer one.
	rendering sync.Mutex
}

// Config is what a [Service] is made of.
type Config struct {
	Store    nexus.Store[Tx]
	Settings Settings
	Now      func() time.Time
	// NewID makes an id that nobody else makes, ascending with time.
	NewID    func(prefix string) string
	Versions Versions
	// Home is the directory under which shared.md is written.
	Home string
}

// New makes a bus.
func New(c Config) *Service {
	s := &Service{store: c.Store, now: c.Now, newID: c.NewID, versions: c.Versions, home: c.Home}
	s.Apply(c.Settings)
	return s
}

// Apply changes the settings. Calls that run already go on with the old ones or
// the new ones.
func (s *Service) Apply(settings Settings) { s.settings.Store(&settings) }

// knobs are the settings at this moment.
func (s *Service) knobs() *Settings { return s.settings.Load() }

// Versions tell a client what it talks to.
type Versions struct {
	Package string `json:"package_version"`
	Schema  int    `json:"schema_version"`
	Surface int    `json:"surface_revision"`
}

// None is the input of an operation that takes no arguments.
type None struct{}

// Info reports the versions of what is running.
func (s *Service) Info(context.Context, None) (Versions, error) { return s.versions, nil }

// Credentials prove that a caller opened the session it speaks from.
type Credentials struct {
	SessionID     string `json:"session_id,omitempty" jsonschema:"your session" secret:"true"`
	SessionSecret string `json:"session_secret,omitempty" jsonschema:"its secret, where trust is strict" secret:"true"`
}

// required refuses a blank argument.
func required(field, value string) error {
	if strings.TrimSpace(value) == "" {
		return nexus.Invalid(field, "%s is required.", field)
	}
	return nil
}

// longestName is how many characters a name may have: of an agent, a role, a
// capability, a workspace.
const longestName = 256

// brief refuses a name that is too long to be one.
func brief(field, value string) error {
	if n := utf8.RuneCountInString(value); n > longestName {
		return nexus.Invalid(field, "%s has %d characters; at most %d are allowed.", field, n, longestName)
	}
	return nil
}

// clip is a text as a message may repeat it.
func clip(s string) string {
	if utf8.RuneCountInString(s) <= longestName {
		return s
	}
	return string([]rune(s)[:longestName]) + "…"
}

// fits refuses inline content over the limit, which is inclusive.
func (s *Service) fits(field string, size int) error {
	if size > s.knobs().MaxInlineSize {
		return nexus.Errorf(nexus.ContentTooLarge,
			"%s has %d bytes; at most %d fit inline. Store it as a file artifact and send the reference.", field, size, s.knobs().MaxInlineSize).
			With("field", field).With("size_bytes", size).With("max_inline_bytes", s.knobs().MaxInlineSize)
	}
	return nil
}

// pageLimit is how many rows to give: the default when nothing is asked for, and
// never more than most.
func pageLimit(asked *int, usual, most int) (int, error) {
	switch {
	case asked == nil:
		return min(usual, most), nil
	case *asked < 1:
		return 0, nexus.Invalid("limit", "limit must be at least 1.")
	default:
		return min(*asked, most), nil
	}
}

// clampSeconds is a duration of between 10 seconds and an hour.
func clampSeconds(seconds int) time.Duration {
	return time.Duration(max(10, min(seconds, 3600))) * time.Second
}

// mustJSON writes a value that has no way to fail: maps and structs of text.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// pointer is "" as null.
func pointer(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// system makes an event that only operators see.
func (s *Service) system(tx Tx, now time.Time, kind, actor string, payload any) error {
	return tx.AppendEvent(&nexus.Event{
		Stream: nexus.StreamSystem, Type: kind, Actor: actor,
		Payload: mustJSON(payload), CreatedAt: nexus.Stamp(now),
	})
}
