package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nexus/client"
)

// TestCrash kills a hub and stdio processes, again and again, while they and
// their clients write, and then counts. Every message that somebody was told is
// sent is in the inbox exactly once, no other is in it twice, and the file is
// whole. A stdio process that nobody kills notices nothing of what happens to
// the hub that it hands its calls to.
func TestCrash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	c := newCrash(t)
	hub := c.hub()
	steady, handing := c.stdio("mcp"), c.stdio("mcp")
	first, second := c.stdio("mcp", "--max-event-limit", "999"), c.stdio("mcp", "--max-event-limit", "998")
	key, session := c.introduce(hub)

	c.write("steady", 12, steady, throughStdio)
	c.write("handing", 6, handing, throughStdio)
	c.write("first", 3, first, throughStdio)
	c.write("second", 2, second, throughStdio)
	c.write("rest", 2, hub, throughREST)
	c.write("http", 2, hub, throughMCP(key, session))
	for range rounds {
		c.awaitAcknowledged(1 + rand.IntN(40))
		victims := []*part{hub, [...]*part{handing, first, second}[rand.IntN(3)]}
		switch rand.IntN(3) {
		case 0:
			victims = victims[:1]
		case 1:
			victims = victims[1:]
		}
		c.kill(victims...)
	}
	c.awaitAcknowledged(20)
	c.end(hub, steady, handing, first, second)
	c.check()
}

// A crash is the record of who sent what and was told so.
type crash struct {
	*testing.T
	home, project string
	env           []string
	parts         []*part
	writers       sync.WaitGroup

	mu      sync.Mutex
	sent    map[string]bool
	told    map[string]string // the message's id, by the name it has in its body
	refused map[string]bool
	grew    chan struct{}
}

func newCrash(t *testing.T) *crash {
	dir := t.TempDir()
	c := &crash{
		T: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"),
		sent: map[string]bool{}, told: map[string]string{}, refused: map[string]bool{}, grew: make(chan struct{}, 1),
	}
	if err := os.Mkdir(c.project, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"PATH", "GORACE", "GOCOVERDIR"} {
		c.env = append(c.env, v+"="+os.Getenv(v))
	}
	c.env = append(c.env, "HOME="+dir, "NEXUS_HOME="+c.home, "NEXUS_NO_BANNER=1")
	t.Cleanup(func() {
		for _, p := range c.parts {
			_ = p.last.cmd.Process.Kill() // it is gone already, unless the test failed
		}
	})
	return c
}

// A part in the play is given to one process after the other.
type part struct {
	start func() *player
	last  *player // who was started last; the killer's business

	mu      sync.Mutex
	now     *player // who may be called
	changed chan struct{}
	over    bool
}

// A player is a process.
type player struct {
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	client *stdioClient  // of a stdio process
	url    string        // of a hub
	killed chan struct{} // closed before it is killed
}

func (p *player) wasKilled() bool {
	select {
	case <-p.killed:
		return true
	default:
		return false
	}
}

// set says who may be called now: nobody is nil.
func (p *part) set(who *player, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.over = who, over
	close(p.changed)
	p.changed = make(chan struct{})
}

// current waits until somebody has the part. It is nil when the play is over.
func (p *part) current() *player {
	for {
		p.mu.Lock()
		now, over, changed := p.now, p.over, p.changed
		p.mu.Unlock()
		if over || now != nil {
			return now
		}
		<-changed
	}
}

func (c *crash) cast(start func(*part) *player) *part {
	p := &part{changed: make(chan struct{})}
	p.start = func() *player { return start(p) }
	p.last = p.start()
	c.parts = append(c.parts, p)
	return p
}

func (c *crash) command(args ...string) *exec.Cmd {
	cmd := exec.Command("nexus", args...)
	cmd.Env, cmd.Dir = c.env, c.project
	return cmd
}

// hub is the part of the hub, which has it from the moment it answers. It may be
// killed before that.
func (c *crash) hub() *part {
	return c.cast(func(p *part) *player {
		who := &player{cmd: c.command("serve", "--port", "0"), stderr: &bytes.Buffer{}, killed: make(chan struct{})}
		who.cmd.Stderr = who.stderr
		if err := who.cmd.Start(); err != nil {
			c.Fatal(err)
		}
		c.writers.Go(func() {
			if !eventually(func() bool { return who.wasKilled() || c.answers(who) }) {
				c.Error("the hub is never ready")
			}
			if !who.wasKilled() {
				p.set(who, false)
			}
		})
		return who
	})
}

func (c *crash) answers(who *player) bool {
	info, err := client.ReadHubInfo(c.home)
	if err != nil || info.PID != who.cmd.Process.Pid {
		return false
	}
	who.url = info.Addresses.Dashboard
	a, err := ask(context.Background(), http.MethodGet, who.url+"/readyz", "")
	return err == nil && a.status == http.StatusOK
}

func (c *crash) stdio(args ...string) *part {
	return c.cast(func(p *part) *player {
		client, err := startClient(c.command(args...))
		if err != nil {
			c.Fatal(err)
		}
		who := &player{cmd: client.cmd, stderr: &client.stderr, client: client, killed: make(chan struct{})}
		p.set(who, false)
		return who
	})
}

