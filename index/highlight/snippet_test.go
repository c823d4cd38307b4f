package highlight

import (
	"fmt"
	"html"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"pgregory.net/rapid"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/unicodetest"
)

// marked is a snippet with its matches in brackets.
func marked(s Snippet) string {
	var b strings.Builder
	at := 0
	for _, span := range s.Spans {
		b.WriteString(s.Text[at:span.Start] + "[" + s.Text[span.Start:span.End] + "]")
		at = span.End
	}
	return b.String() + s.Text[at:]
}

func asked(text string) query.Query {
	q, _ := query.ParseLenient(text, query.ParseOptions{Schema: query.Names{"title", "body"}})
	return q
}

func TestSnippetMarks(t *testing.T) {
	t.Parallel()
	english := &analysis.English{}
	for _, c := range []struct {
		query, text string
		a           analysis.Analyzer
		want        string
	}{
		{"fox", "The quick FOX jumps.", analysis.Standard{}, "The quick [FOX] jumps."},
		{"connection", "It connects connected connections.", english, "It [connects] [connected] [connections]."},
		{"conn*", "connect, disconnect, Connor", analysis.Standard{}, "[connect], disconnect, [Connor]"},
		{"cafe", "Un café, deux cafe\u0301s", analysis.Standard{}, "Un [café], deux cafe\u0301s"},
		{`"quick fox"`, "quick fox, quick brown fox, fox quick", analysis.Standard{}, "[quick fox], quick brown fox, fox quick"},
		{`"quick fox"~1`, "quick brown fox and quick", analysis.Standard{}, "[quick] brown [fox] and quick"},
		{`"fox fox"~5`, "a fox here", analysis.Standard{}, "a fox here"},
		{`"quick f*"`, "quick fox, quick dog", analysis.Standard{}, "[quick fox], quick dog"},
		{"pg_dump", "run pg_dump, dump it", analysis.Standard{}, "run [pg_dump], dump it"},
		{"张益唐", "数学家张益唐证明，张三", analysis.Standard{}, "数学家[张益唐]证明，张三"},
		{"益", "数学家张益唐证明", analysis.Standard{}, "数学家张[益]唐证明"},
		{"fox -dog", "fox and dog", analysis.Standard{}, "[fox] and dog"},
		{"(fox OR dog)^2", "fox and dog", analysis.Standard{}, "[fox] and [dog]"},
		{"title:fox dog", "fox and dog", analysis.Standard{}, "fox and [dog]"},
		{"body:fox dog", "fox and dog", analysis.Standard{}, "[fox] and [dog]"},
		{`="fox"`, "Fox", analysis.Standard{}, "[Fox]"},
		{"f?x", "Fox and fax, fixed", analysis.Standard{}, "[Fox] and [fax], fixed"},
		{"*ÖX", "fox, vox, oxen", analysis.Standard{}, "[fox], [vox], oxen"},
		{"/f.x(es)?/", "foxes, FOX, foxed", analysis.Standard{}, "[foxes], [FOX], foxed"},
		{"foxse~", "foxes, boxed", analysis.Standard{}, "[foxes], boxed"},
		{"pg_dmup~1", "run pg_dump, dump it", analysis.Standard{}, "run [pg_dump], dump it"},
		{"(fox cat dog)~2", "fox and dog", analysis.Standard{}, "[fox] and [dog]"},
		{"nothing", "fox", analysis.Standard{}, "fox"},
		{"*", "fox", analysis.Standard{}, "fox"},
		{"fox", "", analysis.Standard{}, ""},
		{"b", "a\n\n  b\t\x00c\xffd  ", analysis.Standard{}, "a [b] c\uFFFDd"},
	} {
		if got := marked(New(c.text, asked(c.query), c.a, Options{Field: "body"})); got != c.want {
			t.Errorf("%s in %q\n got %q\nwant %q", c.query, c.text, got, c.want)
		}
	}
}

