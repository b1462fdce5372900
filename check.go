package nexus

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// CheckText refuses what the JSON decoder would silently replace.
func CheckText(name string, raw []byte) error {
	if !utf8.Valid(raw) {
		return Invalid(name, "%s holds bytes that are not UTF-8.", name)
	}
	if halfSurrogate(raw) {
		return Invalid(name, "%s holds half of a surrogate pair.", name)
	}
	return nil
}

// halfSurrogate finds a \uD800–\uDFFF escape that is no part of a pair.
func halfSurrogate(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return false
		}
		r, ok := unicodeEscape(raw[i:])
		if !ok || r < 0xD800 || r > 0xDFFF {
			raw = raw[i+2:]
			continue
		}
		low, ok := unicodeEscape(raw[i+6:])
		if r >= 0xDC00 || !ok || low < 0xDC00 || low > 0xDFFF {
			return true
		}
		raw = raw[i+12:]
	}
}

func unicodeEscape(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(n), err == nil
}

// maxDepth is how deep JSON may nest that is kept and shown to others: deeper
// than anybody means, and shallow enough for every client's parser.
const maxDepth = 200

// CheckDepth refuses JSON that nests too deeply.
func CheckDepth(name string, raw []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return Invalid(name, "%s nests more than %d levels deep.", name, maxDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}
