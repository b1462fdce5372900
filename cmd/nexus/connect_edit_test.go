package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEditJSON(t *testing.T) {
	t.Parallel()
	stdio := object{{"command", "/bin/nexus"}, {"args", []string{"mcp"}}}
	tests := []struct {
		name string
		text string
		drop []string
		want string
	}{
		{
			"nothing", "", nil,
			"{\n  \"mcpServers\": {\n    \"nexus\": {\n      \"command\": \"/bin/nexus\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
		},
		{
			"comments, commas and tabs stay", "// mine\n{\n\t\"a\": 1, // one\n\t/* servers */ \"mcpServers\": {\n\t\t\"x\": {\"url\":\"u\"}, // x\n\t\t// the end\n\t},\n}\n", nil,
			"// mine\n{\n\t\"a\": 1, // one\n\t/* servers */ \"mcpServers\": {\n\t\t\"x\": {\"url\":\"u\"}, // x\n\t\t// the end\n\t\t\"nexus\": {\n\t\t\t\"command\": \"/bin/nexus\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t},\n\t},\n}\n",
		},
		{
			"a comma goes before the comment", "{\n  \"mcpServers\": {\n    \"x\": {} // x\n  }\n}", nil,
			"{\n  \"mcpServers\": {\n    \"x\": {}, // x\n    \"nexus\": {\n      \"command\": \"/bin/nexus\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}",
		},
		{"one line stays one", `{"a":{"b":[1, 2]}, "mcpServers":{"x":{}}}`, nil, `{"a":{"b":[1, 2]}, "mcpServers":{"x":{}, "nexus": {"command":"/bin/nexus","args":["mcp"]}}}`},
		{"no blanks stay none", `{"a":1,"mcpServers":{"x":{}}}` + "\n", nil, `{"a":1,"mcpServers":{"x":{},"nexus":{"command":"/bin/nexus","args":["mcp"]}}}` + "\n"},
		{
			"an equal entry is left alone", "{\"mcpServers\": { \"nexus\" : {\n\"args\":[ \"mcp\" /* ! */ ],   \"command\":\"\\/bin\\/nexus\", \"timeout\": 5 } } }", nil,
			"{\"mcpServers\": { \"nexus\" : {\n\"args\":[ \"mcp\" /* ! */ ],   \"command\":\"\\/bin\\/nexus\", \"timeout\": 5 } } }",
		},
		{
			"only what differs is written", "{\n  \"mcpServers\": {\n    \"nexus\": {\n      // old\n      \"command\": \"/old\", // place\n      \"args\": [\"mcp\"],\n      \"disabled\": false\n    }\n  }\n}\n", nil,
			"{\n  \"mcpServers\": {\n    \"nexus\": {\n      // old\n      \"command\": \"/bin/nexus\", // place\n      \"args\": [\"mcp\"],\n      \"disabled\": false\n    }\n  }\n}\n",
		},
		{
			"another transport", "{\n  \"mcpServers\": {\n    \"nexus\": {\"url\": \"http://h/mcp\", \"headers\": {}, \"timeout\": 5},\n    \"y\": 1\n  }\n}\n",
			[]string{"url", "headers"},
			"{\n  \"mcpServers\": {\n    \"nexus\": {\n      \"command\": \"/bin/nexus\",\n      \"args\": [\n        \"mcp\"\n      ],\n      \"timeout\": 5\n    },\n    \"y\": 1\n  }\n}\n",
		},
		{
			"line ends of Windows and a mark", "\xef\xbb\xbf{\r\n    \"a\": 1\r\n}\r\n", nil,
			"\xef\xbb\xbf{\r\n    \"a\": 1,\r\n    \"mcpServers\": {\r\n        \"nexus\": {\r\n            \"command\": \"/bin/nexus\",\r\n            \"args\": [\r\n                \"mcp\"\r\n            ]\r\n        }\r\n    }\r\n}\r\n",
		},
		{"an empty object with room", "{\n  \"mcpServers\": {  }\n}\n", nil, "{\n  \"mcpServers\": {\n    \"nexus\": {\n      \"command\": \"/bin/nexus\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkEdit(t, jsonFile{}, tt.text, []string{"mcpServers", "nexus"}, stdio, tt.drop, tt.want)
		})
	}
}

func TestEditTOML(t *testing.T) {
	t.Parallel()
	stdio := object{{"command", "/bin/nexus"}, {"args", []string{"mcp"}}}
	tests := []struct {
		name    string
		text    string
		members object
		drop    []string
		want    string
	}{
		{"nothing", "", stdio, nil, "[mcp_servers.nexus]\ncommand = \"/bin/nexus\"\nargs = [\"mcp\"]\n"},
		{
			"the rest stays", "# mine\nmodel = 'x' # why\n\n[mcp_servers.a]\ncommand = \"a\"", stdio, nil,
			"# mine\nmodel = 'x' # why\n\n[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.nexus]\ncommand = \"/bin/nexus\"\nargs = [\"mcp\"]\n",
		},
		{
			"only what differs is written", "[mcp_servers.nexus] # ours\ncommand = \"/old\" # place\nstartup_timeout_sec = 20\nargs = [\n  \"mcp\", # it\n]\n\n# next\n[mcp_servers.z]\nurl = \"u\"\n", stdio, nil,
			"[mcp_servers.nexus] # ours\ncommand = \"/bin/nexus\" # place\nstartup_timeout_sec = 20\nargs = [\n  \"mcp\", # it\n]\n\n# next\n[mcp_servers.z]\nurl = \"u\"\n",
		},
		{
			"another transport", "[mcp_servers.nexus]\nurl = \"u\"\ntool_timeout_sec = 9\n[mcp_servers.nexus.http_headers]\nAuthorization = \"Bearer k\"\n\n[other]\na = 1\n", stdio,
			[]string{"url", "http_headers"},
			"[mcp_servers.nexus]\ntool_timeout_sec = 9\ncommand = \"/bin/nexus\"\nargs = [\"mcp\"]\n\n[other]\na = 1\n",
		},
		{
			"a table in the entry stays one", "[mcp_servers.nexus]\ncommand = \"/bin/nexus\"\n\n[mcp_servers.nexus.env]\nA = \"1\" # a\nB = \"2\"\n",
			object{{"command", "/bin/nexus"}, {"env", object{{"A", "1"}, {"NEXUS_DB", "x"}}}},
			nil,
			"[mcp_servers.nexus]\ncommand = \"/bin/nexus\"\n\n[mcp_servers.nexus.env]\nA = \"1\" # a\nNEXUS_DB = \"x\"\n",
		},
		{
			"line ends of Windows", "a = 1\r\n", stdio, nil,
			"a = 1\r\n\r\n[mcp_servers.nexus]\r\ncommand = \"/bin/nexus\"\r\nargs = [\"mcp\"]\r\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkEdit(t, tomlFile{}, tt.text, []string{"mcp_servers", "nexus"}, tt.members, tt.drop, tt.want)
		})
	}
}

