package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/chrome/action"
)

// TestGuide runs every chain of the guide on the bundled site, one after another
// in one tab.
func TestGuide(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("every chain of a guide")
	}
	needChrome(t)
	guide, err := os.ReadFile("../../docs/guides/actions.md")
	if err != nil {
		t.Fatal(err)
	}
	opt, err := parseOptions(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tabs, err := open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer tabs.Close()
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) < 20 {
		t.Fatalf("%d chains", len(blocks))
	}
	runner := action.Runner{URL: opt.url, Lookup: opt.lookup}
	err = tabs.Tab(t.Context(), opt.url, func(tab context.Context) error {
		for _, b := range blocks {
			c, err := action.Parse([]byte(b[1]))
			if err != nil {
				t.Errorf("%v\n%s", err, b[1])
				continue
			}
			res, err := runner.Run(tab, c)
			if err != nil {
				t.Errorf("%v\n%s", err, b[1])
				continue
			}
			for _, r := range res.Reports {
				if r.End == action.Cap || r.Action == "extract" && strings.HasPrefix(r.Note, "0 records") {
					t.Errorf("%s %s: %s\n%s", r.Step, r.Action, r.Note, b[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestMistakes: whatever is wrong is told in one line, by the right exit code.
func TestMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.yaml", "steps: [snapshot]")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-chain", file("a.yaml", "steps:\n  - navigate: /\n  - clik: a\n")}, `a.yaml:3:5: steps[2]: unknown action "clik"; did you mean "click"?`},
		{[]string{"-chain", file("b.yaml", "steps:\n  - click: {css: a, tex: b}\n")}, `b.yaml:2:21: steps[1].click: unknown field "tex"; did you mean "text"?`},
		{[]string{"-chain", file("c.json", `{"steps": [{"wait": {"idle": 5}}]}`)}, `c.json:1:30: steps[1].wait.idle: "5" is no duration; write 500ms, 2s or 1m30s`},
		{[]string{"-chain", file("d.yaml", "steps: [a\n")}, `d.yaml:1:8: `},
		{[]string{"-chain", file("e.yaml", "")}, `e.yaml: there is no chain in it`},
		{[]string{"-chain", filepath.Join(dir, "none.yaml")}, "-chain: open "},
		{[]string{"-chain", good, "-schema", file("f.yaml", "fields: {a: 'h1['}")}, "f.yaml: extract: schema: line 1, column 13: a: css"},
		{[]string{"-chain", good, "-url", "shop.example"}, `-url: "shop.example" is no URL of http or https`},
		{[]string{"-url", "http://shop.example/"}, "-chain is missing"},
		{[]string{"-chian", good}, "flag provided but not defined: -chian; -help lists the flags"},
		{[]string{"-proxy", "x"}, "want a URL such as http://127.0.0.1:8080"},
		{[]string{good}, "A chain is given by -chain"},
	} {
		code, _, errs := start(t, tt.args...)
		if code != exitUsage || !strings.HasPrefix(errs, "actions: ") || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, %s, want %s", tt.args, code, errs, tt.want)
		}
	}
	if code, _, help := start(t, "-help"); code != exitDone || !strings.Contains(help, "-screenshots folder") {
		t.Error(code, help)
	}
}

// TestFailing: a step that fails ends with code 1, what was found, and a picture.
func TestFailing(t *testing.T) {
	t.Parallel()
	needChrome(t)
	at, closed, err := serveSite()
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	dir := t.TempDir()
	chain := filepath.Join(dir, "chain.yaml")
	if err := os.WriteFile(chain, []byte("steps:\n  - extract: {schema: {fields: {title: title}}}\n  - click: .none\n    timeout: 1s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := start(t, "-chain", chain, "-url", at+"/tabs", "-allow-private", "-screenshots", dir)
	picture := filepath.Join(dir, "failed-3.png")
	if code != exitFailed || errs != "actions: step 3, click: nothing matches css \".none\" after the step's 1s; the page is in "+picture+"\n" || !strings.Contains(out, `{"title":"Details"}`) {
		t.Errorf("code %d, %s\n%s", code, errs, out)
	}
	if _, err := os.Stat(picture); err != nil {
		t.Error(err)
	}
	if code, _, errs := start(t, "-chain", chain, "-url", at); code != exitFailed || !strings.Contains(errs, "-allow-private opens such addresses too") {
		t.Errorf("code %d, %s", code, errs)
	}
}
