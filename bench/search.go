package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"nexus/search"
	"nexus/search/embed"
	"nexus/store"
)

func searchBenchmarks() []benchmark {
	return []benchmark{
		{"search by words and meaning over 10^5 messages, p50; by words alone", "≤ 2×", func() (result, error) { return searching("hybrid", "fts") }},
		{"search by meaning alone over 10^5 messages, p50; by words alone", "–", func() (result, error) { return searching("semantic", "fts") }},
		{"search by words over 10^5 messages, p50; a bare FTS5 query", "–", searchingBare},
		{"message_create, 64 callers, while it is indexed; without", "≥ 0.9", sendingIndexed},
		{"indexing; vectors of texts of 60 words", "–", indexing},
	}
}

// library is a hub with much to find, made once.
var library = sync.OnceValues(func() (*reading, error) {
	h, err := newHub()
	if err != nil {
		return nil, err
	}
	if err := h.register(benchAgents); err != nil {
		return nil, err
	}
	r := &reading{hub: h, search: h.searcher()}
	const letters, callers = 100_000, 64
	var all sync.WaitGroup
	failures := make(chan error, callers)
	for c := range callers {
		all.Go(func() {
			words := newProse(uint64(c))
			for i := c; i < letters; i += callers {
				p := h.message(i, benchAgents)
				p.Subject, p.Body = words.text(4), words.text(60)
				if _, err := h.bus.Send(context.Background(), p); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	select {
	case err := <-failures:
		return nil, err
	default:
	}
	began := time.Now()
	if err := r.search.Finish(context.Background(), nil); err != nil {
		return nil, err
	}
	r.rate = letters / time.Since(began).Seconds()
	return r, nil
})

// A reading is a hub that is searched.
type reading struct {
	*hub
	search *search.Service
	rate   float64 // documents indexed a second
}

func (h *hub) searcher() *search.Service {
	return search.New(search.Config{Store: store.Of[search.Tx]{DB: h.db}, Now: time.Now, NewID: newID})
}

// prose is made-up text whose words are as frequent as those of a language.
type prose struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

const proseWords = 30_000

func newProse(seed uint64) *prose {
	r := rand.New(rand.NewPCG(seed, 7))
	return &prose{r, rand.NewZipf(r, 1.1, 10, proseWords-1)}
}

// word is the n-th most frequent one: two syllables or three that mean something.
func word(n uint64) string {
	stems := []string{"build", "test", "log", "data", "work", "file", "time", "net", "key", "host", "task", "note", "mail", "sync", "lock", "page"}
	w := stems[n%16] + stems[n/16%16]
	for n /= 256; n > 0; n /= 16 {
		w += stems[n%16]
	}
	return w
}

func (p *prose) text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word(p.zipf.Uint64())
	}
	return strings.Join(words, " ")
}

// queries are of three words that are neither rare nor everywhere.
func queries(n int) []string {
	p := newProse(99)
	all := make([]string, n)
	for i := range all {
		all[i] = word(100+p.random.Uint64N(2000)) + " " + word(100+p.random.Uint64N(2000)) + " " + word(100+p.random.Uint64N(2000))
	}
	return all
}

const benchQueries = 60

func searching(mode, base string) (result, error) {
	r, err := library()
	if err != nil {
		return result{}, err
	}
	ours, err := r.p50(mode)
	if err != nil {
		return result{}, err
	}
	than, err := r.p50(base)
	return times(ours, than), err
}

// p50 is how long a search takes.
func (r *reading) p50(mode string) (time.Duration, error) {
	if _, err := r.search.Find(context.Background(), search.FindParams{Query: "build", Mode: mode}); err != nil { // the first reads the vectors
		return 0, err
	}
	return middle(queries(benchQueries), func(q string) error {
		_, err := r.search.Find(context.Background(), search.FindParams{Query: q, Mode: mode})
		return err
	})
}

func middle(queries []string, find func(q string) error) (time.Duration, error) {
	var took []time.Duration
	for _, q := range queries {
		began := time.Now()
		if err := find(q); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// searchingBare compares with the best twenty as FTS5 itself finds them, without
// their texts.
func searchingBare() (result, error) {
	r, err := library()
	if err != nil {
		return result{}, err
	}
	ours, err := r.p50("fts")
	if err != nil {
		return result{}, err
	}
	conn, err := sqlite.OpenConn(filepath.Join(r.dir, "nexus.db"), sqlite.OpenReadOnly)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = conn.Close() }()
	bare, err := middle(queries(benchQueries), func(q string) error {
		return sqlitex.Execute(conn, `SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rank LIMIT 20`,
			&sqlitex.ExecOptions{Args: []any{strings.Join(strings.Fields(q), " OR ")}, ResultFunc: func(*sqlite.Stmt) error { return nil }})
	})
	return times(ours, bare), err
}

// sendingIndexed compares sending beside an indexer with sending alone, in turns
// on two hubs, so that both see the same machine.
func sendingIndexed() (result, error) {
	var total [2]float64
	for range 3 {
		for i, indexed := range []bool{true, false} {
			r, err := withHub(benchAgents, func(h *hub) (result, error) {
				ctx, stop := context.WithCancel(context.Background())
				done := make(chan error, 1)
				if indexed {
					go func() { done <- h.searcher().Run(ctx) }()
				} else {
					done <- nil
				}
				words := newProse(5).text(200)
				n, err := rate(64, *duration/2, func(i int) error {
					p := h.message(i, benchAgents)
					from := i % 40 * 10
					p.Body = words[from : from+400]
					_, err := h.bus.Send(context.Background(), p)
					return err
				})
				stop()
				<-done
				return result{ours: n}, err
			})
			if err != nil {
				return result{}, err
			}
			total[i] += r.ours
		}
	}
	return rates(total[0]/3, total[1]/3), nil
}

func indexing() (result, error) {
	r, err := library()
	if err != nil {
		return result{}, err
	}
	text := newProse(1).text(60)
	n, err := rate(1, time.Second, func(int) error {
		embed.Text(text)
		return nil
	})
	return result{figure: fmt.Sprintf("%.0f messages/s; %.0f texts/s", r.rate, n)}, err
}
