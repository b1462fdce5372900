package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"nexus/client"
)

// longEnough is when a test gives up on something that should have happened.
// Nothing is ever expected to take this long.
const longEnough = time.Minute

// scriptCommands are what sessions about hubs and stdio processes need beyond
// the usual:
//
//	ready [HOME]                         wait for the hub of a home; set HUB to its address, HUB_PID to its process
//	signal NAME PID                      send TERM or HUP
//	http [-as NAME] METHOD URL [BODY|@FILE] [Header: value…]
//	                                     status and body on stdout, headers on stderr; with -as it does not wait
//	answer NAME                          what the request of that name was answered
//	refused ADDRESS                      nobody must listen there
//	until URL PATTERN [Header: value…]   ask until the answer has it
//	stdio NAME [VARIABLE=VALUE…] [ARG…]  start nexus with a client on its pipes
//	ask NAME OPERATION [JSON|@FILE]      call a tool; the structured content on stdout, a text of its own on stderr
//	tell NAME OPERATION [JSON|@FILE]     the same without waiting
//	hear NAME                            what the last tell was answered
//	hangup NAME                          end of input; it must end well and have said nothing but MCP
//	capture VARIABLE PATTERN             set a variable to what the group in the pattern matches on stdout or stderr
//	mask                                 the last output with times, random ids and long texts replaced
//	sql FILE STATEMENT                   run one on a database; rows on stdout
//	mode OCTAL FILE…                     check permissions
//	fill FILE BYTES                      make a JSON object of exactly that size
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	commands := map[string]func(*testscript.TestScript, bool, []string){"status": statusCommand}
	for name, c := range map[string]struct {
		least int
		run   func(*testscript.TestScript, []string)
	}{
		"ready": {0, readyCommand}, "signal": {2, signalCommand}, "http": {2, httpCommand}, "answer": {1, answerCommand},
		"refused": {1, refusedCommand}, "until": {2, untilCommand}, "stdio": {1, stdioCommand}, "ask": {2, askCommand}, "tell": {2, tellCommand},
		"hear": {1, hearCommand}, "hangup": {1, hangupCommand}, "capture": {2, captureCommand}, "mask": {0, maskCommand},
		"sql": {2, sqlCommand}, "mode": {2, modeCommand}, "fill": {2, fillCommand},
	} {
		commands[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			if neg || len(args) < c.least {
				ts.Fatalf("%s: wrong usage", name)
			}
			c.run(ts, args)
		}
	}
	return commands
}

// A cast is who takes part in a script.
type cast struct {
	clients  map[string]*stdioClient
	told     map[string]<-chan string
	requests map[string]<-chan httpAnswer
}

type castKey struct{}

func newCast() *cast {
	return &cast{map[string]*stdioClient{}, map[string]<-chan string{}, map[string]<-chan httpAnswer{}}
}

func castOf(ts *testscript.TestScript) *cast { return ts.Value(castKey{}).(*cast) }

func (c *cast) client(ts *testscript.TestScript, name string) *stdioClient {
	if c.clients[name] == nil {
		ts.Fatalf("there is no stdio process %q", name)
	}
	return c.clients[name]
}

// eventually looks again and again until look is satisfied.
func eventually(look func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), longEnough)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if look() {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}

// awaitHub waits until the hub that hub.json names answers.
func awaitHub(home string) (info client.HubInfo, err error) {
	ready := eventually(func() bool {
		if info, err = client.ReadHubInfo(home); err != nil {
			return false
		}
		var a httpAnswer
		a, err = ask(context.Background(), http.MethodGet, info.Addresses.Dashboard+"/healthz", "")
		return err == nil && a.status == http.StatusOK
	})
	if !ready {
		return info, fmt.Errorf("no hub is ready in %s: %w", home, err)
	}
	return info, nil
}

func readyCommand(ts *testscript.TestScript, args []string) {
	home := filepath.Join(ts.Getenv("HOME"), ".nexus")
	if len(args) > 0 {
		home = ts.MkAbs(args[0])
	}
	info, err := awaitHub(home)
	ts.Check(err)
	// A hub that listens everywhere is asked here.
	ts.Setenv("HUB", strings.NewReplacer("[::]", "127.0.0.1", "0.0.0.0", "127.0.0.1").Replace(info.Addresses.Dashboard))
	ts.Setenv("HUB_PID", strconv.Itoa(info.PID))
}

func signalCommand(ts *testscript.TestScript, args []string) {
	signals := map[string]os.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	pid, err := strconv.Atoi(args[1])
	ts.Check(err)
	process, err := os.FindProcess(pid)
	ts.Check(err)
	if signals[args[0]] == nil {
		ts.Fatalf("unknown signal %s", args[0])
	}
	ts.Check(process.Signal(signals[args[0]]))
}

type httpAnswer struct {
	status int
	header http.Header
	body   string
	err    error
}

var plainHTTP = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}

