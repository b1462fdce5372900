package search

import (
	"strings"
	"unicode/utf8"
)

// Long texts are searched in pieces of this many bytes, each of which begins
// with the end of the one before, so that nothing is lost where they are cut.
const (
	chunkSize    = 1200
	chunkOverlap = 200
	// mostChunks is how many pieces of a document are searched; see [ChunkNo].
	mostChunks = 4096
)

// A Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// chunks cuts a text into pieces: at the last empty line, else at the last end
// of a line, if that leaves most of the piece, else between two words. A text
// without anything in it is one empty piece: it may have a title.
func chunks(text string) []Span {
	spans := []Span{}
	for start := 0; len(spans) < mostChunks; {
		if len(text)-start <= chunkSize {
			return append(spans, Span{start, len(text)})
		}
		end := start + cut(text[start:start+chunkSize])
		spans = append(spans, Span{start, end})
		start = wordStart(text, end-chunkOverlap, end)
	}
	return spans
}

// cut is where a piece that is as long as it may be ends best.
func cut(piece string) int {
	least := len(piece) * 6 / 10
	for _, at := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(piece, at); i >= least {
			return i + len(at)
		}
	}
	end := len(piece)
	for end > 0 && end > len(piece)-utf8.UTFMax && !utf8.RuneStart(piece[end-1]) {
		end--
	}
	return max(1, end-1) // the last character may not be whole
}

// wordStart is the beginning of a word at or after a place, else of a character;
// it does not go beyond end.
func wordStart(text string, at, end int) int {
	if i := strings.IndexAny(text[at:end], " \n"); i >= 0 && at+i+1 < end {
		return at + i + 1
	}
	for at < end && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
