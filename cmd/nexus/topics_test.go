package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"nexus/store/storetest"
)

// synced is what a sync answers, as far as these tests look at it.
type synced struct {
	Status string `json:"status"`
	Sent   []struct {
		Message   topicMessage `json:"message"`
		Duplicate bool         `json:"duplicate"`
	} `json:"sent"`
	Received []topicMessage `json:"received"`
	HasMore  bool           `json:"has_more"`
	TopicID  string         `json:"topic_id"`
	Token    string         `json:"reclaim_token"`
	Error    struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type topicMessage struct {
	Seq     int    `json:"seq"`
	Sender  string `json:"sender"`
	Content string `json:"content_markdown"`
}

var errEnded = errors.New("the process ended without an answer")

// talk calls a tool of topics in a stdio process.
func (c *stdioClient) talk(operation string, arguments map[string]any) (answer synced, err error) {
	raw, _ := json.Marshal(arguments) // text and numbers always marshal
	told, err := c.tell(operation, string(raw))
	if err != nil {
		return answer, errors.Join(errEnded, err)
	}
	said, ok := <-told
	if !ok {
		return answer, errEnded
	}
	if err := json.Unmarshal([]byte(said), &answer); err != nil {
		return answer, fmt.Errorf("%s answered %q: %w", operation, said, err)
	}
	if answer.Error.Code != "" {
		return answer, fmt.Errorf("%s: %s: %s", operation, answer.Error.Code, answer.Error.Message)
	}
	return answer, nil
}

// mustTalk is talk that goes well.
func (c *stdioClient) mustTalk(t *testing.T, operation string, arguments map[string]any) synced {
	t.Helper()
	answer, err := c.talk(operation, arguments)
	if err != nil {
		t.Fatalf("%v\n%s", err, &c.stderr)
	}
	return answer
}

// posting is the arguments of a sync that sends one message and does not wait.
func posting(topicID, text string) map[string]any {
	return map[string]any{"topic_id": topicID, "wait_seconds": 0, "outbox": []map[string]string{{"content_markdown": text}}}
}

// listenAll receives until so many messages came, and wants their numbers to
// have no gap, and none to come twice.
func listenAll(c *stdioClient, topicID string, many int) (messages []topicMessage, err error) {
	for len(messages) < many {
		got, err := c.talk("sync", map[string]any{"topic_id": topicID, "wait_seconds": 60})
		if err != nil {
			return messages, err
		}
		if got.Status != "ready" {
			return messages, fmt.Errorf("after %d messages nothing came any more", len(messages))
		}
		for _, m := range got.Received {
			if m.Seq != len(messages)+1 {
				return messages, fmt.Errorf("after message %d came %d", len(messages), m.Seq)
			}
			messages = append(messages, m)
		}
	}
	return messages, nil
}

// Eight processes without a hub write to one topic, and a ninth misses nothing.
func TestTopicProcesses(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 12
	home := t.TempDir()
	var clients []*stdioClient
	for range writers + 1 {
		cmd := exec.Command("nexus", "mcp", "--profile", "topics")
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=" + raceOptions}
		c, err := startClient(cmd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.kill)
		clients = append(clients, c)
	}
	reader := clients[writers]
	ids := make([]string, len(clients))
	var starting sync.WaitGroup
	for i, c := range clients {
		starting.Go(func() {
			got, err := c.talk("topic_create", map[string]any{"name": "one"})
			if err == nil {
				ids[i] = got.TopicID
				_, err = c.talk("topic_join", map[string]any{"topic_id": got.TopicID, "agent_name": fmt.Sprint("peer ", i)})
			}
			if err != nil {
				t.Errorf("peer %d: %v", i, err)
			}
		})
	}
	starting.Wait()
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Fatalf("they are not in one topic: %v", ids)
		}
	}
	var writing sync.WaitGroup
	for i, c := range clients[:writers] {
		writing.Go(func() {
			for n := range each {
				if _, err := c.talk("sync", posting(ids[0], fmt.Sprintf("%d.%d", i, n))); err != nil {
					t.Errorf("peer %d: %v", i, err)
					return
				}
			}
		})
	}
	messages, err := listenAll(reader, ids[0], writers*each)
	writing.Wait()
	if err != nil {
		t.Fatal(err)
	}
	next := make([]int, writers)
	for _, m := range messages {
		var writer, n int
		if _, err := fmt.Sscanf(m.Content, "%d.%d", &writer, &n); err != nil || n != next[writer] {
			t.Errorf("of peer %d came %d, want %d", writer, n, next[writer])
		}
		next[writer]++
	}
}

