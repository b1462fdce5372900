package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"nexus/op"
)

// A toolset is one profile as MCP shows it. Its listings are made once: they
// depend on nothing but profile and protocol, and are most of what a client
// reads when it connects.
type toolset struct {
	profile string
	ops     []*op.Op
	names   []string
	byName  map[string]*op.Op
	guide   string // what initialize tells a model about this server

	name      string // what the server calls itself
	title     string
	identity  []byte // serverInfo
	head      []byte // the members that every result has since 2026-07-28
	resources *resources

	discovery []byte // result of server/discover

	// Results of tools/list up to 2025-11-25, and since 2026-07-28. They are written
	// when they are first asked for, which many connections never do.
	list, modernList func() []byte
}

func newToolset(c *op.Catalogue, profile, version string, entries func() toolEntries) *toolset {
	t := &toolset{
		profile: profile, ops: c.Tools(profile), byName: map[string]*op.Op{}, guide: guideFor(profile),
		name: "nexus", title: "Nexus", resources: newResources(c.Guides),
	}
	if profile == op.ProfileTopics { // it stands in for another server, and has what that one had
		t.name, t.title, t.resources = "agent-bus", "Agent Bus", newResources(nil)
		entries = func() toolEntries { return writeTools(c, profile) }
	}
	t.identity = fmt.Appendf(nil, `{"name":%q,"title":%q,"version":%s}`, t.name, t.title, appendQuoted(nil, version))
	t.head = fmt.Appendf(nil, `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":%s}`, t.identity)
	for _, o := range t.ops {
		t.names = append(t.names, o.Name)
		t.byName[o.Name] = o
	}
	listed := sync.OnceValue(func() []byte { return entries().of(t.ops) })
	t.list = sync.OnceValue(func() []byte { return t.listResult("tools", listed(), false) })
	t.modernList = sync.OnceValue(func() []byte { return t.listResult("tools", listed(), true) })
	return t
}

// guideFor is the one paragraph that a client puts before its model.
func guideFor(profile string) string {
	if profile == op.ProfileTopics {
		return "A bus for dialogs between agents, in named topics. Create or resolve a topic, join it under your own name and keep the " +
			"reclaim_token, then call sync in a loop: it sends what you have written, returns what others wrote and waits for more. " +
			"Loop until has_more=false. When asked to check for messages, sync and answer the questions you can, with message_type " +
			"answer and reply_to."
	}
	return "Nexus is the bus on which agents work together. Start with workspace_resolve, agent_register and session_open, " +
		"and keep the ids you get. Between turns call inbox_pull, act on each message, then inbox_ack: what is not acknowledged " +
		"comes back when its lease lapses. Write with message_create, directly to whom it concerns rather than to everyone. " +
		"Every answer is {ok,data} or {ok:false,error}; the error says what to do next."
}

// A toolEntry is a tool as tools/list shows it. No member is ever null: one bad
// entry makes several clients refuse the whole list.
type toolEntry struct {
	Name         string             `json:"name"`
	Title        string             `json:"title,omitempty"`
	Description  string             `json:"description,omitempty"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	OutputSchema *jsonschema.Schema `json:"outputSchema,omitempty"`
	Annotations  toolHints          `json:"annotations"`
}

// toolHints say what a tool may do to the world. Those that say what counts when
// they are absent stay out: every model pays for reading them.
type toolHints struct {
	ReadOnly    bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"` // absent is true, and means nothing of one that only reads
	OpenWorld   bool  `json:"openWorldHint"`             // absent is true
}

func hintsFor(effect op.Effect) toolHints {
	h := toolHints{ReadOnly: effect == op.Read}
	if effect == op.Write {
		h.Destructive = new(bool)
	}
	return h
}

func entryFor(o *op.Op, profile string) toolEntry {
	return toolEntry{
		Name:         o.Name,
		Title:        o.Title,
		Description:  o.Doc,
		InputSchema:  o.InputIn(profile),
		OutputSchema: outputSchema(o),
		Annotations:  hintsFor(o.Effect),
	}
}

// outputSchema is what a tool promises about its structured content. The bus
// family promises nothing, since its errors are results like others. Elsewhere
// nothing is required, so that an error passes the check that clients make.
func outputSchema(o *op.Op) *jsonschema.Schema {
	if o.Family == op.Bus || o.Output() == nil || o.Output().Type != "object" {
		return nil
	}
	s := *o.Output()
	s.Required, s.AdditionalProperties = nil, nil
	return &s
}

// toolEntries are tools as tools/list shows them.
type toolEntries map[*op.Op]json.RawMessage

// of is the array of some of them.
func (e toolEntries) of(ops []*op.Op) []byte {
	shown := make([][]byte, 0, len(ops))
	for _, o := range ops {
		shown = append(shown, e[o])
	}
	return append(append([]byte{'['}, bytes.Join(shown, []byte{','})...), ']')
}

// writeTools writes every tool as a profile shows it. A schema that is no JSON is
// a mistake in the program.
func writeTools(c *op.Catalogue, profile string) toolEntries {
	entries := toolEntries{}
	for _, o := range c.On(op.MCP) {
		raw, err := op.Marshal(entryFor(o, profile))
		if err != nil {
			panic("serve: the schema of " + o.Name + ": " + err.Error())
		}
		entries[o] = raw
	}
	return entries
}
