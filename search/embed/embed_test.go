package embed

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

func readJSON(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func ids(text string) []int32 {
	all := []int32{}
	pieces(text, func(id int32) { all = append(all, id) })
	return all
}

func cosine(a, b Vector) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestTable(t *testing.T) {
	header := []byte(table[:headerSize])
	got := []uint32{}
	for at := 4; at < headerSize; at += 4 {
		got = append(got, binary.LittleEndian.Uint32(header[at:]))
	}
	if want := []uint32{1, rowCount, Dims, 8, 0}; string(header[:4]) != "WPET" || !slices.Equal(got, want) {
		t.Errorf("header %q %v, want %v", header[:4], got, want)
	}
	if got, want := len(table), rowsAt+rowCount*Dims; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if got := strings.Count(vocabText, "\n"); got != rowCount {
		t.Errorf("%d words for %d rows", got, rowCount)
	}
}

func TestGolden(t *testing.T) {
	var golden struct {
		Tolerance float64
		Items     []struct {
			Text   string
			IDs    []int32
			Vector []float64
		}
		Pairs []struct {
			A, B   string
			Cosine float64
		}
	}
	readJSON(t, "golden.json", &golden)
	for _, item := range golden.Items {
		if got := ids(item.Text); !slices.Equal(got, item.IDs) {
			t.Errorf("%q: pieces %v, want %v", item.Text, got, item.IDs)
		}
		got := Text(item.Text)
		for i, want := range item.Vector {
			if math.Abs(float64(got[i])-want) > golden.Tolerance {
				t.Errorf("%q: value %d is %v, want %v", item.Text, i, got[i], want)
				break
			}
		}
	}
	for _, p := range golden.Pairs {
		if got := cosine(Text(p.A), Text(p.B)); math.Abs(got-p.Cosine) > 2*golden.Tolerance {
			t.Errorf("%q and %q: %v, want %v", p.A, p.B, got, p.Cosine)
		}
	}
}

func TestPieces(t *testing.T) {
	tests := []struct {
		name, text, same string
	}{
		{"case and accents do not matter", "Café NAÏVE", "cafe naive"},
		{"a combining accent is none", "cafe\u0301", "cafe"},
		{"blanks are alike", "a\tb\r\nc\u00a0d", "a b c d"},
		{"control characters vanish", "con\x00fig\u200b", "config"},
		{"broken text vanishes", "con\xfffig", "config"},
		{"punctuation stands alone", "a.b", "a . b"},
		{"special names have no meaning", "[UNK]", "[ unk ]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := ids(tt.text), ids(tt.same); !slices.Equal(got, want) || len(got) == 0 {
				t.Errorf("got %v, want %v as of %q", got, want, tt.same)
			}
		})
	}
	if got := ids(strings.Repeat("a", longestWord+1)); !slices.Equal(got, []int32{0}) {
		t.Errorf("a word that is too long: %v, want one that is not known", got)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "the build failed", "Ünïcödé ", "日本語テキスト 한국어", "\xff\x00\u0301", strings.Repeat("x", 300), "İstanbul ﬁ ₂"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pieces(text, func(id int32) {
			if id < 0 || id >= rowCount {
				t.Fatalf("piece %d of %q", id, text)
			}
		})
		v := Text(text)
		if length := cosine(v, v); length != 0 && math.Abs(length-1) > 1e-3 {
			t.Errorf("the vector of %q has length %v", text, length)
		}
	})
}

// A text of the length of most messages.
const letter = `The build on the release branch has been red since last night: the migration test times out on
PostgreSQL when two nodes start at once. I looked at the locks and think that we take them in the wrong order.
Please check the patch in store/migrate.go before noon; if it is not right, revert it and tell me in this thread.`

func BenchmarkText(b *testing.B) {
	words()
	b.SetBytes(int64(len(letter)))
	for b.Loop() {
		Text(letter)
	}
}

func BenchmarkPieces(b *testing.B) {
	words()
	b.SetBytes(int64(len(letter)))
	for b.Loop() {
		pieces(letter, func(int32) {})
	}
}