// TestTopicCrash kills the hub, and a process that writes past it, while peers
// write and listen. Those who hand their calls to the hub notice nothing: what
// they send is there once, and what they hear has no gap.
func TestTopicCrash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	const lanes, each = 8, 40
	const all = (lanes + 1) * each
	c := newCrash(t)
	hub := c.hub()
	steady, reader := c.stdio("mcp", "--profile", "topics"), c.stdio("mcp")
	victim := c.stdio("mcp", "--max-event-limit", "999") // with a setting of its own it works past the hub
	hub.current()
	id := steady.last.client.mustTalk(t, "topic_create", map[string]any{"name": "one"}).TopicID
	for name, p := range map[string]*part{"steady": steady, "reader": reader} {
		p.last.client.mustTalk(t, "topic_join", map[string]any{"topic_id": id, "agent_name": name})
	}
	token := victim.last.client.mustTalk(t, "topic_join", map[string]any{"topic_id": id, "agent_name": "victim"}).Token

	progress := make(chan struct{}, all)
	for lane := range lanes {
		c.writers.Go(func() {
			for n := range each {
				if _, err := steady.last.client.talk("sync", posting(id, body(fmt.Sprintf("steady-%d-%d", lane, n)))); err != nil {
					c.Errorf("the steady one: %v", err)
				}
				progress <- struct{}{}
			}
		})
	}
	c.writers.Go(func() {
		for n := range each {
			c.insist(victim, id, token, n)
			progress <- struct{}{}
		}
	})
	heard := make(chan []topicMessage, 1)
	c.writers.Go(func() {
		messages, err := listenAll(reader.last.client, id, all)
		if err != nil {
			c.Error(err)
		}
		heard <- messages
	})
	for n := range all {
		<-progress
		switch n % 20 {
		case 5:
			c.kill(hub)
		case 15:
			c.kill(victim)
		}
	}
	different := map[string]bool{}
	for _, m := range <-heard {
		different[m.Content] = true
	}
	if len(different) != all {
		t.Errorf("of %d messages %d are different", all, len(different))
	}
	c.end(hub, steady, reader, victim)
}

// insist sends message n from whoever has the part, until one is told that it was
// sent.
func (c *crash) insist(p *part, topicID, token string, n int) {
	text := fmt.Sprint("victim ", n)
	arguments := posting(topicID, text)
	arguments["outbox"] = []map[string]string{{"content_markdown": text, "client_message_id": text}}
	arguments["agent_name"], arguments["reclaim_token"] = "victim", token
	for {
		who := p.current()
		if who == nil {
			return
		}
		_, err := who.client.talk("sync", arguments)
		if err == nil {
			return
		}
		if !errors.Is(err, errEnded) && !strings.Contains(err.Error(), "DB_BUSY") {
			c.Errorf("the victim: %v", err)
			return
		}
	}
}

