package serve

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"html/template"
	"net/http"
)

var (
	//go:embed docs/docs.html
	docsHTML string
	//go:embed docs/docs.css
	docsCSS string
	//go:embed docs/docs.js
	docsJS string
)

// A docsPage is the OpenAPI document as a page for people. Style and script are
// part of the page, allowed by their hashes: a page that was opened with a key
// in its address could not fetch more files, since they would need the key too.
type docsPage struct {
	text   *template.Template
	policy string
	view   docsView
}

func newDocsPage(openapi []byte) (docsPage, error) {
	d, err := readDescription(openapi)
	if err != nil {
		return docsPage{}, err
	}
	rows := func(title string, fields []docsField) map[string]any {
		return map[string]any{"Title": title, "Fields": fields}
	}
	return docsPage{
		text: template.Must(template.New("docs").Funcs(template.FuncMap{"rows": rows}).Parse(docsHTML)),
		policy: "default-src 'none'; img-src 'self'; connect-src 'self'; style-src '" + hashSource(docsCSS) + "'; script-src '" + hashSource(docsJS) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		view: d.view(),
	}, nil
}

func (s *Server) serveDocs(w http.ResponseWriter, r *http.Request) {
	page, err := s.docs()
	var b bytes.Buffer
	if err == nil {
		err = page.text.Execute(&b, map[string]any{
			"Version":  s.deps.Version,
			"About":    page.view.About,
			"Count":    page.view.Count,
			"Groups":   page.view.Groups,
			"Address":  s.address(r),
			"Loopback": s.loopback,
			"Style":    template.CSS(docsCSS),
			"Script":   template.JS(docsJS),
		})
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", page.policy)
	_, _ = w.Write(b.Bytes()) // nobody is left to tell
}

// hashSource names a style or script in a policy, by its text.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
