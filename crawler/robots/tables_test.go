package robots_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/robots"
)

// row is one expectation of a suite.
type row struct {
	Case      string
	Robots    string
	Base64    []byte `json:"robots_base64"`
	UserAgent string `json:"user_agent"`
	URL       string
	Allowed   *bool
	Agrees    bool `json:"agrees_with_google_rules"`
}

func (r row) body() []byte {
	if r.Base64 != nil {
		return r.Base64
	}
	return []byte(r.Robots)
}

func readTable(t *testing.T, name string) (rows []row) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestTables runs the suites of others. Rows that differ for a reason must go
// on to differ, so that the list of reasons does not outlive them.
func TestTables(t *testing.T) {
	t.Parallel()
	for suite, differ := range differences {
		t.Run(suite, func(t *testing.T) {
			t.Parallel()
			passed := 0
			for i, r := range readTable(t, suite+".jsonl") {
				v := robots.Parse(r.body(), r.UserAgent).Why(r.URL)
				switch ok, why := v.Allowed == *r.Allowed, differ[i+1]; {
				case ok && why == "":
					passed++
				case ok:
					t.Errorf("row %d: no difference any more", i+1)
				case why == "":
					t.Errorf("row %d %s: agent %q, URL %q: %+v\n%.300q", i+1, r.Case, r.UserAgent, r.URL, v, r.body())
				}
			}
			t.Logf("%d passed, %d differ for a reason", passed, len(differ))
		})
	}
}

// TestPaths runs the table of what counts of a URL: "Allow: PATH$" must match.
func TestPaths(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "google-robotstxt.paths.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r struct{ URL, Path string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if !robots.Parse([]byte("user-agent: *\ndisallow: /\nallow: "+r.Path+"$"), "foobot").Allowed(r.URL) {
			t.Errorf("path of %q is not %q", r.URL, r.Path)
		}
	}
}