// Who waits on one node is woken by what was written on another, and a session
// over HTTP has its names on every node.
func TestTopicNodes(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t).URL
	one, two := startNode(t, t.TempDir(), "--db", url), startNode(t, t.TempDir(), "--db", url)
	id := between(one.call("POST", "/api/v1/topics", `{"name":"one"}`), `"topic_id":"`, `"`)
	join := func(n *testNode, name string) string {
		return between(n.call("POST", "/api/v1/topics/"+id+"/join", fmt.Sprintf(`{"agent_name":%q}`, name)), `"reclaim_token":"`, `"`)
	}
	ada, bob := join(one, "ada"), join(two, "bob")
	got := make(chan httpAnswer, 1)
	go func() {
		a, err := ask(context.Background(), "POST", two.url+"/api/v1/op/sync",
			fmt.Sprintf(`{"topic_id":%q,"agent_name":"bob","reclaim_token":%q,"wait_seconds":60}`, id, bob))
		a.err = err
		got <- a
	}()
	one.call("POST", "/api/v1/op/sync",
		fmt.Sprintf(`{"topic_id":%q,"agent_name":"ada","reclaim_token":%q,"wait_seconds":0,"outbox":[{"content_markdown":"over there"}]}`, id, ada))
	if a := <-got; a.err != nil || !strings.Contains(a.body, "over there") {
		t.Errorf("the wait on another node got %s, %v", a.body, a.err)
	}

	key := between(one.call("POST", "/api/v1/agents", `{"agent_id":"eve"}`), `"api_key":"`, `"`)
	hello, _, _ := strings.Cut(greeting, "\n")
	a, err := ask(context.Background(), "POST", one.url+"/mcp", hello, "X-Api-Key: "+key)
	if err != nil {
		t.Fatal(err)
	}
	session := a.header.Get("Mcp-Session-Id")
	tool := func(n *testNode, name, arguments string) string {
		t.Helper()
		a, err := ask(context.Background(), "POST", n.url+"/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`,
			"X-Api-Key: "+key, "Mcp-Session-Id: "+session)
		if err != nil || strings.Contains(a.body, `"isError"`) {
			t.Errorf("%s: %s, %v", name, a.body, err)
		}
		return a.body
	}
	tool(two, "ping", `{}`) // it knows the session by heart, without a name
	tool(one, "topic_join", `{"name":"one","agent_name":"eve"}`)
	if said := tool(two, "sync", `{"topic_id":"`+id+`","wait_seconds":0}`); !strings.Contains(said, "over there") {
		t.Errorf("the session on another node got %s", said)
	}
}

// One who watches sees what comes as it comes, leaves no mark, and says by the
// status alone that it was interrupted.
func TestTopicWatch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	n := startNode(t, t.TempDir())
	id := between(n.call("POST", "/api/v1/topics", `{"name":"one"}`), `"topic_id":"`, `"`)
	post := func(text string) {
		n.call("POST", "/api/v1/topics/"+id+"/messages", fmt.Sprintf(`{"content_markdown":%q}`, text))
	}
	post("before")
	watch := exec.Command("nexus", "topic", "watch", "one", "-f", "-n", "1", "--home", n.home)
	watch.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GORACE=" + raceOptions}
	var stderr bytes.Buffer
	watch.Stderr = &stderr
	out, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = watch.Process.Kill() }) // it is gone already, unless the test failed
	lines := json.NewDecoder(out)
	for _, want := range []string{"before", "first", "second"} {
		var m topicMessage
		if err := lines.Decode(&m); err != nil || m.Content != want {
			t.Fatalf("saw %v, %v; want %s", m, err, want)
		}
		switch want {
		case "before":
			post("first")
		case "first":
			post("second")
		}
	}
	if who := n.call("GET", "/api/v1/topics/"+id+"/presence", ""); !strings.Contains(who, `"count":0`) {
		t.Errorf("watching left a mark: %s", who)
	}
	err = errors.Join(watch.Process.Signal(os.Interrupt), watch.Wait())
	if watch.ProcessState.ExitCode() != exitInterrupted || stderr.Len() > 0 {
		t.Errorf("it ended with %v: %s", err, stderr.String())
	}
}
