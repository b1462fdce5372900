package nexus_test

import (
	"strings"
	"testing"

	"nexus"
)

func TestParseTrace(t *testing.T) {
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	tests := []struct {
		header string
		want   string // "" when it is no trace
	}{
		{"00-" + id + "-" + span + "-01", "00-" + id + "-" + span + "-01"},
		{"00-" + id + "-" + span + "-00", "00-" + id + "-" + span + "-00"},
		{" 00-" + id + "-" + span + "-03 ", "00-" + id + "-" + span + "-01"},
		{"cc-" + id + "-" + span + "-01-what-comes-later", "00-" + id + "-" + span + "-01"},
		{"00-" + id + "-" + span + "-01-more", ""},
		{"ff-" + id + "-" + span + "-01", ""},
		{"00-00000000000000000000000000000000-" + span + "-01", ""},
		{"00-" + id + "-0000000000000000-01", ""},
		{"00-0AF7651916CD43DD8448EB211C80319C-" + span + "-01", ""},
		{"00-" + id + "-" + span, ""},
		{"", ""},
	}
	for _, tt := range tests {
		got, ok := nexus.ParseTrace(tt.header)
		if got.String() != tt.want || ok != (tt.want != "") {
			t.Errorf("ParseTrace(%q) = %q, %v, want %q", tt.header, got, ok, tt.want)
		}
	}
}

func TestTraceState(t *testing.T) {
	for header, want := range map[string]string{
		"":                       "",
		"a=1,b@c=2":              "a=1,b@c=2",
		strings.Repeat("x", 512): strings.Repeat("x", 512),
		strings.Repeat("x", 513): "",
		"a=1\r\nX-Evil: 1":       "",
		"a=ä":                    "",
	} {
		if got := (nexus.Trace{State: "old"}).WithState(header).State; got != want {
			t.Errorf("%q is kept as %q", header, got)
		}
	}
}
