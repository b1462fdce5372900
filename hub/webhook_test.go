package hub_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"nexus"
	"nexus/hub"
	"nexus/op"
)

func TestWebhookLife(t *testing.T) {
	each(t, func(k *kit) {
		k.want("none", k.call("webhook_list", nil), `{"items":[],"next_cursor":null}`)
		made := k.call("webhook_create", object{"url": "https://example.com/hook?token=hush", "events": []string{"task.*", "*", "task.*"}, "name": "ours"})
		id, secret := made["webhook_id"], made["secret"].(string)
		if !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+64 {
			t.Errorf("the secret is %q", secret)
		}
		delete(made, "secret")
		k.want("events", made["events"], `["*","task.*"]`)
		k.want("read again", k.look(id.(string)), must(made))
		k.want("listed", k.call("webhook_list", nil), `{"items":[`+must(made)+`],"next_cursor":null}`)

		k.pass(time.Second)
		changed := k.call("webhook_update", object{"webhook_id": id, "name": "", "events": "handoff.created"})
		k.want("changed", []any{changed["name"], changed["events"], changed["url"]}, `[null,["handoff.created"],"https://example.com/hook?token=hush"]`)
		k.want("nothing", k.call("webhook_update", object{"webhook_id": id})["events"], `["handoff.created"]`)
		k.want("off", k.call("webhook_update", object{"webhook_id": id, "is_active": false})["is_active"], `false`)
		k.want("on", k.call("webhook_update", object{"webhook_id": id, "is_active": true})["is_active"], `true`)
		if again := k.call("webhook_rotate_secret", object{"webhook_id": id})["secret"]; again == secret {
			t.Error("the new secret is the old one")
		}
		own := "a secret that I thought of"
		k.want("own secret", k.call("webhook_create", object{"url": "http://example.com", "events": "*", "secret": own})["secret"], must(own))
		k.want("deleted", k.call("webhook_delete", object{"webhook_id": id}), fmt.Sprintf(`{"deleted":true,"webhook_id":%q}`, id))
		for _, name := range []string{"webhook_get", "webhook_update", "webhook_delete", "webhook_rotate_secret", "webhook_test", "webhook_attempts"} {
			k.fails(name, nexus.NotFound, object{"webhook_id": id})
			k.fails(name, nexus.ValidationError, object{})
		}
		var kinds []string
		for _, e := range k.systemEvents() {
			kinds = append(kinds, e.Type)
			if e.Actor != "operator" || strings.Contains(string(e.Payload), "hush") {
				t.Errorf("%s by %q: %s", e.Type, e.Actor, e.Payload)
			}
		}
		k.want("events", kinds, `["webhook.created","webhook.updated","webhook.updated","webhook.disabled","webhook.enabled",`+
			`"webhook.secret_rotated","webhook.created","webhook.deleted"]`)
	})
}

