package main

import (
	"context"
	"maps"
	"time"
)

// What the demo changes in a hub while it is filled: what must grow old does so
// within a second, and a webhook of this machine may be told.
var hurried = map[string]any{"inbox_lease_ttl_seconds": 1, "handoff_lease_ttl_seconds": 1, "webhook_allow_private": true}

// staleSetting is the silence after which a session is stale.
const staleSetting = "session_stale_ttl_seconds"

// hurry changes the settings and remembers what was stored before.
func (d *demo) hurry(ctx context.Context) error {
	var now struct {
		Items []struct {
			Key    string `json:"key"`
			Value  any    `json:"value"`
			Source string `json:"source"`
		} `json:"items"`
	}
	if err := d.hub.get(ctx, "/settings", &now); err != nil {
		return err
	}
	d.before = map[string]any{staleSetting: nil} // null takes back what is stored
	for key := range hurried {
		d.before[key] = nil
	}
	for _, s := range now.Items {
		if _, ours := d.before[s.Key]; ours && s.Source == "stored" {
			d.before[s.Key] = s.Value
		}
	}
	return d.set(ctx, hurried)
}

// slowDown lets leases last as long as they did, and sessions be stale after the
// silence that fits.
func (d *demo) slowDown(ctx context.Context) error {
	values := maps.Clone(d.before)
	delete(values, "webhook_allow_private")
	values[staleSetting] = int(d.window.Seconds())
	return d.set(ctx, values)
}

// restore puts the settings back as they were, also after ctx has ended.
func (d *demo) restore(ctx context.Context) error {
	if d.before == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return d.set(ctx, d.before)
}

func (d *demo) set(ctx context.Context, values map[string]any) error {
	return d.hub.call(ctx, d.hub.key, "settings_change", map[string]any{"values": values}, nil)
}
