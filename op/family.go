package op

import (
	"bytes"
	"encoding/json"

	"nexus"
)

// A Family decides how an operation's answer looks: its envelope, its text
// block, and the names of its errors.
type Family string

// The families. The bus wraps everything in {ok,data} or {ok,error} and calls
// no answer a protocol error; topics answer their fields directly.
const (
	Bus    Family = "bus"
	Topics Family = "topics"
)

// An Answer is an operation's outcome in the form its family gives it.
type Answer struct {
	Code    nexus.Code // "" when it went well
	Body    []byte     // the JSON document
	IsError bool       // whether MCP marks the result as an error
}

// failure is how an error looks inside an envelope.
type failure struct {
	Code    nexus.Code     `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// Answer puts an outcome into the envelope of the family.
func (f Family) Answer(data any, err error) Answer {
	if err != nil {
		return f.failure(nexus.AsError(err))
	}
	body, merr := Marshal(data)
	if merr != nil {
		return f.failure(nexus.AsError(merr))
	}
	if f == Topics {
		return Answer{Body: body}
	}
	if bytes.Equal(body, []byte("null")) {
		body = []byte("{}")
	}
	return Answer{Body: wrap(`{"ok":true,"data":`, body)}
}

func (f Family) failure(e *nexus.Error) Answer {
	body, err := Marshal(failure{e.Code, e.Msg, e.Details})
	if err != nil { // a detail that is no JSON; the code and the words still count
		body, _ = Marshal(failure{e.Code, e.Msg, nil})
	}
	if f == Topics {
		return Answer{Code: e.Code, Body: wrap(`{"error":`, body), IsError: true}
	}
	return Answer{Code: e.Code, Body: wrap(`{"ok":false,"error":`, body)}
}

func wrap(open string, body []byte) []byte {
	out := make([]byte, 0, len(open)+len(body)+1)
	out = append(out, open...)
	out = append(out, body...)
	return append(out, '}')
}

// Marshal writes JSON the way every face does: without escaping for HTML, since
// what we write is read by programs and models.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
