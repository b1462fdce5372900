package serve

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// dashboardPolicy lets the dashboard load its own files and talk to its own hub,
// and nothing else: what agents write cannot make it ask anybody anything.
const dashboardPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// A dashboard is the web pages of the hub, ready to be sent.
type dashboard struct {
	index *asset
	files map[string]*asset // by path, such as /assets/index-x.js
}

// An asset is a file of the dashboard. Its name changes with its content if it is
// below /assets.
type asset struct {
	content []byte
	kind    string
	tag     string
	lasting bool
	// squeezed is the content compressed, made when somebody first asks for it; nil
	// if that does not make it smaller.
	squeezed func() []byte
}

// newDashboard reads the files of a built dashboard. Without files there is none.
func newDashboard(files fs.FS) (dashboard, error) {
	d := dashboard{files: map[string]*asset{}}
	if files == nil {
		return d, nil
	}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		d.files["/"+name] = newAsset(name, content)
		return nil
	})
	if err != nil {
		return d, fmt.Errorf("read the dashboard: %w", err)
	}
	d.index = d.files["/index.html"]
	delete(d.files, "/index.html")
	return d, nil
}

func newAsset(name string, content []byte) *asset {
	sum := sha256.Sum256(content)
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".js" { // some systems say otherwise
		kind = "text/javascript; charset=utf-8"
	}
	return &asset{
		content: content, kind: kind, lasting: strings.HasPrefix(name, "assets/"),
		tag:      `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
		squeezed: sync.OnceValue(func() []byte { return squeeze(content) }),
	}
}

func squeeze(content []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is known
	_, _ = z.Write(content)                               // a buffer takes everything
	if z.Close() != nil || b.Len() >= len(content) {
		return nil
	}
	return b.Bytes()
}

// send answers with the file, compressed where that is understood, or with the
// news that the caller has it already.
func (a *asset) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", "W/"+a.tag) // weak: compressed or not, it is the same file
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if a.lasting {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if hasTag(r.Header.Values("If-None-Match"), a.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.content
	if z := a.squeezed(); z != nil && takesGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = z
	}
	_, _ = w.Write(body) // nobody is left to tell
}

// hasTag looks for a tag in what a caller has already, weak or not.
func hasTag(headers []string, tag string) bool {
	for known := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		if known = strings.TrimSpace(known); known == "*" || strings.TrimPrefix(known, "W/") == tag {
			return true
		}
	}
	return false
}

// takesGzip tells whether a caller understands gzip and did not refuse it, which
// is said with a weight of zero.
func takesGzip(headers []string) bool {
	for coding := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		_, q, weighed := strings.Cut(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
		n, err := strconv.ParseFloat(q, 64)
		return !weighed || err != nil || n > 0
	}
	return false
}

// serveDashboard sends the page, whichever address of it was opened: what to show
// there is the page's own business.
func (s *Server) serveDashboard(w http.ResponseWriter, r *http.Request) {
	if s.dashboard.index == nil {
		s.fail(w, r, noSuchPath(r))
		return
	}
	w.Header().Set("Content-Security-Policy", dashboardPolicy)
	s.dashboard.index.send(w, r)
}

// serveAsset sends a file of the dashboard.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	if name == "/favicon.ico" {
		name = "/mark.svg"
	}
	a := s.dashboard.files[name]
	if a == nil {
		s.fail(w, r, noSuchPath(r))
		return
	}
	a.send(w, r)
}

// isAsset tells whether a path is that of a file which the dashboard loads.
func isAsset(p string) bool {
	switch p {
	case "/favicon.ico", "/mark.svg", "/theme.js":
		return true
	}
	return strings.HasPrefix(p, "/assets/") && path.Clean(p) == p
}

// opensDashboard tells whether a browser opens an address of the dashboard: all
// that is nobody else's. Programs, which ask for no HTML, are told what is wrong
// with theirs.
func opensDashboard(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || path.Clean(r.URL.Path) != r.URL.Path || strings.Contains(r.URL.Path, ".") {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch first {
	case "":
		return true
	case "api", "mcp", "rpc", "agent", "assets", "healthz", "readyz", "metrics":
		return false
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}
