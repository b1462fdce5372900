package bus_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nexus"
	"nexus/store/storetest"
)

// rapidFlags are for one at a time: they hold for the whole process.
var rapidFlags sync.Mutex

// eachModel plays games against a model, many on SQLite and few on PostgreSQL,
// where each call costs more. -rapid.checks scales both.
func eachModel(t *testing.T, onSQLite, onPostgres int, game func(k *kit, rt *rapid.T)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, o storetest.Opener) {
		percent := onSQLite
		if strings.HasPrefix(o.URL, "postgres") {
			percent = onPostgres
		}
		rapidFlags.Lock()
		defer rapidFlags.Unlock()
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
		set("rapid.checks", fmt.Sprint(max(1, n*percent/100)))
		set("rapid.nofailfile", "true") // the seed it prints is enough
		defer set("rapid.checks", was)
		k := newKit(t, o.Open(t), settings())
		start := k.now()
		rapid.Check(t, func(rt *rapid.T) {
			k.set(start)
			k.root = t.TempDir()
			game(k, rt)
		})
	})
}

func (k *kit) set(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clock = at
}

// expect calls an operation of which the model knows how it ends: with a code,
// or well when that is "".
func (k *kit) expect(rt *rapid.T, name string, code nexus.Code, arguments object) object {
	rt.Helper()
	data, err := k.try(name, arguments)
	got := nexus.Code("")
	if err != nil {
		got = err.Code
	}
	if got != code {
		rt.Fatal(nameless(fmt.Sprintf("%s at %s %s: got %q (%v), the model says %q",
			name, nexus.Stamp(k.now()), strings.ReplaceAll(mustText(arguments), k.root, ""), got, err, code)))
	}
	return data
}

// same compares an answer with the model's.
func same(rt *rapid.T, what string, got, want any) {
	rt.Helper()
	if g, w := mustText(got), mustText(want); g != w {
		rt.Fatal(nameless(fmt.Sprintf("%s: got %s, the model says %s", what, g, w)))
	}
}

var madeID = regexp.MustCompile(`[a-z]{3}_[0-9a-f]{32}`)

// nameless numbers the ids in a text, so that a game that is played again fails
// with the same words: then it can be made shorter.
func nameless(text string) string {
	numbers := map[string]int{}
	return madeID.ReplaceAllStringFunc(text, func(id string) string {
		if numbers[id] == 0 {
			numbers[id] = len(numbers) + 1
		}
		return fmt.Sprintf("#%d", numbers[id])
	})
}

// moveClock lets time pass, jumps back, or goes to a moment at which something
// changes by itself, or just beside it.
func (k *kit) moveClock(rt *rapid.T, moments []time.Time) {
	steps := []time.Duration{
		time.Microsecond, time.Second, 11 * time.Second, time.Minute, 5 * time.Minute, 2 * time.Hour,
		-time.Microsecond, -30 * time.Second, -time.Hour,
	}
	if len(moments) > 0 && rapid.Bool().Draw(rt, "to a moment") {
		k.set(rapid.SampledFrom(moments).Draw(rt, "moment"))
		steps = []time.Duration{-time.Microsecond, 0, time.Microsecond}
	}
	k.pass(rapid.SampledFrom(steps).Draw(rt, "step"))
}

// maybe draws one of several values, or nothing.
func maybe[V any](rt *rapid.T, label string, values ...V) (v V, given bool) {
	if given = rapid.IntRange(0, 2).Draw(rt, label+"?") == 0; given {
		v = rapid.SampledFrom(values).Draw(rt, label)
	}
	return v, given
}

// lease draws how long somebody wants something and how long that is.
func lease(rt *rapid.T, arguments object, name string) time.Duration {
	seconds, given := maybe(rt, name, 1, 10, 60, 3600, 99999)
	if !given {
		return 5 * time.Minute
	}
	arguments[name] = seconds
	return time.Duration(min(max(seconds, 10), 3600)) * time.Second
}

// TestModelHandoffs plays hand-offs against [workModel].
func TestModelHandoffs(t *testing.T) {
	eachModel(t, 60, 8, func(k *kit, rt *rapid.T) {
		m := newWorkModel(k, rt)
		rt.Repeat(map[string]func(*rapid.T){
			"create": m.create, "claim": m.claim, "claim again": m.claim, "renew": m.renew, "complete": m.complete, "complete again": m.complete,
			"reject": m.reject, "cancel": m.cancel, "verify": m.verify, "requeue": m.requeue, "list": m.list, "get": m.get,
			"time": func(rt *rapid.T) { k.moveClock(rt, m.moments()) },
		})
		m.checkLog(rt)
	})
}

