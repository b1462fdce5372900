package nexus

import "encoding/json"

// JSON is an argument or answer of any shape, kept as the bytes it came in.
type JSON = json.RawMessage

// Object is an argument that must be a JSON object. Sloppy clients send it as
// a string that holds one; that is accepted.
type Object json.RawMessage

// MarshalJSON writes the object as it came; nothing is null.
func (o Object) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("null"), nil
	}
	return o, nil
}

// UnmarshalJSON keeps the bytes.
func (o *Object) UnmarshalJSON(b []byte) error {
	*o = append((*o)[:0], b...)
	return nil
}

// OneOrMore is a list of strings for which a single string is accepted too.
type OneOrMore []string
