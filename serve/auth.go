package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"

	"nexus"
)

const (
	keyPrefix = "nxs_"
	keyDigits = 48

	// How long the owner of a key is remembered, and of how many keys.
	keyMemory = 10 * time.Second
	keyCount  = 4096
	// useGrain is how exactly the last use of a key is known.
	useGrain = 10 * time.Second
)

type keyHash [sha256.Size]byte

// An authenticator tells who makes a call. It remembers whose key is whose for
// a moment; [authenticator.forget] ends that at once.
type authenticator struct {
	keys     Keys
	operator []byte // hash of the operator's key; nil for none
	now      func() time.Time

	mu    sync.Mutex
	known map[keyHash]knownActor
	// fresh has a value when a key was used since that was last written down.
	fresh chan struct{}
	// epoch counts the times everything was forgotten. What was looked up
	// before such a moment must not be remembered after it.
	epoch uint64
	// forgot is closed when everything was forgotten.
	forgot chan struct{}
	// changed has a value when keys changed since it was last looked at, which
	// is done before each use of known: no goroutine has to be quick enough.
	changed <-chan struct{}
}

type knownActor struct {
	nexus.Actor
	until time.Time
}

func newAuthenticator(keys Keys, operatorHash string, now func() time.Time) (*authenticator, error) {
	operator, err := hex.DecodeString(operatorHash)
	if err != nil || len(operator) != 0 && len(operator) != sha256.Size {
		return nil, nexus.Errorf(nexus.ConfigError, "The hash of the operator's key is no SHA-256 in hex.")
	}
	return &authenticator{
		keys: keys, operator: operator, now: now, known: map[keyHash]knownActor{},
		fresh: make(chan struct{}, 1), forgot: make(chan struct{}),
	}, nil
}

// actor is whose key it is.
func (a *authenticator) actor(ctx context.Context, key string) (nexus.Actor, error) {
	hash := keyHash(sha256.Sum256([]byte(key)))
	if subtle.ConstantTimeCompare(hash[:], a.operator) == 1 {
		return nexus.Actor{Kind: nexus.KindOperator}, nil
	}
	if a.keys == nil || !wellFormed(key) {
		return nexus.Actor{}, wrongKey()
	}
	actor, found, err := a.lookUp(ctx, hash, a.keys.KeyActor)
	if err == nil && !found {
		err = wrongKey()
	}
	if err == nil {
		a.noteUse(actor.KeyID)
	}
	return actor, err
}

// lookup finds who a secret belongs to, by the hash of the secret in hex.
type lookup func(ctx context.Context, hash string) (a nexus.Actor, until time.Time, found bool, err error)

// lookUp asks whose secret has the hash, or remembers.
func (a *authenticator) lookUp(ctx context.Context, hash keyHash, ask lookup) (nexus.Actor, bool, error) {
	a.mu.Lock()
	a.catchUp()
	epoch := a.epoch
	known, ok := a.known[hash]
	a.mu.Unlock()
	if ok && a.now().Before(known.until) {
		return known.Actor, true, nil
	}
	actor, until, found, err := ask(ctx, hex.EncodeToString(hash[:]))
	if err != nil || !found {
		return nexus.Actor{}, false, err
	}
	a.remember(hash, actor, until, epoch)
	return actor, true, nil
}

func (a *authenticator) remember(hash keyHash, actor nexus.Actor, until time.Time, epoch uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.catchUp()
	if a.epoch != epoch {
		return
	}
	if len(a.known) >= keyCount {
		clear(a.known)
	}
	end := a.now().Add(keyMemory)
	if !until.IsZero() && until.Before(end) {
		end = until
	}
	a.known[hash] = knownActor{actor, end}
}

// noteUse notes that a key was used; [authenticator.writeUse] has it written down
// now and then.
func (a *authenticator) noteUse(keyID string) {
	if keyID == "" {
		return
	}
	a.keys.KeyUsed(keyID)
	select {
	case a.fresh <- struct{}{}:
	default:
	}
}

// writeUse has it written down which keys were used, at most every useGrain, until ctx
// ends. That is a courtesy: if it fails, it is tried with the next use.
func (a *authenticator) writeUse(ctx context.Context) {
	for {
		select {
		case <-a.fresh:
		case <-ctx.Done():
			return
		}
		pause := time.NewTimer(useGrain)
		select {
		case <-pause.C:
		case <-ctx.Done():
		}
		pause.Stop()
		_ = a.keys.WriteKeyUses(context.WithoutCancel(ctx))
	}
}

// watch gives the channel that tells of changes, nil when nobody does.
func (a *authenticator) watch(changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed = changed
	a.forgetLocked()
}

// forget makes every key be looked up again.
func (a *authenticator) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forgetLocked()
}

func (a *authenticator) catchUp() {
	select {
	case <-a.changed:
		a.forgetLocked()
	default:
	}
}

func (a *authenticator) forgetLocked() {
	a.epoch++
	clear(a.known)
	close(a.forgot)
	a.forgot = make(chan struct{})
}

// untilForgotten is closed when keys may have changed.
func (a *authenticator) untilForgotten() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.forgot
}

// wellFormed spares the store the question whose key a random string is.
func wellFormed(key string) bool {
	digits, ok := strings.CutPrefix(key, keyPrefix)
	return ok && len(digits) == keyDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

var errWrongKey = errors.New("wrong key")

func wrongKey() *nexus.Error {
	return &nexus.Error{Code: nexus.AuthFailed, Msg: "Authentication failed: unknown or inactive api_key", Err: errWrongKey}
}
