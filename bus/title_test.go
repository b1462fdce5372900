package bus_test

import (
	"strings"
	"testing"

	"nexus/bus"
)

func TestTitle(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{" \n ", ""},
		{"\n  Mend the parser \nand more", "Mend the parser"},
		{"one\r\ntwo", "one"},
		{`{"title":"Mend it","summary":"no"}`, "Mend it"},
		{`{"title":" ","summary":7,"task":"Do\nit"}`, "Do"},
		{`{"name":"n"}`, "n"},
		{`{"other":1}`, `{"other":1}`},
		{`["title"]`, `["title"]`},
		{`{"title":`, `{"title":`},
		{strings.Repeat("ü", 120), strings.Repeat("ü", 120)},
		{strings.Repeat("ü", 121), strings.Repeat("ü", 119) + "…"},
	}
	for _, test := range tests {
		if got := bus.Title(test.text); got != test.want {
			t.Errorf("Title(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
