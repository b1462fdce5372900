package search_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nexus/search"
)

const fakeDims = 4099

// A fakeEmbedder is a model elsewhere: each word is a direction of its own.
type fakeEmbedder struct {
	name string
	down atomic.Bool
	busy chan struct{} // closed when it may answer; nil for at once
	asks atomic.Int64
}

func (f *fakeEmbedder) Name() string { return f.name }

func (f *fakeEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	f.asks.Add(1)
	if f.down.Load() {
		return nil, errors.New("connection refused")
	}
	if f.busy != nil {
		select {
		case <-f.busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, fakeDims)
		for _, w := range search.Words(text) {
			h := fnv.New32()
			_, _ = h.Write([]byte(w))
			vectors[i][h.Sum32()%fakeDims]++
		}
	}
	return vectors, nil
}

func (k *kit) letters(n int) (ids []string) {
	for i := range n {
		ids = append(ids, k.send("ada", "bob", "Letter", fmt.Sprintf("This is letter number%d about the disk.", i)))
	}
	return ids
}

func (k *kit) finish() {
	k.t.Helper()
	if err := k.search.Finish(k.t.Context(), nil); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) serves() string {
	k.t.Helper()
	s, err := k.search.Status(k.t.Context(), search.None{})
	if err != nil {
		k.t.Fatal(err)
	}
	var all []string
	for _, m := range s.Models {
		all = append(all, fmt.Sprintf("%s %d %v %v", m.Name, m.Dims, m.Serves, m.Complete))
	}
	return strings.Join(all, ", ")
}

var byMeaning = object{"mode": "semantic", "limit": 1}

// Another embedder makes all vectors anew; until that is done the old ones serve.
func TestOtherEmbedder(t *testing.T) {
	each(t, func(k *kit) {
		letters := k.letters(150)
		k.finds("letter number3 disk", letters[3:4], byWords, object{"limit": 1})
		far := &fakeEmbedder{name: "far", busy: make(chan struct{})}
		k.search.Use(far)
		if got := k.find("letter", byMeaning); got.Mode != "semantic" || len(got.Items) != 1 || len(got.Warnings) != 0 {
			k.t.Errorf("before the first vector: %+v", got)
		}
		close(far.busy)
		k.finish()
		if got, want := k.serves(), fmt.Sprintf("far %d true 1", fakeDims); got != want {
			k.t.Errorf("models %q, want %q", got, want)
		}
		k.finds("number3", letters[3:4], byMeaning)
		more := k.send("ada", "bob", "More", "An ostrich.")
		k.finish()
		k.finds("more ostrich an", []string{more}, byMeaning)
		k.search.Use(nil)
		k.finish()
		if got, want := k.serves(), "builtin-wordpiece-128 128 true 1"; got != want {
			k.t.Errorf("back again: models %q, want %q", got, want)
		}
	})
}

// An embedder that does not answer costs the meaning and not the search.
func TestEmbedderDown(t *testing.T) {
	each(t, func(k *kit) {
		far := &fakeEmbedder{name: "far"}
		far.down.Store(true)
		k.search.Use(far)
		id := k.send("ada", "bob", "One", "A pelican.")
		got := k.find("pelican")
		if len(got.Items) != 1 || got.Mode != "fts" || len(got.Warnings) != 1 || got.Warnings[0].Code != "WORDS_ONLY" {
			k.t.Errorf("from the start: %+v", got)
		}
		k.finish()
		if asks := far.asks.Load(); asks != 1 {
			k.t.Errorf("asked %d times, want once, and then not for a while", asks)
		}
		if s := k.call("search_status", nil); s["trouble"] == nil || s["embedder"] != "far" {
			k.t.Errorf("status %v", s)
		}
		far.down.Store(false)
		k.pass(time.Minute)
		k.finish()
		k.finds("a pelican", []string{id}, byMeaning)
		far.down.Store(true)
		got = k.find("pelican", byMeaning)
		if len(got.Items) != 1 || len(got.Warnings) != 1 || got.Warnings[0].Code != "WORDS_ONLY" {
			k.t.Errorf("while it is down: %+v", got)
		}
	})
}

// A slow embedder keeps nobody from finding words.
func TestEmbedderSlow(t *testing.T) {
	each(t, func(k *kit) {
		far := &fakeEmbedder{name: "far", busy: make(chan struct{})}
		k.search.Use(far)
		k.letters(3)
		ctx, stop := context.WithCancel(k.t.Context())
		done := make(chan error)
		go func() { done <- k.search.Run(ctx) }()
		for far.asks.Load() == 0 {
			ready, unwatch := k.db.Watch(search.ChangedKey)
			if far.asks.Load() == 0 {
				select {
				case <-ready:
				case <-time.After(10 * time.Millisecond):
				}
			}
			unwatch()
		}
		id := k.send("ada", "bob", "One", "A cormorant.")
		k.finds("cormorant", []string{id}, byWords)
		stop()
		close(far.busy)
		if err := <-done; err != nil {
			k.t.Error(err)
		}
	})
}

// Another process that has no such embedder searches by words, and says so.
func TestEmbedderElsewhere(t *testing.T) {
	each(t, func(k *kit) {
		k.search.Use(&fakeEmbedder{name: "far"})
		k.letters(2)
		k.find("letter")
		k.finish()
		other := k.service(k.db)
		got, err := other.Find(k.t.Context(), search.FindParams{Query: "number1"})
		if err != nil || got.Mode != "fts" || len(got.Items) != 1 || len(got.Warnings) != 1 {
			k.t.Errorf("%+v, %v", got, err)
		}
	})
}
