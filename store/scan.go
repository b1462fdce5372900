package store

import (
	"encoding/json"
	"fmt"
)

// assign gives one column's value (nil, int64 or string) to a Go variable.
func assign(to any, isNull bool, number func() int64, word func() string) error {
	switch to := to.(type) {
	case *string:
		*to = ""
		if !isNull {
			*to = word()
		}
	case **string:
		*to = nil
		if !isNull {
			s := word()
			*to = &s
		}
	case *[]byte:
		*to = nil
		if !isNull {
			*to = []byte(word())
		}
	case *json.RawMessage:
		*to = nil
		if !isNull {
			*to = json.RawMessage(word())
		}
	case *int64:
		*to = 0
		if !isNull {
			*to = number()
		}
	case *int:
		*to = 0
		if !isNull {
			*to = int(number())
		}
	case *bool:
		*to = !isNull && number() != 0
	default:
		return fmt.Errorf("cannot scan a column into a %T", to)
	}
	return nil
}
