package indextest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// body is a schema of one field.
func body(analyzer string) index.Options {
	return index.Options{
		Schema: index.Schema{{Name: "body", Analyzer: analyzer, Stored: true}},
		Analyzers: map[string]analysis.Analyzer{
			"stops": analysis.NewStopWords(nil, "the", "of", "no", "some", "a"),
		},
	}
}

// testMatching asks worked queries for the documents that match them.
func testMatching(t *testing.T, open Open) {
	long := strings.Repeat("QUJDREVG", 12_500)
	for _, c := range []struct {
		name, analyzer string
		docs           []any
		finds          map[string]string // query: keys, in order of the alphabet
	}{
		{"words", "", []any{"the quick fox", "The slow FOX", "a dog"}, map[string]string{
			"fox": "a b", "FOX quick": "a", "quick OR dog": "a c", "fox -slow": "a", "-fox": "c", "*": "a b c", "-*": "",
			"cat": "", "cat OR dog": "c", "fox cat": "", "body:fox": "a b", "(quick OR slow) fox": "a b", `="FOX"`: "", `="fox"`: "a b",
			"quick^3 fox": "a", "fox^0": "a b", "-(-fox)": "a b", "fox OR -fox": "a b c", "(fox -fox)": "",
		}},
		{"phrases", "", []any{"under the sea", "the sea under", "sea x under y the", "a a b"}, map[string]string{
			`"under the sea"`: "a", `"the sea"`: "a b", `"sea the"`: "", `"sea the"~2`: "a b", `"under sea"`: "", `"under sea"~1`: "a",
			`"sea under the"~1`: "", `"sea under the"~2`: "c", `"sea the"~3`: "a b c", `"a a"`: "d", `"a a a"~9`: "", `"b a"~2`: "d", `"fox"`: "", `"sea"`: "a b c",
		}},
		{"values", "", []any{[]string{"ab cd", "ef gh"}, []string{}, []string{"", "ef"}}, map[string]string{
			`"cd ef"`: "", `"cd ef"~50`: "", `"ef gh"`: "a", "cd ef": "a", "ef": "a c",
		}},
		{"prefixes", "", []any{"connect connection", "connected cat-dog", "concert", "cat", "dog catalogue"}, map[string]string{
			"conn*": "a b", "con*": "a b c", "CON*": "a b c", "x*": "", "cat-dog": "b", "cat-dog*": "b", "CAT-DO*": "b", "cat*": "b d e",
			`"cat do*"`: "b", `"dog cat*"`: "e", `"connect conn*"`: "a", `"do* cat"`: "",
		}},
		{"patterns", "", []any{"rank ranks", "Ranking", "tank", "rink pink", "crème brûlée"}, map[string]string{
			"r?nk": "a d", "?ANK": "a c", "*ank*": "a b c", "rank*g": "b", `?"rank?"`: "a", "*n*k*": "a b c d", "*x": "", "CRÈ*E": "e", `?""`: "",
			"/rank(s|ing)/": "a b", "/[pr]in./": "d", "/RANK/": "a", "/ran/": "", "/.*/": "a b c d e", "//": "",
			"ranc~1": "a", "ranc~2": "a c d", "rnak~1": "a", "rankng~": "a b", "creme~": "e", "ra~": "", "brulee~0": "e", "xxxx~4": "a c d",
		}},
		{"some of", "", []any{"a b c", "a b", "c", "a d e"}, map[string]string{
			"(a b c)~2": "a b", "(a b c)~3": "a", "(a b c)~9": "a", "(a b c)~0": "a b c d", "(a OR b OR -c)~2": "a b d", "(a a b)~2": "a b", "((a b) OR d OR c)~2": "a",
			"(a b c)~2^=7": "a b", "(a -- zz)~2": "", "(a --)~2": "a b d", "-(a b c)~2": "c d", "e^=0": "d",
		}},
		{"likeness", "", []any{"apple pie with apple", "apple tart", "pear tart", "plum", "apple and pear"}, map[string]string{
			`~"a"`: "b e", `~"b"`: "a c e", `~"b"~1`: "c", `~"d"`: "", `~"nowhere"`: "", `body:~"a" -pear`: "b", `nowhere:~"a"`: "",
		}},
		{"compounds", "", []any{"run pg_dump now", "list.append(x)", "C++ and C", "python's e-mail", "don't", "dump pg", "__init__ node.js"}, map[string]string{
			"pg_dump": "a", "dump": "a f", "list.append": "b", "append": "b", "C++": "c", "c": "c", "C#": "", "python": "d", "e-mail": "d", "mail": "d",
			"don't": "e", "don’t": "e", "__init__": "g", "init": "g", "node.js": "g", "node": "g",
		}},
		{"Chinese", "", []any{"数学家张益唐证明", "张三 益 唐朝", "Go语言圣经", "語"}, map[string]string{
			"张益唐": "a", `"张益唐"`: "a", "益": "a b", "Go语言": "c", "言": "c", "张*": "a b", "张益*": "a", "語": "d",
		}},
		{"scripts", "", []any{"Сибиряков-Гвардейцев", "cafe\u0301 İstanbul", "ภาษาไทย", "نص مُشَكَّل", "नमस्ते दुनिया", "한국어 검색"}, map[string]string{
			"Сибиряков-Гвардейцев": "a", "гвардейцев": "a", "café": "b", "CAFE": "b", "istanbul": "b", "ISTANBUL": "b", "ไทย": "c", "مشكل": "d",
			"दुनिया": "e", "한국": "f", "검색": "f",
		}},
		{"odd bytes", "", []any{"", "...", "a\x00b \xff\xfe c", long + " after", "a\u200db"}, map[string]string{
			"b": "c", "c": "c", "after": "d", long: "d", long[:1000]: "d", "ab": "e", `""`: "", "--": "",
		}},
		{"English", "english", []any{"connections were made", "it connects", "connect four", "naive"}, map[string]string{
			"connection": "a b c", `"connected four"`: "c", "connecting*": "a b c", "were": "a",
		}},
		{"stop words", "stops", []any{"The soup of the day", "soup day", "the soup and later the day", "no"}, map[string]string{
			`"the soup of the day"`: "a", `"soup day"`: "b", "the soup": "a b c", "the": "", "no OR soup": "a b c", "no": "", "-the": "", "soup -the": "a b c",
			`"no some"`: "", "the*": "", "the -soup": "", "(the of) -soup": "", "the AND *": "", "-soup -the": "d", "the AND (* OR day)": "a b c", "the AND (* OR day) AND -and": "a b",
			"the AND (* OR of)": "", "soup AND (* OR day)": "a b c", "the AND (* OR day)^3": "a b c", "(the -soup) OR and": "c", "(the -soup) and": "c",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := filled(t, open, body(c.analyzer), c.docs...)
			for text, want := range c.finds {
				if got := sorted(found(t, o, parse(t, text))); got != want {
					t.Errorf("%.60s: found %q, want %q", text, got, want)
				}
			}
			if o.Merge == nil {
				return
			}
			must(t, o.Merge(t.Context()))
			for text, want := range c.finds {
				if got := sorted(found(t, o, parse(t, text))); got != want {
					t.Errorf("merged: %.60s: found %q, want %q", text, got, want)
				}
			}
		})
	}
}

