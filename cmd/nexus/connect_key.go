package main

import (
	"context"
	"encoding/json"
	"errors"

	"nexus"
	"nexus/bus"
	"nexus/client"
	"nexus/op"
)

// A keyWish is what the command line says about agent and key.
type keyWish struct {
	agent  string
	newKey bool
	http   bool // which nobody enters without a key
	far    bool // the hub may be anywhere, and its agents are not ours to make
}

// A keyFound is a key for an entry. One that was just made is shown and written
// here, and never again.
type keyFound struct {
	key  string
	made bool
}

// keyFor finds the key for an entry, or makes one. Candidates are keys that are
// at hand. Nobody's key changes unless that was asked for.
func keyFor(ctx context.Context, cfg *Config, w keyWish, candidates []string) (keyFound, error) {
	if w.agent == "" || w.far {
		return keyAtHand(w, candidates)
	}
	return withOperator(ctx, cfg, func(call caller) (keyFound, error) {
		var agent bus.Agent
		err := call("agent_get", bus.AgentParams{AgentID: w.agent}, &agent)
		missing := nexus.CodeOf(err) == nexus.NotFound
		if err != nil && !missing {
			return keyFound{}, err
		}
		if !missing && !w.newKey {
			return keyOfAgent(ctx, cfg, w, candidates)
		}
		var made struct {
			APIKey string `json:"api_key"`
		}
		switch {
		case !missing:
			err = call("key_create", bus.CreateKeyParams{AgentID: w.agent, Name: "nexus connect"}, &made)
		case w.http || w.newKey:
			err = call("agent_create", bus.CreateAgentParams{AgentID: w.agent}, &made)
		default:
			return keyFound{}, call("agent_register", bus.RegisterParams{AgentID: w.agent}, &agent)
		}
		return keyFound{made.APIKey, true}, err
	})
}

// keyAtHand is for those who name no agent, or one that is not here.
func keyAtHand(w keyWish, candidates []string) (keyFound, error) {
	switch {
	case w.far && w.newKey:
		return keyFound{}, usageErrorf("--new-key makes keys in this home only; have the operator of that hub make one, and set %s to it", apiKeyVariable)
	case w.newKey:
		return keyFound{}, usageErrorf("--new-key needs --agent ID: whose key shall it be?")
	case len(candidates) > 0 && w.http:
		return keyFound{key: candidates[0]}, nil
	case w.http && w.far:
		return keyFound{}, nexus.Errorf(nexus.ConfigError, "HTTP needs a key: set %s to one that the operator of that hub made", apiKeyVariable)
	case w.http:
		return keyFound{}, nexus.Errorf(nexus.ConfigError, "HTTP needs a key: name an agent with --agent ID and one is made for it, or set %s to the key you have", apiKeyVariable)
	}
	return keyFound{}, nil
}

// keyOfAgent picks the key that is this agent's from those at hand.
func keyOfAgent(ctx context.Context, cfg *Config, w keyWish, candidates []string) (found keyFound, err error) {
	err = onStore(ctx, cfg, func(ctx context.Context, n *node) error {
		for _, key := range candidates {
			owner, _, ok, err := n.bus.KeyActor(ctx, bus.HashKey(key))
			if err != nil {
				return err
			}
			if ok && owner.AgentID == w.agent {
				found.key = key
				return nil
			}
		}
		return nil
	})
	if err == nil && found.key == "" && w.http {
		err = nexus.Errorf(nexus.Conflict,
			"There is an agent %q already, and its key is shown only when it is made. Set %s to it, or give --new-key: that makes one more.",
			w.agent, apiKeyVariable)
	}
	return found, err
}

// A caller makes one call as the operator and reads its data.
type caller func(name string, arguments, into any) error

// withOperator makes calls the way "nexus call" does.
func withOperator[T any](ctx context.Context, cfg *Config, fn func(caller) (T, error)) (result T, err error) {
	ops, err := knownOps(cfg)
	if err != nil {
		return result, err
	}
	relay := newRelay(cfg, client.RelayOptions{Conn: newID("connect"), Operator: true})
	defer func() { err = errors.Join(err, relay.Close()) }()
	return fn(func(name string, arguments, into any) error {
		o := ops.Lookup(name)
		answer := relayed(relay)(ctx, o, marshalPlain(arguments))
		if answer.Code != "" {
			return answerError(callAnswer(answer))
		}
		if o.Family == op.Topics {
			return json.Unmarshal(answer.Body, into)
		}
		envelope := struct {
			Data any `json:"data"`
		}{into}
		return json.Unmarshal(answer.Body, &envelope)
	})
}
