package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/chrome"
)

// needChrome skips a test where there is no browser.
func needChrome(t *testing.T) {
	t.Helper()
	if _, err := chrome.Find(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// start runs the program.
func start(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestBundled: the bundled chains find on the bundled site all there is.
func TestBundled(t *testing.T) {
	t.Parallel()
	needChrome(t)
	dir := t.TempDir()
	code, out, errs := start(t, "-json", "-screenshots", dir)
	if code != exitDone {
		t.Fatalf("code %d: %s\n%s", code, errs, out)
	}
	want := []struct {
		records     int
		first, last string
	}{
		{24, `"Arc 1"`, `"Halo 3"`},
		{60, `"Ash 1"`, `"Hazel 10"`},
		{200, `"Book of Salt, volume 1"`, `"Book of Moss, volume 50"`},
		{24, `"Arc 1"`, `"Halo 3"`},
		{1, `"9 to 17"`, `"9 to 17"`},
		{3, `"Beech, 84 cm high"`, `"It does not wobble"`},
		{2, `"moss green"`, `"stock":16`},
		{1, `"contact"`, `"contact"`},
		{2, `1001`, `1002`},
		{1, `"4 × o by 2027-03-01, gift: on, To my sister"`, `4`},
	}
	dec := json.NewDecoder(strings.NewReader(out))
	for _, w := range want {
		var got result
		if err := dec.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if len(got.Records) != w.records || !strings.Contains(compact(got.Records[0]), w.first) || !strings.Contains(compact(got.Records[w.records-1]), w.last) {
			t.Errorf("%s: %d records of %d, not from %s to %s: %v", got.Chain, len(got.Records), w.records, w.first, w.last, got.Records)
		}
		if got.Chain == "links that scripts make" && len(got.Links) != 3 {
			t.Errorf("%v", got.Links)
		}
	}
	for _, name := range []string{"consent-before.png", "consent-after.png", "order.png", "order.pdf"} {
		if fi, err := os.Stat(filepath.Join(dir, name)); err != nil || fi.Size() < 1000 {
			t.Error(name, err)
		}
	}
}