// workers are who takes part: what routing knows of each. The ghost never
// registers.
var workers = map[string]object{
	"boss": {}, "ann": {"role": "dev", "capabilities": []string{"go"}}, "bob": {"role": "dev", "capabilities": []string{"test"}},
	"cat": {"capabilities": []string{"go", "test"}}, "ghost": nil,
}

var workerNames = slices.Sorted(maps.Keys(workers))

// A work is a hand-off as the model knows it.
type work struct {
	id, from, status, by  string
	target                object
	visibility            string
	created, lease        time.Time
	expires               time.Time // zero for never
	attempt, before, most int
	priority              int
	needs                 []string
	verify                object // nil where nobody verifies
	ofTask, endsTask      bool
	result, feedback      any
	log                   []string // types of its events
}

// A workModel is what hand-offs should be.
type workModel struct {
	k        *kit
	task     any
	taskDone bool
	works    []work
}

func newWorkModel(k *kit, rt *rapid.T) *workModel {
	for name, profile := range workers {
		if profile != nil {
			k.register(name, profile)
		}
	}
	return &workModel{k: k, task: k.call("task_create", object{"project_root": k.root, "agent_id": "boss", "title": "all of it"})["task_id"]}
}

// at is the world at this moment: a copy, in which what was due has happened. It
// becomes the model when a call succeeds; a call that fails changes nothing.
func (m *workModel) at() (*workModel, time.Time) {
	now := m.k.now()
	next := *m
	next.works = slices.Clone(m.works)
	for i := range next.works {
		w := &next.works[i]
		w.log = slices.Clip(w.log)
		expired := !w.expires.IsZero() && !now.Before(w.expires)
		switch {
		case w.status == "OPEN" && expired, w.status == "CLAIMED" && now.After(w.lease) && expired:
			w.end("EXPIRED", "handoff.expired")
		case w.status == "CLAIMED" && now.After(w.lease) && w.most > 0 && w.attempt-w.before >= w.most:
			w.end("PARKED", "handoff.parked")
		case w.status == "CLAIMED" && now.After(w.lease):
			w.end("OPEN", "handoff.expired")
		}
	}
	return &next, now
}

func (w *work) end(status, event string) {
	w.status, w.by, w.lease = status, "", time.Time{}
	w.log = append(w.log, event)
}

func (m *workModel) find(id string) *work {
	for i := range m.works {
		if m.works[i].id == id {
			return &m.works[i]
		}
	}
	return nil
}

// blocked tells whether a hand-off waits for another.
func (m *workModel) blocked(w *work) bool {
	return slices.ContainsFunc(w.needs, func(id string) bool { return m.find(id).status != "COMPLETED" })
}

// mayTake is who work is for.
func mayTake(target object, agent string, age time.Duration) bool {
	profile := workers[agent]
	switch target["strategy"] {
	case "broadcast":
		return true
	case "direct":
		return target["agent_id"] == agent
	case "role":
		return profile != nil && profile["role"] == target["role"]
	case "capability":
		return slices.ContainsFunc(target["capability"].([]string), func(c string) bool { return can(agent, c) })
	case "mixed":
		return slices.ContainsFunc(target["rules"].([]object), func(rule object) bool { return mayTake(rule, agent, age) })
	}
	if target["agent_id"] == agent {
		return true
	}
	fallback, narrowed := target["fallback"].(object)
	return age >= fallbackAfter(target) && (!narrowed || mayTake(fallback, agent, age))
}

func fallbackAfter(target object) time.Duration {
	return time.Duration(target["fallback_after_seconds"].(float64) * float64(time.Second))
}

func can(agent, capability string) bool {
	capabilities, _ := workers[agent]["capabilities"].([]string)
	return slices.Contains(capabilities, capability)
}

func (w *work) eligible(agent string, now time.Time) bool {
	return mayTake(w.target, agent, now.Sub(w.created))
}

// moments are when something changes by itself.
func (m *workModel) moments() (all []time.Time) {
	for _, w := range m.works {
		switch w.status {
		case "CLAIMED":
			all = append(all, w.lease)
		case "OPEN":
			if !w.expires.IsZero() {
				all = append(all, w.expires)
			}
			if w.target["strategy"] == "direct_with_fallback" {
				all = append(all, w.created.Add(fallbackAfter(w.target)))
			}
		}
	}
	return all
}

