package main

import (
	"strings"

	"nexus/op"
	"nexus/serve"
)

// snippets gives the entries of all hosts for a hub at an address, as nexus
// connect prints them, with a placeholder for the key. Whoever reads them may sit
// at another machine, so files are given from the home of whoever that is.
func (a *app) snippets(cfg *Config) func(address string) ([]serve.ConnectSnippet, error) {
	anybody := userDirsIn("~", func(string) (string, bool) { return "", false })
	return func(address string) ([]serve.ConnectSnippet, error) {
		all := make([]serve.ConnectSnippet, 0, len(hosts))
		for _, h := range hosts {
			s, err := a.snippet(cfg, h, address)
			if err != nil {
				return nil, err
			}
			if files := h.files(anybody); len(files) > 0 {
				command := h.connectCommand(address)
				s.File, s.Command = &files[0], &command
			}
			all = append(all, s)
		}
		return all, nil
	}
}

func (a *app) snippet(cfg *Config, h host, address string) (serve.ConnectSnippet, error) {
	s := serve.ConnectSnippet{ID: h.id, Title: h.title, Format: h.format.name(), Transport: "http", Next: h.next}
	var e entry
	var err error
	if h.stdioOnly {
		s.Transport = "stdio"
		e, err = a.stdioEntry(cfg, op.ProfileAll)
		if db := e.Env["NEXUS_DB"]; db != "" {
			e.Env = withText(e.Env, "NEXUS_DB", withoutPassword(db))
		}
	} else {
		e, err = httpEntry(cfg, address, op.ProfileAll)
	}
	if err != nil {
		return s, err
	}
	text, err := h.format.put(nil, child(h.entriesAt(nil), "nexus"), h.fields(e.withKey(serve.KeyPlaceholder)), nil)
	s.Snippet = string(text)
	return s, err
}

// connectCommand is how nexus itself connects the host to the hub.
func (h host) connectCommand(address string) string {
	line := []string{"nexus", "connect", h.id, "--write"}
	if !h.stdioOnly {
		line = append([]string{apiKeyVariable + "=" + serve.KeyPlaceholder}, append(line, "--url", shellWord(address))...)
	}
	return strings.Join(line, " ")
}
