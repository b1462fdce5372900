package nexus

// OnePage is embedded in the answer of a list that has but one page, so that who
// reads lists by their next_cursor needs no case of its own for it.
type OnePage struct {
	NextCursor *string `json:"next_cursor" jsonschema:"always null: there is one page"`
}