func drawTarget(rt *rapid.T, depth int) object {
	strategies := []string{"direct", "capability", "role"}
	switch depth {
	case 0:
		strategies = append(strategies, "broadcast", "broadcast", "mixed", "direct_with_fallback", "direct_with_fallback")
	case 1:
		strategies = append(strategies, "mixed", "direct_with_fallback")
	}
	target := object{"strategy": rapid.SampledFrom(strategies).Draw(rt, "strategy")}
	switch target["strategy"] {
	case "direct":
		target["agent_id"] = rapid.SampledFrom(workerNames).Draw(rt, "to")
	case "role":
		target["role"] = "dev"
	case "capability":
		target["capability"] = rapid.SampledFrom([][]string{{"go"}, {"test"}, {"test", "go"}}).Draw(rt, "capability")
	case "mixed":
		rules := []object{}
		for range rapid.IntRange(1, 2).Draw(rt, "rules") {
			rules = append(rules, drawTarget(rt, depth+1))
		}
		target["rules"] = rules
	case "direct_with_fallback":
		target["agent_id"] = rapid.SampledFrom(workerNames).Draw(rt, "to")
		target["fallback_after_seconds"] = rapid.SampledFrom([]float64{0, 0.5, 30, 60}).Draw(rt, "after")
		if rapid.Bool().Draw(rt, "narrow") || depth > 0 { // inside mixed it may not reach everybody
			target["fallback"] = drawTarget(rt, depth+1)
		}
	}
	return target
}

func (m *workModel) create(rt *rapid.T) {
	now := m.k.now()
	w := work{
		from: rapid.SampledFrom(workerNames).Draw(rt, "from"), status: "OPEN", target: drawTarget(rt, 0), created: now,
		visibility: rapid.SampledFrom([]string{"public", "eligible", "private"}).Draw(rt, "visibility"), log: []string{"handoff.created"},
	}
	arguments := object{"project_root": m.k.root, "from_agent_id": w.from, "target": w.target, "visibility": w.visibility, "payload": "do it"}
	invalid := m.drawTerms(rt, &w, arguments, now)
	missing := w.target["strategy"] == "direct" && w.target["agent_id"] == "ghost"
	if len(m.works) > 0 && rapid.IntRange(0, 2).Draw(rt, "depends") == 0 {
		for range rapid.IntRange(1, 2).Draw(rt, "how many") {
			id := m.works[rapid.IntRange(0, len(m.works)-1).Draw(rt, "on")].id
			if !slices.Contains(w.needs, id) {
				w.needs = append(w.needs, id)
			}
		}
		arguments["depends_on"] = w.needs
	} else if rapid.IntRange(0, 9).Draw(rt, "on nothing") == 0 {
		arguments["depends_on"], missing = []string{"hof_none"}, true
	}
	if rapid.IntRange(0, 3).Draw(rt, "of the task") == 0 {
		arguments["task_id"], w.ofTask = m.task, true
	}
	code := nexus.Code("")
	switch {
	case invalid:
		code = nexus.ValidationError
	case w.ofTask && m.taskDone:
		code = nexus.InvalidTransition
	case missing:
		code = nexus.NotFound
	}
	made := m.k.expect(rt, "handoff_create", code, arguments)
	if code != "" {
		return
	}
	w.id = made["handoff_id"].(string)
	to, _ := w.target["agent_id"].(string)
	notified := any(nil)
	if to != "" && to != "ghost" {
		notified = []string{to}
	}
	same(rt, "notified", made["notified"], notified)
	m.works = append(m.works, w)
}

// drawTerms draws the terms that a plain client leaves out and tells whether one
// of them is wrong.
func (m *workModel) drawTerms(rt *rapid.T, w *work, arguments object, now time.Time) (invalid bool) {
	if p, given := maybe(rt, "priority", -100, -1, 0, 5, 100, 101); given {
		arguments["priority"], w.priority, invalid = p, p, p > 100
	}
	if n, given := maybe(rt, "max_attempts", 1, 2, 3, 0); given {
		arguments["max_attempts"], w.most = n, n
		invalid = invalid || n == 0
	}
	if d, given := maybe(rt, "expires_at", time.Microsecond, 20*time.Second, time.Minute, time.Hour, 0, -time.Hour); given {
		w.expires = now.Add(d)
		arguments["expires_at"] = nexus.Stamp(w.expires)
		invalid = invalid || d <= 0
	}
	if _, given := maybe(rt, "acceptance_criteria", 1); given {
		arguments["acceptance_criteria"], w.verify = []string{"it works"}, object{"kind": "creator"}
	}
	if v, given := maybe(rt, "verify_by", object{"kind": "creator"}, object{"kind": "agent", "agent_id": "bob"},
		object{"kind": "capability", "capability": "test"}, object{"kind": "nobody"}); given {
		arguments["verify_by"], w.verify = v, v
		invalid = invalid || v["kind"] == "nobody"
	}
	return invalid
}