// introduce registers the inbox that everything goes to, and an agent with a key
// and a session over HTTP that must outlive every hub.
func (c *crash) introduce(hub *part) (key, session string) {
	who := hub.current()
	if _, err := throughAPI(who, "op/agent_register", `{"agent_id":"sink"}`); err != nil {
		c.Fatal(err)
	}
	said, err := throughAPI(who, "agents", `{"agent_id":"sender"}`)
	if err != nil {
		c.Fatal(err)
	}
	var created struct {
		Data struct {
			APIKey string `json:"api_key"`
		}
	}
	if err := json.Unmarshal([]byte(said), &created); err != nil {
		c.Fatal(err)
	}
	hello, _, _ := strings.Cut(greeting, "\n")
	a, err := ask(context.Background(), http.MethodPost, who.url+"/mcp", hello, "X-Api-Key: "+created.Data.APIKey)
	if err != nil || a.header.Get("Mcp-Session-Id") == "" {
		c.Fatalf("no session: %+v, %v", a, err)
	}
	return created.Data.APIKey, a.header.Get("Mcp-Session-Id")
}

// A way sends the arguments of message_create and returns the answer in the
// bus's envelope. It fails when there was none.
type way func(who *player, arguments string) (string, error)

func throughStdio(who *player, arguments string) (string, error) {
	answer, err := who.client.tell("message_create", arguments)
	if err != nil {
		return "", err
	}
	said, ok := <-answer
	if !ok {
		return "", errors.New("the process ended")
	}
	return said, nil
}

func throughREST(who *player, arguments string) (string, error) {
	return throughAPI(who, "op/message_create", arguments)
}

func throughAPI(who *player, path, arguments string) (string, error) {
	a, err := ask(context.Background(), http.MethodPost, who.url+"/api/v1/"+path, arguments)
	return a.body, err
}

func throughMCP(key, session string) way {
	return func(who *player, arguments string) (string, error) {
		a, err := ask(context.Background(), http.MethodPost, who.url+"/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"message_create","arguments":`+arguments+`}}`,
			"X-Api-Key: "+key, "Mcp-Session-Id: "+session)
		var said struct {
			Result struct{ StructuredContent json.RawMessage }
		}
		if err == nil && json.Unmarshal([]byte(a.body), &said) == nil && said.Result.StructuredContent != nil {
			return string(said.Result.StructuredContent), nil
		}
		return a.body, err
	}
}

// body is the message of that name: long ones fill pages of their own, and all
// of them show when a piece is missing.
func body(name string) string {
	n := int(crc32.ChecksumIEEE([]byte(name)) % 30)
	return name + "\n" + strings.Repeat(name+" ", n*n)
}

// write sends messages on several lanes until the play is over.
func (c *crash) write(name string, lanes int, p *part, send way) {
	for lane := range lanes {
		c.writers.Go(func() {
			for n := 0; ; n++ {
				who := p.current()
				if who == nil {
					return
				}
				id := fmt.Sprintf("%s-%d-%d", name, lane, n)
				text, _ := json.Marshal(body(id)) // a string always marshals
				c.note(id)
				answer, err := send(who, fmt.Sprintf(
					`{"project_root":%q,"from_agent_id":"sender","subject":%q,"body":%s,"target":{"strategy":"direct","agent_id":"sink"}}`, c.project, id, text))
				if err != nil && !who.wasKilled() {
					c.Errorf("%s was not answered, and nobody was killed: %v", id, err)
					return
				}
				if err == nil {
					c.judge(id, answer)
				}
			}
		})
	}
}

func (c *crash) note(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[id] = true
}

// judge records an answer. Nobody is refused, except that the store may be busy
// for too long; what it refuses it must not keep.
func (c *crash) judge(id, answer string) {
	var said struct {
		OK   bool
		Data struct {
			ID string `json:"message_id"`
		}
		Error struct {
			Details struct{ Retryable bool }
		}
	}
	err := json.Unmarshal([]byte(answer), &said)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil && said.OK && said.Data.ID != "":
		c.told[id] = said.Data.ID
	case err == nil && said.Error.Details.Retryable:
		c.Logf("%s was refused: %s", id, answer)
		c.refused[id] = true
	default:
		c.Errorf("%s was answered %q, %v", id, answer, err)
	}
	select {
	case c.grew <- struct{}{}:
	default:
	}
}

// awaitAcknowledged returns when n more messages were.
func (c *crash) awaitAcknowledged(n int) {
	c.Helper()
	have := func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.told)
	}
	late := time.After(longEnough)
	for goal := have() + n; have() < goal; {
		select {
		case <-c.grew:
		case <-late:
			c.Fatal("nothing is acknowledged any more")
		}
	}
}

// kill kills processes at once and gives their parts to new ones.
func (c *crash) kill(victims ...*part) {
	c.Helper()
	for _, p := range victims {
		close(p.last.killed)
		p.set(nil, false)
		if err := p.last.cmd.Process.Kill(); err != nil {
			c.Errorf("kill: %v", err)
		}
	}
	for _, p := range victims {
		c.bury(p.last)
		p.last = p.start()
	}
}

