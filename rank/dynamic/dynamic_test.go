package dynamic_test

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
	"github.com/webquarry/quarry/rank/dynamic"
	"github.com/webquarry/quarry/rank/linear"
)

// of returns the features of one text, by kind.
func of(t testing.TB, f dynamic.Features, query string, text any) map[string]float64 {
	t.Helper()
	if f.Streams == nil {
		f.Streams = []dynamic.Stream{{Name: "s", Field: "text"}}
	}
	rows, err := f.Of(t.Context(), query, []rank.Hit{{Key: "k", Fields: map[string]any{"text": text}}})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for i, name := range f.Names() {
		out[strings.TrimPrefix(name, "s.")] = rows[0][i]
	}
	return out
}

func TestByHand(t *testing.T) {
	t.Parallel()
	idf := func(word string) float64 { return map[string]float64{"the": 0.5, "red": 1.5, "fox": 2}[word] }
	for _, c := range []struct {
		query string
		text  any
		want  map[string]float64
	}{
		{"the red fox", "See the Red Fox!", map[string]float64{"any": 1, "rarest": 0.5, "phrase": 1, "pairs": 1, "window": 1, "longest": 1}},
		{"the red fox", "a fox, red; fox", map[string]float64{"any": 0.875, "rarest": 2.0 / 3, "pairs": 0.5, "window": 0.875, "longest": 2.0 / 3}},
		{"the red fox", "the big red old fox", map[string]float64{"any": 1, "rarest": 0.5, "window": 0.5, "longest": 1}},
		{"the red fox", "the", map[string]float64{"any": 0.125, "longest": 1.0 / 3}},
		{"the red fox", []string{"the red", "fox"}, map[string]float64{"any": 1, "rarest": 0.5, "pairs": 0.5, "window": 2.0 / 3, "longest": 1}},
		{"fox", "fox fox fox", map[string]float64{"any": 1, "rarest": 0.75, "phrase": 1, "longest": 1}},
		{"fox fox", "fox", map[string]float64{"any": 1, "rarest": 0.5, "longest": 0.5}},
		{"", "fox", nil},
		{"fox", "", nil},
		{"fox", nil, nil},
		{"fox", 7, nil},
	} {
		got := of(t, dynamic.Features{IDF: idf}, c.query, c.text)
		for kind, value := range got {
			if math.Abs(value-c.want[kind]) > 1e-12 {
				t.Errorf("%q in %q: %s %v, want %v", c.query, c.text, kind, value, c.want[kind])
			}
		}
	}
}

// The words of a query against a text, as slowly as they can be looked for.
func slow(query, text []string) map[string]float64 {
	out := map[string]float64{}
	if len(query) == 0 {
		return out
	}
	different := slices.Compact(slices.Sorted(slices.Values(query)))
	there := 0
	for _, w := range different {
		if slices.Contains(text, w) {
			there++
		}
	}
	out["any"] = float64(there) / float64(len(different))
	tf := 0.0
	for _, w := range text {
		if w == query[0] {
			tf++
		}
	}
	out["rarest"] = tf / (tf + 1)
	width := 0
	for i := range text {
		for j := i + 1; j <= len(text); j++ {
			if slices.Equal(text[i:j], query) {
				out["phrase"] = 1
			}
			all := true
			for _, w := range different {
				all = all && (slices.Contains(text[i:j], w) || !slices.Contains(text, w))
			}
			if all && (width == 0 || j-i < width) {
				width = j - i
			}
		}
	}
	if there > 1 {
		out["window"] = out["any"] * float64(there-1) / float64(width-1)
	}
	for i := 1; i < len(query); i++ {
		for j := 1; j < len(text); j++ {
			if query[i-1] == text[j-1] && query[i] == text[j] {
				out["pairs"] += 1 / float64(len(query)-1)
				break
			}
		}
	}
	var longest func(a, b []string) int
	longest = func(a, b []string) int {
		switch {
		case len(a) == 0 || len(b) == 0:
			return 0
		case a[0] == b[0]:
			return 1 + longest(a[1:], b[1:])
		}
		return max(longest(a[1:], b), longest(a, b[1:]))
	}
	out["longest"] = float64(longest(query, text)) / float64(len(query))
	return out
}

