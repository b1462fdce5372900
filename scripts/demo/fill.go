package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A demo is one hub, and what was made in it so far.
type demo struct {
	options
	hub    *hub
	home   string
	chance *rand.Rand
	team   team
	story  []step
	talk   talk
	forum  forum

	before   map[string]any    // stored settings that the demo changes
	roots    map[string]string // projects, and where they are
	ids      map[string]string // what was made, by the names of the story
	keys     map[string]string // of agents
	hands    []agent           // who was hired besides the team
	sessions []session
	stays    map[place]string // the same, to be found
	opened   time.Time        // when the last session was
	window   time.Duration    // how long one may be silent before it is stale
	beats    int              // how often one was let be heard of
	threads  int              // how many were begun
	jobs     int

	sink *http.Server // takes what the webhook that works is told
}

func newDemo(o options, home string) (*demo, error) {
	d := &demo{
		options: o, hub: newHub(o.hub, o.key), home: home, chance: rand.New(rand.NewPCG(o.seed, 0)),
		roots: map[string]string{}, stays: map[place]string{}, ids: map[string]string{}, keys: map[string]string{"": o.key, "operator": o.key},
	}
	var story struct {
		Steps []step `toml:"step"`
	}
	if err := errors.Join(read("team.toml", &d.team), read("story.toml", &story), read("talk.toml", &d.talk), read("topics.toml", &d.forum)); err != nil {
		return nil, err
	}
	d.story = story.Steps
	d.chance.Shuffle(len(d.talk.Threads), func(i, j int) {
		d.talk.Threads[i], d.talk.Threads[j] = d.talk.Threads[j], d.talk.Threads[i]
	})
	d.chance.Shuffle(len(d.talk.Jobs), func(i, j int) { d.talk.Jobs[i], d.talk.Jobs[j] = d.talk.Jobs[j], d.talk.Jobs[i] })
	return d, d.listen()
}

// listen opens the address of the webhook that works, and finds one for the
// webhook that does not.
func (d *demo) listen() error {
	works, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d.sink = &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
	}
	d.ids["sink"] = "http://" + works.Addr().String() + "/board"
	go func() { _ = d.sink.Serve(works) }() // until close
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.close()
		return err
	}
	d.ids["closed"] = "http://" + closed.Addr().String() + "/bridge"
	return closed.Close()
}

func (d *demo) close() {
	_ = d.sink.Close()
	d.hub.http.CloseIdleConnections()
}

// fill makes everything there is to see. One thing is done after another, so
// that the same seed gives the same picture.
func (d *demo) fill(ctx context.Context) error {
	for _, part := range []func(context.Context) error{
		d.beStrangers, d.hurry, d.makeProjects, d.makePresets, d.makeAgents, d.openSessions, d.hire, d.tell, d.discuss, d.busy, d.lengthenLog, d.settle,
	} {
		if err := part(ctx); err != nil {
			return errors.Join(err, d.restore(ctx))
		}
	}
	return nil
}

// beStrangers refuses a hub that knows one of the team: it was filled before, or
// somebody real has that name.
func (d *demo) beStrangers(ctx context.Context) error {
	var known struct {
		Items []struct {
			ID string `json:"agent_id"`
		} `json:"items"`
	}
	if err := d.hub.get(ctx, "/agents", &known); err != nil {
		return err
	}
	for _, k := range known.Items {
		if slices.ContainsFunc(d.team.Agents, func(a agent) bool { return a.ID == k.ID }) {
			return fmt.Errorf("the hub already has an agent %q: use one that was not filled before", k.ID)
		}
	}
	return nil
}

func (d *demo) makeProjects(ctx context.Context) error {
	for _, p := range d.team.Projects {
		root := filepath.Join(d.home, "projects", p.Name)
		if err := os.MkdirAll(root, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, "README.md"), []byte("# "+p.Name+"\n\n"+p.About+".\n"), 0o644); err != nil {
			return err
		}
		var made struct {
			ID string `json:"workspace_id"`
		}
		if err := d.hub.call(ctx, d.hub.key, "workspace_resolve", map[string]any{"project_root": root, "display_name": p.Name}, &made); err != nil {
			return err
		}
		d.roots[p.Name], d.ids["workspace."+p.Name] = root, made.ID
	}
	return drawMap(filepath.Join(d.roots["atlas-web"], "shots", "tiles-zoom-7.png"))
}

func (d *demo) makePresets(ctx context.Context) error {
	for _, p := range d.team.Presets {
		args := map[string]any{"name": p.Name, "description": p.Description, "flags": p.Flags}
		if err := d.do(ctx, step{Op: "preset_create", Keep: p.Keep, Args: args}); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) makeAgents(ctx context.Context) error {
	for _, a := range d.team.Agents {
		key, err := d.makeAgent(ctx, a)
		if err != nil {
			return err
		}
		d.keys[a.ID] = key
	}
	return nil
}

func (d *demo) makeAgent(ctx context.Context, a agent) (key string, err error) {
	preset, err := d.word(a.Preset)
	if err != nil {
		return "", err
	}
	args := map[string]any{
		"agent_id": a.ID, "role": a.Role, "capabilities": a.Capabilities,
		"metadata": map[string]any{"about": a.About, "person": a.Person},
	}
	if preset != "" {
		args["preset_id"] = preset
	}
	if a.Permissions != nil {
		args["permissions"] = a.Permissions
	}
	var made struct {
		Key string `json:"api_key"`
	}
	err = d.hub.call(ctx, d.hub.key, "agent_create", args, &made)
	return made.Key, err
}

// tell tells the story, with talk in between. Of what somebody says by the way
// nothing is left unread.
func (d *demo) tell(ctx context.Context) error {
	for _, s := range d.story {
		if d.threads < len(d.talk.Threads) && d.chance.IntN(4) == 0 {
			if err := d.chat(ctx); err != nil {
				return err
			}
		}
		if err := d.do(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// chat plays the next thread to its end.
func (d *demo) chat(ctx context.Context) error {
	t := turn{thread: d.nextThread()}
	for t.line < len(t.thread.Lines) {
		if err := d.say(ctx, &t); err != nil {
			return err
		}
		_, to := t.thread.speaker(t.line - 1)
		if err := d.hub.call(ctx, d.keys[to], "inbox_ack", map[string]any{"agent_id": to, "message_ids": []string{t.last}}, nil); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) nextThread() thread {
	d.threads++
	return d.talk.Threads[(d.threads-1)%len(d.talk.Threads)]
}

// A turn is how far a thread has come.
type turn struct {
	thread thread
	line   int    // the next one
	last   string // the message before
}

// say sends the next line of a thread.
func (d *demo) say(ctx context.Context, t *turn) error {
	from, to := t.thread.speaker(t.line)
	args := map[string]any{"subject": t.thread.Subject, "body": t.thread.Lines[t.line]}
	if t.last != "" {
		args["subject"], args["parent_message_id"] = "Re: "+t.thread.Subject, t.last
	}
	id, err := d.call(ctx, step{Op: "message_create", As: from, In: t.thread.In, To: to, Args: args})
	if err != nil {
		return err
	}
	t.line, t.last = t.line+1, id
	return nil
}
