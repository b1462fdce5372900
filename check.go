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

// CheckJSON refuses valid JSON that not every client's parser can read: what nests
// too deeply, and numbers beyond 64 bits.
func CheckJSON(name string, raw []byte) error {
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
		case c == '-' || isDigit(c):
			number, whole := numberAt(raw[i:])
			if !fits64(number, whole) {
				return Invalid(name, "%s holds a number that does not fit into 64 bits: %.40s. Send it as a string.", name, number)
			}
			i += len(number) - 1
		}
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numberAt is the number that raw begins with, and whether it has neither fraction
// nor exponent.
func numberAt(raw []byte) (number []byte, whole bool) {
	whole = true
	for end := 1; end < len(raw); end++ {
		switch c := raw[end]; {
		case isDigit(c):
		case c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-':
			whole = false
		default:
			return raw[:end], whole
		}
	}
	return raw, whole
}

// fits64 tells whether a number is an int64, a uint64, or where it is not whole a
// finite float64.
func fits64(number []byte, whole bool) bool {
	const neverTooLong = 19 // sign and digits; nearly all numbers are short
	switch {
	case !whole:
		_, err := strconv.ParseFloat(string(number), 64)
		return err == nil
	case len(number) <= neverTooLong:
		return true
	}
	_, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		_, err = strconv.ParseUint(string(number), 10, 64)
	}
	return err == nil
}
