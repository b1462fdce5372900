package embed

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed vocab.txt
var vocabText string

// A vocabulary finds pieces by their letters: those that begin a word, and those
// that go on with one. Its strings are parts of vocabText.
type vocabulary struct {
	starts, rest         map[string]int32
	longStart, longInner int // the most bytes of a piece
}

// words is read with the first text, in a few milliseconds.
var words = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{starts: make(map[string]int32, 30_000), rest: make(map[string]int32, 6_000)}
	id := int32(0)
	for line := range strings.Lines(vocabText) {
		piece := strings.TrimSuffix(line, "\n")
		if inner, ok := strings.CutPrefix(piece, "##"); ok {
			v.rest[inner] = id
			v.longInner = max(v.longInner, len(inner))
		} else if id > 0 { // the first row is no word
			v.starts[piece] = id
			v.longStart = max(v.longStart, len(piece))
		}
		id++
	}
	return v
})

// longestWord is how many characters a word may have and still be one.
const longestWord = 100

// pieces calls each for the number of every piece of a text, 0 for a word that
// is not known.
func pieces(text string, each func(id int32)) {
	p := cutter{words: words(), each: each}
	for _, r := range text {
		p.take(r)
	}
	p.end()
}

// A cutter collects the word that it is in.
type cutter struct {
	words *vocabulary
	each  func(id int32)
	word  []byte // folded
	size  int    // in characters
	room  [128]byte
	ids   [longestWord]int32
}

func (p *cutter) take(r rune) {
	switch {
	case r < utf8.RuneSelf:
		p.letter(asciiFold[r])
	case dropped(r):
	case unicode.IsSpace(r):
		p.end()
	case Ideograph(r):
		p.end()
		p.folded(r)
		p.end()
	default:
		p.folded(r)
	}
}

func (p *cutter) folded(r rune) {
	var room [16]byte
	for _, f := range string(Fold(room[:0], r)) {
		p.letter(f)
	}
}

// letter takes a character that is folded: a part of the word, an end of it, or
// a word of its own.
func (p *cutter) letter(r rune) {
	switch {
	case r == ' ':
		p.end()
	case r < 0: // nothing
	case punctuation(r):
		p.end()
		p.grow(r)
		p.end()
	default:
		p.grow(r)
	}
}

func (p *cutter) grow(r rune) {
	if p.word == nil {
		p.word = p.room[:0]
	}
	if p.size++; p.size <= longestWord {
		p.word = utf8.AppendRune(p.word, r)
	}
}

// end cuts the word into the longest pieces there are, from the left. If
// anything is left over, the word as a whole is unknown.
func (p *cutter) end() {
	if p.size == 0 {
		return
	}
	word, known := p.word, p.size <= longestWord
	p.word, p.size = p.word[:0], 0
	n := 0
	for at := 0; known && at < len(word); n++ {
		lookup, longest := p.words.rest, p.words.longInner
		if at == 0 {
			lookup, longest = p.words.starts, p.words.longStart
		}
		var size int
		if p.ids[n], size = longestPiece(lookup, word[at:], longest); size == 0 {
			known = false
		}
		at += size
	}
	if !known {
		p.each(0)
		return
	}
	for _, id := range p.ids[:n] {
		p.each(id)
	}
}

func longestPiece(lookup map[string]int32, word []byte, longest int) (id int32, size int) {
	for n := min(len(word), longest); n > 0; n-- {
		if n < len(word) && !utf8.RuneStart(word[n]) {
			continue
		}
		if id, ok := lookup[string(word[:n])]; ok {
			return id, n
		}
	}
	return 0, 0
}