func must(v any) string {
	raw, err := op.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestWebhookRefusals(t *testing.T) {
	each(t, func(k *kit) {
		k.allow = func() bool { return false }
		good := object{"url": "https://example.com/", "events": "*"}
		for _, test := range []struct {
			field string
			value any
			says  string
		}{
			{"url", "", "required"},
			{"url", "example.com/hook", "https://"},
			{"url", "ftp://example.com/", "https://"},
			{"url", "https:///hook", "no host"},
			{"url", "https:example.com", "no host"},
			{"url", "https://ada:pw@example.com/", "password"},
			{"url", "https://example.com/#a", "#"},
			{"url", "https://example.com:0/", "port"},
			{"url", "https://example.com:70000/", "port"},
			{"url", "https://example.com/\n", "well-formed"},
			{"url", "https://example.com/" + strings.Repeat("a", 2048), "2048"},
			{"url", "http://127.0.0.1:80/", "public"},
			{"url", "http://[::1]/", "public"},
			{"url", "http://[::ffff:10.0.0.1]/", "public"},
			{"url", "http://[fe80::1%25eth0]/", "public"},
			{"url", "http://169.254.169.254/latest", "public"},
			{"url", "http://LOCALHOST./", "public"},
			{"url", "http://a.localhost/", "public"},
			{"url", "http://127.1/", "usual"},
			{"url", "http://2130706433/", "usual"},
			{"url", "http://0x7f000001/", "usual"},
			{"url", "http://0177.0.0.1/", "usual"},
			{"events", []string{}, "required"},
			{"events", []string{"Handoff"}, "no type"},
			{"events", []string{"a..b"}, "no type"},
			{"events", []string{"*.created"}, "no type"},
			{"events", []string{"hand*"}, "no type"},
			{"events", []string{""}, "no type"},
			{"events", []string{"webhook.*"}, "none of them"},
			{"events", strings.Split(strings.Repeat("a.b,", 100)+"a.b", ","), "100"},
			{"name", strings.Repeat("ü", 257), "256"},
			{"name", "a\nb", "control"},
			{"workspace", "nowhere", "no workspace"},
			{"secret", "short", "16"},
		} {
			arguments := object{}
			for key, value := range good {
				arguments[key] = value
			}
			arguments[test.field] = test.value
			_, err := k.try(k.operator(), "webhook_create", arguments)
			if err == nil || err.Code != nexus.ValidationError || err.Details["field"] != test.field || !strings.Contains(err.Msg, test.says) {
				t.Errorf("%s %q: got %v, want VALIDATION_ERROR that says %q", test.field, test.value, err, test.says)
			}
		}
		k.want("none was made", k.call("webhook_list", nil), `{"items":[],"next_cursor":null}`)
		id := k.call("webhook_create", good)["webhook_id"]
		k.fails("webhook_update", nexus.ValidationError, object{"webhook_id": id, "url": "http://10.1.2.3/"})
		k.fails("webhook_update", nexus.ValidationError, object{"webhook_id": id, "events": []string{}})
		k.fails("webhook_update", nexus.ValidationError, object{"webhook_id": id, "workspace": "nowhere"})
		k.fails("webhook_attempts", nexus.ValidationError, object{"webhook_id": id, "limit": 0})
		for range 99 {
			k.call("webhook_create", good)
		}
		k.fails("webhook_create", nexus.Conflict, good)
	})
}

func TestWebhookOperatorOnly(t *testing.T) {
	each(t, func(k *kit) {
		id, _ := k.webhook("https://example.com/", "*")
		ctx := nexus.WithActor(t.Context(), nexus.Actor{Kind: nexus.KindAgent, AgentID: "ada"})
		for _, o := range k.ops.On(op.REST) {
			if !strings.HasPrefix(o.Name, "webhook_") {
				continue
			}
			arguments := object{"webhook_id": id, "url": "https://example.com/", "events": "*"}
			for name := range arguments {
				if o.Input().Properties[name] == nil {
					delete(arguments, name)
				}
			}
			if _, err := k.try(ctx, o.Name, arguments); err == nil || err.Code != nexus.PermissionDenied {
				t.Errorf("%s: got %v, want PERMISSION_DENIED", o.Name, err)
			}
			if o.Shows(op.MCP) {
				t.Errorf("%s is a tool of agents", o.Name)
			}
		}
	})
}

// A test tells at once how it went, counts as no failure and also reaches a
// webhook that is switched off.
func TestWebhookTest(t *testing.T) {
	each(t, func(k *kit) {
		answer := http.StatusAccepted
		r := k.receiver(func(w http.ResponseWriter, _ delivery) { w.WriteHeader(answer) })
		id, secret := k.webhook(r.URL, "*")
		k.call("webhook_update", object{"webhook_id": id, "is_active": false})
		a := k.call("webhook_test", object{"webhook_id": id})
		k.want("answer", []any{a["status"], a["error"], a["event_type"], a["event_id"], a["took_ms"]}, `[202,null,"webhook.test",null,0]`)
		d := r.next()
		k.want("body", []any{d.body.Type, d.body.Attempt, d.body.Event["actor_agent_id"]}, `["webhook.test",1,"operator"]`)
		if want := "v1=" + hub.Signature(secret, d.header.Get("Nexus-Webhook-Timestamp"), d.raw); d.header.Get("Nexus-Webhook-Signature") != want {
			t.Error("the signature is wrong")
		}
		answer = http.StatusTeapot
		k.want("not well", k.call("webhook_test", object{"webhook_id": id})["error"], `"The receiver answered 418."`)
		r.Close()
		if a := k.call("webhook_test", object{"webhook_id": id}); a["status"] != nil || !strings.Contains(a["error"].(string), "refused") {
			t.Errorf("nobody there: %v", a)
		}
		k.allow = func() bool { return false }
		if said := k.call("webhook_test", object{"webhook_id": id})["error"].(string); !strings.Contains(said, "127.0.0.1 is not a public address") {
			t.Errorf("a private address: %s", said)
		}
		k.want("failures", k.look(id)["failures"], `0`)
		k.want("noted", len(k.call("webhook_attempts", object{"webhook_id": id})["items"].([]any)), `4`)
	})
}

func TestWebhookAttemptPages(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(nil)
		id, _ := k.webhook(r.URL, "*")
		k.run(k.db)
		var kinds []string
		for i := range 130 {
			kinds = append(kinds, fmt.Sprintf("a.e%d", i))
		}
		k.emit("", kinds...)
		for range kinds {
			r.next()
		}
		k.eventually("all are noted", func() bool {
			page := k.call("webhook_attempts", object{"webhook_id": id, "limit": 1})
			return page["items"].([]any)[0].(object)["event_type"] == "a.e129"
		})
		var got []string
		cursor := any(nil)
		for pages := 1; ; pages++ {
			page := k.call("webhook_attempts", object{"webhook_id": id, "limit": 30, "cursor": cursor})
			for _, a := range page["items"].([]any) {
				got = append(got, a.(object)["event_type"].(string))
			}
			if cursor = page["next_cursor"]; cursor == nil {
				k.want("pages", pages, `4`)
				break
			}
		}
		k.want("kept, newest, oldest", []any{len(got), got[0], got[len(got)-1]}, `[100,"a.e129","a.e30"]`)
	})
}