// checkEdit edits twice: the second time there is nothing left to do.
func checkEdit(t *testing.T, f format, text string, path []string, members object, drop []string, want string) {
	t.Helper()
	got, err := editEntry(f, []byte(text), path, members, drop)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the text is not as wanted (-want +got):\n%s", diff)
	}
	again, err := editEntry(f, got, path, members, drop)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("done again it is %v:\n%s", err, again)
	}
}

func TestEditRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		f    format
		text string
		want string
	}{
		{"no JSON", jsonFile{}, `{"a": }`, "line 1, column 7"},
		{"a list", jsonFile{}, `[]`, "does not hold an object"},
		{"servers are no object", jsonFile{}, `{"mcpServers": []}`, "mcpServers is not an object"},
		{"an entry that is none", jsonFile{}, `{"mcpServers": {"nexus": 1}}`, "nexus is not an object"},
		{"twice", jsonFile{}, `{"mcpServers": {}, "mcpServers": {}}`, `"mcpServers" is there twice`},
		{"no TOML", tomlFile{}, "a = \n", "line 1"},
		{"an inline table", tomlFile{}, "mcpServers = { nexus = { command = 'x' } }\n", "cannot be changed where it stands"},
		{"servers are an inline table", tomlFile{}, "mcpServers = {}\n", "does not know how to change"},
		{"dotted", tomlFile{}, "mcpServers.nexus.command = 'x'\n", "cannot be changed where it stands"},
		{"no table", tomlFile{}, "mcpServers = 1\n", "does not know how to change"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := editEntry(tt.f, []byte(tt.text), []string{"mcpServers", "nexus"}, object{{"command", "/bin/nexus"}}, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to say %q", err, tt.want)
			}
		})
	}
}

// fuzzEdit holds an edit to its promise by its own means: whatever the text, all
// that is not the entry is what it was, and nothing is left to do.
func fuzzEdit(t *testing.T, f format, text []byte, path []string) {
	before, err := f.parse(text)
	if err != nil || bytes.Contains(text, []byte("nan")) {
		return
	}
	entry := object{{"command", "/a \"b\""}, {"args", []string{"mcp", "<&>"}}, {"env", object{{"K", "v\n"}}}}
	edited, err := f.put(text, path, entry, []string{"url"})
	if err != nil {
		return
	}
	after, err := f.parse(edited)
	if err != nil {
		return // refused, as editEntry does
	}
	if _, err := editEntry(f, text, path, entry, []string{"url"}); err != nil {
		return
	}
	for _, doc := range []map[string]any{before, after} {
		if servers, ok := doc[path[0]].(map[string]any); ok {
			delete(servers, path[1])
			if len(servers) == 0 {
				delete(doc, path[0])
			}
		}
	}
	if !reflect.DeepEqual(before, after) {
		t.Fatalf("the edit of\n%s\nchanged more than its entry:\n%s", text, edited)
	}
	again, err := editEntry(f, edited, path, entry, nil)
	if err != nil || !bytes.Equal(again, edited) {
		t.Fatalf("done again it is %v:\n%s\nand was\n%s", err, again, edited)
	}
}

func FuzzEditJSON(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{ }", "{\n}", "// c\n{\"a\":1,}", "{\"mcpServers\":{\"x\":{}/*y*/,}}", "{\"mcpServers\":{\n\"nexus\":{\"url\":1,\"z\":[1,2,],},\n}}",
		"{\"mcpServers\":{ // c\n}}", "{\"a\":1.0e5,\"mcpServers\":{\"nexus\":{\"env\":{\"K\":1}}}}", "{\"\\u006dcpServers\":{}}", "\xef\xbb\xbf{\"a\":\"\\ud800\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { fuzzEdit(t, jsonFile{}, text, []string{"mcpServers", "nexus"}) })
}

func FuzzEditTOML(f *testing.F) {
	for _, s := range []string{
		"", "a = 1", "[s.nexus]\nurl = 'x' # c\n[s.nexus.env]\nK = 'w'\n[t]", "[[s]]\n", "s.x.y = 1\n", "[s]\nnexus = {}\n", "[s.\"nexus\"]\r\ncommand = '''\na'''\r\n",
		"[ s . nexus ]\nargs = [\n# c\n'b', ]\n", "[s.nexus.env]\nK = 1\n", "[s.nexus]\n[[s.nexus.l]]\na = 1\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { fuzzEdit(t, tomlFile{}, text, []string{"s", "nexus"}) })
}