func TestSnippetHTML(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, query, want string }{
		{`The <script> tag & "x"`, "tag", `The &lt;script&gt; <mark>tag</mark> &amp; &#34;x&#34;`},
		{"<b>it's</b>", "it", "&lt;b&gt;<mark>it</mark>&#39;s&lt;/b&gt;"},
		{"a <b> c", "b", "a &lt;<mark>b</mark>&gt; c"},
		{"x<y", `="x<y"`, "x&lt;y"},
	} {
		if got := New(c.text, asked(c.query), analysis.Standard{}, Options{}).HTML(); got != c.want {
			t.Errorf("%s in %q\n got %s\nwant %s", c.query, c.text, got, c.want)
		}
	}
	plain := New(`The <script> tag`, asked("tag"), analysis.Standard{}, Options{})
	if plain.Text != `The <script> tag` {
		t.Errorf("plain text %q", plain.Text)
	}
	// A token that holds markup is escaped as well.
	s := Snippet{Text: "a <b> c", Spans: []Span{{2, 5}}}
	if got := s.HTML(); got != "a <mark>&lt;b&gt;</mark> c" {
		t.Errorf("got %s", got)
	}
}

func TestSnippetPassages(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("Nothing of interest happens in this sentence. ", 20)
	text := filler + "Here is a fox. " + filler + "A fox met a dog by the river. " + filler + "A wolf came alone. " + filler
	for _, c := range []struct {
		name, query string
		opt         Options
		want        string
	}{
		{"one word: its first place", "fox", Options{Bytes: 100},
			"Here is a [fox]. Nothing of interest happens in this sentence. Nothing of interest happens in …"},
		{"two words: where both are", "dog fox", Options{Bytes: 100},
			"A [fox] met a [dog] by the river. Nothing of interest happens in this sentence. Nothing of…"},
		{"two passages", "dog wolf", Options{Bytes: 200},
			"A fox met a [dog] by the river. Nothing of interest happens in this sentence. Nothing of … A [wolf] came alone. Nothing of interest happens in this sentence. Nothing of interest happens …"},
		{"one passage of two", "dog wolf", Options{Bytes: 100, Fragments: 1},
			"A fox met a [dog] by the river. Nothing of interest happens in this sentence. Nothing of…"},
		{"no match: the beginning", "whale", Options{Bytes: 60}, "Nothing of interest happens in this sentence. …"},
	} {
		got := marked(New(text, asked(c.query), analysis.Standard{}, c.opt))
		if squeeze(got) != squeeze(c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	if got := New(text, asked("fox"), analysis.Standard{}, Options{Bytes: math.MaxInt}); got.Text != strings.TrimSpace(text) || len(got.Spans) != 2 {
		t.Errorf("whole text: %d bytes, %d spans", len(got.Text), len(got.Spans))
	}
}

func squeeze(s string) string { return strings.ReplaceAll(s, " …", "…") }

// A text may be long: the words are found where they stand, and the whole text is
// the whole one.
func TestSnippetOfLongText(t *testing.T) {
	t.Parallel()
	for _, before := range []int{127 << 10, 129 << 10, 1 << 20} {
		text := strings.Repeat("é ", before/3) + "fox"
		if got := New(text, asked("fox"), nil, Options{}); len(got.Spans) != 1 || !strings.HasSuffix(got.Text, "é fox") {
			t.Errorf("%d bytes before it: %v in %q", before, got.Spans, got.Text)
		}
	}
	for _, q := range []string{"fox", `"fox pad"`, `"fox pad"~2`, "fo*", "fox pad"} {
		const n = 7_000
		text := strings.TrimSpace(strings.Repeat("fox pad nothing else ", n))
		got := New(text, asked(q), nil, Options{Bytes: math.MaxInt})
		marks := 0
		for _, s := range got.Spans {
			if strings.HasPrefix(got.Text[s.Start:], "fox") {
				marks++
			}
		}
		if got.Text != text || marks != n {
			t.Errorf("%s: %d of %d bytes, %d of %d marks", q, len(got.Text), len(text), marks, n)
		}
	}
}

// A match at the end of a text has text before it.
func TestSnippetOfAnEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("words of it ", 170) + ". Target.", "…ds of it . [Target]."},
		{strings.Repeat("A short sentence. ", 100) + "Target.", "A short sentence. A short sentence. [Target]."},
		{strings.Repeat("数学家证明了", 100) + "。目标。", "…数学家证明了数学家证明了。[目标]。"},
		{strings.Repeat("filler ", 100) + "Target is at its beginning. And two more. " + "Last words.", "…filler [Target] is at its beginning. And two more. Last words."},
	} {
		s := New(c.text, asked("target 目标"), nil, Options{Bytes: 120})
		got, want := strings.ReplaceAll(marked(s), "… ", "…"), c.want
		if strings.HasPrefix(want, "…") {
			want = strings.TrimPrefix(want, "…")
			if !strings.HasPrefix(got, "…") {
				t.Errorf("got %q", got)
			}
		}
		if !strings.HasSuffix(got, want) || len(s.Text) < 60 {
			t.Errorf("%d bytes\n got %q\nwant %q", len(s.Text), got, c.want)
		}
	}
}

