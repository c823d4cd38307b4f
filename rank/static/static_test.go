package static_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/linear"
	"github.com/webquarry/quarry/rank/static"
)

func features(url string) map[string]float64 {
	out := map[string]float64{}
	for i, v := range static.URLFeatures(url) {
		out[strings.TrimPrefix(static.URLNames()[i], "url.")] = v
	}
	return out
}

func TestURLByHand(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]map[string]float64{
		"https://www.example.edu/": {"https": 1, "www": 1, "labels": 2, "suffix": 1, "length": 24, "host": 15, "path": 1, "root": 1, "dots": 2},
		"http://a.b.example.org:8080/~me/x_y/page-2.html?a=1&b=%20": {"port": 1, "labels": 4, "suffix": 0.7, "length": 57, "host": 15, "path": 20, "query": 9,
			"parameters": 2, "depth": 3, "digits": 4.0 / 29, "dots": 4, "hyphens": 2, "tilde": 1, "escapes": 1},
		"http://10.0.0.1/docs/index.html": {"ip": 1, "labels": 4, "suffix": 0.3, "length": 31, "host": 8, "path": 16, "depth": 1, "subroot": 1, "dots": 4},
		"https://example.de/a/b/":         {"https": 1, "labels": 2, "suffix": 0.5, "length": 23, "host": 10, "path": 5, "depth": 2, "folder": 1, "dots": 1},
		"https://example.com":             {"https": 1, "labels": 2, "suffix": 0.5, "length": 19, "host": 11, "root": 1, "dots": 1},
		"https://example.com/?q=1":        {"https": 1, "labels": 2, "suffix": 0.5, "length": 24, "host": 11, "path": 1, "query": 3, "parameters": 1, "digits": 0.25, "dots": 1},
	} {
		for name, got := range features(url) {
			if math.Abs(got-want[name]) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", url, name, got, want[name])
			}
		}
	}
}

const prose = `The house stands at the end of a long road that leads down to the sea. Nobody has lived there for years, but the
garden is still green, and in the summer people come to look at the roses that grow over its walls. Some say that it was built by a captain
who had seen the whole of the world and wanted to see no more of it; others have been told that it is older than the road itself.`

func TestPageByHand(t *testing.T) {
	t.Parallel()
	page := static.Page{URL: "https://example.org/", Title: "Red Fox", Headings: []string{"What it eats", "Where"}, Body: "The fox is RED. A Fox eats 12 mice, and more."}
	names, values := static.PageNames(), static.PageFeatures(page)
	if len(names) != len(values) {
		t.Fatalf("%d names, %d values", len(names), len(values))
	}
	got := map[string]float64{}
	for i, name := range names {
		got[name] = values[i]
	}
	for name, want := range map[string]float64{
		"url.root": 1, "page.words": 11, "page.title": 2, "page.headings": 4, "page.title_ratio": 2.0 / 13, "page.heading_ratio": 4.0 / 15,
		"page.title_in_body": 1, "page.stop_words": 5.0 / 11, "page.word_length": 32.0 / 11, "page.letters": 30.0 / 35, "page.capitals": 6.0 / 30, "page.different": 10.0 / 11,
	} {
		if math.Abs(got[name]-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

func TestEnglish(t *testing.T) {
	t.Parallel()
	german := `Das Haus steht am Ende einer langen Straße, die zum Meer hinunter führt. Seit Jahren hat dort niemand gewohnt, aber der Garten ist noch immer
		grün, und im Sommer kommen Leute, um die Rosen zu sehen, die über seine Mauern wachsen.`
	finnish := `Talo seisoo pitkän tien päässä, joka johtaa alas merelle. Kukaan ei ole asunut siellä vuosiin, mutta puutarha on yhä vihreä, ja kesällä ihmiset
		tulevat katsomaan ruusuja, jotka kasvavat sen muurien yli.`
	if got := static.English(prose); got < 0.75 {
		t.Errorf("English prose has %v", got)
	}
	for what, text := range map[string]string{"German": german, "Finnish": finnish, "letters": "xq zvk jjwq pfxz qqkv wzxj kqvz xjxq", "Greek": "Το σπίτι στέκεται", "nothing": "", "digits": "12 34"} {
		t.Logf("%s has %.2f", what, static.English(text))
		if got := static.English(text); got > static.English(prose)-0.1 || !(got >= 0) {
			t.Errorf("%s has %v", what, got)
		}
	}
	if got := static.English("Το σπίτι"); got != 0 {
		t.Errorf("Greek has %v", got)
	}
}

// Whatever comes, all is finite, in the order of the names, and the models that are there give 0 to 1.
func TestAnything(t *testing.T) {
	t.Parallel()
	urlScore, err := static.URLScore(nil)
	if err != nil {
		t.Fatal(err)
	}
	pageScore, err := static.PageScore(nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		url := rapid.OneOf(rapid.String(), rapid.StringMatching(`https?://[a-z.]{0,9}(:[0-9]*)?/[a-z/%&?=;.~_-]{0,20}`)).Draw(t, "url")
		page := static.Page{URL: url, Title: rapid.String().Draw(t, "title"), Headings: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "headings"), Body: rapid.String().Draw(t, "body")}
		values := static.PageFeatures(page)
		if len(values) != len(static.PageNames()) || len(static.URLFeatures(url)) != len(static.URLNames()) {
			t.Fatal("not as many features as names")
		}
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				t.Fatalf("%s is %v", static.PageNames()[i], v)
			}
		}
		for _, s := range []float64{urlScore(url), pageScore(page)} {
			if !(s >= 0 && s <= 1) {
				t.Fatalf("score %v", s)
			}
		}
	})
}

