package query_test

import (
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/unicodetest"
)

// typed are texts of many kinds that people type, paste or quote. A document of just
// such a text is found by it.
func typed() []string {
	return []string{
		// a sign behind a quote or bracket
		`3.5"-disk`, `"self"-made`, `f(x)-g(y)`, `(un)-known`, `(C#)-like`, `“self”-made`, `«self»-made`, `(a)+(b)`, `(x)-(y)`, `"a"+"b"-"c"`, `5"+-0.1"`, `a)-b`, `"-disk`,
		`（甲）－乙`, `[a]-b`, `{a}-b`, `max(a, -b)`, `f(-x)`, `sin(-1)+cos(+2)`, `f(g(-x), -y)`, `3.5"+disk`, `x"-y"-z`,
		// words that signs join
		`publickey,password`, `DVD+RW`, `name=value`, `a|b`, `x;y;z`, `<b>bold</b>`, `a->b`, `p -> next`, `x ->next`, `i += 1`, `x =- 1`, `--help`, `a -|- b`, `--x`, `(a,b)`, `key:value,key2:value2`,
		`foo(bar,baz)`, `1,000,000 dollars`, `10+5`, `red,green,blue`, `北京，天气`, `東京・ホテル、大阪`, `а,б;в`, `שלום,עולם`, `مرحبا،عالم`,
		// signs that are no words, and stars
		`dvd +/-`, `dvd +=`, `dvd +" "`, `+"" dvd`, `dvd 5 * 3`, `5*3=15`, `5*3`, `2 * 2 = 4`, `select * from x`, `mysql count(*)`, `count(*) * 2`, `char *p, **q`, `/* comment */`, `ls *`, `rm -* x`, `* dvd *`, `** dvd **`,
		`a *`, `* (*) word`, `word -*`, `+* word`, `dvd ?`, `?? what`, `-- x`, `- x`, `+ x`, `~ x`, `^ x`, `& x`,
		// code, paths, addresses
		`SELECT * FROM t WHERE a='x' AND b="y";`, `for (i = 0; i < n; i++) { a[i] = 1; }`, `std::vector<int> v;`, `#include <stdio.h>`, `x = y ? 1 : 2`, `if (!a && !b) return 1`, `printf("%d\n", x)`, `C:\temp\new`,
		`/usr/local/bin/`, `/etc/`, `/foo-bar/`, `a/b/c`, `https://x.org/?q=a:b&c=d#e`, `www.example.org`, `me+you@example.org`, `mailto:me@x.org`, `ftp://x:y@z/`, `user@host:~/dir`, `git@github.com:a/b.git`, `127.0.0.1:8080`, `::1`,
		`C++ C# F# .NET Node.js A+ C++11 C++,C#`, `AT&T R&D`, `lambda x: x`, `$HOME ${HOME} %PATH%`, `[1,2,3]`, `{"a": [1, 2]}`, `a == b != c >= d`, `regex ^a.*b$`, `\d+\s*`, `λx.x`,
		// prices, numbers, times
		`$9.99`, `9,99 €`, `£5-£10`, `50%`, `-50%off`, `1.5-2.5`, `2021-03-04`, `12:30`, `+49 (0) 30-1234`, `(555) 123-4567`, `5'11"`, `3"x5"`, `10^6`, `x^2`, `½`, `#1`, `№5`, `n°5`, `1..2`, `[a TO b]`, `>5 <6`,
		// smileys and punctuation
		`:-) great`, `great :-(`, `;-) :) :(`, `<3 you`, `¯\_(ツ)_/¯ ok`, `(^_^) hi`, `>:( no`, `:'( sad`, `yes!!!`, `what?`, `why?!`, `wait...`, `well…`, `hm: no`, `yes/no`, `and/or`, `(sic)`, `[sic]`, `a (b`, `a) b`, `"unclosed words`, `it's "quoted`, `O'Reilly`, `don't`,
		`don’t`, `rock 'n' roll`, `„Gänse“`, `‚single‘`, `‹x›`, `「東京」`, `『本』-x`, `【新】`, `《书》`, `⟨a⟩`, `x:`, `re: hello`, `title`, `NOT`, `AND`, `OR`, `AND OR`, `not and or`, `hello AND`, `OR hello`, `word~`, `a~b`, `~/x`, `word~2`, `x^y`, `^start`,
	}
}

