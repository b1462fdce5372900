package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"nexus/store/storetest"
)

// A testNode is a real hub in a home of its own.
type testNode struct {
	t    *testing.T
	home string
	url  string
	cmd  *exec.Cmd
}

// startNode starts a hub, with an environment of nothing but its home.
func startNode(t *testing.T, home string, args ...string) *testNode {
	t.Helper()
	n := &testNode{t: t, home: filepath.Join(home, ".nexus"), cmd: exec.Command("nexus", append([]string{"serve", "--port", "0"}, args...)...)}
	var stderr bytes.Buffer
	n.cmd.Env, n.cmd.Stderr = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=" + raceOptions}, &stderr
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
		if t.Failed() {
			t.Logf("%s", &stderr)
		}
	})
	info, err := awaitHub(n.home)
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	n.url = strings.Replace(info.Addresses.Dashboard, "0.0.0.0", "127.0.0.1", 1)
	return n
}

// call makes a call over REST and wants it to go well.
func (n *testNode) call(method, path, body string) string {
	n.t.Helper()
	a, err := ask(context.Background(), method, n.url+path, body)
	if err != nil || a.status != http.StatusOK {
		n.t.Fatalf("%s %s: %v %d %s", method, path, err, a.status, a.body)
	}
	return a.body
}

// Any number of hubs on one PostgreSQL are one hub: mail, waits, keys and
// settings cross them, and one that dies takes nothing with it.
func TestThreeHubs(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t).URL
	var nodes []*testNode
	for range 3 {
		nodes = append(nodes, startNode(t, t.TempDir(), "--db", url))
	}
	project := t.TempDir()
	for _, id := range []string{"ada", "bob"} {
		nodes[0].call("POST", "/api/v1/op/agent_register", fmt.Sprintf(`{"agent_id":%q}`, id))
	}
	send := func(n *testNode, text string) {
		n.call("POST", "/api/v1/op/message_create",
			fmt.Sprintf(`{"project_root":%q,"from_agent_id":"ada","subject":"s","body":%q,"target":{"strategy":"direct","agent_id":"bob"}}`, project, text))
	}

	// A wait on one node is woken by mail that came in on another.
	got := make(chan httpAnswer, 1)
	go func() {
		a, err := ask(context.Background(), "POST", nodes[1].url+"/api/v1/op/inbox_wait", `{"agent_id":"bob","timeout_seconds":30}`)
		a.err = err
		got <- a
	}()
	send(nodes[0], "first")
	if mail := <-got; mail.err != nil || !strings.Contains(mail.body, `"first"`) {
		t.Errorf("the wait on another node got %s, %v", mail.body, mail.err)
	}

	// A key that one node made and another rotated is known and dead everywhere.
	key := between(nodes[1].call("POST", "/api/v1/agents", `{"agent_id":"eve"}`), `"api_key":"`, `"`)
	use := func(n *testNode) int {
		a, err := ask(context.Background(), "GET", n.url+"/api/v1/agents", "", "x-api-key: "+key)
		if err != nil {
			t.Fatal(err)
		}
		return a.status
	}
	if use(nodes[0]) != 200 || use(nodes[2]) != 200 {
		t.Error("a key is not good on every node")
	}
	nodes[0].call("POST", "/api/v1/agents/eve/regenerate-key", "")
	if !eventually(func() bool { return use(nodes[2]) == 401 }) {
		t.Error("a key that was rotated elsewhere stays good")
	}

	// A setting that is changed on one holds on all.
	nodes[2].call("PATCH", "/api/v1/settings", `{"max_inline_bytes":5}`)
	if !eventually(func() bool {
		a, err := ask(context.Background(), "POST", nodes[0].url+"/api/v1/op/artifact_put",
			fmt.Sprintf(`{"project_root":%q,"artifact_type":"text","content":"123456"}`, project))
		return err == nil && a.status == http.StatusRequestEntityTooLarge
	}) {
		t.Error("a setting that was changed elsewhere does not hold")
	}
	nodes[2].call("POST", "/api/v1/settings/reset", "")

	// A node that dies takes nothing with it.
	send(nodes[2], "second")
	if err := nodes[2].cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = nodes[2].cmd.Wait()
	if mail := nodes[0].call("POST", "/api/v1/op/inbox_pull", `{"agent_id":"bob"}`); !strings.Contains(mail, `"second"`) {
		t.Errorf("what a dead node had taken is gone: %s", mail)
	}
}

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	found, _, _ := strings.Cut(rest, to)
	return found
}
