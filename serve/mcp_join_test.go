package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nexus"
)

// What the store has of a session gives nobody its names, unless they come with
// the session's id.
func TestSealedNames(t *testing.T) {
	state := sessionState{Version: "v"}
	state.join(nexus.Membership{TopicID: "t", Name: "ada", Token: "secret-1"})
	state.join(nexus.Membership{TopicID: "t", Name: "bob", Token: "secret-2"})
	state.join(nexus.Membership{TopicID: "t", Name: "ada", Token: "secret-3"})
	if m, _ := (nexus.Memberships{Held: state.Joined}).In("t"); len(state.Joined) != 2 || m.Token != "secret-3" {
		t.Errorf("the latest name is %v of %v", m, state.Joined)
	}
	sealed, err := state.sealed("id")
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(sealed)
	if strings.Contains(string(raw), "secret") {
		t.Errorf("the store would get %s", raw)
	}
	var kept sessionState
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	opened, err := kept.opened("id")
	if diff := cmp.Diff(state, opened); err != nil || diff != "" {
		t.Errorf("opened with its id (-want +got), %v:\n%s", err, diff)
	}
	if _, err := kept.opened("another id"); err == nil {
		t.Error("opened with another id")
	}
	kept.Joined[0].Token = "AAAA"
	if _, err := kept.opened("id"); err == nil {
		t.Error("opened although it was changed")
	}
}

// A session that joins without end loses its oldest names and grows no further.
func TestJoinWithoutEnd(t *testing.T) {
	var state sessionState
	for i := range 300 {
		state.join(nexus.Membership{TopicID: string(rune('a' + i)), Name: "n"})
	}
	if len(state.Joined) != 256 || state.Joined[255].TopicID != string(rune('a'+299)) {
		t.Errorf("%d names, the last %v", len(state.Joined), state.Joined[len(state.Joined)-1])
	}
}