// on draws a hand-off and who acts on it: mostly somebody to whom it matters.
func (m *workModel) on(rt *rapid.T, mostly func(*work) bool) (next *workModel, w *work, agent string, arguments object, now time.Time) {
	next, now = m.at()
	if len(next.works) == 0 {
		rt.Skip("there is no work yet")
	}
	var pool []int
	for i := range next.works {
		if mostly(&next.works[i]) {
			pool = append(pool, i)
		}
	}
	if len(pool) == 0 || rapid.IntRange(0, 4).Draw(rt, "any work") == 0 {
		pool = pool[:0]
		for i := range next.works {
			pool = append(pool, i)
		}
	}
	w = &next.works[rapid.SampledFrom(pool).Draw(rt, "work")]
	agent = rapid.SampledFrom(workerNames).Draw(rt, "agent")
	return next, w, agent, object{"project_root": m.k.root, "handoff_id": w.id}, now
}

// by draws who acts: mostly the one whose business it is.
func by(rt *rapid.T, whose, otherwise string, arguments object) string {
	if whose != "" && rapid.IntRange(0, 3).Draw(rt, "somebody else") > 0 {
		otherwise = whose
	}
	arguments["agent_id"] = otherwise
	return otherwise
}

// attempt draws the fence of a claim, a true one or not.
func attempt(rt *rapid.T, w *work, arguments object) (given *int) {
	n, some := maybe(rt, "attempt", w.attempt, w.attempt, w.attempt-1, w.attempt+1)
	if !some {
		return nil
	}
	arguments["attempt"] = n
	return &n
}

func inState(states ...string) func(*work) bool {
	return func(w *work) bool { return slices.Contains(states, w.status) }
}

// become makes another world the model if the call that led to it succeeds.
func (m *workModel) become(next *workModel, code nexus.Code) {
	if code == "" {
		*m = *next
	}
}

func (m *workModel) claim(rt *rapid.T) {
	next, w, agent, arguments, now := m.on(rt, inState("OPEN"))
	arguments["agent_id"] = agent
	until := now.Add(lease(rt, arguments, "lease_seconds"))
	code := nexus.Code("")
	switch {
	case !w.eligible(agent, now):
		code = nexus.NotEligible
	case w.status != "OPEN":
		code = nexus.AlreadyClaimed
	case next.blocked(w):
		code = nexus.InvalidTransition
	}
	got := m.k.expect(rt, "handoff_claim", code, arguments)
	if code == "" {
		w.status, w.by, w.lease, w.attempt = "CLAIMED", agent, until, w.attempt+1
		w.log = append(w.log, "handoff.claimed")
		same(rt, "claim", []any{got["status"], got["claimed_by"], got["attempt"], got["lease_expires_at"], got["feedback"]},
			[]any{"CLAIMED", agent, w.attempt, nexus.Stamp(until), w.feedback})
	}
	m.become(next, code)
}

// lost is whether a worker is told that the attempt it names is over.
func lost(w *work, attempt *int, mine bool) bool {
	switch {
	case attempt == nil:
		return false
	case *attempt == w.attempt:
		return *attempt > 0 && inState("OPEN", "PARKED", "EXPIRED")(w)
	}
	return mine || *attempt < w.attempt
}

// owned is how an act on one's own claim ends.
func owned(w *work, agent string, attempt *int) nexus.Code {
	mine := w.status == "CLAIMED" && w.by == agent
	switch {
	case lost(w, attempt, mine):
		return nexus.LeaseLost
	case mine:
		return ""
	case w.status == "CLAIMED":
		return nexus.NotOwner
	}
	return nexus.InvalidTransition
}

func (m *workModel) renew(rt *rapid.T) {
	next, w, agent, arguments, now := m.on(rt, inState("CLAIMED"))
	agent = by(rt, w.by, agent, arguments)
	given := attempt(rt, w, arguments)
	until := now.Add(lease(rt, arguments, "lease_seconds"))
	code := owned(w, agent, given)
	got := m.k.expect(rt, "handoff_renew", code, arguments)
	if code == "" {
		w.lease, w.log = until, append(w.log, "handoff.renewed")
		same(rt, "renewed", []any{got["status"], got["attempt"], got["lease_expires_at"]}, []any{"CLAIMED", w.attempt, nexus.Stamp(until)})
	}
	m.become(next, code)
}

