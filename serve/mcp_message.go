package serve

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// The codes of JSON-RPC and of MCP for what is wrong with a message itself.
// What is wrong with a call is said inside its result.
const (
	mcpParseError       = -32700
	mcpInvalidRequest   = -32600
	mcpMethodNotFound   = -32601
	mcpInvalidParams    = -32602
	mcpInternalError    = -32603
	mcpResourceNotFound = -32002 // before 2026-07-28; since then mcpInvalidParams
	mcpBadVersion       = -32022
)

// A fault is a JSON-RPC error.
type fault struct {
	code int
	msg  string
	data []byte // JSON, or nil
}

type messageKind uint8

const (
	requestMessage messageKind = iota
	notificationMessage
	responseMessage
)

// A message is one JSON-RPC envelope. Its fields point into the bytes it was
// read from. The id stays as it came: a client that counts beyond 2^53 gets its
// own number back.
type message struct {
	kind   messageKind
	id     []byte // nil when there is none, or none that may be echoed
	method string
	params []byte // an object, or nil
	extra  bool   // it has members that JSON-RPC does not know
}

// checkJSON refuses what is no JSON text. Bytes that are not UTF-8 must stop
// here: the decoders behind would replace them without a word.
func checkJSON(raw []byte) *fault {
	if !utf8.Valid(raw) {
		return &fault{code: mcpParseError, msg: "The message is not UTF-8."}
	}
	if !json.Valid(raw) {
		return &fault{code: mcpParseError, msg: "The message is not valid JSON."}
	}
	return nil
}

// parseMessage reads an envelope out of valid JSON. Names count only in their
// exact case. With a fault, the message still holds the id to answer to.
func parseMessage(raw []byte) (message, *fault) {
	var m message
	if raw[0] != '{' {
		return m, invalidRequest("A message must be a JSON object.")
	}
	var version, hasMethod, hasID, hasOutcome bool
	var method []byte
	for key, value := range members(raw) {
		switch string(key) {
		case "jsonrpc":
			version = string(value) == `"2.0"`
		case "id":
			m.id, hasID = value, true
		case "method":
			method, hasMethod = value, true
		case "params":
			m.params = value
		case "result", "error":
			hasOutcome = true
		default:
			m.extra = true
		}
	}
	if hasOutcome && !hasMethod {
		m.kind = responseMessage
		return m, nil
	}
	if hasID && !echoable(m.id) {
		m.id = nil
		return m, invalidRequest("The id must be a string or an integer.")
	}
	if !hasID {
		m.kind = notificationMessage
	}
	switch {
	case !version:
		return m, invalidRequest(`The message must say "jsonrpc":"2.0".`)
	case !hasMethod || method[0] != '"':
		return m, invalidRequest("The message has no method.")
	}
	m.method = unquoted(method)
	return m, m.checkParams()
}

// checkParams holds params to be an object or absent. Null counts as absent. A
// notification is never answered, so nothing is wrong with its params.
func (m *message) checkParams() *fault {
	if len(m.params) == 0 || m.params[0] == '{' {
		return nil
	}
	null := string(m.params) == "null"
	m.params = nil
	if null || m.kind == notificationMessage {
		return nil
	}
	return &fault{code: mcpInvalidParams, msg: "The params must be a JSON object."}
}

func invalidRequest(msg string) *fault { return &fault{code: mcpInvalidRequest, msg: msg} }

// echoable tells whether an id is a string or an integer.
func echoable(id []byte) bool {
	switch c := id[0]; {
	case c == '"':
		return true
	case c == '-' || c >= '0' && c <= '9':
		return !bytes.ContainsAny(id, ".eE")
	}
	return false
}

// members walks over an object that is known to be valid JSON. Keys come
// decoded, values as they are written.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		i := skipSpace(object, 1)
		for object[i] != '}' {
			end := skipString(object, i)
			key := object[i:end]
			i = skipSpace(object, skipSpace(object, end)+1) // over the colon
			end = skipValue(object, i)
			if !yield(unquotedBytes(key), object[i:end]) {
				return
			}
			if i = skipSpace(object, end); object[i] == ',' {
				i = skipSpace(object, i+1)
			}
		}
	}
}

// elements walks over an array that is known to be valid JSON.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		i := skipSpace(array, 1)
		for array[i] != ']' {
			end := skipValue(array, i)
			if !yield(array[i:end]) {
				return
			}
			if i = skipSpace(array, end); array[i] == ',' {
				i = skipSpace(array, i+1)
			}
		}
	}
}

func skipSpace(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// skipString returns the end of the string that starts at i.
func skipString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns the end of the value that starts at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
		default:
			for i < len(b) && !delimits(b[i]) {
				i++
			}
		}
		if depth == 0 {
			break
		}
	}
	return i
}

// delimits tells whether a byte ends a number, true, false or null.
func delimits(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// unquoted decodes a JSON string; what is none reads as "".
func unquoted(raw []byte) string { return string(unquotedBytes(raw)) }

func unquotedBytes(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return []byte(s)
}

// appendQuoted appends a JSON string that holds b, which must be UTF-8.
func appendQuoted[T string | []byte](to []byte, b T) []byte {
	const hex = "0123456789abcdef"
	to = append(to, '"')
	start := 0
	for i := range len(b) {
		c := b[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, b[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, '\\', 'n')
		default:
			to = append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	to = append(to, b[start:]...)
	return append(to, '"')
}
