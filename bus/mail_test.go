package bus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"nexus"
	"nexus/op"
)

// start calls an operation beside the test and gives its data when it is done.
func (k *kit) start(name string, arguments object) <-chan object {
	done := make(chan object, 1)
	go func() {
		answer, err := k.ops.Lookup(name).Call(context.Background(), json.RawMessage(mustText(arguments)))
		if err != nil {
			k.t.Error(err)
		}
		var data object
		if err := json.Unmarshal([]byte(mustText(answer)), &data); err != nil {
			k.t.Error(err)
		}
		done <- data
	}()
	return done
}

func TestInboxWait(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		k.want("no waiting", k.call("inbox_wait", object{"agent_id": "a"}), `{"count":0,"messages":[],"timed_out":false,"unread":0}`)
		waiting := k.start("inbox_wait", object{"agent_id": "a", "timeout_seconds": 30})
		k.send("b", direct("b")) // not for a
		sent := k.send("b", direct("a"))
		got := <-waiting
		k.want("woken", []any{got["timed_out"], got["count"], messages(got)[0]["message_id"] == sent["message_id"]}, `[false,1,true]`)
		k.want("leased", messages(got)[0]["status"], `"delivered"`)
		k.fails("inbox_wait", nexus.ValidationError, object{"timeout_seconds": 1})
		k.fails("inbox_wait", nexus.ValidationError, object{"agent_id": "a", "timeout_seconds": 1, "limit": 0})
		k.fails("inbox_wait", nexus.NotFound, object{"agent_id": "a", "timeout_seconds": 1, "session_id": "ses_none"})
	})
}

// Who comes back is told at once what waits.
func TestComingBackToMail(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.send("b", direct("a"))
		k.send("b", direct("a"))
		k.want("registered", k.call("agent_register", object{"agent_id": "a"})["unread"], `2`)
		k.want("in a session", k.open("a")["unread"], `2`)
		first := messages(k.call("inbox_pull", object{"agent_id": "a", "limit": 1}))[0]["message_id"]
		k.want("at work", k.call("inbox_extend", object{"agent_id": "a", "message_ids": first, "extend_seconds": 60})["unread"], `1`)
	})
}

// Repeating a wait under the same key gives the mail that the first one took.
func TestInboxWaitTwice(t *testing.T) {
	short := settings()
	short.MaxWait = time.Millisecond
	eachWith(t, short, func(k *kit) {
		k.register("a")
		ctx := op.WithKey(k.t.Context(), "k")
		wait := func() string {
			answer, err := k.ops.Lookup("inbox_wait").Call(ctx, json.RawMessage(`{"agent_id":"a","timeout_seconds":1}`))
			if err != nil {
				k.t.Fatal(err)
			}
			return mustText(answer)
		}
		if got := wait(); got != `{"messages":[],"count":0,"unread":0,"timed_out":true}` {
			k.t.Errorf("nothing came, but: %s", got)
		}
		k.send("a", direct("a"))
		first := wait()
		if again := wait(); again != first || len(first) < 100 {
			k.t.Errorf("got %s, then %s", first, again)
		}
	})
}

func TestInboxRequeue(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		id := k.parked("a")
		k.want("nothing", k.call("inbox_pull", object{"agent_id": "a"})["count"], `0`)
		k.fails("inbox_requeue", nexus.NotFound, object{"agent_id": "b", "message_ids": id})
		k.fails("inbox_requeue", nexus.ValidationError, object{"agent_id": "a", "message_ids": []string{}})
		back := k.call("inbox_requeue", object{"agent_id": "a", "message_ids": id})
		k.want("requeued", []any{back["requeued"], back["unread"]}, `[1,1]`)
		for range 5 { // as often as a new one
			k.want("offered again", k.call("inbox_pull", object{"agent_id": "a"})["count"], `1`)
			k.pass(10 * time.Minute)
		}
		k.want("and parked again", k.call("inbox_pull", object{"agent_id": "a"})["count"], `0`)
	})
}

