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
	Text    string     // what a model reads; "" for the document itself
	IsError bool       // whether MCP marks the result as an error
}

// failure is how an error looks inside an envelope.
type failure struct {
	Code    nexus.Code     `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// A texter is an answer that has a text of its own.
type texter interface{ ToolText() string }

// Answer puts an outcome into the envelope of the family.
func (f Family) Answer(data any, err error) Answer {
	if err != nil {
		return f.failure(f.own(nexus.AsError(err)))
	}
	body, merr := Marshal(data)
	if merr != nil {
		return f.failure(nexus.AsError(merr))
	}
	if f == Topics {
		a := Answer{Body: body}
		if t, ok := data.(texter); ok {
			a.Text = t.ToolText()
		}
		return a
	}
	if bytes.Equal(body, []byte("null")) {
		body = []byte("{}")
	}
	return Answer{Body: wrap(`{"ok":true,"data":`, body)}
}

// own gives an error the code that the family has for it.
func (f Family) own(e *nexus.Error) *nexus.Error {
	if f != Topics {
		return e
	}
	own := *e
	switch {
	case e.Code == nexus.ValidationError:
		own.Code = nexus.InvalidArgument
	case e.Code == nexus.DBError && e.Details["retryable"] == true:
		own.Code = nexus.DBBusy
	}
	return &own
}

// wrongType is how the family refuses an argument that could not be read. Clients
// of topics know one text for each of these, whatever is wrong with its value.
func (f Family) wrongType(argument string, raw json.RawMessage, err error) error {
	if f != Topics || nexus.CheckText(argument, raw) != nil {
		return err
	}
	switch argument {
	case "name", "query", "agent_name", "reclaim_token":
		return nexus.Invalid(argument, "%s must be a non-empty string", argument)
	case "limit", "window_seconds":
		return nexus.Invalid(argument, "%s must be > 0", argument)
	case "last_seq", "ack_through", "wait_seconds":
		return nexus.Invalid(argument, "%s must be an int >= 0", argument)
	}
	return err
}

func (f Family) failure(e *nexus.Error) Answer {
	if f == Topics {
		return topicFailure(e)
	}
	body, err := Marshal(failure{e.Code, e.Msg, e.Details})
	if err != nil { // a detail that is no JSON; the code and the words still count
		body, _ = Marshal(failure{e.Code, e.Msg, nil})
	}
	return Answer{Code: e.Code, Body: wrap(`{"ok":false,"error":`, body)}
}

// topicFailure has the details of an error beside its code. Those of a name that
// is taken stand beside the error as well, where clients have always found them.
func topicFailure(e *nexus.Error) Answer {
	said := map[string]any{"code": e.Code, "message": e.Msg}
	body := map[string]any{"error": said}
	for key, value := range e.Details {
		if _, taken := said[key]; !taken {
			said[key] = value
		}
		if e.Code == nexus.AgentNameInUse {
			body[key] = value
		}
	}
	raw, err := Marshal(body)
	if err != nil { // a detail that is no JSON
		raw, _ = Marshal(map[string]any{"error": failure{e.Code, e.Msg, nil}})
	}
	return Answer{Code: e.Code, Body: raw, Text: string(e.Code) + ": " + e.Msg, IsError: true}
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
