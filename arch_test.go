package nexus_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A layer says what the packages at one path may import besides the standard
// library. "*" stands for everything: every package but the two programs, or
// every library that no owner keeps for itself. Lists are separated by spaces.
type layer struct {
	path     string // in this module; "." is the root, "x/*" every package in x
	packages string
	libs     string // "x/..." is x and all below it
}

const (
	// The domain packages do not know each other, apart from two arrows: gateway
	// to ledger and agent to llm. What else one needs of another it declares as
	// a small interface, and cmd/nexus joins them.
	domain = "bus hub topic search memory pipeline gateway agent llm ledger"

	// Libraries that only compute.
	pure = "github.com/google/jsonschema-go/... github.com/google/uuid github.com/oklog/ulid/v2 " +
		"golang.org/x/sync/... golang.org/x/text/..."
)

var layers = []layer{
	{".", "", ""},

	{"bus", ".", pure},
	{"hub", ".", pure},
	{"topic", ".", pure},
	{"search", ". search/embed", pure},
	{"memory", ".", pure},
	{"pipeline", ".", pure},
	{"ledger", ".", pure},
	{"llm", ".", pure},
	{"gateway", ". ledger", pure},
	{"agent", ". llm", pure},

	{"search/embed", "", ""},
	{"search/remote", ". search", "*"},
	{"llm/*", ". llm", "*"},
	{"gateway/*", ". gateway", "*"},
	{"agent/*", ". agent", "*"},

	{"op", ". " + domain, pure},
	{"store", ". store/migration " + domain, "*"},
	{"store/migration", "", ""},
	{"store/storetest", ". store store/migration", "*"},
	{"serve", ". op " + domain, "*"},
	{"client", ".", pure},
	{"ui", "", ""},
	{"docs", "", ""},

	{"cmd/nexus", "*", "*"},
	{"bench", "*", "*"},
	{"scripts/demo", ". client", "github.com/pelletier/go-toml/v2 golang.org/x/sync/..."},
	{"scripts/release", "", ""},
}

// An owner is who alone may import, or name, what belongs to one technology.
// Tests and benchmarks may use everything.
type owner struct {
	what    string
	by      string
	imports string
	names   string
}

var owners = []owner{
	{
		what: "SQL", by: "store store/storetest",
		imports: "database/sql/... zombiezen.com/go/sqlite/... modernc.org/... github.com/jackc/...",
	},
	{
		what: "the MCP SDK", by: "serve agent/mcp",
		imports: "github.com/modelcontextprotocol/go-sdk/...",
	},
	{
		what: "HTTP", by: "serve client llm/* gateway/* agent/tool search/remote cmd/nexus scripts/demo",
		imports: "net/http/...",
	},
	{
		what: "telemetry", by: "serve",
		imports: "github.com/prometheus/... go.opentelemetry.io/... expvar",
	},
	{
		what: "the command line", by: "cmd/nexus scripts/demo scripts/release",
		imports: "flag github.com/spf13/...",
		names:   "os.Args os.Exit",
	},
	{
		what: "the environment", by: "cmd/nexus store/storetest scripts/demo",
		names: "os.Getenv os.LookupEnv os.Environ os.ExpandEnv os.Setenv os.Unsetenv",
	},
	{
		what: "the default logger", by: "cmd/nexus",
		imports: "log",
		names: "slog.Default slog.SetDefault slog.With slog.Log slog.LogAttrs slog.Debug slog.Info slog.Warn slog.Error " +
			"slog.DebugContext slog.InfoContext slog.WarnContext slog.ErrorContext",
	},
	{
		what: "test support", by: "store/storetest llm/llmtest",
		imports: "testing/... github.com/google/go-cmp/... go.uber.org/goleak",
	},
}

// TestArchitecture holds every Go file that is not a test to the tables above.
func TestArchitecture(t *testing.T) {
	files := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skip(name, d)
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		faults, err := check(name, src)
		for _, f := range faults {
			t.Errorf("%s %s", name, f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatal("found no Go files")
	}
}

// skip passes over what is no part of this module's program.
func skip(name string, d fs.DirEntry) error {
	if name == "." {
		return nil
	}
	base := d.Name()
	_, err := os.Stat(path.Join(name, "go.mod")) // a module of its own
	if err == nil || base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") {
		return fs.SkipDir
	}
	return nil
}

// check says what is wrong with one file.
func check(name string, src []byte) (faults []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg := path.Dir(name)
	at := slices.IndexFunc(layers, func(l layer) bool { return has(l.path, pkg) })
	if at < 0 {
		return []string{"is in an unlisted package: add " + pkg + " to layers in arch_test.go, with what it may import"}, nil
	}
	aliases := map[string]string{} // as the file calls a package → its path
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		alias := path.Base(imported)
		if spec.Name != nil {
			alias = spec.Name.Name
		}
		aliases[alias] = imported
		faults = append(faults, checkImport(layers[at], pkg, imported)...)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				faults = append(faults, "declares func init: let cmd/nexus call what must run")
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && aliases[x.Name] != "" {
				faults = append(faults, checkName(pkg, path.Base(aliases[x.Name])+"."+n.Sel.Name)...)
			}
		}
		return true
	})
	return faults, nil
}

