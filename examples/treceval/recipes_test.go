package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/webquarry/quarry/rank/recipe"
)

// All recipes stand in the table, the first as the program measures by itself, and each measures by itself what it does there.
func TestRecipes(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-recipe", "all")
	if code != 0 {
		t.Fatalf("exit %d, %s", code, errs)
	}
	for _, r := range recipe.All() {
		row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(r.Name) + ` +([0-9.]+) +([0-9.]+)`).FindStringSubmatch(out)
		if row == nil {
			t.Errorf("%s is not in\n%s", r.Name, out)
			continue
		}
		code, alone, errs := call(t, "-recipe", r.Name, "-measures", "ndcg@10,map")
		fields := strings.Fields(alone)
		if n := len(fields); code != 0 || !strings.Contains(alone, "recipe "+r.Name) || fields[n-3] != row[1] || fields[n-1] != row[2] {
			t.Errorf("%s: exit %d, %s%s\nin the table %v", r.Name, code, alone, errs, row[1:])
		}
	}
	byItself := strings.Fields(func() string { _, out, _ := call(t, "-measures", "ndcg@10,map"); return out }())
	if !strings.Contains(out, byItself[len(byItself)-3]+"   "+byItself[len(byItself)-1]) {
		t.Errorf("the default measures %v, and the table is\n%s", byItself, out)
	}
	for _, args := range [][]string{{"-recipe", "soup"}, {"-recipe", "munch", "-scorer", "bm25"}, {"-recipe", "all", "-json"}, {"-recipe", "bm25f", "-sum"}, {"-recipe", "bm25f", "-feedback", "rm3"}} {
		if code, _, errs := call(t, args...); code != 2 || !strings.Contains(errs, "-recipe") {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}
