package op

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus"
)

// idempotencyArgument is an argument of every writing operation: made again with
// the same key, a call has no second effect and gets the first answer.
const idempotencyArgument = "idempotency_key"

// withKey adds the key to a schema of arguments.
func withKey(s *jsonschema.Schema) {
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	s.Properties[idempotencyArgument] = &jsonschema.Schema{Type: "string"}
	s.PropertyOrder = append(s.PropertyOrder, idempotencyArgument)
}

// readKey checks a key: 1 to 128 characters, not blank, none of them a control
// character.
func readKey(raw json.RawMessage) (*string, error) {
	key, err := text(idempotencyArgument, raw)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(key) == "" || utf8.RuneCountInString(key) > 128 || strings.ContainsFunc(key, unicode.IsControl) {
		return nil, nexus.Invalid(idempotencyArgument, "%s must have 1 to 128 characters, not all blank and none of them a control character.", idempotencyArgument)
	}
	return &key, nil
}

type callKey struct{}

// WithKey gives the next writing call a key of its caller's process, for one who
// may have to make the call again. A key among the arguments outranks it.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, callKey{}, key)
}

// named puts the name of a writing call into the context, if it has one: the
// operation, whose key it is, and what was asked for.
func (o *Op) named(ctx context.Context, given *string, in reflect.Value) (context.Context, error) {
	process, hidden := ctx.Value(callKey{}).(string)
	if o.Effect == Read || o.Joins || given == nil && !hidden {
		return ctx, nil
	}
	body, err := o.bodyHash(in)
	if err != nil {
		return ctx, err
	}
	k := nexus.Idempotency{Op: o.Name, Scope: processScope(ctx), Key: process, Body: body, Secret: o.Secret}
	if given != nil {
		k.Scope, k.Key = o.callerScope(ctx, in), *given
	}
	return nexus.WithIdempotency(ctx, k), nil
}

// bodyHash tells requests apart. Credentials do not count, a repeat may prove
// itself differently; nor does how long to wait, of which a repeat has less left,
// nor the order in which an object was written down.
func (o *Op) bodyHash(in reflect.Value) (string, error) {
	body, err := json.Marshal(o.arguments.without(in, o.Wait).Interface())
	if err != nil {
		return "", err
	}
	var plain any
	read := json.NewDecoder(bytes.NewReader(body))
	read.UseNumber()
	if err := read.Decode(&plain); err != nil {
		return "", err
	}
	if body, err = json.Marshal(plain); err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// callerScope is whose keys these are: those of the agent that acts, else of the
// one whose API key it is, else of the operator, else of the process.
func (o *Op) callerScope(ctx context.Context, in reflect.Value) string {
	actor := nexus.ActorFrom(ctx)
	switch id := o.arguments.actor(in); {
	case id != "" && o.Effect != Danger: // there it names whom it is done to
		return "agent/" + id
	case actor.AgentID != "":
		return "agent/" + actor.AgentID
	case actor.Kind == nexus.KindOperator: // in whichever process
		return nexus.OperatorID
	}
	return processScope(ctx)
}

func processScope(ctx context.Context) string {
	a := nexus.ActorFrom(ctx)
	return string(a.Kind) + "/" + a.AgentID + "/" + a.Conn
}
