package embed

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed fold.txt
var foldText string

// folds says what characters become, so that nobody needs a library for Unicode's
// normal forms: é is e, and an accent by itself is nothing.
var folds = sync.OnceValue(func() map[rune]string {
	all := make(map[rune]string, 3_000)
	for line := range strings.Lines(foldText) {
		codes := strings.Fields(line)
		if len(codes) == 0 {
			continue
		}
		var to []rune
		for _, code := range codes[1:] {
			to = append(to, hexRune(code))
		}
		all[hexRune(codes[0])] = string(to)
	}
	return all
})

func hexRune(code string) rune {
	n, _ := strconv.ParseInt(code, 16, 32) // the file is ours
	return rune(n)
}

// Fold appends what is left of a character without accents and case: usually
// one, sometimes several, sometimes nothing.
func Fold(to []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(to, byte(r))
	}
	if f, ok := folds()[r]; ok {
		return append(to, f...)
	}
	if firstHangul <= r && r <= lastHangul {
		return appendHangul(to, r-firstHangul)
	}
	return utf8.AppendRune(to, unicode.ToLower(r))
}

const firstHangul, lastHangul = 0xAC00, 0xD7A3

// appendHangul takes a syllable apart into its letters.
func appendHangul(to []byte, n rune) []byte {
	to = utf8.AppendRune(to, 0x1100+n/588)
	to = utf8.AppendRune(to, 0x1161+n%588/28)
	if n%28 > 0 {
		to = utf8.AppendRune(to, 0x11A7+n%28)
	}
	return to
}

// asciiFold is what the cutter sees of the first characters: small letters, a
// space for all that is blank, -1 for what is dropped.
var asciiFold = func() (t [utf8.RuneSelf]rune) {
	for r := range t {
		c := rune(r)
		switch {
		case c == '\t' || c == '\n' || c == '\r' || c == ' ':
			c = ' '
		case c < ' ' || c == 0x7F:
			c = -1
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		t[r] = c
	}
	return t
}()

// dropped tells whether a character is passed over as if it were not there.
func dropped(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.IsPunct(r)
}

// Ideograph tells whether a character is a word of its own.
func Ideograph(r rune) bool {
	return r >= 0x3400 && (r <= 0x4DBF || 0x4E00 <= r && r <= 0x9FFF || 0xF900 <= r && r <= 0xFAFF ||
		0x20000 <= r && r <= 0x2A6DF || 0x2A700 <= r && r <= 0x2B73F || 0x2B740 <= r && r <= 0x2B81F ||
		0x2B920 <= r && r <= 0x2CEAF || 0x2F800 <= r && r <= 0x2FA1F)
}