// testLanguages holds that documents are found by the words of their language.
func testLanguages(t *testing.T, open Open) {
	languages, err := analysis.NewLanguages("de", "en")
	must(t, err)
	o := open(t, index.Options{
		Schema: index.Schema{{Name: "title", Analyzer: "local"}, {Name: "body", Analyzer: "local"}, {Name: "german", Analyzer: "german"},
			{Name: "code", Analyzer: "code"}},
		Analyzers: map[string]analysis.Analyzer{"local": languages,
			"code": &analysis.English{Words: analysis.NewSynonyms(analysis.Identifiers{}, []string{"db", "data base"})}},
	})
	field := func(name string, v any) index.Field { return index.Field{Name: name, Value: v} }
	must(t, o.Writer.Add(t.Context(),
		index.Document{Key: "a", Language: "de-CH", Fields: []index.Field{field("title", "Häusern")}},
		index.Document{Key: "b", Language: "en", Fields: []index.Field{field("title", "connections")}},
		index.Document{Key: "c", Fields: []index.Field{field("title", "Häuser"), field("body",
			[]string{"x", "Die Bewohner kennen sich seit vielen Jahren, und ihre Kinder spielen auf der Straße vor den alten Mauern."})}},
		index.Document{Key: "d", Language: "pl", Fields: []index.Field{field("title", "Häuser connections"), field("german", "Häuser")}},
		index.Document{Key: "e", Fields: []index.Field{field("code", "openDataBase opens DB files")}},
	), o.Writer.Commit(t.Context()))
	for text, want := range map[string]string{
		"Haus": "a c d", "häuser": "a c d", "connection": "b", "connections": "b d", "title:haus": "a c", "german:haus": "d", `"alten mauern"`: "c", "kinder": "c",
		"code:openDataBase": "e", "code:base": "e", `code:"data bases"`: "e", "code:db": "e", `code:"open data"`: "e", `code:"opening db"`: "e", `code:"db file"`: "e",
		"HÄUS*": "a c d",
	} {
		if got := sorted(found(t, o, parse(t, text))); got != want {
			t.Errorf("%s: found %q, want %q", text, got, want)
		}
	}
}

// testRefusals asks what has no answer.
func testRefusals(t *testing.T, open Open) {
	o := filled(t, open, body("stops"), "soup", "the day")
	for _, c := range []struct {
		q       query.Query
		warning query.WarningKind
	}{
		{query.Match{Text: "soup"}, ""},
		{query.Match{Text: "the of"}, query.WarnNoWords},
		{query.Match{Text: "--"}, query.WarnNoWords},
		{query.Match{Text: "the soup"}, ""},
		{query.Match{Field: "nowhere", Text: "soup"}, query.WarnUnknownField},
	} {
		res, err := o.Searcher.Search(t.Context(), c.q, index.SearchOptions{})
		must(t, err)
		if kinds := warningKinds(res); c.warning == "" && len(kinds) > 0 || c.warning != "" && !slices.Equal(kinds, []query.WarningKind{c.warning}) {
			t.Errorf("%s: warnings %q, want %q", c.q, res.Warnings, c.warning)
		}
		if c.warning != "" && (res.Total.Value > 0 || len(res.Hits) > 0) {
			t.Errorf("%s: found %d", c.q, res.Total.Value)
		}
	}
	if _, ok := o.Searcher.(*Twin); ok {
		return // it takes what it is given
	}
	for _, q := range []query.Query{nil, query.And{nil}, &query.Match{Text: "soup"}, query.Phrase{Text: "a", Slop: -1}, query.Boost{Query: query.All{}, By: -1}} {
		_, err := o.Searcher.Search(t.Context(), q, index.SearchOptions{})
		if _, ok := errors.AsType[*query.Error](err); !ok {
			t.Errorf("%T: %v, want a query.Error", q, err)
		}
	}
}
