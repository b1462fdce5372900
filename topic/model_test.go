package topic_test

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"nexus"
	"nexus/store/storetest"
	"nexus/topic"
)

// TestModelSync plays a topic against [talkModel]: whatever peers send, receive,
// acknowledge and read again, and whatever is deleted between them.
func TestModelSync(t *testing.T) {
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		k := newKit(t, o.Open(t), topic.DefaultSettings())
		k.operator()
		games := 0
		fewer(t, strings.HasPrefix(o.URL, "postgres"))
		rapid.Check(t, func(rt *rapid.T) {
			games++
			m := &talkModel{k: k, cursors: map[string]int{}, peers: []string{fmt.Sprint("ada ", games), fmt.Sprint("bob ", games), fmt.Sprint("eve ", games)}}
			m.id = k.open(fmt.Sprint("game ", games), m.peers...)
			rt.Repeat(map[string]func(*rapid.T){"sync": m.sync, "sync again": m.sync, "and again": m.sync, "reset": m.reset, "delete": m.delete, "": m.look})
		})
	})
}

// fewer plays fewer games than usual, and only a few where each takes long.
func fewer(t *testing.T, slow bool) {
	was := flag.Lookup("rapid.checks").Value.String()
	n, err := strconv.Atoi(was)
	if err != nil {
		t.Fatal(err)
	}
	set := func(name, value string) {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	n /= 4
	if slow {
		n /= 5
	}
	set("rapid.checks", strconv.Itoa(max(1, n)))
	set("rapid.nofailfile", "true") // the seed it prints is enough
	t.Cleanup(func() { set("rapid.checks", was) })
}

// said is a message as the model knows it.
type said struct {
	seq                      int
	sender, text, id, client string
}

// A talkModel is what a topic should be.
type talkModel struct {
	k       *kit
	id      string
	peers   []string
	posts   []said // those that are left
	last    int    // the last number given
	cursors map[string]int
}

func (m *talkModel) sync(rt *rapid.T) {
	peer := rapid.SampledFrom(m.peers).Draw(rt, "peer")
	arguments := object{"topic_id": m.id, "wait_seconds": 0}
	want := m.send(rt, peer, arguments)
	self, advance, most := rapid.Bool().Draw(rt, "include_self"), rapid.Bool().Draw(rt, "auto_advance"), rapid.IntRange(1, 4).Draw(rt, "max_items")
	arguments["include_self"], arguments["auto_advance"], arguments["max_items"] = self, advance, most
	if !advance && rapid.Bool().Draw(rt, "acknowledges") {
		ack := rapid.IntRange(0, m.last+1).Draw(rt, "ack_through")
		arguments["ack_through"] = ack
		if ack > m.last { // refused, and nothing is sent
			m.k.fails(peer, "sync", nexus.InvalidArgument, "ack_through exceeds latest message seq", arguments)
			m.unsend(want)
			return
		}
		m.cursors[peer] = max(m.cursors[peer], ack)
	}
	received, more := []string{}, false
	for _, p := range m.posts {
		if p.seq <= m.cursors[peer] || p.sender == peer && !self {
			continue
		}
		if more = len(received) == most; more {
			break
		}
		received = append(received, p.id)
	}
	cursor := m.cursors[peer]
	if n := len(received); n > 0 && advance {
		cursor = m.find(received[n-1]).seq
	}
	got := m.k.call(peer, "sync", arguments)
	ids := []string{}
	for _, p := range got["received"].([]any) {
		ids = append(ids, p.(object)["message_id"].(string))
	}
	// The ids of what was sent with this very call are known only now.
	for i, one := range got["sent"].([]any) {
		message := one.(object)["message"].(object)
		if message["seq"] != float64(want[i].seq) || one.(object)["duplicate"] != want[i].old {
			rt.Fatalf("sent %v, want %+v", one, want[i])
		}
		if p := m.numbered(want[i].seq); p != nil {
			received = replace(received, p.id, message["message_id"].(string))
			p.id = message["message_id"].(string)
		}
	}
	if !slices.Equal(ids, received) || got["has_more"] != more || got["cursor"].(object)["last_seq"] != float64(cursor) {
		rt.Fatalf("%s got %v, more %v, cursor %v; want %v, %v, %d", peer, ids, got["has_more"], got["cursor"], received, more, cursor)
	}
	m.cursors[peer] = cursor
}

func replace(list []string, old, with string) []string {
	for i := range list {
		if list[i] == old {
			list[i] = with
		}
	}
	return list
}

// outgoing is what should become of a message that is sent.
type outgoing struct {
	seq int
	old bool // it was sent before
}

// send draws an outbox and posts it in the model. New messages get ids that no
// store makes, until the real ones are known.
func (m *talkModel) send(rt *rapid.T, peer string, arguments object) (want []outgoing) {
	outbox := []object{}
	for range rapid.IntRange(0, 3).Draw(rt, "messages") {
		item := object{"content_markdown": fmt.Sprint("text ", m.last+1)}
		client := rapid.SampledFrom([]string{"", "", "1", "2", "3"}).Draw(rt, "client_message_id")
		if client != "" {
			item["client_message_id"] = client
		}
		outbox = append(outbox, item)
		known := slices.IndexFunc(m.posts, func(p said) bool { return client != "" && p.client == client && p.sender == peer })
		if known >= 0 {
			want = append(want, outgoing{m.posts[known].seq, true})
			continue
		}
		m.last++
		m.posts = append(m.posts, said{m.last, peer, item["content_markdown"].(string), fmt.Sprint("not yet ", m.last), client})
		want = append(want, outgoing{m.last, false})
	}
	arguments["outbox"] = outbox
	return want
}

// unsend takes back what a refused call would have sent.
func (m *talkModel) unsend(sent []outgoing) {
	for _, one := range sent {
		if !one.old {
			m.posts, m.last = m.posts[:len(m.posts)-1], m.last-1
		}
	}
}

func (m *talkModel) find(id string) said {
	return m.posts[slices.IndexFunc(m.posts, func(p said) bool { return p.id == id })]
}

func (m *talkModel) numbered(seq int) *said {
	i := slices.IndexFunc(m.posts, func(p said) bool { return p.seq == seq })
	if i < 0 {
		return nil
	}
	return &m.posts[i]
}

func (m *talkModel) reset(rt *rapid.T) {
	peer, to := rapid.SampledFrom(m.peers).Draw(rt, "peer"), rapid.IntRange(0, m.last).Draw(rt, "last_seq")
	m.k.call(peer, "cursor_reset", object{"topic_id": m.id, "last_seq": to})
	m.cursors[peer] = to
}

func (m *talkModel) delete(rt *rapid.T) {
	if len(m.posts) == 0 {
		rt.Skip("nothing to delete")
	}
	i := rapid.IntRange(0, len(m.posts)-1).Draw(rt, "message")
	m.k.call("", "topic_delete_messages", object{"topic_id": m.id, "message_ids": []string{m.posts[i].id}})
	m.posts = slices.Delete(m.posts, i, i+1)
}

// look compares the topic as people see it.
func (m *talkModel) look(rt *rapid.T) {
	row := m.k.call("", "topic_look", object{"topic_id": m.id})["topic"].(object)
	if row["message_count"] != float64(len(m.posts)) || row["last_seq"] != float64(m.last) {
		rt.Fatalf("the topic is %v; want %d messages up to %d", row, len(m.posts), m.last)
	}
}
