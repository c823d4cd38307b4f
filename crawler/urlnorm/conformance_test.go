package urlnorm_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// verbatim reads URLs as the standard has it and changes nothing.
var verbatim = &urlnorm.Profile{
	Fragments: urlnorm.KeepFragments, KeepEscapes: true, KeepUserinfo: true, KeepRootDot: true,
	KeepEmpty: true, KeepDuplicates: true, KeepSessions: true, KeepTracking: true, MaxLen: 1 << 20,
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// tally counts how a suite fares. What differs for a reason must go on to
// differ, so that the lists of reasons do not outlive them.
type tally struct {
	passed  int
	differ  map[string]string // reason by case
	differs int
}

func (c *tally) check(t *testing.T, name string, ok bool, format string, args ...any) {
	t.Helper()
	switch why := c.differ[name]; {
	case ok && why == "":
		c.passed++
	case !ok && why != "":
		c.differs++
	case ok:
		t.Errorf("%s: no difference any more", name)
	default:
		t.Errorf(format, args...)
	}
}

func (c *tally) report(t *testing.T) {
	t.Helper()
	t.Logf("%d passed, %d differ for a reason", c.passed, c.differs)
	if c.passed < 5 {
		t.Error("hardly any case was run")
	}
}

// TestPlatformURLs runs urltestdata.json of the web platform tests.
func TestPlatformURLs(t *testing.T) {
	t.Parallel()
	var tests []json.RawMessage
	readJSON(t, "wpt/urltestdata.json", &tests)
	count, foreign := tally{differ: platformURLs}, 0
	for _, raw := range tests {
		var tt struct {
			Input, Href string
			Base        *string
			Failure     bool
		}
		if json.Unmarshal(raw, &tt) != nil {
			continue // a comment
		}
		var base string
		if tt.Base != nil {
			base = *tt.Base
		}
		got, err := verbatim.URL(base, tt.Input)
		if !tt.Failure && !strings.HasPrefix(tt.Href, "http:") && !strings.HasPrefix(tt.Href, "https:") {
			if !errors.Is(err, urlnorm.ErrScheme) {
				t.Errorf("URL(%q, %q) = %q, %v: want an error for %s", base, tt.Input, got, err, tt.Href)
			}
			foreign++
			continue
		}
		ok := got == strings.TrimSuffix(tt.Href, "#") && (err != nil) == tt.Failure
		count.check(t, tt.Input, ok, "URL(%q, %q) = %q, %v, want %q", base, tt.Input, got, err, tt.Href)
	}
	count.report(t)
	t.Logf("%d refused for their scheme", foreign)
}

// TestPlatformQueries runs percent-encoding.json: what a query becomes on
// pages of different encodings.
func TestPlatformQueries(t *testing.T) {
	t.Parallel()
	var tests []json.RawMessage
	readJSON(t, "wpt/percent-encoding.json", &tests)
	count := tally{differ: platformQueries}
	for _, raw := range tests {
		var tt struct {
			Input  string
			Output map[string]string
		}
		if json.Unmarshal(raw, &tt) != nil {
			continue
		}
		for charset, want := range tt.Output {
			got, err := verbatim.URLIn("http://example.com/", "?"+tt.Input+"#", charset)
			got = strings.TrimPrefix(got, "http://example.com/?")
			count.check(t, charset+" "+tt.Input, err == nil && got == want, "%s: query %q becomes %q, %v, want %q", charset, tt.Input, got, err, want)
		}
	}
	count.report(t)
}

// TestPlatformHosts runs toascii.json: international names.
func TestPlatformHosts(t *testing.T) {
	t.Parallel()
	var tests []json.RawMessage
	readJSON(t, "wpt/toascii.json", &tests)
	count := tally{differ: platformHosts}
	for _, raw := range tests {
		var tt struct {
			Input  string
			Output *string
		}
		if json.Unmarshal(raw, &tt) != nil {
			continue
		}
		want := ""
		if tt.Output != nil {
			want = "https://" + *tt.Output + "/x"
		}
		got, err := verbatim.URL("", "https://"+tt.Input+"/x")
		count.check(t, tt.Input, got == want && (err != nil) == (want == ""), "host %q: %q, %v, want %q", tt.Input, got, err, want)
	}
	count.report(t)
}

// TestNormalizer runs the pairs of crawler-commons' BasicURLNormalizer.
func TestNormalizer(t *testing.T) {
	t.Parallel()
	count := tally{differ: normalizer}
	sorted := urlnorm.Profile{SortQuery: true}
	for _, row := range readPairs(t, "crawler-commons/weirdToNormalizedUrls.csv") {
		got, err := sorted.URL("", row[0])
		count.check(t, row[0], got == row[1], "URL(%q) = %q, %v, want %q", row[0], got, err, row[1])
	}
	for _, row := range readPairs(t, "crawler-commons/invalidUrls.csv") {
		got, err := urlnorm.URL("", row[0])
		count.check(t, row[0], err != nil, "URL(%q) = %q, want an error", row[0], got)
	}
	count.report(t)
}

// readPairs reads a table of two columns parted by the last comma.
func readPairs(t *testing.T, name string) (rows [][2]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		in, want, _ := strings.Cut(line, ",")
		if i := strings.LastIndexByte(line, ','); i >= 0 {
			in, want = line[:i], line[i+1:]
		}
		if s, ok := strings.CutPrefix(in, `"`); ok {
			in = strings.ReplaceAll(strings.TrimSuffix(s, `"`), `""`, `"`)
		}
		rows = append(rows, [2]string{in, strings.TrimSpace(want)})
	}
	return rows
}

// TestSURTTable runs the rows of the surt package that ask for the whole key
// with the usual options.
func TestSURTTable(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "surt", "surt-cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	count := tally{differ: surtRows}
	for line := range strings.Lines(string(b)) {
		var tt struct {
			Function string
			Input    []struct{ Text string }
			Options  map[string]any
			Expected struct{ Text any }
		}
		if err := json.Unmarshal([]byte(line), &tt); err != nil {
			t.Fatal(err)
		}
		if tt.Function != "surt.surt" || len(tt.Options) > 0 {
			continue
		}
		got := urlnorm.SURT(tt.Input[0].Text)
		count.check(t, tt.Input[0].Text, got == tt.Expected.Text, "SURT(%q) = %q, want %q", tt.Input[0].Text, got, tt.Expected.Text)
	}
	count.report(t)
}

// TestPublicSuffixes runs the tests of the Public Suffix List. Where they say
// that a name has no registrable domain, it is its own site here.
func TestPublicSuffixes(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "psl", "tests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	count := tally{differ: suffixes}
	for line := range strings.Lines(string(b)) {
		host, want, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "//") || host == "null" {
			continue
		}
		if want == "null" {
			want = host
		}
		want = urlnorm.Host("http://" + want)
		got := urlnorm.Site("http://" + host)
		count.check(t, host, got == want, "Site of %s is %q, want %q", host, got, want)
	}
	count.report(t)
}
