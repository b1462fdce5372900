package hub

import (
	"context"
	"strings"
	"time"

	"nexus"
)

// A SignIn is a person's stay in a browser. It stands for the key it was opened
// with and dies with it; only the hash of its token is kept.
type SignIn struct {
	ID        string  `json:"sign_in_id"`
	AgentID   *string `json:"agent_id"` // null for the operator
	UserAgent *string `json:"user_agent"`
	Address   *string `json:"address"`
	CreatedAt string  `json:"created_at"`
	ExpiresAt string  `json:"expires_at"`

	TokenHash    string  `json:"-"`
	KeyID        *string `json:"-"`
	KeyHash      *string `json:"-"`
	OperatorHash *string `json:"-"`
}

// Keys tells who comes with a key that has this hash, and until when (zero for
// ever).
type Keys interface {
	KeyActor(ctx context.Context, hash string) (a nexus.Actor, until time.Time, found bool, err error)
}

type signInRows interface {
	InsertSignIn(SignIn) error
	// SignInByToken finds a sign-in whose key, if it has one, is still good.
	SignInByToken(hash string) (SignIn, bool, error)
	SignIns() ([]SignIn, error)
	DeleteSignIn(id string) (found bool, err error)
	// DeleteExpiredSignIns forgets those that ended before a moment.
	DeleteExpiredSignIns(before string) error
}

// signInTime is how long a person stays signed in.
const signInTime = 7 * 24 * time.Hour

// SignIn opens a stay for an actor that came with a key.
func (s *Service) SignIn(ctx context.Context, a nexus.Actor, tokenHash, userAgent, address string) (id string, until time.Time, err error) {
	now := s.now()
	until = now.Add(signInTime)
	in := SignIn{
		ID: s.newID("sgn"), TokenHash: tokenHash, UserAgent: brief(userAgent), Address: brief(address),
		CreatedAt: nexus.Stamp(now), ExpiresAt: nexus.Stamp(until),
	}
	if a.KeyID != "" {
		in.KeyID = &a.KeyID
	} else {
		in.OperatorHash = &s.operatorHash
	}
	_, err = nexus.Update(ctx, s.store, func(tx Tx) (None, error) {
		if err := tx.DeleteExpiredSignIns(nexus.Stamp(now)); err != nil {
			return None{}, err
		}
		if err := tx.InsertSignIn(in); err != nil {
			return None{}, err
		}
		return None{}, s.system(tx, now, "person.signed_in", a.Name(), map[string]any{"sign_in_id": in.ID, "address": address})
	})
	return in.ID, until, err
}

// brief is what a browser says of itself, in a form that can be kept: a header
// may hold any bytes.
func brief(s string) *string {
	if s == "" {
		return nil
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > 256 {
		s = string(r[:256])
	}
	return &s
}

// SignInActor tells who comes with a token that has this hash, and until when
// that is so.
func (s *Service) SignInActor(ctx context.Context, hash string) (a nexus.Actor, until time.Time, found bool, err error) {
	in, err := nexus.View(ctx, s.store, func(tx Tx) (in SignIn, err error) {
		in, found, err = tx.SignInByToken(hash)
		return in, err
	})
	if err != nil || !found {
		return a, until, false, err
	}
	if until, err = nexus.ParseStamp(in.ExpiresAt); err != nil {
		return a, until, false, err
	}
	if !s.now().Before(until) {
		return a, until, false, nil
	}
	if in.KeyHash != nil {
		return s.keyholder(ctx, in, until)
	}
	if in.OperatorHash == nil || *in.OperatorHash != s.operatorHash {
		return a, until, false, nil // the operator has another key now
	}
	return nexus.Actor{Kind: nexus.KindOperator, SignInID: in.ID}, until, true, nil
}

// keyholder is who has the key that a sign-in stands for: with a cookie nobody
// may more than with the key itself, or longer.
func (s *Service) keyholder(ctx context.Context, in SignIn, until time.Time) (nexus.Actor, time.Time, bool, error) {
	a, ends, found, err := s.keys.KeyActor(ctx, *in.KeyHash)
	if !ends.IsZero() && ends.Before(until) {
		until = ends
	}
	a.SignInID = in.ID
	return a, until, found, err
}

// SignOut ends a stay.
func (s *Service) SignOut(ctx context.Context, id string) error {
	_, err := s.endSignIn(ctx, id)
	return err
}

func (s *Service) endSignIn(ctx context.Context, id string) (found bool, err error) {
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (bool, error) {
		found, err := tx.DeleteSignIn(id)
		if err != nil || !found {
			return found, err
		}
		tx.Wake(nexus.KeysKey)
		return true, s.system(tx, now, "person.signed_out", nexus.ActorFrom(ctx).Name(), map[string]any{"sign_in_id": id})
	})
}

// SignInList is everybody who is signed in.
type SignInList struct {
	Items []SignIn `json:"items"`
	nexus.OnePage
}

// SignIns lists who is signed in, the newest first.
func (s *Service) SignIns(ctx context.Context, _ None) (SignInList, error) {
	if err := operatorOnly(ctx); err != nil {
		return SignInList{}, err
	}
	return nexus.View(ctx, s.store, func(tx Tx) (SignInList, error) {
		all, err := tx.SignIns()
		return SignInList{Items: all}, err
	})
}

// SignInParams name a sign-in.
type SignInParams struct {
	SignInID string `json:"sign_in_id" jsonschema:"which one"`
}

// RevokedSignIn says which sign-in has ended.
type RevokedSignIn struct {
	SignInID string `json:"sign_in_id"`
	Revoked  bool   `json:"revoked"`
}

// RevokeSignIn ends somebody's stay at once.
func (s *Service) RevokeSignIn(ctx context.Context, p SignInParams) (RevokedSignIn, error) {
	if err := operatorOnly(ctx); err != nil {
		return RevokedSignIn{}, err
	}
	found, err := s.endSignIn(ctx, p.SignInID)
	if err == nil && !found {
		err = nexus.Errorf(nexus.NotFound, "There is no sign-in %q.", p.SignInID)
	}
	return RevokedSignIn{p.SignInID, true}, err
}
