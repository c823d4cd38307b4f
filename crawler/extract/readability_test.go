package extract

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// TestReadability measures the main text of a dozen articles, which may not
// be published and so lie elsewhere, against what Mozilla's readability gives:
// F1 over words.
func TestReadability(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("QUARRY_SHARED")
	dirs, _ := filepath.Glob(filepath.Join(shared, "data/html/readability/*/source.html"))
	if shared == "" || len(dirs) == 0 {
		t.Skip("NOT RUN: articles are copyrighted; set QUARRY_SHARED to the folder above data/html/readability")
	}
	var sum, dense, wasDense float64
	var others []string // authors that are not the expected ones
	for _, name := range dirs {
		doc := openDoc(t, name)
		want := blocks(openDoc(t, filepath.Join(filepath.Dir(name), "expected.html")).Nodes[0])
		d := f1(densest(doc.Nodes[0]).text, want)
		a := ReadArticle(doc, "https://www.example.com/a")
		f := f1(a.Text, want)
		sum, dense = sum+f, dense+d
		if a.Densest {
			wasDense++
		}
		var meta struct{ Title, Byline, Lang, SiteName, PublishedTime string }
		raw, err := os.ReadFile(filepath.Join(filepath.Dir(name), "expected-metadata.json"))
		if err == nil {
			err = json.Unmarshal(raw, &meta)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-12s F1 %.3f, densest part %.3f", filepath.Base(filepath.Dir(name)), f, d)
		if meta.Lang != a.Lang {
			t.Errorf("%s: language %q, want %q", name, a.Lang, meta.Lang)
		}
		if want, err := time.Parse(time.RFC3339, meta.PublishedTime); err == nil && !want.Equal(a.Published) {
			t.Errorf("%s: published %v, want %v", name, a.Published, want)
		}
		if !strings.EqualFold(strings.Join(a.Authors, ""), cleanName(meta.Byline)) {
			others = append(others, fmt.Sprintf("%q for %q", a.Authors, meta.Byline))
		}
	}
	n := float64(len(dirs))
	t.Logf("mean F1 %.3f of %d articles, densest part alone %.3f, used for %.0f", sum/n, len(dirs), dense/n, wasDense)
	t.Logf("authors other than expected: %s", strings.Join(others, "; "))
	if sum/n < 0.95 || dense/n < 0.8 {
		t.Errorf("mean F1 %.3f and %.3f", sum/n, dense/n)
	}
}

func openDoc(t *testing.T, name string) *goquery.Document {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := html.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return goquery.NewDocumentFromNode(n)
}

// f1 compares two texts as bags of words; where words are not apart, of
// characters.
func f1(got, want string) float64 {
	g, w := bag(got), bag(want)
	common, ng, nw := 0, 0, 0
	for word, n := range g {
		common += min(n, w[word])
		ng += n
	}
	for _, n := range w {
		nw += n
	}
	if ng+nw == 0 {
		return 1
	}
	return 2 * float64(common) / float64(ng+nw)
}

func bag(s string) map[string]int {
	all := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if words(w) > 1 {
			for _, r := range w {
				all[string(r)]++
			}
			continue
		}
		all[w]++
	}
	return all
}