// The secret is in the answer that made it and nowhere else: in no list, event,
// record, request, log, or repeated answer.
func TestWebhookSecretStaysSecret(t *testing.T) {
	each(t, func(k *kit) {
		r := k.receiver(status(http.StatusInternalServerError))
		key := object{"url": r.URL + "/?token=hush", "events": "*", "secret": "do not tell anybody this", "idempotency_key": "once"}
		id := k.call("webhook_create", key)["webhook_id"].(string)
		k.fails("webhook_create", nexus.Conflict, key)
		fresh := k.call("webhook_rotate_secret", object{"webhook_id": id})["secret"].(string)
		k.run(k.db)
		k.emit("", "a.one")
		d := r.next()
		k.alarmIn(5*time.Second, 7*time.Second)
		k.call("webhook_test", object{"webhook_id": id})
		k.call("webhook_update", object{"webhook_id": id, "name": "x"})
		events, err := json.Marshal(k.systemEvents())
		if err != nil {
			t.Fatal(err)
		}
		places := map[string]string{
			"list": must(k.call("webhook_list", nil)), "get": must(k.look(id)), "events": string(events), "log": k.logs.String(),
			"attempts": must(k.call("webhook_attempts", object{"webhook_id": id})), "request": string(d.raw) + fmt.Sprint(d.header),
		}
		for place, text := range places {
			for _, secret := range []string{"do not tell anybody this", fresh} {
				if strings.Contains(text, secret) {
					t.Errorf("%s holds a secret: %s", place, text)
				}
			}
			if place != "list" && place != "get" && strings.Contains(text, "hush") {
				t.Errorf("%s holds the whole address: %s", place, text)
			}
		}
	})
}

func TestIsPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "100.63.255.255": true, "100.128.0.0": true, "172.32.0.1": true, "2606:4700::1111": true,
		"::ffff:8.8.8.8": true, "64:ff9b::808:808": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "127.0.0.1": false, "127.255.255.254": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.1": false, "192.0.2.1": false, "192.168.1.1": false,
		"198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:192.168.0.1": false, "::127.0.0.1": false, "::ffff:0:127.0.0.1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a00:1": false, "64:ff9b:1::a00:1": false, "100::1": false, "2001::1": false, "2001:db8::1": false,
		"2002:7f00:1::": false, "fc00::1": false, "fd12::1": false, "fe80::1": false, "fec0::1": false, "ff02::1": false, "2606:4700::1%eth0": false,
	} {
		if got := hub.IsPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("IsPublic(%s) = %v", address, got)
		}
	}
	if hub.IsPublic(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}
