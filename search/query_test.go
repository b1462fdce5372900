package search

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func term(words ...string) Term { return Term{Words: words} }

func TestParseQuery(t *testing.T) {
	tests := []struct {
		name, text string
		want       Query
	}{
		{"words", "Red  Bíke", Query{Text: "Red  Bíke", Terms: []Term{term("red"), term("bike")}}},
		{"a phrase is wanted as it stands", `the "red bike"`, Query{
			Text: "the red bike", Terms: []Term{term("the"), term("red", "bike")}, Must: []Term{term("red", "bike")},
		}},
		{"a word of several is one term", "message.created", Query{Text: "message.created", Terms: []Term{term("message", "created")}}},
		{"not", `-red -"blue car" bike`, Query{
			Text: "bike", Terms: []Term{term("bike")}, Not: []Term{term("red"), term("blue", "car")},
		}},
		{"the beginning of a word", "conf*", Query{Text: "conf*", Terms: []Term{{[]string{"conf"}, true}}}},
		{"filters", `from:ada in:"my project" type:Topic-Post before:2026-01-02 after:7d x`, Query{
			Text: "x", Terms: []Term{term("x")}, From: []string{"ada"}, In: []string{"my project"}, Kinds: []string{KindTopicPost},
			Before: "2026-01-02T00:00:00.000000Z", After: "2026-04-27T12:00:00.000000Z",
		}},
		{"a filter that makes no sense is words", "before:noon", Query{
			Text: "before:noon", Terms: []Term{term("before", "noon")},
			Warnings: []string{`"noon" is no date, so it was looked for as words: write 2026-01-31, a time of RFC 3339, or 7d and 12h for so long ago.`},
		}},
		{"a name alone is a word", "from:", Query{Text: "from:", Terms: []Term{term("from")}}},
		{"a quote that is not closed", `say "red bike`, Query{Text: `say "red bike`, Terms: []Term{term("say"), term("red"), term("bike")}}},
		{"operators of databases mean nothing", `a AND (b OR NEAR) ^c & !d | 'e' \f :* <->`, Query{
			Text:  `a AND (b OR NEAR) ^c & !d | 'e' \f :* <->`,
			Terms: []Term{term("a"), term("and"), term("b"), term("or"), term("near"), term("c"), term("d"), term("e"), term("f")},
		}},
		{"nothing", " - \"\" ", Query{Text: "-"}},
		{"marks alone", `"" -*`, Query{Text: `"" -*`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ParseQuery(tt.text, noon)
			got.Text, tt.want.Text = strings.Join(strings.Fields(got.Text), " "), strings.Join(strings.Fields(tt.want.Text), " ")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"a", `"`, `-"a`, "from:", "before:9999999d", "a*b*", "\xff\x00", "in:a -in:b type:x", strings.Repeat(`"a" `, 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := ParseQuery(text, noon)
		for _, term := range append(append(q.Terms, q.Must...), q.Not...) {
			if len(term.Words) == 0 {
				t.Fatalf("%q has a term without words", text)
			}
			for _, w := range term.Words {
				if w == "" || strings.ContainsAny(w, " \"'\\:*&|!()<>-\x00") || !utf8.ValidString(w) {
					t.Fatalf("%q has the word %q", text, w)
				}
			}
		}
	})
}

func TestWords(t *testing.T) {
	got := strings.Join(Words("Déjà-vu: foo_bar 日本 v1.2, ½ "+strings.Repeat("x", 100)), " ")
	if want := "deja vu foo bar 日 本 v1 2 ½ " + strings.Repeat("x", longestWord); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChunks(t *testing.T) {
	line := strings.Repeat("word ", 20) + "\n"
	tests := []struct{ name, text string }{
		{"nothing", ""},
		{"short", "short"},
		{"lines", strings.Repeat(line, 60)},
		{"paragraphs", strings.Repeat(strings.Repeat(line, 8)+"\n", 10)},
		{"no blanks", strings.Repeat("é", 5000)},
		{"no characters", strings.Repeat("\xbf", 5000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spans := chunks(tt.text)
			end := 0
			for i, s := range spans {
				if s.Start > end || s.End < s.Start || s.End-s.Start > chunkSize || i > 0 && s.End <= end {
					t.Fatalf("piece %d is %v after one that ends at %d", i, s, end)
				}
				if utf8.ValidString(tt.text) && !utf8.ValidString(tt.text[s.Start:s.End]) {
					t.Errorf("piece %d is cut within a character", i)
				}
				end = s.End
			}
			if end != len(tt.text) {
				t.Errorf("ends at %d of %d", end, len(tt.text))
			}
		})
	}
}