func (m *workModel) complete(rt *rapid.T) {
	next, w, agent, arguments, _ := m.on(rt, inState("CLAIMED"))
	agent = by(rt, w.by, agent, arguments)
	given := attempt(rt, w, arguments)
	arguments["result"] = fmt.Sprintf("by %s", agent)
	ending := rapid.Bool().Draw(rt, "complete_task")
	arguments["complete_task"] = ending
	code := owned(w, agent, given)
	got := m.k.expect(rt, "handoff_complete", code, arguments)
	if code == "" {
		w.result, w.lease, w.endsTask = arguments["result"], time.Time{}, ending
		if w.verify != nil {
			w.status, w.log = "VERIFYING", append(w.log, "handoff.verifying")
		} else {
			w.status, w.log = "COMPLETED", append(w.log, "handoff.completed")
			next.endTask(w)
		}
		same(rt, "completed", got["status"], w.status)
	}
	m.become(next, code)
}

// endTask ends the task, if that is wished, and this was the last of its work.
func (m *workModel) endTask(w *work) {
	going := func(w work) bool { return w.ofTask && inState("OPEN", "CLAIMED", "VERIFYING", "PARKED")(&w) }
	if w.endsTask && w.ofTask && !slices.ContainsFunc(m.works, going) {
		m.taskDone = true
	}
}

func (m *workModel) reject(rt *rapid.T) {
	next, w, agent, arguments, _ := m.on(rt, inState("CLAIMED", "OPEN"))
	to, _ := w.target["agent_id"].(string)
	agent = by(rt, cmp.Or(w.by, to), agent, arguments)
	given := attempt(rt, w, arguments)
	code := owned(w, agent, given)
	if w.status == "OPEN" && !lost(w, given, false) {
		code = ""
		if to != agent {
			code = nexus.NotOwner
		}
	}
	m.k.expect(rt, "handoff_reject", code, arguments)
	if code == "" {
		w.status, w.lease, w.log = "REJECTED", time.Time{}, append(w.log, "handoff.rejected")
	}
	m.become(next, code)
}

func (m *workModel) cancel(rt *rapid.T) {
	next, w, agent, arguments, _ := m.on(rt, inState("PARKED"))
	agent = by(rt, w.from, agent, arguments)
	code := nexus.Code("")
	switch {
	case agent != w.from:
		code = nexus.NotOwner
	case w.status != "OPEN" && w.status != "PARKED":
		code = nexus.InvalidTransition
	}
	m.k.expect(rt, "handoff_cancel", code, arguments)
	if code == "" {
		w.status, w.log = "CANCELLED", append(w.log, "handoff.cancelled")
	}
	m.become(next, code)
}

func (m *workModel) requeue(rt *rapid.T) {
	next, w, agent, arguments, now := m.on(rt, inState("PARKED", "REJECTED", "EXPIRED"))
	agent = by(rt, w.from, agent, arguments)
	until := time.Time{}
	d, given := maybe(rt, "expires_at", time.Minute, time.Hour, -time.Hour)
	if given {
		until = now.Add(d)
		arguments["expires_at"] = nexus.Stamp(until)
	}
	code := nexus.Code("")
	switch {
	case given && d < 0:
		code = nexus.ValidationError
	case agent != w.from:
		code = nexus.NotOwner
	case !inState("PARKED", "REJECTED", "EXPIRED")(w):
		code = nexus.InvalidTransition
	}
	m.k.expect(rt, "handoff_requeue", code, arguments)
	if code == "" {
		w.status, w.by, w.expires, w.before = "OPEN", "", until, w.attempt
		w.log = append(w.log, "handoff.requeued")
	}
	m.become(next, code)
}

// judges tells whether an agent may verify work that is done.
func (w *work) judges(agent string) bool {
	if w.status != "VERIFYING" {
		return false
	}
	switch w.verify["kind"] {
	case "creator":
		return agent == w.from
	case "agent":
		return agent == w.verify["agent_id"]
	}
	return agent != w.by && can(agent, "test")
}