// A grapheme cluster that is longer than the room leaves room for others.
func TestSnippetOfLongClusters(t *testing.T) {
	t.Parallel()
	marks, filler := strings.Repeat("\u0301", 300), strings.Repeat("filler ", 60)
	for _, c := range []struct{ query, text, want string }{
		{"x*", "plain words before it x" + marks + " and after it", "plain words before it…"},
		{"x*", "before it x" + marks + " and plain words after it", "… and plain words after it"},
		{"and", "before it x" + marks + " and plain words after it", "… [and] plain words after it"},
		{"x", "x" + marks + " then x and y" + marks, "… then [x] and…"},
		{"x*", "x" + marks, "…"},
		{"foo", " 。" + strings.Repeat("\u0301", 117) + "foo", "…[foo]"},
		{"foo", "x" + marks + "\u00a0foo y" + marks, "…[foo]…"},
		{"foo", filler + "end. \u0301foo and more " + filler, "filler end. \u0301[foo] and more filler"},
		{"foo", filler + "。\u0301foo " + filler, "filler 。\u0301[foo] filler"},
	} {
		got := strings.NewReplacer(" …", "…", "… ", "…").Replace(marked(New(c.text, asked(c.query), nil, Options{})))
		want := strings.NewReplacer(" …", "…", "… ", "…").Replace(c.want)
		if got != want && (len(c.text) < 500 || !strings.Contains(got, want)) {
			t.Errorf("%s in %.60q: got %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

// clusterAt agrees with a reading of the whole text, however far back it must look.
func TestClusters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.OneOf(scripts(), unicodetest.Texts()).Draw(t, "text"), "\uFFFD")
		checkClusters(t, text)
	})
	for _, unit := range []string{"🇩🇪", "ᄀ", "क्", "\u0301", "👩\u200d", "\u0600", "\r\n", "가", "👍🏽", "a"} {
		text := strings.Repeat(unit, 8_000)
		var all []hit
		for i := range len(text) {
			all = append(all, hit{start: i, end: i + 1})
		}
		start := time.Now()
		wholeClusters(text, all)
		if d := time.Since(start); d > 10*time.Second { // quadratic time takes minutes, a busy machine some seconds
			t.Errorf("%q: %v", unit, d)
		}
	}
}

func checkClusters(t interface{ Fatalf(string, ...any) }, text string) {
	from := 0
	for g := graphemes.FromString(text); g.Next(); {
		want := Span{from, from + len(g.Value())}
		for i := want.Start; i < want.End; i++ {
			if got := clusterAt(text, i); got != want {
				t.Fatalf("%+q at %d: %v, want %v", text, i, got, want)
			}
		}
		from = want.End
	}
}

