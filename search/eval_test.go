package search_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// TestEval holds the ranking to what was measured when the table was made, on
// queries that share almost no word with what they are for.
func TestEval(t *testing.T) {
	var eval struct {
		Expected  map[string]map[string]float64
		Tolerance float64
		Passages  []struct{ ID, Text string }
		Queries   []struct{ Query, ID string }
	}
	raw, err := os.ReadFile("embed/testdata/eval.json")
	if err == nil {
		err = json.Unmarshal(raw, &eval)
	}
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(k *kit) {
		names := map[string]string{}
		for _, p := range eval.Passages {
			id := k.call("artifact_put", object{"project_root": k.root, "artifact_type": "text", "content": p.Text})["artifact_id"].(string)
			names[id] = p.ID
		}
		for name, mode := range map[string]string{"words": "fts", "vectors": "semantic", "both": "hybrid"} {
			got := map[string]float64{}
			for _, q := range eval.Queries {
				found := k.find(q.Query, object{"mode": mode, "limit": 10})
				rank := 1 + slices.IndexFunc(found.Items, func(h hit) bool { return names[h.ID] == q.ID })
				if rank > 0 {
					got["mrr@10"] += 1 / float64(rank)
					got["ndcg@10"] += 1 / math.Log2(float64(rank)+1)
					got["recall@10"]++
				}
				if rank == 1 {
					got["recall@1"]++
				}
			}
			for measure, want := range eval.Expected[name] {
				if mean := got[measure] / float64(len(eval.Queries)); mean < want-eval.Tolerance {
					k.t.Errorf("%s %s: %.4f, want %.4f", name, measure, mean, want)
				}
			}
		}
	})
}