// ask makes one request. A header Host replaces the one of the address, and
// Transfer-Encoding makes the body come without a length.
func ask(ctx context.Context, method, url, body string, headers ...string) (httpAnswer, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return httpAnswer{}, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return httpAnswer{}, fmt.Errorf("no header: %q", h)
		}
		r.Header.Set(name, strings.TrimSpace(value))
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	if r.Header.Get("Transfer-Encoding") != "" {
		r.Header.Del("Transfer-Encoding")
		r.ContentLength = -1
	}
	resp, err := plainHTTP.Do(r)
	if err != nil {
		return httpAnswer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return httpAnswer{resp.StatusCode, resp.Header, string(text), nil}, err
}

func httpCommand(ts *testscript.TestScript, args []string) {
	name := ""
	if args[0] == "-as" && len(args) > 3 {
		name, args = args[1], args[2:]
	}
	method, url, rest := args[0], args[1], args[2:]
	body := ""
	if len(rest) > 0 {
		body, rest = rest[0], rest[1:]
	}
	if file, ok := strings.CutPrefix(body, "@"); ok {
		body = ts.ReadFile(file)
	}
	answered := make(chan httpAnswer, 1)
	ctx, cancel := context.WithTimeout(context.Background(), longEnough)
	go func() {
		defer cancel()
		a, err := ask(ctx, method, url, body, rest...)
		a.err = err
		answered <- a
	}()
	castOf(ts).requests[name] = answered
	if name == "" {
		answerCommand(ts, []string{""})
	}
}

func answerCommand(ts *testscript.TestScript, args []string) {
	answered, ok := castOf(ts).requests[args[0]]
	if !ok {
		ts.Fatalf("there is no request %q", args[0])
	}
	delete(castOf(ts).requests, args[0])
	a := <-answered
	ts.Check(a.err)
	fmt.Fprintf(ts.Stdout(), "%d\n%s\n", a.status, a.body)
	ts.Check(a.header.Write(ts.Stderr()))
}

func untilCommand(ts *testscript.TestScript, args []string) {
	pattern := regexp.MustCompile(`(?m)` + args[1])
	var last httpAnswer
	var err error
	if !eventually(func() bool {
		last, err = ask(context.Background(), http.MethodGet, args[0], "", args[2:]...)
		return err == nil && pattern.MatchString(last.body)
	}) {
		ts.Fatalf("%s never had %q: %v\n%s", args[0], args[1], err, last.body)
	}
}

func refusedCommand(ts *testscript.TestScript, args []string) {
	conn, err := net.DialTimeout("tcp", args[0], longEnough)
	if err == nil {
		_ = conn.Close() // we only wanted to know
		ts.Fatalf("somebody listens on %s", args[0])
	}
}

// A stdioClient speaks MCP with a nexus process of its own.
type stdioClient struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr bytes.Buffer
	ended  chan struct{} // closed when all it ever said was read

	writing sync.Mutex
	mu      sync.Mutex
	id      int
	waiting map[int]chan<- string
	strange []string // lines that are no answers to what was asked
	text    string   // of the last answer, where it is not its structured content
}

const greeting = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// startClient starts cmd and greets it. It does not wait for an answer.
func startClient(cmd *exec.Cmd) (*stdioClient, error) {
	c := &stdioClient{cmd: cmd, ended: make(chan struct{}), waiting: map[int]chan<- string{0: make(chan string, 1)}}
	cmd.Stderr = &c.stderr
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go c.listen(out)
	_, err = io.WriteString(c.in, greeting)
	return c, err
}

func (c *stdioClient) listen(out io.Reader) {
	defer close(c.ended)
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // a line without an end is what a killed process leaves
		}
		c.take(line)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, waiting := range c.waiting {
		close(waiting)
	}
	c.waiting = nil
}

// take hands an answer to whoever waits for it: the structured content of a
// result, or the whole line where there is none.
func (c *stdioClient) take(line string) {
	var said struct {
		ID     *int `json:"id"`
		Result struct {
			Content json.RawMessage `json:"structuredContent"`
			Blocks  []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	err := json.Unmarshal([]byte(line), &said)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || said.ID == nil || c.waiting[*said.ID] == nil {
		c.strange = append(c.strange, line)
		return
	}
	if said.Result.Content != nil {
		line = string(said.Result.Content) + "\n"
	}
	c.text = ""
	if b := said.Result.Blocks; len(b) == 1 && b[0].Text+"\n" != line {
		c.text = b[0].Text + "\n"
	}
	c.waiting[*said.ID] <- line
	delete(c.waiting, *said.ID)
}

// tell calls a tool. The channel gets the answer, or is closed when the process
// ends before it has given one.
func (c *stdioClient) tell(operation, arguments string) (<-chan string, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	id, answer := c.expect()
	if answer == nil {
		return nil, io.ErrClosedPipe
	}
	_, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, operation, arguments)
	return answer, err
}

func (c *stdioClient) expect() (id int, answer chan string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		return 0, nil
	}
	answer = make(chan string, 1)
	c.id++
	c.waiting[c.id] = answer
	return c.id, answer
}

func (c *stdioClient) kill() {
	_ = c.cmd.Process.Kill() // it may be gone already
	<-c.ended
	_ = c.cmd.Wait()
}