// checkSnippet holds a snippet to what it promises, whatever the text.
func checkSnippet(t interface{ Fatalf(string, ...any) }, text string, q query.Query, opt Options) {
	s := New(text, q, analysis.Standard{}, opt)
	fail := func(why string) { t.Fatalf("%q for %s with %+v\n%s: %q %v", text, q, opt, why, s.Text, s.Spans) }
	if !utf8.ValidString(s.Text) {
		fail("not UTF-8")
	}
	limit := opt.Bytes
	if limit == 0 {
		limit = 240
	}
	if limit > 0 && len(s.Text) > limit {
		fail("too long")
	}
	if strings.ContainsAny(s.Text, "\n\t\x00") || strings.Contains(s.Text, "  ") {
		fail("blanks")
	}
	at := 0
	for _, span := range s.Spans {
		if span.Start < at || span.End <= span.Start || span.End > len(s.Text) || !utf8.RuneStart(s.Text[span.Start]) {
			fail("spans")
		}
		at = span.End
	}
	plain := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(s.HTML())
	if plain != html.EscapeString(s.Text) {
		fail("HTML " + s.HTML())
	}
	checkCuts(fail, text, s, limit >= leastMarked || limit < 0)
}

// checkCuts holds that a snippet is made of whole grapheme clusters of the text,
// blanks aside, and that no span parts one.
func checkCuts(fail func(string), text string, s Snippet, ellipses bool) {
	known := map[string]bool{}
	for g := graphemes.FromString(strings.ToValidUTF8(text, "\uFFFD")); g.Next(); {
		for piece := range strings.FieldsFuncSeq(g.Value(), isBlank) {
			known[piece] = true
		}
	}
	boundaries := map[int]bool{0: true, len(s.Text): true}
	at := 0
	for g := graphemes.FromString(s.Text); g.Next(); {
		for piece := range strings.FieldsFuncSeq(g.Value(), isBlank) {
			if !known[piece] && (piece != ellipsis || !ellipses) {
				fail(fmt.Sprintf("%+q is no grapheme of it", g.Value()))
			}
		}
		at += len(g.Value())
		boundaries[at] = true
	}
	for _, span := range s.Spans {
		for _, i := range []int{span.Start, span.End} {
			if !boundaries[i] && s.Text[i] != ' ' && s.Text[i-1] != ' ' {
				fail(fmt.Sprintf("%v parts a grapheme", span))
			}
		}
	}
}

// scripts draws texts of words and graphemes of many scripts.
func scripts() *rapid.Generator[string] {
	pieces := []string{"fox ", "dog", ". ", " ", "\n", "é", "e\u0301", "क्षि", "नमस्ते ", "का", "数学家", "张益唐", "привет ", "👨‍👩‍👧‍👦", "🇩🇪", "🇫🇷", "👍🏽",
		"한국어", "\u1112\u1161\u11ab", "ก็", "น้ำ", "ไทย", "<b>", "&", "\u200d", "\xff", "\x00", "a\u0301\u0302\u0303\u0304"}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 80).Draw(t, "pieces"), "")
	})
}

func TestSnippetsOfAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := scripts().Draw(t, "text")
		q := asked(rapid.SampledFrom([]string{"fox", "fox dog", `"fox dog"`, "数学家", "益", "к*", "привет नमस्ते", "ไทย fox 한국", "-fox", `"e a"~3`}).Draw(t, "query"))
		opt := Options{Bytes: rapid.IntRange(0, 200).Draw(t, "bytes"), Fragments: rapid.IntRange(0, 4).Draw(t, "fragments")}
		checkSnippet(t, text, q, opt)
	})
}