func checkImport(l layer, pkg, imported string) []string {
	if own, ok := inModule(imported); ok {
		program := own == "cmd/nexus" || own == "bench"
		if has(l.packages, own) || l.packages == "*" && !program {
			return nil
		}
		return []string{fmt.Sprintf("imports %s: of this module, %s may import %q", imported, pkg, l.packages)}
	}
	for _, o := range owners {
		if has(o.imports, imported) {
			return o.fault(pkg, "imports "+imported)
		}
	}
	first, _, _ := strings.Cut(imported, "/")
	if std := !strings.Contains(first, "."); std || l.libs == "*" || has(l.libs, imported) {
		return nil
	}
	return []string{fmt.Sprintf("imports %s: of the libraries, %s may import %q", imported, pkg, l.libs)}
}

func checkName(pkg, name string) []string {
	for _, o := range owners {
		if has(o.names, name) {
			return o.fault(pkg, "uses "+name)
		}
	}
	return nil
}

// fault is empty when pkg is an owner.
func (o owner) fault(pkg, does string) []string {
	if pkg == "bench" || has(o.by, pkg) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s belongs to %s", does, o.what, o.by)}
}

// inModule gives the path of a package inside this module.
func inModule(imported string) (string, bool) {
	if imported == "nexus" {
		return ".", true
	}
	return strings.CutPrefix(imported, "nexus/")
}

// has says whether one pattern of the list matches name: the name itself, "x/*"
// for what lies directly in x, "x/..." for x and all below it.
func has(list, name string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(pattern string) bool {
		tree, all := strings.CutSuffix(pattern, "/...")
		ok, _ := path.Match(pattern, name)
		return ok || all && (name == tree || strings.HasPrefix(name, tree+"/"))
	})
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		file string
		src  string
		want string // part of the only fault; "" for none
	}{
		{"the root is standard library only", "a.go", `import "github.com/oklog/ulid/v2"`, "of the libraries, . may import \"\""},
		{"the root imports nothing of ours", "a.go", `import "nexus/bus"`, "of this module, . may import \"\""},
		{"a domain package imports the root", "bus/a.go", `import ("context"; "nexus")`, ""},
		{"a domain package may use pure libraries", "bus/a.go", `import "github.com/oklog/ulid/v2"`, ""},
		{"domain packages do not know each other", "bus/a.go", `import "nexus/topic"`, "imports nexus/topic"},
		{"gateway knows ledger", "gateway/a.go", `import "nexus/ledger"`, ""},
		{"ledger does not know gateway", "ledger/a.go", `import "nexus/gateway"`, "imports nexus/gateway"},
		{"a connector knows its parent", "gateway/slack/a.go", `import ("net/http"; "nexus/gateway")`, ""},
		{"a connector knows nobody else", "gateway/slack/a.go", `import "nexus/bus"`, "imports nexus/bus"},
		{"HTTP is not for the domain", "bus/a.go", `import "net/http/httptest"`, "HTTP belongs to serve"},
		{"SQL is for the store", "serve/a.go", `import "github.com/jackc/pgx/v5"`, "SQL belongs to store"},
		{"slog is for everybody", "bus/a.go", `import "log/slog"; var l *slog.Logger`, ""},
		{"the default logger is not", "bus/a.go", `import "log/slog"; var _ = slog.Default()`, "uses slog.Default"},
		{"the environment is for the program", "serve/a.go", `import "os"; var _ = os.Getenv("HOME")`, "uses os.Getenv"},
		{"another name does not hide it", "serve/a.go", `import sys "os"; var get = sys.Getenv`, "uses os.Getenv"},
		{"the program may do all that", "cmd/nexus/a.go", `import ("net/http"; "nexus/store"; "os"); var _ = os.Args`, ""},
		{"nobody imports a program", "bench/a.go", `import "nexus/cmd/nexus"`, "imports nexus/cmd/nexus"},
		{"no init", "store/a.go", `func init() {}`, "declares func init"},
		{"a method called init is fine", "store/a.go", `type s int; func (s) init() {}`, ""},
		{"the release program has flags", "scripts/release/a.go", `import ("flag"; "os"); var _, _ = flag.Args, os.Exit`, ""},
		{"it knows nothing of the program it packs", "scripts/release/a.go", `import "nexus/store"`, "of this module, scripts/release may import \"\""},
		{"the demo uses the faces", "scripts/demo/a.go", `import ("net/http"; "nexus/client")`, ""},
		{"it knows nothing of the store", "scripts/demo/a.go", `import "nexus/store"`, "of this module, scripts/demo may import \". client\""},
		{"an unlisted package", "util/a.go", ``, "add util to layers in arch_test.go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			faults, err := check(tt.file, []byte("package p; "+tt.src))
			if err != nil {
				t.Fatal(err)
			}
			switch got := strings.Join(faults, "\n"); {
			case tt.want == "" && got != "":
				t.Errorf("got %q, want no fault", got)
			case tt.want != "" && (len(faults) != 1 || !strings.Contains(got, tt.want)):
				t.Errorf("got %q, want one fault with %q", got, tt.want)
			}
		})
	}
}
