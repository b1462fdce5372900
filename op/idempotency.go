package op

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"

	"nexus"
)

type callKey struct{}

// WithKey gives the next writing call an idempotency key: made again with the
// same key it has no second effect and gets the first answer.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, callKey{}, key)
}

// idempotency names this call: the operation, whose key it is, and what was
// asked for. Credentials do not count, a repeat may prove itself differently;
// nor does how long to wait, of which a repeat has less left.
func (o *Op) idempotency(ctx context.Context, key string, in reflect.Value) (nexus.Idempotency, error) {
	body, err := json.Marshal(o.arguments.without(in, o.Wait).Interface())
	if err != nil {
		return nexus.Idempotency{}, err
	}
	sum := sha256.Sum256(body)
	actor := nexus.ActorFrom(ctx)
	scope := string(actor.Kind) + "/" + actor.AgentID + "/" + actor.Conn
	return nexus.Idempotency{Op: o.Name, Scope: scope, Key: key, Body: hex.EncodeToString(sum[:]), Secret: o.Secret}, nil
}