func (m *workModel) verify(rt *rapid.T) {
	next, w, agent, arguments, now := m.on(rt, inState("VERIFYING"))
	agent = by(rt, w.from, agent, arguments)
	verdict := rapid.SampledFrom([]string{"accept", "reject", "Reject ", "hm"}).Draw(rt, "verdict")
	arguments["verdict"] = verdict
	if rapid.IntRange(0, 4).Draw(rt, "silent") > 0 {
		arguments["feedback"] = "look again"
	}
	back := strings.HasPrefix(strings.ToLower(verdict), "reject")
	code := nexus.Code("")
	switch {
	case verdict == "hm" || back && arguments["feedback"] == nil:
		code = nexus.ValidationError
	case w.status != "VERIFYING":
		code = nexus.InvalidTransition
	case !w.judges(agent):
		code = nexus.NotOwner
	}
	m.k.expect(rt, "handoff_verify", code, arguments)
	if code == "" {
		w.feedback = arguments["feedback"]
		w.status, w.log = "COMPLETED", append(w.log, "handoff.completed")
		if back {
			w.status, w.lease = "CLAIMED", now.Add(5*time.Minute)
			w.log[len(w.log)-1] = "handoff.sent_back"
		} else {
			next.endTask(w)
		}
	}
	m.become(next, code)
}

// list compares what an agent is offered, page by page, with what it could claim.
func (m *workModel) list(rt *rapid.T) {
	next, now := m.at()
	agent := rapid.SampledFrom(workerNames).Draw(rt, "agent")
	var open []*work
	for i := range next.works {
		if w := &next.works[i]; w.status == "OPEN" && !next.blocked(w) && w.eligible(agent, now) {
			open = append(open, w)
		}
	}
	slices.SortFunc(open, func(a, b *work) int { return cmp.Or(b.priority-a.priority, strings.Compare(a.id, b.id)) })
	want, got := []string{}, []string{}
	for _, w := range open {
		want = append(want, w.id)
	}
	arguments := object{"project_root": m.k.root, "agent_id": agent, "limit": rapid.IntRange(1, 4).Draw(rt, "limit")}
	for range len(m.works) + 1 {
		page := m.k.expect(rt, "handoff_list_available", "", arguments)
		for _, h := range page["handoffs"].([]any) {
			got = append(got, h.(object)["handoff_id"].(string))
		}
		if page["has_more"] == false {
			break
		}
		arguments["cursor"] = page["next_cursor"]
	}
	same(rt, fmt.Sprintf("what %s could take at %s", agent, nexus.Stamp(now)), got, want)
	m.become(next, "")
}

func (m *workModel) get(rt *rapid.T) {
	next, w, agent, arguments, now := m.on(rt, func(*work) bool { return true })
	arguments["agent_id"] = agent
	code := nexus.Code("")
	if w.visibility != "public" && agent != w.from && agent != w.by && !w.eligible(agent, now) && !w.judges(agent) {
		code = nexus.NotOwner
	}
	got := m.k.expect(rt, "handoff_get", code, arguments)
	m.become(next, "") // looking ends what was overdue, whoever may see it
	if code != "" {
		return
	}
	nullable := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	until := any(nil)
	if !w.lease.IsZero() {
		until = nexus.Stamp(w.lease)
	}
	blocked, _ := got["blocked"].(bool)
	attempts, _ := got["attempt"].(float64)
	same(rt, "the hand-off", []any{got["status"], got["claimed_by"], got["lease_expires_at"], blocked, attempts, got["result"], got["feedback"]},
		[]any{w.status, nullable(w.by), until, w.status == "OPEN" && next.blocked(w), w.attempt, w.result, w.feedback})
}

// checkLog wants each hand-off's story told in full and in order. Not everybody
// sees everything, but together they do.
func (m *workModel) checkLog(rt *rapid.T) {
	m.k.pass(365 * 24 * time.Hour) // every fallback is open
	seen := map[float64]object{}
	for _, agent := range workerNames {
		page := m.k.expect(rt, "event_get", "", object{"project_root": m.k.root, "agent_id": agent, "stream": "handoff", "limit": 1000})
		for _, e := range page["events"].([]any) {
			seen[e.(object)["event_id"].(float64)] = e.(object)
		}
	}
	told := map[any][]string{}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		told[seen[id]["handoff_id"]] = append(told[seen[id]["handoff_id"]], seen[id]["type"].(string))
	}
	for _, w := range m.works {
		same(rt, "the story of "+w.id, told[w.id], w.log)
	}
	status := "open"
	if m.taskDone {
		status = "done"
	}
	same(rt, "the task", m.k.call("task_get", object{"project_root": m.k.root, "task_id": m.task})["status"], status)
}
