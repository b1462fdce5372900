package op

import (
	"bytes"
	"encoding/json"
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
	if err := nexus.CheckText(name, raw); err != nil {
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
	return inner, nexus.CheckText(name, inner)
}

// text reads a JSON string that is whole: valid UTF-8 without half surrogates.
func text(name string, raw json.RawMessage) (string, error) {
	if raw[0] != '"' {
		return "", nexus.Invalid(name, "%s must be a string, not %s.", name, shown(raw))
	}
	if err := nexus.CheckText(name, raw); err != nil {
		return "", err
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", nexus.Invalid(name, "%s is not a valid JSON string.", name)
	}
	return s, nil
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

// blankString tells whether raw is a string with nothing in it.
func blankString(raw json.RawMessage) (blank, ok bool) {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return false, false
	}
	return strings.TrimSpace(s) == "", true
}
