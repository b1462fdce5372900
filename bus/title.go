package bus

import (
	"encoding/json"
	"strings"
)

// titleLength is how many characters a title has at most.
const titleLength = 120

// Title is what a piece of work or a message is called where one line must do:
// the title that a JSON object gives itself, or else the first line of the text.
// It is "" where there is nothing to read.
func Title(text string) string {
	text = strings.TrimSpace(text)
	if named := ownTitle(text); named != "" {
		text = named
	}
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if short := first(line, titleLength); short != line {
		return first(line, titleLength-1) + "…"
	}
	return line
}

// ownTitle is how a JSON object calls itself, "" for one that does not and for
// what is none.
func ownTitle(text string) string {
	var fields map[string]json.RawMessage
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &fields) != nil {
		return ""
	}
	for _, name := range []string{"title", "summary", "task", "name"} {
		var value string
		if json.Unmarshal(fields[name], &value) == nil && strings.TrimSpace(value) != "" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