func TestHuge(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("a", 1<<20), strings.Repeat("the ", 1<<18), strings.Repeat("\x00", 1<<20), strings.Repeat("/", 1<<20), strings.Repeat("%", 1<<20)} {
		for i, v := range static.PageFeatures(static.Page{URL: "http://h/" + text, Title: text, Body: text}) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s is %v", static.PageNames()[i], v)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	score, err := static.URLScore(nil)
	if err != nil {
		t.Fatal(err)
	}
	inOrder := []string{"https://example.edu/", "https://example.com/docs/", "https://example.com/docs/a/b/", "https://example.com/docs/page.html", "http://example.com/a/b/c/d/e/p.php?id=123&sid=a7f3&x=%20%20"}
	for i := 1; i < len(inOrder); i++ {
		if a, b := score(inOrder[i-1]), score(inOrder[i]); !(a > b) {
			t.Errorf("%s has %v, %s %v", inOrder[i-1], a, inOrder[i], b)
		}
	}
	page, err := static.PageScore(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := page(static.Page{URL: "https://example.org/house", Title: "The house", Body: prose})
	for what, p := range map[string]static.Page{
		"no text":  {URL: "https://example.org/house", Title: "The house"},
		"no title": {URL: "https://example.org/house", Body: prose},
		"a list":   {URL: "https://example.org/house", Title: "The house", Body: strings.Repeat("BUY CHEAP PILLS NOW ", 30)},
		"long URL": {URL: "https://example.org/a/b/c/d/e/f?x=1&y=2&z=" + strings.Repeat("q", 200), Title: "The house", Body: prose},
	} {
		if got := page(p); !(got < good) {
			t.Errorf("%s has %v, the good page %v", what, got, good)
		}
	}
	if _, err := static.URLScore(&linear.Model{Terms: []linear.Term{{Feature: "page.words", Weight: 1}}}); err == nil {
		t.Error("a model of pages scores URLs")
	}
}

// Labelled URLs make a model that tells such pages apart.
func TestLearn(t *testing.T) {
	t.Parallel()
	var rows [][]float64
	var labels []float64
	for i := range 200 {
		rows = append(rows, static.URLFeatures(fmt.Sprintf("https://site%d.example/", i)), static.URLFeatures(fmt.Sprintf("https://site%d.example/p/%d.html", i, i)))
		labels = append(labels, 1, 0)
	}
	m, err := linear.Fit(static.URLNames(), rows, labels, linear.Options{Logistic: true, Points: 4})
	if err != nil {
		t.Fatal(err)
	}
	score, err := static.URLScore(m)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := score("https://other.example/"), score("https://other.example/p/17.html"); a < 0.9 || b > 0.1 {
		t.Errorf("scores %v and %v", a, b)
	}
}

func TestSafe(t *testing.T) {
	t.Parallel()
	list := map[string]float64{"naughty": 1, "rude": 0.5, "odd": math.NaN(), "less": -3}
	for text, want := range map[string]float64{
		"": 1, "all is well": 1, "odd and less": 1,
		strings.Repeat("word ", 940) + strings.Repeat("Naughty! ", 10): 0.5,
		strings.Repeat("word ", 48) + "rude naughty":                   1 / 2.5,
	} {
		if got := static.Safe(text, list); math.Abs(got-want) > 1e-12 {
			t.Errorf("%.20q has %v, want %v", text, got, want)
		}
	}
	if got := static.Safe(strings.Repeat("x ", 1000), map[string]float64{"x": math.Inf(1)}); !(got >= 0) {
		t.Errorf("infinite weights: %v", got)
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	scores := []float64{5, 1, math.NaN(), 4, 3, 2, 2, 9, 8, 7}
	for _, c := range []struct {
		shares []float64
		want   []int
	}{
		{nil, make([]int, 10)},
		{[]float64{0.2, 0.3}, []int{1, 2, 2, 1, 2, 2, 2, 0, 0, 1}},
		{[]float64{0, -1, 1}, []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
		{[]float64{0.7, 0.3, 0.5}, []int{0, 1, 1, 0, 0, 0, 1, 0, 0, 0}},
	} {
		if got := static.Tiers(scores, c.shares...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.shares, got, c.want)
		}
	}
	if got := static.Tiers(nil, 0.5); len(got) != 0 {
		t.Errorf("no pages: %v", got)
	}
}

func TestGoodFirst(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tier := func(keys ...string) func(context.Context) ([]rank.Hit, error) {
		return func(context.Context) (hits []rank.Hit, err error) {
			for _, k := range keys {
				hits = append(hits, rank.Hit{Key: k})
			}
			return hits, nil
		}
	}
	fail := func(context.Context) ([]rank.Hit, error) { return nil, broken }
	for _, c := range []struct {
		enough int
		want   string
		err    error
	}{{0, "", nil}, {2, "a b", nil}, {3, "a b c", nil}, {4, "a b c d", nil}, {9, "a b c d", broken}, {-1, "", nil}} {
		hits, err := static.GoodFirst(t.Context(), c.enough, tier("a", "b"), tier("b", "c", "d"), fail)
		var got []string
		for _, h := range hits {
			got = append(got, h.Key)
		}
		if strings.Join(got, " ") != c.want || !errors.Is(err, c.err) {
			t.Errorf("%d: %v, %v", c.enough, got, err)
		}
	}
}

func FuzzURLFeatures(f *testing.F) {
	f.Add("https://www.example.org/a/b.html?x=1")
	f.Add("://%zz")
	f.Fuzz(func(t *testing.T, url string) {
		for i, v := range static.URLFeatures(url) {
			if !(v >= 0) || math.IsInf(v, 1) {
				t.Errorf("%q: %s is %v", url, static.URLNames()[i], v)
			}
		}
	})
}

func ExampleURLScore() {
	score, err := static.URLScore(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", score("https://example.org/"))
	fmt.Printf("%.2f\n", score("https://example.org/docs/v2/list.php?page=7&order=date"))
	// Output:
	// 0.96
	// 0.10
}

func ExampleSafe() {
	list := map[string]float64{"bloody": 0.5, "naughty": 1}
	fmt.Printf("%.2f\n", static.Safe("a bloody long walk, and then home again, "+strings.Repeat("step by step ", 50), list))
	// Output: 0.81
}

func ExampleTiers() {
	fmt.Println(static.Tiers([]float64{0.2, 0.9, 0.4, 0.3}, 0.25, 0.25))
	// Output: [2 0 1 2]
}

func ExampleEnglish() {
	fmt.Println(static.English("the house at the end of the road") > static.English("das Haus am Ende der Straße"))
	// Output: true
}
