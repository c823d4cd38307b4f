package query

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/internal/unicodetest"
)

// strange draws texts that could confuse the parser.
func strange() *rapid.Generator[string] {
	signs := []string{"a", "b", "AND", "OR", "NOT", " ", "\t", "\u3000", "(", ")", `"`, "“", "”", ":", "：", "*", "＊", "^", "~", "=", "+", "-", "－", `\`, "é", "益",
		"?", "/", "[", "]", "{", "TO", "..", ">", "<", "5", "\xff", "\x00", "1", "2.5", "'", "&", "|", "!", "\u0301", "_", "."}
	return rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, s := range rapid.SliceOfN(rapid.SampledFrom(signs), 0, 8).Draw(t, "signs") {
			text += s
		}
		return text
	}))
}

// expressions draws regular expressions.
func expressions() *rapid.Generator[string] {
	return strange().Filter(func(s string) bool { return Check(Regexp{Pattern: s}) == nil })
}

// trees draws queries in which every And and Or has two members or more.
func trees(depth int) *rapid.Generator[Query] {
	text := strange()
	leaves := []*rapid.Generator[Query]{
		rapid.Just(Query(All{})),
		rapid.Just(Query(None{})),
		rapid.Custom(func(t *rapid.T) Query { return Term{text.Draw(t, "field"), text.Draw(t, "text")} }),
		rapid.Custom(func(t *rapid.T) Query { return Match{text.Draw(t, "field"), text.Draw(t, "text")} }),
		rapid.Custom(func(t *rapid.T) Query { return Prefix{text.Draw(t, "field"), text.Draw(t, "text")} }),
		rapid.Custom(func(t *rapid.T) Query { return Wildcard{text.Draw(t, "field"), text.Draw(t, "pattern")} }),
		rapid.Custom(func(t *rapid.T) Query { return Regexp{text.Draw(t, "field"), expressions().Draw(t, "pattern")} }),
		rapid.Custom(func(t *rapid.T) Query {
			return Fuzzy{text.Draw(t, "field"), text.Draw(t, "text"), rapid.IntRange(0, MaxDistance).Draw(t, "distance"), max(0, rapid.IntRange(-2, 3).Draw(t, "prefix"))}
		}),
		rapid.Custom(func(t *rapid.T) Query {
			bound := rapid.OneOf(text, rapid.SampledFrom([]string{"", "TO", "1", "-2.5e3", "2026-03-01T10:00:00Z"}))
			return Range{"x" + text.Draw(t, "field"), bound.Draw(t, "from"), bound.Draw(t, "to"), rapid.Bool().Draw(t, "after"), rapid.Bool().Draw(t, "before")}
		}),
		rapid.Custom(func(t *rapid.T) Query { return Exists{"x" + text.Draw(t, "field")} }),
		rapid.Custom(func(t *rapid.T) Query {
			return Like{text.Draw(t, "field"), text.Draw(t, "key"), rapid.IntRange(0, 3).Draw(t, "words")}
		}),
		rapid.Custom(func(t *rapid.T) Query {
			return Phrase{text.Draw(t, "field"), text.Draw(t, "text"), rapid.IntRange(0, 20).Draw(t, "slop")}
		}),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := trees(depth - 1)
	return rapid.OneOf(append(leaves,
		rapid.Custom(func(t *rapid.T) Query { return And(rapid.SliceOfN(inner, 2, 4).Draw(t, "members")) }),
		rapid.Custom(func(t *rapid.T) Query { return Or(rapid.SliceOfN(inner, 2, 4).Draw(t, "members")) }),
		rapid.Custom(func(t *rapid.T) Query {
			return AtLeast{rapid.IntRange(0, 4).Draw(t, "n"), rapid.SliceOfN(inner, 1, 4).Draw(t, "members")}
		}),
		rapid.Custom(func(t *rapid.T) Query {
			return Constant{inner.Draw(t, "member"), rapid.Float64Range(0, 9).Draw(t, "score")}
		}),
		rapid.Custom(func(t *rapid.T) Query { return Not{inner.Draw(t, "member")} }),
		rapid.Custom(func(t *rapid.T) Query {
			return Boost{inner.Draw(t, "member"), math.Abs(rapid.Float64Range(0, 1e300).Draw(t, "by"))}
		}),
	)...)
}

// fieldNames lists the fields that a query names.
func fieldNames(q Query) (names []string) {
	switch q := q.(type) {
	case Term:
		names = []string{q.Field}
	case Match:
		names = []string{q.Field}
	case Phrase:
		names = []string{q.Field}
	case Prefix:
		names = []string{q.Field}
	case Wildcard:
		names = []string{q.Field}
	case Regexp:
		names = []string{q.Field}
	case Fuzzy:
		names = []string{q.Field}
	case Range:
		names = []string{q.Field}
	case Exists:
		names = []string{q.Field}
	case Like:
		names = []string{q.Field}
	case AtLeast:
		return fieldNames(Or(q.Of))
	case Constant:
		names = fieldNames(q.Query)
	case And:
		for _, x := range q {
			names = append(names, fieldNames(x)...)
		}
	case Or:
		for _, x := range q {
			names = append(names, fieldNames(x)...)
		}
	case Not:
		names = fieldNames(q.Query)
	case Boost:
		names = fieldNames(q.Query)
	}
	return names
}

// roundTrip holds that both parsers, with both meanings of adjacency, read the
// printed form of q back as q.
func roundTrip(t interface{ Fatalf(string, ...any) }, q Query) {
	for _, words := range []Operator{AllWords, AnyWord} {
		got, err := Parse(q.String(), ParseOptions{Operator: words})
		if err != nil || !reflect.DeepEqual(got, q) {
			t.Fatalf("%#v\nprints %q\nis read as %#v, %v", q, q.String(), got, err)
		}
		got, warnings := ParseLenient(q.String(), ParseOptions{Operator: words, Schema: Names(fieldNames(q))})
		if len(warnings) > 0 || !reflect.DeepEqual(got, q) {
			t.Fatalf("%#v\nprints %q\nis leniently read as %#v, %q", q, q.String(), got, warnings)
		}
	}
}

func TestQueryPrintsItself(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]Query{
		`""~~ AND f:""~~2^3`: And{Fuzzy{}, Boost{Fuzzy{"f", "", 2, 0}, 3}},
		`\?~ AND f:\?\?~2`:   And{Fuzzy{Text: "?"}, Fuzzy{"f", "??", 2, 0}},
		"-(-*)^=3":           Not{Constant{AtLeast{}, 3}},
		`-(!:=""^1)`:         Not{Boost{Term{Field: "!"}, 1}},
		`-(!:x^2)`:           Not{Boost{Match{"!", "x"}, 2}},
	} {
		if got := want.String(); got != q {
			t.Errorf("%#v prints %s, want %s", want, got, q)
		}
		if q != "-(-*)^=3" { // which is read as the None that it is
			roundTrip(t, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, trees(3).Draw(t, "query")) })
	rapid.Check(t, func(t *rapid.T) {
		field, text := strange().Draw(t, "field"), strange().Draw(t, "text")
		for _, q := range []Query{Term{field, text}, Match{field, text}, Phrase{Field: field, Text: text}, Prefix{field, text},
			Wildcard{field, text}, Fuzzy{field, text + "x", 0, 0}, Like{field, text, 0}, Wildcard{"", "a?" + text}, Wildcard{"", text + "*b"}, Wildcard{field, "*" + text}} {
			roundTrip(t, q)
		}
	})
}

func TestShortLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ q, want Query }{
		{And{}, All{}},
		{Or{}, None{}},
		{And{Match{Text: "a"}}, Match{Text: "a"}},
		{Or{Or{}, And{Match{Text: "a"}}}, Or{None{}, Match{Text: "a"}}},
	} {
		if got, err := Parse(c.q.String(), ParseOptions{}); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%#v prints %s, read as %#v, %v", c.q, c.q, got, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	deep := Query(All{})
	for range maxDepth + 1 {
		deep = Not{deep}
	}
	for _, q := range []Query{
		nil, And{nil}, Or{All{}, nil}, Not{}, Boost{nil, 1}, &Match{Text: "a"}, And{&And{}},
		Phrase{Text: "a", Slop: -1}, Regexp{Pattern: "("}, Fuzzy{Text: "a", Distance: -1}, Fuzzy{Text: "a", Distance: 5}, Constant{All{}, -1}, Constant{}, AtLeast{1, []Query{nil}}, Like{Words: -1}, Boost{All{}, -1}, Boost{All{}, math.NaN()}, Boost{All{}, math.Inf(1)}, deep,
	} {
		if _, ok := errors.AsType[*Error](Check(q)); !ok {
			t.Errorf("%T %.60v: accepted", q, q)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if q := trees(3).Draw(t, "query"); Check(q) != nil {
			t.Errorf("%s: %v", q, Check(q))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`a b OR "c d"~2 -e* f:(g h)^2`, `\AND ="x" * -* (`, "“a” （b）", `""~0 a\ b`,
		`a?b c*d /x.y/^=2 /"a b"`, `wor~1 wor~^2 (a b c)~2 ~"k"~3`, `f:*.x ?"a\*"`} {
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, or bool) {
		words := AllWords
		if or {
			words = AnyWord
		}
		q, err := Parse(text, ParseOptions{Operator: words})
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Pos < 0 || e.Pos > len(text) || q != nil {
				t.Fatalf("%q: %v, %v", text, q, err)
			}
			return
		}
		if err := Check(q); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if printed := q.String(); len(printed) <= maxText {
			again, err := Parse(printed, ParseOptions{})
			tooDeep := err != nil && strings.Contains(err.Error(), "nested")
			if !tooDeep && !reflect.DeepEqual(again, q) {
				t.Fatalf("%q is %#v\nprints %q\nis read as %#v, %v", text, q, printed, again, err)
			}
		}
	})
}

func FuzzParseLenient(f *testing.F) {
	for _, s := range []string{`"unclosed`, "https://x.org/?q=a:b", "a AND -b", "((((", "don't C++", `title:"x`, "what? wom?n a/b/ /usr/bin/ /(/"} {
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, text string, words int) {
		opt := ParseOptions{Operator: AllFirst + Operator(uint(words)%3), Schema: Names{"title"}}
		q, warnings := ParseLenient(text, opt)
		if err := Check(q); err != nil || len(warnings) > 10 {
			t.Fatalf("%q: %v, %q", text, err, warnings)
		}
		if strict, err := Parse(text, opt); err == nil && (len(warnings) > 0 || !reflect.DeepEqual(strict, q)) {
			t.Fatalf("%q: strict %#v\nlenient %#v %q", text, strict, q, warnings)
		}
	})
}

