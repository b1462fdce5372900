package search

import (
	"unicode"
	"unicode/utf8"

	"nexus/search/embed"
)

// longestWord is how many characters of a word count: enough to tell hashes
// apart, and little enough for every database to keep it.
const longestWord = 64

// eachWord calls each for the words of a text, folded to small letters without
// accents, and the bytes where each stands. Whatever is no letter, digit or mark
// divides words; an ideograph is a word of its own. Both databases get these
// words and add nothing of their own, so that they find the same.
func eachWord(text string, each func(word string, start, end int)) {
	var word []byte
	size, start := 0, 0
	flush := func(end int) {
		if len(word) > 0 {
			each(string(word), start, end)
		}
		word, size = word[:0], 0
	}
	for at, r := range text {
		switch {
		case !inWord(r):
			flush(at)
			continue
		case embed.Ideograph(r):
			flush(at)
			start = at
			word = appendFolded(word, r)
			flush(at + utf8.RuneLen(r))
			continue
		case size == 0:
			start = at
		}
		if size++; size <= longestWord {
			word = appendFolded(word, r)
		}
	}
	flush(len(text))
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// appendFolded leaves out what a fold may make that is no part of a word.
func appendFolded(to []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return embed.Fold(to, r)
	}
	var room [16]byte
	for _, f := range string(embed.Fold(room[:0], r)) {
		if inWord(f) {
			to = utf8.AppendRune(to, f)
		}
	}
	return to
}

// Words are the words of a text in their order.
func Words(text string) []string {
	var all []string
	eachWord(text, func(word string, _, _ int) { all = append(all, word) })
	return all
}
