// Command demo fills a hub with a believable team at work, so that anyone can
// look around:
//
//	go run ./scripts/demo                                a hub of its own, alive until Ctrl-C
//	go run ./scripts/demo --agents 500 --events 100000   the same with a crowd
//	go run ./scripts/demo --still --hub URL              fill a running hub once, and end
//
// It uses the faces that everybody has and knows nothing of the store. What the
// team says and does is in team.toml, story.toml, talk.toml and topics.toml.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type options struct {
	home   string
	hub    string
	key    string
	keep   bool
	still  bool
	hold   bool
	seed   uint64
	agents int
	events int64
	pace   time.Duration
}

// check refuses what cannot be meant.
func (o options) check() error {
	switch {
	case o.pace <= 0:
		return fmt.Errorf("--pace %s is no time to work in; use a second or so", o.pace)
	case o.hold && !o.still:
		return errors.New("--hold needs --still: without it the team works anyway")
	case o.key != "" && o.hub == "":
		return errors.New("--key needs --hub: a hub that is started for the demo asks for none")
	}
	return nil
}

func main() {
	var o options
	flag.StringVar(&o.home, "home", "", "the `directory` to keep everything in; a temporary one when empty")
	flag.StringVar(&o.hub, "hub", "", "the `address` of a running hub of this machine to fill; one is started when empty")
	flag.StringVar(&o.key, "key", "", "an operator's `key`, where that hub asks for one")
	flag.BoolVar(&o.keep, "keep", false, "leave a temporary directory behind")
	flag.BoolVar(&o.still, "still", false, "fill the hub, say on one line what is in it, and end")
	flag.BoolVar(&o.hold, "hold", false, "after --still, keep those present who are, and change nothing, until Ctrl-C")
	flag.Uint64Var(&o.seed, "seed", 1, "the `number` that decides what is left to chance")
	flag.IntVar(&o.agents, "agents", 0, "have at least so many agents, and mail for them")
	flag.Int64Var(&o.events, "events", 0, "have at least so many events in the log")
	flag.DurationVar(&o.pace, "pace", time.Second, "the `time` between two things that somebody does")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "demo: unexpected argument %q; see --help\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run is the whole demo. To be interrupted is a good end.
func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	home, err := openHome(o)
	if err != nil {
		return err
	}
	defer func() { err = home.leave(err) }()
	asked := ctx
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	defer func() { err = verdict(asked, ctx, err) }()
	if o.hub == "" {
		fmt.Fprintln(progress, "Building and starting a hub …")
		hub, err := startHub(ctx, home.path, progress, lose)
		if err != nil {
			return err
		}
		defer hub.stop()
		o.hub = hub.url
	}
	d, err := newDemo(o, home.path)
	if err != nil {
		return err
	}
	defer d.close()
	return d.run(ctx, out, progress)
}

// verdict is how it ended: well if the demo was asked to end, whatever went wrong
// because of that; and if the hub was lost, that is why.
func verdict(asked, ctx context.Context, err error) error {
	if asked.Err() != nil {
		return nil
	}
	return cmp.Or(context.Cause(ctx), err)
}

// run fills the hub and goes on as the options say.
func (d *demo) run(ctx context.Context, out, progress io.Writer) (err error) {
	fmt.Fprintln(progress, "Filling it. Some of it must grow old first, which takes a few seconds …")
	if err := d.fill(ctx); err != nil {
		return fmt.Errorf("fill %s: %w", d.hub.url, err)
	}
	if d.still && !d.hold {
		return json.NewEncoder(out).Encode(d.summary())
	}
	defer func() { err = errors.Join(err, d.restore(ctx)) }()
	if d.still {
		if err := json.NewEncoder(out).Encode(d.summary()); err != nil {
			return err
		}
		return d.stay(ctx)
	}
	fmt.Fprintf(out, "\n  Look around:  %s\n  The API:      %s/api/v1/docs\n  To stop:      Ctrl-C\n\n", d.hub.url, d.hub.url)
	tick := time.NewTicker(d.pace)
	defer tick.Stop()
	return d.work(ctx, tick.C, progress)
}

// A summary says what is in the hub, for programs that look at it.
type summary struct {
	Hub      string            `json:"hub"`
	Home     string            `json:"home"`
	Seed     uint64            `json:"seed"`
	Agents   []agentSummary    `json:"agents"`
	Projects map[string]string `json:"projects"` // their directories
	IDs      map[string]string `json:"ids"`      // what the story made, by the names it has there
}

type agentSummary struct {
	ID       string `json:"agent_id"`
	Role     string `json:"role"`
	Presence string `json:"presence"`
	Key      string `json:"api_key"`
}

func (d *demo) summary() summary {
	s := summary{d.hub.url, d.home, d.seed, nil, d.roots, d.ids}
	for _, a := range d.team.Agents {
		s.Agents = append(s.Agents, agentSummary{a.ID, a.Role, a.Presence, d.keys[a.ID]})
	}
	return s
}
