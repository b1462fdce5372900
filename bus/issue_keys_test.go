package bus_test

import (
	"fmt"
	"regexp"
	"sync"
	"testing"

	"nexus"
	"nexus/bus"
	"nexus/store/storetest"
)

var keyPattern = regexp.MustCompile(`^nxs_[0-9a-f]{48}$`)

func TestIssueKeys(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		old := k.call("agent_create", object{"agent_id": "old"})["api_key"].(string)
		for _, name := range []string{"b", "a"} {
			k.register(name)
		}
		issued, err := k.service.IssueKeys(k.t.Context())
		if err != nil || len(issued) != 2 || issued[0].AgentID != "a" || issued[1].AgentID != "b" {
			k.t.Fatalf("got %+v, %v", issued, err)
		}
		for _, i := range issued {
			actor, _, found, err := k.service.KeyActor(k.t.Context(), bus.HashKey(i.APIKey))
			if err != nil || !found || actor.AgentID != i.AgentID || !keyPattern.MatchString(i.APIKey) {
				k.t.Errorf("the key of %s belongs to %q (%v, %v)", i.AgentID, actor.AgentID, found, err)
			}
		}
		if actor, _, _, _ := k.service.KeyActor(k.t.Context(), bus.HashKey(old)); actor.AgentID != "old" {
			k.t.Errorf("an existing key belongs to %q now", actor.AgentID)
		}
		again, err := k.service.IssueKeys(k.t.Context())
		k.want("issued again", again, `[]`)
		if err != nil {
			k.t.Error(err)
		}
		created := map[string]int{}
		for _, e := range k.log() {
			if e.Type == "key.created" {
				created[payloadOf(k.t, e)["agent_id"].(string)]++
			}
		}
		k.want("events", created, `{"a":1,"b":1,"old":1}`)
	})
}

func TestIssueKeysDenied(t *testing.T) {
	eachKeeper(t, func(k *keeper) {
		k.register("a")
		ctx := nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "a"})
		if issued, err := k.service.IssueKeys(ctx); nexus.CodeOf(err) != nexus.PermissionDenied || len(issued) > 0 {
			k.t.Errorf("got %v, %v, want PERMISSION_DENIED", issued, err)
		}
	})
}

// Two who issue at once give every agent one key.
func TestIssueKeysTwice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		keepers := []*keeper{newKeeper(t, o.Open(t)), newKeeper(t, o.Open(t))}
		const agents = 150 // more than one batch
		for i := range agents {
			keepers[0].register(fmt.Sprintf("agent-%03d", i))
		}
		var mu sync.Mutex
		keys := map[string]int{}
		var wg sync.WaitGroup
		for _, k := range keepers {
			wg.Go(func() {
				issued, err := k.service.IssueKeys(t.Context())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, i := range issued {
					keys[i.AgentID]++
				}
			})
		}
		wg.Wait()
		for id, n := range keys {
			if n != 1 {
				t.Errorf("%s was given %d keys", id, n)
			}
		}
		if len(keys) != agents {
			t.Errorf("%d of %d agents have a key", len(keys), agents)
		}
	})
}
