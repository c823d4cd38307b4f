package crawler

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestHTMLGolden reads a whole page. The golden file is for people to judge:
// run with -update and look at what changed.
func TestHTMLGolden(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/html/page.html")
	if err != nil {
		t.Fatal(err)
	}
	resp := response("text/html; charset=utf-8", string(body))
	resp.URL = "http://shore.example.com/guides/tide-pools"
	page, err := new(HTML).Parse(t.Context(), resp)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	fields, err := json.MarshalIndent(map[string]any{
		"url": page.URL, "title": page.Title, "description": page.Description, "lang": page.Lang, "canonical": page.Canonical,
		"headings": page.Headings, "noindex": page.NoIndex, "nofollow": page.NoFollow, "flaws": page.Flaws,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&got, "%s\n\n--- text\n%s\n\n--- links: url | text | rel | x for nofollow\n%s\n", fields, page.Text, show(page.Links))
	const golden = "testdata/html/page.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("page read differently (-want +got):\n%s", diff)
	}
}