// Any text at all; QUARRY_TEXTS=1000000 makes it a million.
func TestSnippetsOfUnicode(t *testing.T) {
	t.Parallel()
	queries := make([]query.Query, 0, 20)
	for _, w := range unicodetest.Words() {
		queries = append(queries, asked(w))
	}
	for _, text := range []string{"fox dog", `"fox dog"~3`, `"数学 привет"`, "f*", "字*", "नम*", "?ox", "fxo~1", "*"} {
		queries = append(queries, asked(text))
	}
	unicodetest.Each(t, 2_000, func(r *rand.Rand, text string) {
		q := queries[r.IntN(len(queries))]
		if r.IntN(4) == 0 { // a word of the text itself
			if words := strings.Fields(text); len(words) > 0 {
				q = query.Prefix{Text: words[r.IntN(len(words))]}
			}
		}
		opt := Options{Bytes: []int{math.MaxInt, 0, 1 + r.IntN(40), r.IntN(300), -1}[r.IntN(5)], Fragments: r.IntN(5)}
		checkSnippet(t, text, q, opt)
	})
}

func FuzzSnippet(f *testing.F) {
	f.Add("The quick fox <b> & क्षि 👨‍👩‍👧‍👦 张益唐", "fox OR 张益唐", 40, 2)
	f.Add(strings.Repeat("a fox. ", 50)+"\xff\x00", `"a fox"~2 f*`, 100, 3)
	f.Fuzz(func(t *testing.T, text, q string, bytes, fragments int) {
		checkSnippet(t, text, asked(q), Options{Bytes: bytes, Fragments: min(fragments, 10)})
	})
}

func BenchmarkSnippet(b *testing.B) {
	sentence := "The query planner chooses a plan by estimating what each one costs: rows read, pages fetched, sorts made. "
	text := strings.Repeat(sentence, 50) + "Vacuum full rewrites the table. " + strings.Repeat(sentence, 50)
	text = text[:10_000]
	for _, c := range []struct {
		name string
		a    analysis.Analyzer
	}{{"Standard", analysis.Standard{}}, {"English", &analysis.English{}}} {
		for _, q := range []string{"vacuum full", "planner", "costs estimating the", `"rewrites the table"`, "vac*"} {
			b.Run(c.name+"/"+q, func(b *testing.B) {
				q := asked(q)
				b.ReportAllocs()
				for b.Loop() {
					New(text, q, c.a, Options{})
				}
			})
		}
	}
}

func ExampleNew() {
	text := "VACUUM reclaims storage. Without it a table <grows>. The full form of vacuuming rewrites all of it."
	s := New(text, query.Match{Text: "vacuum full"}, &analysis.English{}, Options{Bytes: 60})
	fmt.Println(s.Text)
	fmt.Println(s.HTML())
	// Output:
	// The full form of vacuuming rewrites all of it.
	// The <mark>full</mark> form of <mark>vacuuming</mark> rewrites all of it.
}

func TestUnited(t *testing.T) {
	t.Parallel()
	got := united([]hit{{start: 0, end: 4}, {start: 2, end: 6}, {start: 6, end: 8}, {start: 7, end: 8}})
	if want := []Span{{0, 6}, {6, 8}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Snippets mark what an expanded query has matched.
func TestSnippetMarksStandIns(t *testing.T) {
	t.Parallel()
	expander := synonymous{"recieve": {"receive": 0.5, "received": 0.3}, "a": {"z": 1}}
	for text, want := range map[string]string{
		"recieve":       "We [receive] what was [received], a z.",
		"a":             "We receive what was received, [a] [z].",
		"recieve what":  "We [receive] [what] was [received], a z.",
		`"recieve"`:     "We receive what was received, a z.",
		"title:recieve": "We receive what was received, a z.",
	} {
		got := New("We receive what was received, a z.", asked(text), nil, Options{Field: "body", Expander: expander})
		if marked(got) != want {
			t.Errorf("%s: %s, not %s", text, marked(got), want)
		}
	}
	if got := New(strings.Repeat("We receive. ", 3), asked("recieve"), nil, Options{}); len(got.Spans) > 0 {
		t.Errorf("without an expander: %s", marked(got))
	}
}

type synonymous map[string]map[string]float64

func (s synonymous) Expand(term string) iter.Seq2[string, float64] { return maps.All(s[term]) }