// typing is an index of one document for each text.
type typing struct {
	ix    *index.Index
	texts []string
}

func newTyping(t *testing.T, analyzer string, texts []string) *typing {
	ix := memory(t, index.Options{
		Schema:    index.Schema{{Name: "body", Analyzer: analyzer}, {Name: "id", Kind: index.Keyword}},
		Analyzers: map[string]analysis.Analyzer{"stops": analysis.NewStopWords(&analysis.English{}, analysis.EnglishStopWords()...)},
	})
	var docs []index.Document
	for i, text := range texts {
		id := strconv.Itoa(i)
		docs = append(docs, index.Document{Key: id, Fields: []index.Field{{Name: "body", Value: text}, {Name: "id", Value: id}}})
	}
	put(t, ix, docs...)
	return &typing{ix, texts}
}

// total is how many documents match, of which are the one with the id.
func (x *typing) total(t *testing.T, q query.Query, id int) (all, it int, warnings []query.Warning) {
	t.Helper()
	res, err := x.ix.Search(t.Context(), q, index.SearchOptions{Limit: -1})
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	own, err := x.ix.Search(t.Context(), query.And{query.Constant{Query: q, Score: 1}, query.Term{Field: "id", Text: strconv.Itoa(id)}}, index.SearchOptions{Limit: -1})
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return res.Total.Value, own.Total.Value, res.Warnings
}

// asks reports whether a query has an operator that a text may have been typed for: one
// that excludes, or a pattern.
func asks(q query.Query) bool {
	switch q := q.(type) {
	case query.Not, query.Wildcard, query.Regexp, query.Term, query.Like, query.None, query.AtLeast:
		return true
	case query.Boost:
		return asks(q.Query)
	case query.Constant:
		return asks(q.Query)
	case query.And:
		for _, m := range q {
			if asks(m) {
				return true
			}
		}
	case query.Or:
		for _, m := range q {
			if asks(m) {
				return true
			}
		}
	}
	return false
}

// check holds what is promised of text i, which was typed. A text that is plain finds its
// own document, whatever signs it has.
func (x *typing) check(t *testing.T, i int, words query.Operator, plain bool) {
	t.Helper()
	text := x.texts[i]
	q, read := query.ParseLenient(text, query.ParseOptions{Operator: words, Schema: query.Names{"title"}})
	all, own, warnings := x.total(t, q, i)
	dropped := len(warnings) > 0
	if own == 0 && !dropped && (plain || !asks(q)) {
		t.Errorf("words %v: %q is read as %s (%q) and does not find itself", words, text, q, read)
	}
	if star := strings.Trim(text, " *()+") == "" && strings.Contains(text, "*"); all == len(x.texts) && !star && !asks(q) {
		t.Errorf("words %v: %q is read as %s and finds all %d documents", words, text, q, all)
	}
	if words == query.AllFirst {
		words = query.AllWords // what a query prints is for those who say what they want
	}
	if again, err := query.Parse(q.String(), query.ParseOptions{Operator: words}); err != nil || !reflect.DeepEqual(again, q) {
		t.Errorf("words %v: %q is %#v\nprints %s\nis read as %#v, %v", words, text, q, q, again, err)
	}
}

// What people type is what is searched: no sign, star or stop word turns a query round or
// widens it to everything.
func TestTyped(t *testing.T) {
	t.Parallel()
	for _, analyzer := range []string{"standard", "stops"} {
		x := newTyping(t, analyzer, typed())
		for i := range x.texts {
			plain := x.texts[i] != "-50%off" // a minus before a word excludes it
			x.check(t, i, query.AllWords, plain)
			x.check(t, i, query.AnyWord, plain)
			x.check(t, i, query.AllFirst, plain)
		}
	}
}