func TestAgainstSlow(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 9)
	rapid.Check(t, func(r *rapid.T) {
		query, text := words.Draw(r, "query"), words.Draw(r, "text")
		got := of(t, dynamic.Features{}, strings.Join(query, " "), strings.Join(text, " "))
		want := slow(query, text)
		for kind, value := range got {
			if math.Abs(value-want[kind]) > 1e-9 {
				r.Fatalf("%v in %v: %s %v, want %v", query, text, kind, value, want[kind])
			}
		}
	})
}

// Whatever the texts and the idf, all is from 0 to 1.
func TestBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([ab] ){0,80}`))
		weird := rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1}).Draw(r, "idf")
		f := dynamic.Features{Streams: []dynamic.Stream{{Name: "url"}, {Name: "s", Field: "text", First: rapid.IntRange(-1, 5).Draw(r, "first")}}}
		f.IDF = func(word string) float64 {
			if len(word)%2 == 0 {
				return weird
			}
			return 2
		}
		rows, err := f.Of(context.Background(), text.Draw(r, "query"), []rank.Hit{{Key: text.Draw(r, "key"), Fields: map[string]any{"text": text.Draw(r, "text")}}})
		if err != nil || len(rows) != 1 || len(rows[0]) != len(f.Names()) {
			r.Fatal(rows, err)
		}
		for i, v := range rows[0] {
			if !(v >= 0 && v <= 1) {
				r.Fatalf("%s is %v", f.Names()[i], v)
			}
		}
	})
}

// A text of 300,000 words of the query is looked at in a time that does not depend on the square of its length.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	got := of(t, dynamic.Features{}, strings.Repeat("a b c ", 1000), strings.Repeat("a b c ", 100_000))
	if got["phrase"] != 1 || got["longest"] != 1 || got["window"] != 1 {
		t.Errorf("%v", got)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := (dynamic.Features{}).Of(ctx, "a", make([]rank.Hit, 3)); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

// A title that is the query wins against a body that has its words.
func Example() {
	stage := rank.ByModel{
		Features: rank.AllFeatures{rank.FirstStage{}, dynamic.Features{}},
		Model: &linear.Model{Terms: []linear.Term{
			{Feature: "score", Weight: 1},
			{Feature: "title.any", Weight: 1},
			{Feature: "title.longest", Points: [][2]float64{{0.9, 0}, {0.9, 2}}},
			{Feature: "body.window", Weight: 1},
		}},
	}
	hits := []rank.Hit{
		{Key: "https://example.org/faq", Score: 7.5, Fields: map[string]any{"title": "Questions", "body": "Opening times of the house, and hours by the clock"}},
		{Key: "https://example.org/hours", Score: 6.5, Fields: map[string]any{"title": "Opening hours", "body": "Always."}},
	}
	if err := stage.Rank(context.Background(), "opening hours", hits); err != nil {
		fmt.Println(err)
	}
	for _, h := range hits {
		fmt.Printf("%.2f %s\n", h.Score, h.Key)
	}
	// Output:
	// 9.50 https://example.org/hours
	// 7.67 https://example.org/faq
}

func ExampleFeatures() {
	f := dynamic.Features{Streams: []dynamic.Stream{{Name: "title", Field: "title"}}}
	rows, err := f.Of(context.Background(), "red fox", []rank.Hit{{Fields: map[string]any{"title": "The red old fox"}}})
	if err != nil {
		fmt.Println(err)
	}
	for i, name := range f.Names() {
		fmt.Printf("%s %.2f\n", name, rows[0][i])
	}
	// Output:
	// title.any 1.00
	// title.rarest 0.50
	// title.phrase 0.00
	// title.pairs 0.00
	// title.window 0.50
	// title.longest 1.00
}

func ExampleWeb() {
	for _, s := range dynamic.Web() {
		fmt.Print(s.Name, " ")
	}
	// Output: url title headings body preview anchor
}

func ExampleWords() {
	fmt.Println(dynamic.Words("https://example.org/Red_Fox-2"))
	// Output: [https example org red fox 2]
}
