package bus_test

import (
	"testing"
	"time"

	"nexus"
	"nexus/bus"
)

func TestEligible(t *testing.T) {
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	me := bus.Profile{AgentID: "me", Role: "dev", Capabilities: []string{"go", "sql"}}
	tests := []struct {
		target string
		after  time.Duration
		want   bool
	}{
		{``, 0, true},
		{`null`, 0, true},
		{`{}`, 0, true},
		{`{"strategy":"broadcast"}`, 0, true},
		{`{"strategy":"direct","agent_id":"me"}`, 0, true},
		{`{"strategy":"direct","agent_id":"Me"}`, 0, false},
		{`{"strategy":"role","role":"dev"}`, 0, true},
		{`{"strategy":"role","role":"Dev"}`, 0, false},
		{`{"strategy":"capability","capability":"go","preferred":"you"}`, 0, true},
		{`{"strategy":"capability","capability":["rust","sql"]}`, 0, true},
		{`{"strategy":"capability","capability":"rust"}`, 0, false},
		{`{"strategy":"MIXED","rules":[{"strategy":"role","role":"x"},{"kind":"capability","capability":"go"}]}`, 0, true},
		{`{"strategy":"mixed","rules":[{"strategy":"role","role":"x"}]}`, 0, false},
		{`{"strategy":"direct with fallback","agent_id":"you","fallback_after_seconds":60}`, 60*time.Second - time.Microsecond, false},
		{`{"strategy":"direct-with-fallback","agent_id":"you","fallback_after_seconds":60}`, 60 * time.Second, true},
		{`{"strategy":"direct_with_fallback","agent_id":"you","fallback_after_seconds":0,"fallback":{"strategy":"role","role":"x"}}`, time.Hour, false},
		{`{"strategy":"direct_with_fallback","agent_id":"me","fallback_after_seconds":60}`, 0, true},
	}
	for _, test := range tests {
		target, err := bus.ParseTarget([]byte(test.target))
		if err != nil {
			t.Errorf("%s: %v", test.target, err)
			continue
		}
		if got := target.Eligible(me, created, created.Add(test.after)); got != test.want {
			t.Errorf("%s after %v: eligible = %v", test.target, test.after, got)
		}
	}
}

func TestCanSee(t *testing.T) {
	now := time.Now()
	forYou := []byte(`{"strategy":"direct","agent_id":"you"}`)
	tests := []struct {
		name  string
		event nexus.Event
		want  bool
	}{
		{"public", nexus.Event{Visibility: "public", Target: forYou}, true},
		{"unsaid is public", nexus.Event{}, true},
		{"for somebody else", nexus.Event{Visibility: "eligible", Target: forYou}, false},
		{"private to somebody else", nexus.Event{Visibility: "private", Target: forYou}, false},
		{"my own", nexus.Event{Visibility: "private", Target: forYou, Actor: "me"}, true},
		{"for everybody", nexus.Event{Visibility: "eligible"}, true},
		{"a target nobody can read", nexus.Event{Visibility: "eligible", Target: []byte(`{"strategy":5}`)}, false},
		{"a visibility nobody knows", nexus.Event{Visibility: "secret"}, false},
	}
	for _, test := range tests {
		test.event.CreatedAt = nexus.Stamp(now)
		if got := bus.CanSee(test.event, bus.Profile{AgentID: "me"}, now); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// FuzzTarget holds that a target is read or refused, never worse, and that what
// is read can be judged.
func FuzzTarget(f *testing.F) {
	f.Add(`{"strategy":"mixed","rules":[{"strategy":"role","role":"x"}]}`)
	f.Add(`{"strategy":"direct_with_fallback","agent_id":"a","fallback_after_seconds":"1e3"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		target, err := bus.ParseTarget([]byte(raw))
		if err != nil {
			if nexus.CodeOf(err) != nexus.ValidationError {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		target.Eligible(bus.Profile{AgentID: "a"}, time.Now(), time.Now())
	})
}
