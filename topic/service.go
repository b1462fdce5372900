// Package topic is where peers talk: named streams of messages, a cursor for
// every peer, and one call, sync, that sends and receives at once. It knows no
// SQL and no wire: it asks the store through [Tx] and is shown by package op.
package topic

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"nexus"
)

// Settings are the knobs of topics.
type Settings struct {
	MaxOutbox       int // messages that one sync may send
	MaxMessageChars int // characters of one message, inclusive
	// MaxSyncItems is how many messages one sync may return. Below 1 it was set
	// to something that is no such number, and sync says so.
	MaxSyncItems int
	MaxWait      time.Duration // ceiling of a wait of those who only read
	TextBodies   bool          // whether the text of a sync has the bodies
	TextMaxChars int           // characters of a body in a text
}

// DefaultSettings are those of a service that was told nothing else.
func DefaultSettings() Settings {
	return Settings{MaxOutbox: 50, MaxMessageChars: 65536, MaxSyncItems: 20, MaxWait: 30 * time.Second, TextBodies: true, TextMaxChars: 64000}
}

// A Tx is what topics ask of a transaction.
type Tx interface {
	topicRows
	reservationRows
	postRows
	cursorRows
	browseRows
	manageRows
	importRows
	searchRows
	AppendEvent(*nexus.Event) error
	Lock(names ...string) error
	Wake(keys ...string)
}

// Service is all topics.
type Service struct {
	store     nexus.Store[Tx]
	settings  atomic.Pointer[Settings]
	now       func() time.Time
	newID     func(prefix string) string
	version   string
	workspace func(ctx context.Context, projectRoot string) (id string, err error)
	permit    func(ctx context.Context, tx Tx) error
	mention   func(ctx context.Context, tx Tx, m Mention) error
	finder    PostFinder
}

// Config is what a [Service] is made of.
type Config struct {
	Store    nexus.Store[Tx]
	Settings Settings
	Now      func() time.Time
	// NewID makes an id that nobody else makes, ascending with time.
	NewID   func(prefix string) string
	Version string // of the program
	// Workspace finds the workspace of a project, for topics that belong to one;
	// nil where there are no workspaces.
	Workspace func(ctx context.Context, projectRoot string) (id string, err error)
	// Permit refuses an actor who may only read topics; nil where everybody may
	// write.
	Permit func(ctx context.Context, tx Tx) error
	// Mention tells an agent of the hub that a message names it, within the
	// transaction that posts it; nil for nobody. It fails with NOT_FOUND where
	// there is no such agent, with WORKSPACE_REQUIRED where it cannot be told, and
	// with PERMISSION_DENIED or RATE_LIMITED where the actor may not tell it.
	Mention func(ctx context.Context, tx Tx, m Mention) error
	// Finder searches messages.
	Finder PostFinder
}

// New makes the service.
func New(c Config) *Service {
	s := &Service{
		store: c.Store, now: c.Now, newID: c.NewID, version: c.Version,
		workspace: c.Workspace, permit: c.Permit, mention: c.Mention, finder: c.Finder,
	}
	s.Apply(c.Settings)
	return s
}

// Apply changes the settings. Calls that run already go on with the old ones or
// the new ones.
func (s *Service) Apply(settings Settings) { s.settings.Store(&settings) }

// Settings are the settings at this moment.
func (s *Service) Settings() Settings { return *s.settings.Load() }

// permitted refuses an actor who may only read.
func (s *Service) permitted(ctx context.Context, tx Tx) error {
	if s.permit == nil {
		return nil
	}
	return s.permit(ctx, tx)
}

// change runs what changes topics in one transaction, for those who may.
func change[R any](ctx context.Context, s *Service, fn func(Tx) (R, error)) (R, error) {
	return nexus.Update(ctx, s.store, func(tx Tx) (R, error) {
		if err := s.permitted(ctx, tx); err != nil {
			var zero R
			return zero, err
		}
		return fn(tx)
	})
}

// None is the input of an operation that takes no arguments.
type None struct{}

// SpecVersion is the version of the contract that the ten tools keep.
const SpecVersion = "v6.3"

// Pong is what a ping is answered.
type Pong struct {
	OK      bool   `json:"ok"`
	Spec    string `json:"spec_version"`
	Package string `json:"package_version"`
}

// Ping tells which versions are running, once the store has answered.
func (s *Service) Ping(ctx context.Context, _ None) (Pong, error) {
	err := s.store.View(ctx, func(Tx) error { return nil })
	return Pong{true, SpecVersion, s.version}, err
}

// A Warning tells a caller of something that it may not expect. Context says
// what it concerns.
type Warning struct {
	Code    string         `json:"code"`
	Message string         `json:"message,omitempty"`
	Context map[string]any `json:"context,omitempty"`
}

// Warned is what goes with an answer, if there are any.
type Warned struct {
	Warnings []Warning `json:"warnings,omitempty"`
}

// Seconds is a moment as topics show it: seconds since 1970, to the microsecond.
func Seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// Moment is the moment that [Seconds] shows.
func Moment(seconds float64) time.Time {
	return time.UnixMicro(int64(math.Round(seconds * 1e6))).UTC()
}

// invalid refuses an argument.
func invalid(field, format string, args ...any) error {
	return nexus.Errorf(nexus.InvalidArgument, format, args...).With("field", field)
}

// required refuses a blank argument.
func required(field, value string) error {
	if strings.TrimSpace(value) == "" {
		return invalid(field, "%s must be a non-empty string", field)
	}
	return nil
}

// longestName is how many characters the name of a topic may have.
const longestName = 256

func brief(field, value string, most int) error {
	if utf8.RuneCountInString(value) > most {
		return invalid(field, "%s must be <= %d characters", field, most)
	}
	return nil
}

// positive is a number that must be above 0, or its default.
func positive(field string, given *int, usual int) (int, error) {
	switch {
	case given == nil:
		return usual, nil
	case *given <= 0:
		return 0, invalid(field, "%s must be > 0", field)
	}
	return *given, nil
}

// upTo is a [positive] number that is not too large either.
func upTo(most int, field string, given *int, usual int) (int, error) {
	n, err := positive(field, given, usual)
	if n > most {
		return 0, invalid(field, "%s must be <= %d", field, most)
	}
	return n, err
}

// log notes in the log what happened to a topic: on its workspace's stream, or
// on the system's where it has none.
func (s *Service) log(tx Tx, t Topic, kind, actor string, payload map[string]any, now time.Time) error {
	payload["topic_id"], payload["name"] = t.ID, t.Name
	e := &nexus.Event{
		Stream: nexus.StreamSystem, Type: kind, Actor: actor, Payload: mustJSON(payload), CreatedAt: nexus.Stamp(now),
	}
	if t.WorkspaceID != "" {
		e.WorkspaceID, e.Stream = t.WorkspaceID, nexus.StreamWorkspace
	}
	return tx.AppendEvent(e)
}

// mustJSON writes a value that has no way to fail: maps of text and numbers.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
