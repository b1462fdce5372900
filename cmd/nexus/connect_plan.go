package main

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"nexus"
)

// A connectPlan is where an entry goes and what is there.
type connectPlan struct {
	host host
	wish connectWish
	file hostFile // without a path where the host has none
	doc  map[string]any
	err  error // why doc could not be read
	at   []string
}

func (a *app) plan(h host, w connectWish) (connectPlan, error) {
	p := connectPlan{host: h, wish: w}
	path, err := a.hostPath(h, w)
	if err != nil || path == "" {
		p.at = append(h.entriesAt(nil), w.name)
		return p, err
	}
	if p.file, err = readHostFile(path); err != nil {
		return p, err
	}
	p.doc, p.err = h.format.parse(p.file.text)
	p.at = child(h.entriesAt(p.doc), w.name)
	return p, nil
}

// hostPath is the file that is meant, "" where only the host knows.
func (a *app) hostPath(h host, w connectWish) (string, error) {
	path := w.file
	if path == "" && w.scope == "project" {
		if h.project == "" {
			return "", nexus.Errorf(nexus.ConfigError, "%s has no file for a project; leave out --scope and --project", h.title)
		}
		path = h.projectFile(w.project)
	}
	if path == "" {
		u, err := newUserDirs(a.env)
		if err != nil {
			return "", err
		}
		path = h.userFile(u)
	}
	if path == "" {
		return "", nil
	}
	path, err := expandTilde(path, a.env)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// present is the entry that the file has under the name.
func (p connectPlan) present() (entry, map[string]any, bool) {
	fields, _ := lookUp(p.doc, p.at).(map[string]any)
	e, ok := readEntry(fields)
	return e, fields, ok
}

// editable fails before a key is made that would be lost. The draft gets one that
// does for a try.
func (p connectPlan) editable(draft entry) error {
	if p.file.path == "" {
		return usageErrorf("--write needs --file PATH: only your host knows where its file is")
	}
	if err := p.file.writable(); err != nil {
		return err
	}
	old, _, _ := p.present()
	if draft.URL != "" {
		draft = draft.withKey(cmp.Or(old.key(), hiddenKey))
	}
	_, err := p.edit(draft.over(old))
	return err
}

// edit is the file's text with the entry in it.
func (p connectPlan) edit(e entry) ([]byte, error) {
	if p.err != nil {
		return nil, cannotEdit(p.file.path, p.err)
	}
	members := p.host.fields(e)
	text, err := editEntry(p.host.format, p.file.text, p.at, members, p.outdated(members, e))
	if err != nil {
		return nil, cannotEdit(p.file.path, err)
	}
	return text, nil
}

// outdated are the fields of the entry in the file that another one does not need
// and that would mean something beside it.
func (p connectPlan) outdated(members object, e entry) (names []string) {
	old, fields, _ := p.present()
	sameKind := (old.URL == "") == (e.URL == "")
	for _, name := range ownFields {
		if _, ok := fields[name]; !ok || members.has(name) {
			continue
		}
		isEnv := name == "env" || name == "environment"
		harmless := slices.Contains([]string{"type", "transport", "env_http_headers"}, name) || isEnv && len(old.Env) == 0
		if !sameKind || !harmless {
			names = append(names, name)
		}
	}
	return names
}

// draft is the entry that was asked for, and the key that it needs.
func (a *app) draft(cfg *Config, p connectPlan) (e entry, wish keyWish, err error) {
	w := p.wish
	wish = keyWish{agent: w.agent, newKey: w.newKey, http: w.transport == "http"}
	if wish.http {
		e, err = httpEntry(cfg, w.url, w.profile)
		wish.far = w.url != "" && !isOwnHub(cfg, e.URL)
	} else {
		e, err = a.stdioEntry(cfg, w.profile)
	}
	return e, wish, err
}

// complete gives a draft its key, and what somebody wrote into the entry before.
func (p connectPlan) complete(ctx context.Context, cfg *Config, e entry, wish keyWish) (entry, keyFound, error) {
	old, _, found := p.present()
	candidates := []string{cfg.APIKey}
	if sameHub(old.URL, e.URL) || wish.agent != "" && !wish.far { // no key goes to a hub that it is not for
		candidates = append(candidates, old.key())
	}
	candidates = slices.DeleteFunc(candidates, func(k string) bool { return k == "" })
	key, err := keyFor(ctx, cfg, wish, candidates)
	if err != nil {
		return e, key, err
	}
	if key.key != "" {
		e = e.withKey(key.key)
	}
	if found {
		e = e.over(old)
	}
	return e, key, nil
}

// isOwnHub tells whether an address is that of the hub of this home.
func isOwnHub(cfg *Config, address string) bool {
	own, err := hubAddress(cfg)
	return err == nil && sameHub(own, address)
}

// sameHub compares addresses, whatever tools they ask for.
func sameHub(a, b string) bool {
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	return a == b
}
