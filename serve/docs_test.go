package serve_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"nexus/op"
	"nexus/serve"
)

// TestDocs: every operation of REST is on the page, with what it takes and how
// it is called.
func TestDocs(t *testing.T) {
	y := newToys()
	s := newHub(t, y.deps(t), serve.Options{})
	got := ask(t, s, "GET", "/api/v1/docs", "", "Host", "localhost:8202")
	if got.Code != 200 || got.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("got %d %s", got.Code, got.Header())
	}
	page := got.Body.String()
	for _, o := range y.catalogue(t).On(op.REST) {
		if !strings.Contains(page, `<details id="`+o.Name+`"`) {
			t.Errorf("%s is not on the page", o.Name)
		}
	}
	for _, want := range []string{
		`<code class="path">/api/v1/echo/{text}</code>`,
		`POST /api/v1/op/echo`,
		`curl -X POST &#39;http://localhost:8202/api/v1/agents&#39;`,
		`what to say again`,
		`array of string`,
		`AUTH_FAILED`,
		`<code class="path">/api/v1/sign-in</code>`,
		`Needs no key, wherever the hub is.`,
	} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "hidden_") || strings.Contains(page, `id="hidden"`) {
		t.Error("an operation that is not on REST is on the page")
	}
}

// TestDocsPolicy: a browser runs the page's own style and script and nothing
// else, and the page asks nobody else for anything.
func TestDocsPolicy(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{})
	got := ask(t, s, "GET", "/api/v1/docs", "")
	policy := got.Header().Get("Content-Security-Policy")
	for _, tag := range []string{"style", "script"} {
		text := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(got.Body.String(), -1)
		if len(text) != 1 {
			t.Fatalf("the page has %d %ss", len(text), tag)
		}
		sum := sha256.Sum256([]byte(text[0][1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	if foreign := regexp.MustCompile(`(src|href|action)="(https?:)?//|<[a-z]+[^>]* (on[a-z]+|style)=`).FindString(got.Body.String()); foreign != "" {
		t.Errorf("the page has %s", foreign)
	}
}

// TestDocsNeedKey: the page is no more public than what it describes.
func TestDocsNeedKey(t *testing.T) {
	s := newHub(t, newToys().deps(t), serve.Options{Addr: publicAddr})
	if got := ask(t, s, "GET", "/api/v1/docs", ""); got.Code != 401 {
		t.Errorf("without a key: %d", got.Code)
	}
	if got := ask(t, s, "GET", "/api/v1/docs?api_key="+alicesKey, ""); got.Code != 200 || strings.Contains(got.Body.String(), alicesKey) {
		t.Errorf("with a key: %d", got.Code)
	}
}
