package op

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"nexus"
)

// object reads the top level of the arguments. Nothing at all counts as {}.
func object(name string, raw json.RawMessage) (map[string]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if isNull(raw) {
		return nil, nil
	}
	inner, err := unwrap(name, raw)
	if err != nil {
		return nil, err
	}
	if isNull(inner) {
		return nil, nil
	}
	if inner[0] != '{' {
		return nil, nexus.Invalid(name, "The %s must be a JSON object, not %s.", name, shown(raw))
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(inner, &args); err != nil {
		return nil, nexus.Invalid(name, "The %s are not valid JSON.", name)
	}
	return args, nil
}

// unwrap looks into a string for the JSON it may hold.
func unwrap(name string, raw json.RawMessage) (json.RawMessage, error) {
	if err := checkText(name, raw); err != nil {
		return nil, err
	}
	if raw[0] != '"' {
		return raw, nil
	}
	s, err := text(name, raw)
	if err != nil {
		return nil, err
	}
	inner := bytes.TrimSpace([]byte(s))
	if len(inner) == 0 || !json.Valid(inner) {
		return nil, nexus.Invalid(name, "%s is a string that holds no JSON: %s.", name, shown(raw))
	}
	return inner, checkText(name, inner)
}

// text reads a JSON string that is whole: valid UTF-8 without half surrogates.
func text(name string, raw json.RawMessage) (string, error) {
	if raw[0] != '"' {
		return "", nexus.Invalid(name, "%s must be a string, not %s.", name, shown(raw))
	}
	if err := checkText(name, raw); err != nil {
		return "", err
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", nexus.Invalid(name, "%s is not a valid JSON string.", name)
	}
	return s, nil
}

// checkText refuses what the JSON decoder would silently replace.
func checkText(name string, raw []byte) error {
	if !utf8.Valid(raw) {
		return nexus.Invalid(name, "%s holds bytes that are not UTF-8.", name)
	}
	if halfSurrogate(raw) {
		return nexus.Invalid(name, "%s holds half of a surrogate pair.", name)
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

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}

// shown is a value as an error message may repeat it.
func shown(raw json.RawMessage) string {
	const most = 40
	if len(raw) <= most {
		return string(raw)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(raw[cut]) {
		cut--
	}
	return string(raw[:cut]) + "…"
}

// maxDepth is how deep JSON may nest that is kept and shown to others: deeper
// than anybody means, and shallow enough for every client's parser.
const maxDepth = 200

// checkDepth refuses JSON that nests too deeply.
func checkDepth(name string, raw []byte) error {
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
				return nexus.Invalid(name, "%s nests more than %d levels deep.", name, maxDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// blankString tells whether raw is a string with nothing in it.
func blankString(raw json.RawMessage) (blank, ok bool) {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return false, false
	}
	return strings.TrimSpace(s) == "", true
}
