package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/hub"
	"nexus/store"
	"nexus/store/storetest"
)

// TestSignInOfAnyBrowser: what a browser says of itself is kept as far as it is
// text, and keeps nobody out.
func TestSignInOfAnyBrowser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		now, ids := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 0
		service := hub.New(hub.Config{
			Store: store.Of[hub.Tx]{DB: o.Open(t)}, OperatorHash: "operator",
			Now:   func() time.Time { return now },
			NewID: func(prefix string) string { ids++; return fmt.Sprint(prefix, "_", ids) },
		})
		operator := nexus.Actor{Kind: nexus.KindOperator}
		for _, browser := range []string{"", "Mozilla/5.0", "caf\xe9 \xff", strings.Repeat("ä", 1000)} {
			hash := fmt.Sprintf("hash of %q", browser)
			id, until, err := service.SignIn(t.Context(), operator, hash, browser, "192.0.2.7")
			if err != nil {
				t.Fatalf("%q: %v", browser, err)
			}
			actor, ends, found, err := service.SignInActor(t.Context(), hash)
			if err != nil || !found || actor.SignInID != id || !ends.Equal(until) {
				t.Errorf("%q: got %+v until %v, found %t, %v", browser, actor, ends, found, err)
			}
		}
		now = now.Add(365 * 24 * time.Hour)
		if _, _, found, err := service.SignInActor(t.Context(), `hash of ""`); found || err != nil {
			t.Errorf("a sign-in is good after its end: %t, %v", found, err)
		}
	})
}
