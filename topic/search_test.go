package topic_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"nexus"
)

// matching are the numbers of the messages that a search by words finds, in their
// order.
func (k *kit) matching(query string) []int {
	k.t.Helper()
	found := k.call("", "messages_search", object{"query": query, "mode": "fts", "limit": 1000})
	numbers := []int{}
	for _, hit := range found["results"].([]any) {
		numbers = append(numbers, int(hit.(object)["seq"].(float64)))
	}
	slices.Sort(numbers)
	return numbers
}

func TestSearchLikeFTS5(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada")
		long := "delta " + strings.Repeat("filler words of no interest ", 200)
		for _, text := range []string{"alpha beta gamma", "alpha delta", "beta epsilon", "zeta", "use the --force, it's in:prod", long + "omega"} {
			k.post("ada", id, text, nil)
		}
		for _, tt := range []struct{ query, want string }{
			{"alpha AND beta", "[1]"},
			{"alpha OR epsilon", "[1,2,3]"},
			{"alpha NOT beta", "[2]"},
			{"(alpha OR zeta) NOT delta", "[1,4]"},
			{"zeta OR alpha NOT delta", "[1,4]"},
			{"alpha beta", "[1]"},
			{"NEAR(alpha gamma, 2)", "[1]"},
			{"NEAR(gamma alpha, 0)", "[]"},
			{"alpha NOT NEAR(alpha gamma)", "[2]"},
			{"^beta", "[3]"},
			{`"alpha beta"`, "[1]"},
			{"alpha + beta", "[1]"},
			{"alph*", "[1,2]"},
			{`"alph" *`, "[1,2]"},
			{"alp* + be*", "[1]"},
			{"content_markdown:zeta", "[4]"},
			{"{content_markdown}:zeta", "[4]"},
			{"topic_id:zeta", "[]"},
			{"alpha and delta", "[]"},
			{"omega AND delta", "[6]"}, // in pieces that are far from each other
			{"NEAR(omega delta, 1000)", "[6]"},
			{"NEAR(omega delta, 999)", "[]"},
			{"delta NOT omega", "[2]"},

			{"--force", "[5]"},
			{"-alpha", "[1,2]"},
			{"in:prod", "[5]"},
			{"from:main", "[]"},
			{"AND", "[]"},
			{"alpha AND", "[]"},
			{`"zeta`, "[4]"},
			{"(", "[]"},
			{"*", "[]"},
			{"a.b", "[]"},
			{"it's", "[5]"},
			{"^", "[]"},
			{"NEAR(", "[]"},
			{"alpha NEAR", "[]"},
			{strings.Repeat("(", 8192), "[]"},
			{strings.Repeat("NOT ", 2048), "[]"},
			{strings.Repeat("(alpha OR ", 90) + "zeta" + strings.Repeat(")", 90), "[]"},
			{strings.Repeat("(alpha AND ", 50) + "zeta" + strings.Repeat(")", 50), "[]"},
		} {
			k.want(tt.query, k.matching(tt.query), tt.want)
		}
	})
}

func TestSearchBeyondWords(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada")
		for _, text := range []string{"the hub stops", "the parser fails", "nothing of that"} {
			k.post("ada", id, text, nil)
		}
		ranks := func(mode, query string) (ranks []any) {
			for _, hit := range k.call("", "messages_search", object{"query": query, "mode": mode})["results"].([]any) {
				ranks = append(ranks, []any{hit.(object)["seq"], hit.(object)["fts_rank"] != nil})
			}
			slices.SortFunc(ranks, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			return ranks
		}
		k.want("only what fits has a rank, and all have a meaning", ranks("hybrid", "the NOT parser"), `[[1,true],[2,false],[3,false]]`)
		k.want("whatever is asked has a meaning", ranks("semantic", "hub NOT ("), `[[1,false],[2,false],[3,false]]`)

		var many []string
		for i := range 65 {
			many = append(many, fmt.Sprint("w", i))
		}
		warned := k.call("", "messages_search", object{"query": strings.Join(many, " OR "), "mode": "fts"})
		k.want("too much", []any{warned["count"], len(warned["warnings"].([]any))}, `[0,1]`)
		k.fails("", "messages_search", nexus.InvalidArgument, "query must be <= 8192 bytes", object{"query": strings.Repeat("(", 10_000)})
	})
}

// Words that are nearly everywhere are left out only where others must be there.
func TestSearchCommonWords(t *testing.T) {
	each(t, func(k *kit) {
		id := k.open("work", "ada")
		k.post("ada", id, "rare", nil)
		k.post("ada", id, "rare and common", nil)
		for range 21 {
			k.say("ada", id, slices.Repeat([]string{"common"}, 50)...)
		}
		for query, want := range map[string]string{"rare OR common": "40", "rare AND common": "1", "common NOT rare": "40", "rare NOT common": "1", "rare common": "1"} {
			k.want(query, k.call("", "messages_search", object{"query": query, "mode": "fts", "limit": 40})["count"], want)
		}
	})
}

// Whatever is asked, both databases find what a table of agent-bus would.
func TestSearchLikeAgentBus(t *testing.T) {
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	run := func(sql string, each func(*sqlite.Stmt) error, args ...any) {
		t.Helper()
		if err := sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: each}); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	run(`CREATE VIRTUAL TABLE posts USING fts5(content_markdown)`, nil)
	var texts []string
	for i := range 40 {
		var words []string
		for range 1 + r.IntN(9) {
			words = append(words, pick("a", "b", "c", "d", "e", "ab", "abc"))
			if r.IntN(20) == 0 {
				words = append(words, strings.Repeat("filler ", 400))
			}
		}
		texts = append(texts, strings.Join(words, " "))
		run(`INSERT INTO posts (rowid, content_markdown) VALUES (?, ?)`, nil, i+1, texts[i])
	}
	word := func() string {
		return pick("a", "b", "c", "d", "e", "a*", "ab*", `"a b"`, `"c a" *`, "a + b", "a* + b", `""`, "filler")
	}
	var expression func(depth int) string
	expression = func(depth int) string {
		switch {
		case depth > 0 && r.IntN(4) > 0:
			return "(" + expression(depth-1) + ")" + pick(" AND ", " OR ", " NOT ") + "(" + expression(depth-1) + ")"
		case r.IntN(4) == 0:
			return "NEAR(" + word() + " " + word() + " " + word() + pick("", ",1", ",500") + ")"
		}
		return pick("", "", "", "^", "content_markdown:", "-content_markdown:") + word() + pick("", " "+word(), pick(" AND ", " OR ", " NOT ")+word())
	}
	queries, wanted := make([]string, 150), make([][]int, 150)
	for i := range queries {
		queries[i], wanted[i] = expression(r.IntN(4)), []int{}
		run(`SELECT rowid FROM posts WHERE posts MATCH ? ORDER BY rowid`, func(stmt *sqlite.Stmt) error {
			wanted[i] = append(wanted[i], stmt.ColumnInt(0))
			return nil
		}, queries[i])
	}
	each(t, func(k *kit) {
		id := k.open("work", "ada")
		for _, text := range texts {
			k.post("ada", id, text, nil)
		}
		for i, q := range queries {
			if got := k.matching(q); !slices.Equal(got, wanted[i]) {
				k.t.Errorf("%s: got %v, want %v", q, got, wanted[i])
			}
		}
	})
}