func TestProvenance(t *testing.T) {
	each(t, func(k *kit) {
		session := k.open("a")
		proof := object{"from_session_id": session["session_id"], "session_secret": session["session_secret"]}
		tests := []struct {
			name  string
			actor nexus.Actor
			with  object
			want  string
		}{
			{"only its word", nexus.Actor{Kind: nexus.KindProcess}, nil, `{"proof":"claimed","sender":"agent"}`},
			{"a session", nexus.Actor{Kind: nexus.KindProcess}, proof, `{"proof":"session","sender":"agent"}`},
			{"its key", nexus.Actor{Kind: nexus.KindAgent, AgentID: "a"}, nil, `{"proof":"key","sender":"agent"}`},
			{"another's key", nexus.Actor{Kind: nexus.KindAgent, AgentID: "b"}, nil, `{"proof":"claimed","sender":"agent","via":"b"}`},
			{"the operator", nexus.Actor{Kind: nexus.KindOperator}, nil, `{"proof":"claimed","sender":"operator"}`},
		}
		for _, test := range tests {
			arguments := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("a")}
			for key, value := range test.with {
				arguments[key] = value
			}
			if _, err := k.ops.Lookup("message_create").Call(nexus.WithActor(k.t.Context(), test.actor), json.RawMessage(mustText(arguments))); err != nil {
				k.t.Fatal(err)
			}
			got := messages(k.call("inbox_pull", object{"agent_id": "a"}))
			k.want(test.name, got[0]["provenance"], test.want)
		}
		k.register("boss")
		k.handoff(direct("a"))
		k.want("a notice", messages(k.call("inbox_pull", object{"agent_id": "a"}))[0]["provenance"], `{"proof":"claimed","sender":"bus"}`)
	})
}

// Every writing operation of the bus takes an idempotency key.
func TestIdempotencyKey(t *testing.T) {
	each(t, func(k *kit) {
		k.register("a")
		k.register("b")
		message := func(more object) object {
			arguments := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("a"), "idempotency_key": "k1"}
			for key, value := range more {
				arguments[key] = value
			}
			return arguments
		}
		first := k.call("message_create", message(nil))
		k.want("the same again", mustText(k.call("message_create", message(nil))) == mustText(first), `true`)
		k.want("one message", k.call("inbox_count", object{"agent_id": "a"})["unread"], `1`)
		k.fails("message_create", nexus.Conflict, message(object{"body": "another"}))
		k.call("message_create", message(object{"from_agent_id": "b"})) // somebody else's key
		k.call("handoff_create", object{"project_root": k.root, "from_agent_id": "a", "target": anybody, "visibility": "public", "idempotency_key": "k1"})
		for _, bad := range []any{"", " ", "a\nb", fmt.Sprintf("%0129d", 1), 5, true} {
			k.fails("message_create", nexus.ValidationError, message(object{"idempotency_key": bad}))
		}
		k.call("message_create", message(object{"idempotency_key": fmt.Sprintf("%0128d", 1)}))

		// Failures are not kept.
		late := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("late"), "idempotency_key": "k2"}
		k.fails("message_create", nexus.NotFound, late)
		k.register("late")
		k.call("message_create", late)

		// Secrets are not kept either.
		open := object{"agent_id": "a", "workspace_id": k.call("workspace_resolve", object{"project_root": k.root})["workspace_id"], "idempotency_key": "k3"}
		made := k.call("session_open", open)
		if err := k.fails("session_open", nexus.Conflict, open); err.Details["id"] != made["session_id"] {
			k.t.Errorf("details %v do not name %v", err.Details, made["session_id"])
		}
		k.fails("inbox_peek", nexus.ValidationError, object{"agent_id": "a", "idempotency_key": "k"}) // it only reads
	})
}

