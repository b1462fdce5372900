package nexus

import (
	"context"
	"slices"
	"strings"
	"unicode"
)

// ActorKind says how an actor came in.
type ActorKind string

// The kinds of actors.
const (
	// KindProcess is a local process that gave no key: it may speak for any
	// agent while trust is open.
	KindProcess ActorKind = "process"
	// KindAgent came with an API key, which belongs to one agent.
	KindAgent ActorKind = "agent"
	// KindOperator is whoever owns this hub: the command line, the dashboard on
	// loopback, the operator's key.
	KindOperator ActorKind = "operator"
)

// An Actor is who makes a call. It is put into the context by the face that
// took the call and read by the services.
type Actor struct {
	Kind    ActorKind `json:"kind"`
	AgentID string    `json:"agent_id,omitempty"` // whose key it is
	// Bound actors may act only as AgentID, whatever the trust mode.
	Bound bool `json:"bound,omitempty"`
	// Conn tells one connection's calls from another's, where nothing else does.
	Conn string `json:"conn,omitempty"`
	// KeyID names the key it came with, and Scopes are that key's.
	KeyID  string `json:"key_id,omitempty"`
	Scopes Scopes `json:"scopes,omitempty"`
	// SignInID names the sign-in, where a person came with a cookie.
	SignInID string `json:"sign_in_id,omitempty"`
	// Blind actors may not read the log.
	Blind bool `json:"blind,omitempty"`
	// Person is the name of somebody whom a trusted proxy let in.
	Person string `json:"person,omitempty"`
}

// Name is who the log says it was: the agent whose key it is, the person whom a
// proxy let in, the operator, or nobody that is known.
func (a Actor) Name() string {
	switch {
	case a.Person != "":
		return "person:" + a.Person
	case a.Kind == KindOperator:
		return OperatorID
	}
	return a.AgentID
}

// MayReadLog refuses an actor that was told not to read the log.
func (a Actor) MayReadLog() error {
	if !a.Blind {
		return nil
	}
	return Errorf(PermissionDenied, "Agent %q may not read the log: it lacks the permission events.read. Ask whoever runs this hub.", a.AgentID).
		With("required_permission", "events.read").With("agent_id", a.AgentID)
}

// OperatorID is the agent that stands for the hub's owner in inboxes and in the
// log. Nobody else may have the name.
const OperatorID = "operator"

// IsOperatorName tells whether a name is the operator's or reads like it: in other
// cases, in wide letters, with blanks around it or with characters that nobody
// sees.
func IsOperatorName(name string) bool {
	plain := strings.Map(func(r rune) rune {
		const wide = '\uff21' - 'A'
		switch {
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		case r >= '\uff21' && r <= '\uff5a':
			return r - wide
		}
		return r
	}, name)
	return strings.EqualFold(strings.TrimSpace(plain), OperatorID)
}

// Needs refuses an actor whose key lacks a scope that something needs.
func (a Actor) Needs(scope, what string) error {
	if a.Scopes.Allow(scope) {
		return nil
	}
	return Errorf(PermissionDenied, "Your key lacks the scope %q, which %s needs. Ask whoever runs this hub for a key that has it.", scope, what).
		With("required_scope", scope).With("scopes", a.Scopes.List())
}

// MayAdminister tells whether the actor may do what is the operator's to do.
func (a Actor) MayAdminister() bool {
	return a.Kind != KindAgent || a.Scopes != "" && a.Scopes.Allow(ScopeAdmin)
}

// Administers refuses an actor that may not run the hub.
func (a Actor) Administers() error {
	if a.MayAdminister() {
		return nil
	}
	return Errorf(PermissionDenied, "Only the operator may do this, or a key with the scope %q; yours belongs to agent %q.", ScopeAdmin, a.AgentID).
		With("required_scope", ScopeAdmin).With("scopes", a.Scopes.List())
}

// MayEnter refuses an actor whose key is limited to other workspaces.
func (a Actor) MayEnter(workspaceID string) error {
	ids := a.Scopes.Workspaces()
	if ids == nil || slices.Contains(ids, workspaceID) {
		return nil
	}
	e := Errorf(PermissionDenied, "Your key is limited to other workspaces. Ask whoever runs this hub for a key with the scope %q.", scopeWorkspace+workspaceID)
	if workspaceID == "" {
		e.Msg = "Your key is limited to some workspaces: name one of them."
	}
	return e.With("required_scope", scopeWorkspace+workspaceID).With("workspaces", ids)
}

type actorKey struct{}

// WithActor puts the actor into the context.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom is the actor of the context; without one, an unnamed process.
func ActorFrom(ctx context.Context) Actor {
	if a, ok := ctx.Value(actorKey{}).(Actor); ok {
		return a
	}
	return Actor{Kind: KindProcess}
}
