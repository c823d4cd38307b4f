package urlnorm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// The rows of the surt package on canonical forms, Google's for Safe Browsing
// among them, that are two URLs here, and why.
var surtPairs = map[string]string{
	"http://https://order.1and1.com": "WHATWG: the host is https",
	"http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B": "WHATWG: # is no part of a host",
	"www.google.com/":           noScheme,
	"www.google.com":            noScheme,
	"Bücher.ch:8080":            noScheme,
	"☃.com":                     noScheme,
	"%20leadingspace.com/":      noScheme,
	"http://\x01\u0080.com/":    "WHATWG: a host has no control characters",
	"http:// leadingspace.com/": "WHATWG: a host has no spaces",
}

// TestSURTPairs sees whether URLs that those rows take for one have one key.
func TestSURTPairs(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "surt", "surt-cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	cases := []string{"test_GoogleURLCanonicalizer", "test_IAURLCanonicalizer", "test_DefaultIAURLCanonicalizer", "test_handyurl_parse"}
	count := tally{differ: surtPairs}
	for line := range strings.Lines(string(b)) {
		var tt struct {
			Case     string
			Function string
			Input    []struct{ Text string }
			Expected struct{ Text any }
		}
		if err := json.Unmarshal([]byte(line), &tt); err != nil {
			t.Fatal(err)
		}
		want, ok := tt.Expected.Text.(string)
		if !ok || len(tt.Input) == 0 || !slices.Contains(cases, tt.Case) ||
			tt.Case == "test_handyurl_parse" && !strings.HasSuffix(tt.Function, "geturl") {
			continue
		}
		in := tt.Input[0].Text
		count.check(t, in, urlnorm.SURT(in) == urlnorm.SURT(want), "SURT(%q) = %q, of %q it is %q", in, urlnorm.SURT(in), want, urlnorm.SURT(want))
	}
	count.report(t)
}