// The same for what is made of pieces of such texts.
func TestTypedPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	pieces := append(typed(), unicodetest.Words()...)
	for i := range len(pieces) {
		pieces = append(pieces, strings.Fields(pieces[i])...)
	}
	pieces = append(pieces, "the", "of", "+the", "+of", "dvd", `"`, "(", ")", ":", "+", "-", "*", "?", "^2", "~", "=", ",", " ", "“", "”", "（", "）")
	texts := make([]string, 3000)
	for i := range texts {
		for range 1 + r.IntN(5) {
			texts[i] += pieces[r.IntN(len(pieces))] + []string{"", " ", " ", ","}[r.IntN(4)]
		}
	}
	for _, analyzer := range []string{"standard", "stops"} {
		x := newTyping(t, analyzer, texts)
		for i := range x.texts {
			x.check(t, i, query.AllFirst+query.Operator(i%3), false)
		}
	}
}

// Queries that people typed into a web search engine. QUARRY_QUERIES names a file of one a
// line, such as the efficiency topics of TREC's terabyte track of 2005.
func TestTypedByPeople(t *testing.T) {
	t.Parallel()
	name := os.Getenv("QUARRY_QUERIES")
	if name == "" {
		t.Skip("QUARRY_QUERIES names no file of queries")
	}
	b, err := os.ReadFile(name)
	must(t, err)
	for _, analyzer := range []string{"standard", "stops"} {
		x := newTyping(t, analyzer, strings.Split(strings.TrimSpace(string(b)), "\n"))
		for i := range x.texts {
			x.check(t, i, query.AllWords, true)
			x.check(t, i, query.AnyWord, true)
			x.check(t, i, query.AllFirst, true)
		}
	}
}

// With Or, what must match and is no word does not make everything match.
func TestRequiredNothing(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{
		Schema:    index.Schema{{Name: "body", Analyzer: "stops"}},
		Analyzers: map[string]analysis.Analyzer{"stops": analysis.NewStopWords(nil, analysis.EnglishStopWords()...)},
	})
	for key, body := range map[string]string{"a": "a dvd here", "b": "something else", "c": "mysql dvd"} {
		put(t, ix, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: body}}})
	}
	for text, want := range map[string]int{
		"dvd +/-": 2, "dvd +=": 2, `dvd +" "`: 2, `+"" dvd`: 2, "dvd 5 * 3": 2, "mysql count(*)": 1, "+the dvd": 2, "+(the) dvd": 2, `+"the of" dvd`: 2,
		"+the +of dvd -mysql": 1, "+the -mysql": 0, "the -mysql": 0, "+the": 0, "+the *": 0, "*": 3, "(*)": 3, "-mysql": 2, "+mysql dvd": 1, "+mysql the": 1, "+the +mysql dvd": 1,
		"+the (dvd OR of)": 2, "+the +(of in) mysql dvd": 2,
	} {
		q, _ := query.ParseLenient(text, query.ParseOptions{Operator: query.AnyWord})
		res, err := ix.Search(t.Context(), q, index.SearchOptions{})
		must(t, err)
		if res.Total.Value != want {
			t.Errorf("%s is read as %s: %d documents, want %d", text, q, res.Total.Value, want)
		}
	}
}

// With Or, words that signs join are alternatives, and those together come first.
func TestJoinedWords(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body"}}})
	for key, body := range map[string]string{"a": "password or publickey", "b": "only a publickey", "c": "publickey,password", "d": "none", "e": "DVD and RW", "f": "DVD+RW", "g": "a pg-dump", "h": "dump pg"} {
		put(t, ix, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: body}}})
	}
	for text, want := range map[string]string{
		"publickey,password": "cab", "DVD+RW": "fe", "publickey=password": "cab", "publickey(password)": "cab", "body:publickey,password": "cab",
		"none publickey,password": "cdab", "pg-dump": "g", "pg_dump": "g", `publickey\,password`: "c", "+publickey,password none": "cab", "publickey,password -only": "ca",
	} {
		q, _ := query.ParseLenient(text, query.ParseOptions{Operator: query.AnyWord, Schema: query.Names{"body"}})
		res, err := ix.Search(t.Context(), q, index.SearchOptions{})
		must(t, err)
		var got strings.Builder
		for _, h := range res.Hits {
			got.WriteString(h.Key)
		}
		if got.String() != want && !(strings.HasPrefix(text, "none") && len(got.String()) == 4) {
			t.Errorf("%s is read as %s and finds %s, want %s", text, q, got.String(), want)
		}
	}
}
