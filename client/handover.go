package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"nexus"
)

const (
	defaultPatience  = 1500 * time.Millisecond
	defaultLookAgain = time.Second
	// lookEvery is how often a hub that may soon be back is looked for.
	lookEvery = 50 * time.Millisecond
)

// An Op is what a [Relay] must know about an operation.
type Op struct {
	Name  string
	Write bool
	// Wait names the argument that says how many seconds the call may wait; ""
	// when it does not wait.
	Wait string
	// AnyProfile makes the call although the profile of the relay lacks it.
	AnyProfile bool
}

// A Local makes calls on the store itself, in this process. A call whose Key was
// used before, here or in a hub, must have no second effect: the actor must be
// the same as the hub would have made of the request.
type Local interface {
	Call(ctx context.Context, c CallRequest) CallAnswer
	// Watch tells of commits; see [nexus.Watcher].
	Watch(keys ...string) (ready <-chan struct{}, stop func())
	Close() error
}

// RelayOptions are the settings of a [Relay].
type RelayOptions struct {
	Home    string
	Conn    string
	Profile string
	APIKey  string
	// Operator makes every call as whoever owns the hub.
	Operator bool
	// Open opens the store when there is no hub. It is called at most once,
	// unless it fails.
	Open func(ctx context.Context) (Local, error)
	// Accept tells whether a hub will do, such as one with the same database;
	// nil accepts all.
	Accept func(HubInfo) bool
	// Patience is how long a hub that went away is looked for; 1.5 s when zero.
	Patience time.Duration
	// LookAgain is how often a relay that opened the store looks whether there
	// is a hub now; 1 s when zero.
	LookAgain time.Duration
}

// A Relay makes calls wherever it can: in the running hub of the home, or on the
// store when there is none. It outlives the hub, its restart included, between
// two calls and during one: a call that was cut is made again under the same
// key, so that it acts once, and a wait goes on for the time that is left.
type Relay struct {
	opts RelayOptions

	mu       sync.Mutex
	hub      *Hub
	avoid    string    // instance of a hub that is draining
	lost     time.Time // when the last hub went away
	nextLook time.Time

	opening sync.Mutex
	local   Local
}

// NewRelay makes a relay. It looks for the hub with the first call.
func NewRelay(opts RelayOptions) *Relay {
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	if opts.LookAgain == 0 {
		opts.LookAgain = defaultLookAgain
	}
	return &Relay{opts: opts}
}

// Close gives up the connection to the hub and closes the store, if it was
// opened. No call may run or follow.
func (r *Relay) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hub != nil {
		r.hub.Close()
		r.hub = nil
	}
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.local == nil {
		return nil
	}
	return r.local.Close()
}

// Call makes one call. It fails when ctx ends, when the store cannot be opened,
// or when the arguments are no JSON. That the operation failed is an answer.
func (r *Relay) Call(ctx context.Context, o Op, arguments json.RawMessage) (CallAnswer, error) {
	c := CallRequest{
		Op: o.Name, Arguments: arguments,
		Conn: r.opts.Conn, Profile: r.opts.Profile, APIKey: r.opts.APIKey, Operator: r.opts.Operator,
		Memberships: nexus.MembershipsFrom(ctx),
	}
	if o.Write {
		c.Key = rand.Text()
	}
	if o.AnyProfile {
		c.Profile = ""
	}
	began := time.Now()
	var cut time.Time // when the call was first lost; zero while it was not
	for {
		hub := r.find(ctx)
		gaveUp := !cut.IsZero() && time.Since(cut) >= r.opts.Patience
		switch {
		case ctx.Err() != nil:
			return CallAnswer{}, context.Cause(ctx)
		case hub == nil && !gaveUp && r.maySoonBeBack():
			pause(ctx, lookEvery)
			continue
		case hub == nil || gaveUp:
			return r.callLocal(ctx, c)
		}
		asked := time.Now()
		answer, err := hub.Call(ctx, c)
		if !errors.Is(err, ErrGone) && !errors.Is(err, ErrDraining) {
			return answer, err
		}
		r.lose(hub, errors.Is(err, ErrDraining))
		c.Arguments = waitLess(arguments, o.Wait, time.Since(began))
		if cut.IsZero() || time.Since(asked) > r.opts.Patience {
			cut = time.Now()
			continue
		}
		pause(ctx, lookEvery) // lost twice in a row
	}
}

// find is the hub to call, nil while there is none.
func (r *Relay) find(ctx context.Context) *Hub {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.hub != nil || now.Before(r.nextLook) {
		return r.hub
	}
	r.nextLook = now.Add(lookEvery / 2)
	if now.Sub(r.lost) > r.opts.Patience {
		r.nextLook = now.Add(r.opts.LookAgain)
	}
	hub, err := Find(ctx, r.opts.Home)
	if err != nil {
		return nil
	}
	if hub.Info.Instance == r.avoid || r.opts.Accept != nil && !r.opts.Accept(hub.Info) {
		hub.Close()
		return nil
	}
	r.hub = hub
	return hub
}

// lose forgets a hub that did not answer.
func (r *Relay) lose(hub *Hub, draining bool) {
	hub.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if draining {
		r.avoid = hub.Info.Instance
	}
	if r.hub == hub {
		r.hub, r.lost, r.nextLook = nil, time.Now(), time.Time{}
	}
}

// maySoonBeBack tells whether a hub went away so recently that it is worth
// waiting for. Where there was none all along nobody waits.
func (r *Relay) maySoonBeBack() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.lost) < r.opts.Patience
}

func (r *Relay) callLocal(ctx context.Context, c CallRequest) (CallAnswer, error) {
	local, err := r.open(ctx)
	if err != nil {
		return CallAnswer{}, err
	}
	return local.Call(ctx, c), nil
}

func (r *Relay) open(ctx context.Context) (Local, error) {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.local != nil {
		return r.local, nil
	}
	local, err := r.opts.Open(ctx)
	if err != nil {
		return nil, err
	}
	r.local = local
	return local, nil
}

// waitLess takes the seconds that have passed off the time that a call may wait.
// Arguments that do not say how long stay as they are.
func waitLess(arguments json.RawMessage, argument string, passed time.Duration) json.RawMessage {
	var args map[string]json.RawMessage
	if argument == "" || json.Unmarshal(arguments, &args) != nil {
		return arguments
	}
	asked := strings.TrimSpace(strings.Trim(string(args[argument]), `"`))
	seconds, err := strconv.ParseFloat(asked, 64)
	if err != nil || seconds <= 0 {
		return arguments
	}
	left := math.Floor(max(0, seconds-passed.Seconds()))
	args[argument] = strconv.AppendFloat(nil, left, 'f', 0, 64)
	b, err := marshal(args)
	if err != nil {
		return arguments
	}
	return b
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
