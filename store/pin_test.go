package store_test

import (
	"os/exec"
	"regexp"
	"testing"
)

// modernc's SQLite is generated code that fits exactly one version of its libc.
// Another one compiles and corrupts.
func TestLibcIsTheOneSQLiteNeeds(t *testing.T) {
	list := func(arguments ...string) string {
		out, err := exec.Command("go", arguments...).Output()
		if err != nil {
			t.Fatalf("go %v: %v", arguments, err)
		}
		return string(out)
	}
	version := func(module string) string {
		return regexp.MustCompile(`\S+`).FindString(list("list", "-m", "-f", "{{.Version}}", module))
	}
	edge := regexp.MustCompile(`(?m)^modernc\.org/sqlite@` + regexp.QuoteMeta(version("modernc.org/sqlite")) + ` modernc\.org/libc@(\S+)$`)
	pinned := edge.FindStringSubmatch(list("mod", "graph"))
	if pinned == nil {
		t.Fatal("SQLite no longer says which libc it needs")
	}
	if got := version("modernc.org/libc"); got != pinned[1] {
		t.Errorf("libc is %s, SQLite needs %s", got, pinned[1])
	}
}