// hangUp ends the input and waits for the process to end.
func (c *stdioClient) hangUp() error {
	_ = c.in.Close() // the process may be gone already
	select {
	case <-c.ended:
	case <-time.After(longEnough):
		c.kill()
		return errors.New("it goes on after the end of its input")
	}
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, c.stderr.String())
	}
	if len(c.strange) > 0 {
		return fmt.Errorf("it said what nobody asked for: %q", c.strange)
	}
	return nil
}

func stdioCommand(ts *testscript.TestScript, args []string) {
	name, args := args[0], args[1:]
	env := []string{}
	for _, v := range []string{"PATH", "HOME", "GORACE", "GOCOVERDIR", "TMPDIR"} {
		env = append(env, v+"="+ts.Getenv(v))
	}
	for len(args) > 0 && strings.Contains(args[0], "=") && !strings.HasPrefix(args[0], "-") {
		env, args = append(env, args[0]), args[1:]
	}
	cmd := exec.Command("nexus", args...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), env
	c, err := startClient(cmd)
	ts.Check(err)
	ts.Defer(c.kill)
	castOf(ts).clients[name] = c
}

func tellCommand(ts *testscript.TestScript, args []string) {
	arguments := "{}"
	if len(args) > 2 {
		arguments = args[2]
	}
	if file, ok := strings.CutPrefix(arguments, "@"); ok {
		arguments = ts.ReadFile(file)
	}
	if !json.Valid([]byte(arguments)) {
		ts.Fatalf("not JSON: %s", arguments)
	}
	answer, err := castOf(ts).client(ts, args[0]).tell(args[1], arguments)
	ts.Check(err)
	castOf(ts).told[args[0]] = answer
}

func hearCommand(ts *testscript.TestScript, args []string) {
	c := castOf(ts).client(ts, args[0])
	select {
	case said, ok := <-castOf(ts).told[args[0]]:
		if !ok {
			ts.Fatalf("%s ended without an answer: %v\n%s", args[0], c.cmd.Wait(), c.stderr.String())
		}
		fmt.Fprint(ts.Stdout(), said)
		c.mu.Lock()
		fmt.Fprint(ts.Stderr(), c.text)
		c.mu.Unlock()
	case <-time.After(longEnough):
		ts.Fatalf("%s does not answer", args[0])
	}
}

func askCommand(ts *testscript.TestScript, args []string) {
	tellCommand(ts, args)
	hearCommand(ts, args)
}

func hangupCommand(ts *testscript.TestScript, args []string) {
	ts.Check(castOf(ts).client(ts, args[0]).hangUp())
}

func captureCommand(ts *testscript.TestScript, args []string) {
	pattern := regexp.MustCompile(`(?m)` + args[1])
	m := pattern.FindStringSubmatch(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
	if len(m) < 2 {
		ts.Fatalf("nothing matches %s", args[1])
	}
	ts.Setenv(args[0], m[1])
}

var (
	timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`)
	idPattern   = regexp.MustCompile(`\b(msg|dlv|ses|chn|key)_?[0-9a-f]{32}\b`)
	hashPattern = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	textPattern = regexp.MustCompile(`"(instructions|version)":"[^"]*"`)
)

// maskCommand numbers the ids in the order in which they appear.
func maskCommand(ts *testscript.TestScript, _ []string) {
	var seen []string
	text := idPattern.ReplaceAllStringFunc(ts.ReadFile("stdout"), func(id string) string {
		if !slices.Contains(seen, id) {
			seen = append(seen, id)
		}
		return fmt.Sprintf("%s_%d", id[:3], slices.Index(seen, id)+1)
	})
	text = timePattern.ReplaceAllString(text, "TIME")
	text = hashPattern.ReplaceAllString(text, "HASH")
	fmt.Fprint(ts.Stdout(), textPattern.ReplaceAllString(text, `"$1":"TEXT"`))
}

func sqlCommand(ts *testscript.TestScript, args []string) {
	rows, err := query(ts.MkAbs(args[0]), args[1])
	ts.Check(err)
	for _, row := range rows {
		fmt.Fprintln(ts.Stdout(), strings.Join(row, "|"))
	}
}

// query runs one statement on a SQLite file, which is made if there is none.
func query(path, statement string) (rows [][]string, err error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	err = sqlitex.ExecuteTransient(conn, statement, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		var row []string
		for i := range s.ColumnCount() {
			row = append(row, s.ColumnText(i))
		}
		rows = append(rows, row)
		return nil
	}})
	return rows, err
}

func modeCommand(ts *testscript.TestScript, args []string) {
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	for _, file := range args[1:] {
		info, err := os.Stat(ts.MkAbs(file))
		ts.Check(err)
		if got := info.Mode().Perm(); got != os.FileMode(want) {
			ts.Fatalf("%s has mode %04o, want %04o", file, got, want)
		}
	}
}

func fillCommand(ts *testscript.TestScript, args []string) {
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	frame := `{"filler":""}`
	text := frame[:len(frame)-2] + strings.Repeat("x", size-len(frame)) + frame[len(frame)-2:]
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