// No text makes a parser panic or read what does not print itself; QUARRY_TEXTS=1000000
// makes it a million texts.
func TestParsersOfUnicode(t *testing.T) {
	t.Parallel()
	unicodetest.Each(t, 5000, func(r *rand.Rand, text string) {
		opt := ParseOptions{Operator: AllFirst + Operator(r.IntN(3)), Schema: []Schema{nil, Names{"title"}, Names(unicodetest.Words())}[r.IntN(3)]}
		if r.IntN(3) == 0 { // signs between its words
			for _, sign := range []string{`"`, "(", ")", "-", "+", ":", "*", "^2", "~1", " OR "} {
				if at := strings.IndexByte(text, ' '); at >= 0 && r.IntN(2) == 0 {
					text = text[:at] + sign + text[at+1:]
				}
			}
		}
		q, warnings := ParseLenient(text, opt)
		if err := Check(q); err != nil || len(warnings) > 10 {
			t.Errorf("%+q: %v, %q", text, err, warnings)
		}
		for _, w := range warnings {
			if !utf8.ValidString(w.Text) || !utf8.ValidString(w.Field) || w.Kind == "" {
				t.Errorf("%+q: warning %+q", text, w)
			}
		}
		for range Leaves(q) {
		}
		samePrinted(t, text, q)
		strict, err := Parse(text, opt)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Pos < 0 || e.Pos > len(text) || strict != nil {
				t.Errorf("%+q: %v, %v", text, err, strict)
			}
			return
		}
		samePrinted(t, text, strict)
		if opt.Schema != nil && (len(warnings) > 0 || !reflect.DeepEqual(strict, q)) {
			t.Errorf("%+q: strict %#v\nlenient %#v %q", text, strict, q, warnings)
		}
	})
}

// samePrinted holds that the printed form of q is read back as q.
func samePrinted(t *testing.T, text string, q Query) {
	printed := q.String()
	for _, words := range []Operator{AllWords, AnyWord} {
		again, err := Parse(printed, ParseOptions{Operator: words})
		if len(printed) > maxText || err != nil && strings.Contains(err.Error(), "nested") {
			return
		}
		if err != nil || !reflect.DeepEqual(again, q) {
			t.Errorf("%+q is %#v\nprints %+q\nis read as %#v, %v", text, q, printed, again, err)
		}
	}
}
