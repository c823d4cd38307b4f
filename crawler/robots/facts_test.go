package robots

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// fact is a row of the small tables of google/robotstxt.
type fact struct {
	Pattern, Escaped string
	Agent            string `json:"user_agent"`
	Valid            bool
	Robots           []byte `json:"robots_base64"`
	Expect           struct {
		Valid    int `json:"valid_directives"`
		LastLine int `json:"last_line_seen"`
	}
}

func facts(t *testing.T, name string) (all []fact) {
	t.Helper()
	b, err := os.ReadFile("testdata/google-robotstxt." + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var f fact
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func TestFacts(t *testing.T) {
	t.Parallel()
	passed, differ := 0, 0
	for _, f := range facts(t, "escape") {
		if got, _ := normalPattern(f.Pattern); got != f.Escaped {
			t.Errorf("pattern %q is %q, want %q", f.Pattern, got, f.Escaped)
			continue
		}
		passed++
	}
	for _, f := range facts(t, "useragents") {
		switch got := f.Agent != "" && Token(f.Agent) == strings.ToLower(f.Agent); {
		case f.Agent == "ツ": // letters of other scripts happen, and count
			differ++
		case got != f.Valid:
			t.Errorf("agent %q is valid: %v, want %v", f.Agent, got, f.Valid)
		default:
			passed++
		}
	}
	for _, f := range facts(t, "parse") {
		valid, last := 0, 0
		for _, token := range []string{"foo", "bar"} {
			g := read(f.Robots, token).mine
			valid += len(g.rules)
			if g.named {
				valid++
			}
			for _, r := range g.rules {
				last = max(last, r.line)
			}
		}
		if valid == 0 && bytes.HasPrefix(f.Robots, []byte("\xef\x11")) { // Google counts a rule that is of no group
			differ++
			continue
		}
		if valid != f.Expect.Valid || f.Expect.LastLine != 0 && last != f.Expect.LastLine {
			t.Errorf("%q: %d lines, the last is %d; want %+v", f.Robots, valid, last, f.Expect)
			continue
		}
		passed++
	}
	t.Logf("google-robotstxt, escapes, agents and lines: %d passed, %d differ for a reason", passed, differ)
}