// bury waits for a process that was killed and looks at what it left.
func (c *crash) bury(who *player) {
	if who.client != nil {
		<-who.client.ended
	}
	_ = who.cmd.Wait()
	if status := who.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		c.Errorf("a process ended before it was killed: %s\n%s", who.cmd.ProcessState, who.stderr)
	}
	c.inspect(who)
}

// inspect wants no complaints.
func (c *crash) inspect(who *player) {
	for _, complaint := range []string{"DATA RACE", "panic:", "level=ERROR", "fatal error"} {
		if strings.Contains(who.stderr.String(), complaint) {
			c.Errorf("a process complained:\n%s", who.stderr)
			return
		}
	}
}

// end lets the writers finish and everybody leave in good order.
func (c *crash) end(hub *part, others ...*part) {
	who := hub.current()
	for _, p := range c.parts {
		p.set(nil, true)
	}
	c.writers.Wait()
	for _, p := range others {
		if err := p.last.client.hangUp(); err != nil {
			c.Errorf("a stdio process did not end well: %v", err)
		}
		c.inspect(p.last)
	}
	if err := errors.Join(who.cmd.Process.Signal(syscall.SIGTERM), who.cmd.Wait()); err != nil {
		c.Errorf("the hub did not end well: %v\n%s", err, who.stderr)
	}
	c.inspect(who)
}

// check compares what was sent with what is there.
func (c *crash) check() {
	found := map[string]string{}
	deliveries := map[string]bool{}
	for _, m := range c.inbox() {
		switch {
		case found[m.Subject] != "":
			c.Errorf("%s is there twice", m.Subject)
		case deliveries[m.DeliveryID]:
			c.Errorf("delivery %s was handed out twice", m.DeliveryID)
		case !c.sent[m.Subject]:
			c.Errorf("%q was never sent", m.Subject)
		case m.Body != body(m.Subject):
			c.Errorf("%s is torn: %q", m.Subject, m.Body)
		case c.refused[m.Subject]:
			c.Errorf("%s was refused and is there", m.Subject)
		}
		found[m.Subject], deliveries[m.DeliveryID] = m.MessageID, true
	}
	for id, message := range c.told {
		if found[id] != message {
			c.Errorf("%s was acknowledged as %s; there is %q", id, message, found[id])
		}
	}
	c.Logf("%d sent, %d acknowledged, %d stored", len(c.sent), len(c.told), len(found))
	for statement, want := range map[string]string{
		`PRAGMA integrity_check`:                                                                                  "ok",
		`SELECT count(*) FROM pragma_foreign_key_check`:                                                           "0",
		`SELECT count(*) FROM messages`:                                                                           fmt.Sprint(len(found)),
		`SELECT count(*) FROM message_deliveries WHERE status = 'read'`:                                           fmt.Sprint(len(found)),
		`SELECT count(*) FROM events WHERE type = 'message.created'`:                                              fmt.Sprint(len(found)),
		`SELECT count(DISTINCT json_extract(payload, '$.message_id')) FROM events`:                                fmt.Sprint(len(found)),
		`SELECT count(*) FROM events e JOIN messages m ON m.message_id = json_extract(e.payload, '$.message_id')`: fmt.Sprint(len(found)),
	} {
		rows, err := query(filepath.Join(c.home, "nexus.db"), statement)
		if err != nil || len(rows) != 1 || rows[0][0] != want {
			c.Errorf("%s says %v, %v; want %s", statement, rows, err, want)
		}
	}
}

type delivery struct {
	DeliveryID string `json:"delivery_id"`
	MessageID  string `json:"message_id"`
	Subject    string
	Body       string
}

// inbox takes everything out of the inbox, page by page, as a reader would.
func (c *crash) inbox() (all []delivery) {
	reader, err := startClient(c.command("mcp"))
	if err != nil {
		c.Fatal(err)
	}
	call := func(operation, arguments string) string {
		answer, err := reader.tell(operation, arguments)
		if err != nil {
			c.Fatal(err)
		}
		return <-answer
	}
	for {
		var page struct{ Data struct{ Messages []delivery } }
		said := call("inbox_pull", `{"agent_id":"sink","limit":200}`)
		if err := json.Unmarshal([]byte(said), &page); err != nil {
			c.Fatalf("%q: %v", said, err)
		}
		if len(page.Data.Messages) == 0 {
			break
		}
		ids := map[string]bool{}
		for _, m := range page.Data.Messages {
			ids[m.MessageID] = true
		}
		list, _ := json.Marshal(slices.Collect(maps.Keys(ids))) // strings always marshal
		if said := call("inbox_ack", fmt.Sprintf(`{"agent_id":"sink","message_ids":%s}`, list)); !strings.Contains(said, fmt.Sprintf(`"acknowledged":%d,`, len(ids))) {
			c.Fatalf("%d messages were acknowledged with %.200q", len(ids), said)
		}
		all = append(all, page.Data.Messages...)
	}
	if err := reader.hangUp(); err != nil {
		c.Error(err)
	}
	return all
}
