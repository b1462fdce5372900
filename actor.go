package nexus

import "context"

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