// Whoever repeats a call must prove what the first caller did: the key is no proof.
func TestRepeatsAreProved(t *testing.T) {
	strict := settings()
	strict.Strict = true
	eachWith(t, strict, func(k *kit) {
		mine := k.open("a")
		proved := func(arguments object) object {
			session := "session_id"
			if arguments["from_agent_id"] != nil {
				session = "from_session_id"
			}
			return with(arguments, object{session: mine["session_id"], "session_secret": mine["session_secret"]})
		}
		k.register("b")
		k.send("b", direct("a"), object{"from_session_id": nil}, proofOf(k.open("b")))
		pull := object{"agent_id": "a", "idempotency_key": "k"}
		send := object{"project_root": k.root, "from_agent_id": "a", "subject": "s", "body": "b", "target": direct("b"), "idempotency_key": "k"}
		offer := object{"project_root": k.root, "from_agent_id": "a", "target": direct("b"), "visibility": "eligible", "idempotency_key": "k"}
		first := k.call("inbox_pull", proved(pull))
		k.call("message_create", proved(send))
		k.call("handoff_create", offer)
		k.fails("inbox_pull", nexus.ValidationError, pull)
		k.fails("message_create", nexus.ValidationError, send)
		k.fails("inbox_pull", nexus.NotOwner, with(proved(pull), object{"session_secret": "bad"}))
		k.as(nexus.Actor{Kind: nexus.KindAgent, AgentID: "b"}, func() {
			k.fails("inbox_pull", nexus.NotOwner, proved(pull))
			k.fails("handoff_create", nexus.NotOwner, offer)
			k.fails("message_create", nexus.NotOwner, with(proved(send), object{"body": "another"})) // not even that it was another
		})
		k.want("the same again", mustText(k.call("inbox_pull", proved(pull))) == mustText(first), `true`)
		k.want("with its mail", first["count"], `1`)
		k.call("session_close", object{"session_id": mine["session_id"]})
		k.fails("inbox_pull", nexus.NotOwner, proved(pull))
	})
}

func proofOf(session object) object {
	return object{"from_session_id": session["session_id"], "session_secret": session["session_secret"]}
}

// An object is the same in whatever order it was written down, and the operator
// is the same in whatever process.
func TestRepeatsInOtherWords(t *testing.T) {
	each(t, func(k *kit) {
		put := func(conn, metadata string) string {
			ctx := nexus.WithActor(k.t.Context(), nexus.Actor{Kind: nexus.KindOperator, Conn: conn})
			answer, err := k.ops.Lookup("artifact_put").Call(ctx, json.RawMessage(`{"project_root":`+mustText(k.root)+`,"artifact_type":"json","content":"{}",
				"metadata":`+metadata+`,"idempotency_key":"k"}`))
			if err != nil {
				k.t.Fatal(err)
			}
			return mustText(answer)
		}
		if first, again := put("one", `{"x":1.50,"y":[{"b":2,"a":1}]}`), put("two", `{"y":[{"a":1,"b":2}],"x":1.50}`); first != again {
			k.t.Errorf("got %s, then %s", first, again)
		}
	})
}

func TestReadReceipts(t *testing.T) {
	receipts := settings()
	receipts.ReadReceipts = true
	eachWith(t, receipts, func(k *kit) {
		k.register("a")
		k.register("b")
		id := k.send("a", direct("b"))["message_id"]
		k.call("inbox_ack", object{"agent_id": "b", "message_ids": id})
		receipt := messages(k.call("inbox_pull", object{"agent_id": "a"}))[0]
		k.want("subject", receipt["subject"], fmt.Sprintf(`"message %s read by b"`, id))
		k.call("inbox_ack", object{"agent_id": "a", "message_ids": receipt["message_id"]})
		k.want("a receipt is not receipted", k.call("inbox_count", object{"agent_id": "b"})["unread"], `0`)
	})
	each(t, func(k *kit) { // off by default
		k.register("a")
		k.register("b")
		k.call("inbox_ack", object{"agent_id": "b", "message_ids": k.send("a", direct("b"))["message_id"]})
		k.want("no receipt", k.call("inbox_count", object{"agent_id": "a"})["unread"], `0`)
	})
}
