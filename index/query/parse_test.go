package query

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func m(s string) Match { return Match{Text: s} }

func TestParse(t *testing.T) {
	t.Parallel()
	a, b, c, d := m("a"), m("b"), m("c"), m("d")
	for _, test := range []struct {
		text string
		want Query
	}{
		{"a", a},
		{"  a  ", a},
		{"a b", And{a, b}},
		{"a AND b", And{a, b}},
		{"a AND b c", And{a, b, c}},
		{"a OR b", Or{a, b}},
		// precedence: AND and adjacency before OR
		{"a b OR c", Or{And{a, b}, c}},
		{"a OR b c", Or{a, And{b, c}}},
		{"a AND b OR c AND d", Or{And{a, b}, And{c, d}}},
		{"a (b OR c)", And{a, Or{b, c}}},
		{"((a))", a},
		{"(a b) c", And{And{a, b}, c}},
		{"-a", Not{a}},
		{"NOT a", Not{a}},
		{"a -b", And{a, Not{b}}},
		{"a AND -b", And{a, Not{b}}},
		{"a AND NOT b", And{a, Not{b}}},
		{"a OR -b", Or{a, Not{b}}},
		{"NOT NOT a", Not{Not{a}}},
		{"-(a b)", Not{And{a, b}}},
		{"+a b", And{a, b}},
		{"+(a OR b) +c", And{Or{a, b}, c}},
		{"and or not And", And{m("and"), m("or"), m("not"), m("And")}},
		{`\AND \OR \NOT \ANDY`, And{m("AND"), m("OR"), m("NOT"), m(`\ANDY`)}},
		{"ANDROID ORANGE", And{m("ANDROID"), m("ORANGE")}},
		{`"a b"`, Phrase{Text: "a b"}},
		{`"a b"~3`, Phrase{Text: "a b", Slop: 3}},
		{`"a (b) AND:c"`, Phrase{Text: "a (b) AND:c"}},
		{`"say \"hi\" \\ C:\new"`, Phrase{Text: `say "hi" \ C:\new`}},
		{`"a b*"`, Prefix{Text: "a b"}},
		{`"a b *"`, Phrase{Text: "a b *"}},
		{`"a b\*"`, Phrase{Text: "a b*"}},
		{`""`, Match{}},
		{`""~0`, Phrase{}},
		{`="Exact Term"`, Term{Text: "Exact Term"}},
		{`f:="x"`, Term{"f", "x"}},
		{"=a", m("=a")},
		{"pre*", Prefix{Text: "pre"}},
		{"cat-dog*", Prefix{Text: "cat-dog"}},
		{"*", All{}},
		{"-*", None{}},
		{"-(*)", Not{All{}}},
		{"* -a", Not{a}},
		{"* a -* (*)^2", a},
		{"* *", All{}},
		{"a AND *", And{a, All{}}},
		{"f:a", Match{"f", "a"}},
		{"f:a:b", Match{"f", "a:b"}},
		{"f:https://x.org/?q=a", Match{"f", "https://x.org/?q=a"}},
		{`f:"a b"~2`, Phrase{"f", "a b", 2}},
		{"f:pre*", Prefix{"f", "pre"}},
		{"f:(a OR g:b c*)", Or{Match{"f", "a"}, And{Match{"g", "b"}, Prefix{"f", "c"}}}},
		{"f:(a) b", And{Match{"f", "a"}, b}},
		{"-f:a", Not{Match{"f", "a"}}},
		{"a^2 b", And{Boost{a, 2}, b}},
		{"-a^2", Not{Boost{a, 2}}},
		{"(-a)^0.5", Boost{Not{a}, 0.5}},
		{`"a b"~1^2 (c d)^0 e*^1e3`, And{Boost{Phrase{Text: "a b", Slop: 1}, 2}, Boost{And{c, d}, 0}, Boost{Prefix{Text: "e"}, 1000}}},
		{"don't C++ C# e-mail 50% @x x_y", And{m("don't"), m("C++"), m("C#"), m("e-mail"), m("50%"), m("@x"), m("x_y")}},
		{"--help ++i -+x", And{m("--help"), m("++i"), m("-+x")}},
		{`a\ b \-c d\:e \(f\)`, And{m("a b"), m("-c"), m("d:e"), m("(f)")}},
		{`C\:\temp`, m(`C:\temp`)},
		{"y+(y+25)", And{m("y+"), m("y+25")}},
		{"“a b” „c d“ «e f»", And{Phrase{Text: "a b"}, Phrase{Text: "c d"}, Phrase{Text: "e f"}}},
		{"（a　OR　b） －c ＂d e＂ f：g", And{Or{a, b}, Not{c}, Phrase{Text: "d e"}, Match{"f", "g"}}},
		{"wom?n", Wildcard{Pattern: "wom?n"}},
		{"*a* a*b f:*.x.org", And{Wildcard{Pattern: "*a*"}, Wildcard{Pattern: "a*b"}, Wildcard{"f", "*.x.org"}}},
		{"te?t* te??", And{Wildcard{Pattern: "te?t*"}, m("te??")}},
		{`f:a?b f:a.?b* f:x/?\**z`, And{Wildcard{"f", "a?b"}, Prefix{"f", "a.?b"}, Wildcard{"f", `x/\?\**z`}}},
		{`wom\?n a\*b*`, And{m("wom?n"), Prefix{Text: "a*b"}}},
		{"what is this? a?", And{m("what"), m("is"), m("this?"), m("a?")}},
		{`?"two w*" f:?"a\\*\*"`, And{Wildcard{Pattern: "two w*"}, Wildcard{"f", `a\**`}}},
		{"/a.b/ f:/(x|y)+/^2 /a\\/b/", And{Regexp{Pattern: "a.b"}, Boost{Regexp{"f", "(x|y)+"}, 2}, Regexp{Pattern: `a\/b`}}},
		{`/"a b/" /usr/bin/x / a/b/ //`, And{Regexp{Pattern: "a b/"}, m("/usr/bin/x"), m("/"), m("a/b/"), m("//")}},
		{"wrod~/1 wrod~2/3 wrod~0/1 f:\"\"~~/2", And{Fuzzy{Text: "wrod", Prefix: 1}, Fuzzy{Text: "wrod", Distance: 2, Prefix: 3}, m("wrod"), Fuzzy{Field: "f", Prefix: 2}}},
		{"wrod~ wrod~1 wrod~0 f:wrod~2^3", And{Fuzzy{Text: "wrod"}, Fuzzy{Text: "wrod", Distance: 1}, m("wrod"), Boost{Fuzzy{"f", "wrod", 2, 0}, 3}}},
		{"(a b c)~2", AtLeast{2, []Query{a, b, c}}},
		{"(a OR b c OR -d)~2^3", Boost{AtLeast{2, []Query{a, And{b, c}, Not{d}}}, 3}},
		{"f:(a b)~1 -((a OR b))~1", And{AtLeast{1, []Query{Match{"f", "a"}, Match{"f", "b"}}}, Not{AtLeast{1, []Query{Or{a, b}}}}}},
		{"a^=2 -(a b)^=0.5", And{Constant{a, 2}, Not{Constant{And{a, b}, 0.5}}}},
		{"f:[1 TO 2.5] f:{a TO *} f:[* TO 2026-03-01T10:00:00Z}", And{Range{Field: "f", From: "1", To: "2.5"}, Range{"f", "a", "", true, true}, Range{"f", "", "2026-03-01T10:00:00Z", false, true}}},
		{`f:["a \"b" TO "TO"]^2 f:5..10 f:..-3 f:2026-01..^0`, And{Boost{Range{Field: "f", From: `a "b`, To: "TO"}, 2}, Range{Field: "f", From: "5", To: "10"}, Range{Field: "f", To: "-3"}, Boost{Range{Field: "f", From: "2026-01"}, 0}}},
		{"f:>5 f:>=5 f:<5 f:(<=5 OR 1..2)", And{Range{Field: "f", From: "5", AfterFrom: true}, Range{Field: "f", From: "5"}, Range{Field: "f", To: "5", BeforeTo: true}, Or{Range{Field: "f", To: "5"}, Range{Field: "f", From: "1", To: "2"}}}},
		{"5..10 [a f:a..b f:>x f:.. f:*", And{m("5..10"), m("[a"), Match{"f", "a..b"}, Match{"f", ">x"}, Match{"f", ".."}, Exists{"f"}}},
		{`~"https://x.org/" f:~"k"~3`, And{Like{Key: "https://x.org/"}, Like{"f", "k", 3}}},
		{`a"b c"d`, And{a, Phrase{Text: "b c"}, d}},
	} {
		got, err := Parse(test.text, ParseOptions{})
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s\n got %#v %v\nwant %#v", test.text, got, err, test.want)
		}
		lenient, warnings := ParseLenient(test.text, ParseOptions{Operator: AllWords, Schema: Names{"f", "g"}})
		if len(warnings) > 0 || !reflect.DeepEqual(lenient, test.want) {
			t.Errorf("lenient %s\n got %#v %q\nwant %#v", test.text, lenient, warnings, test.want)
		}
	}
}

func TestParseOr(t *testing.T) {
	t.Parallel()
	a, b, c, d := m("a"), m("b"), m("c"), m("d")
	for _, test := range []struct {
		text string
		want Query
	}{
		{"a", a},
		{"a b c", Or{a, b, c}},
		{"a b OR c", Or{a, b, c}},
		{"a AND b", And{a, b}},
		{"a b AND c d", Or{a, And{b, c}, d}},
		{"+a", a},
		{"+a b c", And{a, Or{All{}, b, c}}},
		{"+a +b", And{a, b}},
		{"a -b", And{a, Not{b}}},
		{"a b -c", And{Or{a, b}, Not{c}}},
		{"+a b -c", And{a, Or{All{}, b}, Not{c}}},
		{"-a", Not{a}},
		{"-a -b", And{Not{a}, Not{b}}},
		{"a OR b -c", Or{a, And{b, Not{c}}}},
		{"a OR -b", Or{a, Not{b}}},
		{"(a b) c", Or{Or{a, b}, c}},
	} {
		got, err := Parse(test.text, ParseOptions{Operator: AnyWord})
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s\n got %#v %v\nwant %#v", test.text, got, err, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		pos  int
		msg  string
	}{
		{"", 0, "expected a term, found the end"},
		{"  ", 2, "expected a term, found the end"},
		{"(", 0, "a ( without its )"},
		{"a (b", 2, "a ( without its )"},
		{"a)", 1, "a ) without its ("},
		{"()", 1, "expected a term, found )"},
		{`a "b c`, 2, "a quote that is not closed"},
		{"a:", 2, `expected a term after "a:", found the end`},
		{"a: b", 2, `expected a term after "a:", found " b"`},
		{"x (a:)", 5, `expected a term after "a:", found ")"`},
		{":", 0, "expected the name of a field before :"},
		{"x :b", 2, "expected the name of a field before :"},
		{"+", 1, "expected a term after +, found the end"},
		{"a - b", 3, `expected a term after -, found " b"`},
		{"NOT", 3, "expected a term after NOT, found the end"},
		{"NOT AND", 4, `expected a term after NOT, found "AND"`},
		{"AND a", 0, "expected a term before AND"},
		{"a OR OR b", 5, "expected a term before OR"},
		{"a AND", 5, "expected a term after AND, found the end"},
		{"(a OR)", 5, `expected a term after OR, found ")"`},
		{"a.*b", 2, "here a * may only end a word"},
		{"**", 0, "here a * may only end a word"},
		{"~2", 0, "a ~ may only follow a word, a phrase or a group"},
		{"a~x", 1, "a ~ may only follow a word, a phrase or a group"},
		{"a*~2", 2, "a ~ may only follow a word, a phrase or a group"},
		{"a~5", 2, "expected a distance of at most 4"},
		{"(a b)~", 6, "expected a number after ~, found the end"},
		{"(a b)^=x", 7, `expected a number from 0 up after ^, found "x"`},
		{"b /(/", 2, "no regular expression: missing closing ): ("},
		{`/"["`, 4, "no regular expression: missing closing ]: ["},
		{`"a b"~x`, 6, `expected a number after ~, found "x"`},
		{`"a b*"~2`, 8, "a phrase with a * takes no ~"},
		{"a^b", 2, "expected a number from 0 up after ^"},
		{"(a)^-1", 4, `expected a number from 0 up after ^, found "-1"`},
		{"(a)^NaN", 4, `expected a number from 0 up after ^, found "NaN"`},
		{"f:[a b]", 2, "expected a range such as [1 TO 2]"},
		{"f:{a TO b", 2, "expected a range such as [1 TO 2]"},
		{"é nope:x", 3, `unknown field "nope"`},
		{strings.Repeat("(", 101) + "a", 101, "nested more than 100 deep"},
		{strings.Repeat("NOT ", 101) + "a", 404, "nested more than 100 deep"},
		{strings.Repeat("a ", 40_000), maxText, "longer than 65536 bytes"},
	} {
		q, err := Parse(test.text, ParseOptions{Schema: Names{"a", "f"}})
		e, ok := errors.AsType[*Error](err)
		if !ok || q != nil || e.Pos != test.pos || e.Msg != test.msg {
			t.Errorf("%.40q: got %v, %v; want %d: %s", test.text, q, err, test.pos, test.msg)
		}
	}
}

// leafTexts lists the texts that a query searches for.
func leafTexts(q Query) (texts []string) {
	switch q := q.(type) {
	case Match:
		texts = strings.Fields(q.Text)
	case Phrase:
		texts = strings.Fields(q.Text)
	case Prefix:
		texts = strings.Fields(q.Text)
	case Term:
		texts = []string{q.Text}
	case Wildcard:
		texts = []string{q.Pattern}
	case Fuzzy:
		texts = []string{q.Text}
	case Range:
		texts = []string{q.From, q.To}
	case AtLeast:
		return leafTexts(Or(q.Of))
	case And:
		for _, x := range q {
			texts = append(texts, leafTexts(x)...)
		}
	case Or:
		for _, x := range q {
			texts = append(texts, leafTexts(x)...)
		}
	case Not:
		texts = leafTexts(q.Query)
	case Boost:
		texts = leafTexts(q.Query)
	}
	return texts
}

// What people type is never an error, and its words are always searched.
func TestParseAllFirst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"a", "a"},
		{"tea pot", "tea OR pot OR (tea AND pot)^=1000"},
		{"a b* c~", "a OR b* OR c~ OR (a AND b* AND c~)^=1000"},
		{"a^2 b", "a^2 OR b OR (a^2 AND b)^=1000"},
		{"a OR b", "a OR b"},
		{"a b OR c", "a OR b OR c"},
		{"a AND b", "a AND b"},
		{"a AND b c", "c AND a AND b"},
		{"a AND -b c d", "(c OR d OR (c AND d)^=1000) AND a AND -b"},
		{"a -b", "a AND -b"},
		{"a b -c", "(a OR b OR (a AND b)^=1000) AND -c"},
		{"-a", "-a"},
		{"-a -b", "-a AND -b"},
		{"+a", "+a"},
		{"+a b", "(* OR b) AND a"},
		{"+a b c", "(* OR b OR c OR (b AND c)^=1000) AND a"},
		{"+a +b", "a AND b"},
		{`"a b" c`, `c AND "a b"`},
		{`"a b" "c d"`, `"a b" AND "c d"`},
		{"a b f:c", "(a OR b OR (a AND b)^=1000) AND f:c"},
		{"f:a f:b", "f:a AND f:b"},
		{"f:(a b) c", "c AND (f:a OR f:b)"},
		{"a f:1..2", "a AND f:[1 TO 2]"},
		{"(a b) c d", "a OR b OR c OR d OR (a AND b AND c AND d)^=1000"},
		{"a (b (c) d)", "a OR b OR c OR d OR (a AND b AND c AND d)^=1000"},
		{"(a OR b) c d", "(c OR d OR (c AND d)^=1000) AND (a OR b)"},
		{"(a -b) c", "c AND (a AND -b)"},
		{"(a b)^2 c", "c AND (a OR b)^2"},
		{"(a b)~2 c", "c AND (a OR b)~2"},
		{"(a b)", "a OR b OR (a AND b)^=1000"},
		{"wing-body drag", `(wing-body OR wing OR body) OR drag OR (wing-body AND drag)^=1000`},
		{"e-mail", "e-mail OR mail"},
		{"wi-fi x-y 3-4 pg_dump a/b", "wi-fi OR x-y OR 3-4 OR pg_dump OR a/b OR (wi-fi AND x-y AND 3-4 AND pg_dump AND a/b)^=1000"},
		{"RUSSIA AND CANADA", `RUSSIA OR \AND OR CANADA OR (RUSSIA AND \AND AND CANADA)^=1000`},
		{"NOT NOW", `\NOT OR NOW OR (\NOT AND NOW)^=1000`},
		{"北京 AND 上海", "北京 AND 上海"},
		{"a * b", "a OR b OR (a AND b)^=1000"},
		{"*", "*"},
		{"DVD+RW disc", `(DVD\+RW OR DVD OR RW) OR disc OR ((DVD\+RW OR DVD OR RW) AND disc)^=1000`},
		{strings.TrimSuffix(strings.Repeat("a ", 7), " "), strings.TrimSuffix(strings.Repeat("a OR ", 7), " OR ")},
	} {
		q, warnings := ParseLenient(test.text, ParseOptions{Schema: Names{"f"}})
		want, err := Parse(test.want, ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(warnings) > 0 || q.String() != want.String() || !reflect.DeepEqual(q, want) {
			t.Errorf("%s is read as %v %q, want %v", test.text, q, warnings, want)
		}
		if strict, err := Parse(test.text, ParseOptions{Operator: AllFirst}); err != nil || !reflect.DeepEqual(strict, q) {
			t.Errorf("%s is read strictly as %v, %v", test.text, strict, err)
		}
	}
}

func TestParseLenient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want string // the query, printed
	}{
		{"", "-*"},
		{" ", "-*"},
		{"(", "-*"},
		{")", "-*"},
		{"()", "-*"},
		{":", `\:`},
		{"a:", `a\:`},
		{"title:", `title\:`},
		{"+", "-*"},
		{"-", "-*"},
		{"--", `\--`},
		{"AND", "AND"},
		{"NOT", "NOT"},
		{"AND OR", `AND AND OR`},
		{"OR hello", "hello"},
		{"hello AND", "hello"},
		{"a AND -b", "a AND -b"},
		{"a AND OR b", "a OR b"},
		{"a - b", "a AND b"},
		{`"unclosed words`, "unclosed AND words"},
		{`5" pipe`, "5 AND pipe"},
		{"don't", "don't"},
		{"@nasa", "@nasa"},
		{"C++", "C++"},
		{"50%", "50%"},
		{"y+(y+25)", `y+ AND y\+25`},
		{"https://x.org/?q=a:b", `https\://x.org/?q\=a\:b`},
		{"re:invent", `re\:invent`},
		{"title:foo re:invent", `title:foo AND re\:invent`},
		{"title: foo", `title\: AND foo`},
		{"33", "33"},
		{"555c3bb06f7a", "555c3bb06f7a"},
		{"f*o *bar", `f*o AND *bar`},
		{"word~2", `word~2`},
		{"f.*o a~b", `f.\*o AND a\~b`},
		{"what? is this", "what? AND is AND this"},
		{"/usr/bin /(/ a / b / c", `/usr/bin AND / AND (/ AND a AND / AND b AND / AND c)`},
		{"x^y", `x\^y`},
		{`"a b"~`, `"a b"`},
		{`"a b*"~2`, `"a b*"`},
		{"(a b", "a AND b"},
		{"a) b", "a AND b"},
		{"title:*", "title:*"},
		{"title:[a b] [x", `title:\[a AND b] AND [x`},
		{"title:5..6", "title:[5 TO 6]"},
		{`C:\temp\new`, `C\:\\temp\\new`},
		{"<script>alert(1)</script>", `\<script\>alert AND 1 AND </script>`},
		{"SELECT * FROM t WHERE a='x';", `SELECT AND FROM AND t AND WHERE AND a\='x'\;`},
	} {
		got, _ := ParseLenient(test.text, ParseOptions{Operator: AllWords, Schema: Names{"title"}})
		printed := got.String()
		switch test.want {
		case "AND", "NOT":
			printed = strings.TrimPrefix(printed, `\`)
		case "AND AND OR":
			printed = strings.ReplaceAll(printed, `\`, "")
		}
		if printed != test.want {
			t.Errorf("%s: got %s, want %s", test.text, printed, test.want)
		}
	}
}

func TestParseLenientSearchesAllWords(t *testing.T) {
	t.Parallel()
	signs := []string{`"`, "(", ")", ":", "+", "-", "AND", "OR", "NOT", "*", "~", "^", `\`, "“", "（", " ", "="}
	for _, x := range signs {
		for _, y := range signs {
			for _, z := range signs {
				text := x + "hello" + y + " " + z + "world"
				q, _ := ParseLenient(text, ParseOptions{Schema: Names{"title"}})
				words := strings.Join(leafTexts(q), " ")
				if !strings.Contains(words, "hello") || !strings.Contains(words, "world") {
					t.Errorf("%s: searches %q", text, words)
				}
			}
		}
	}
}

func TestParseLenientIsQuick(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many long queries")
	}
	for _, unit := range []string{"(", ")", "-", "-(", "NOT ", `"`, `\`, "^", "*", "~", ":", "a:", "“", `"\`, "a^", "a OR ", "(a ", "+", "é\xff", "/", "/a ", `/\/`, "(/", "?", "a?", "a*", "a~", "(a)~", "/a{1000}/ ", "=\"", "~\"a"} {
		text := strings.Repeat(unit, 60_000/len(unit))
		start := time.Now()
		q, warnings := ParseLenient(text, ParseOptions{Schema: Names{"a"}})
		if d := time.Since(start); d > 20*time.Second { // quadratic time takes minutes, a busy machine some seconds
			t.Errorf("%d times %q: %v", 60_000/len(unit), unit, d)
		}
		if err := Check(q); err != nil || len(warnings) > 10 {
			t.Errorf("%q: %v, %d warnings", unit, err, len(warnings))
		}
	}
	q, warnings := ParseLenient(strings.Repeat("é ", 40_000), ParseOptions{})
	if and := q.(Or); len(and) < 21_000 || and[len(and)-1] != m("é") || len(warnings) != 1 {
		t.Errorf("%d words, %q", len(and), warnings)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	_, warnings := ParseLenient(`)) "a b ( f.*o`, ParseOptions{})
	var want []Warning
	for _, text := range []string{"a ) without its (", "a quote that is not closed", "here a * may only end a word", "a ( without its )"} {
		want = append(want, Warning{WarnSyntax, "", text})
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("got %q\nwant %q", warnings, want)
	}
}

// Each kind of warning of a text.
func TestWarningKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Warning // what its text is does not count
	}{
		{"a AND", Warning{Kind: WarnSyntax}}, {"title:", Warning{Kind: WarnSyntax, Field: "title"}}, {"titel:x", Warning{Kind: WarnUnknownField, Field: "titel"}},
		{strings.Repeat("a ", 40_000), Warning{Kind: WarnTooLong}}, {strings.Repeat("(", 101) + "a" + strings.Repeat(")", 101), Warning{Kind: WarnTooDeep}},
	} {
		_, warnings := ParseLenient(c.text, ParseOptions{Schema: Names{"title"}})
		if len(warnings) == 0 {
			t.Errorf("%.40s: no warning", c.text)
			continue
		}
		got := warnings[0]
		if got.String() != got.Text || got.Text == "" {
			t.Errorf("%.40s: %q prints %q", c.text, got.Text, got)
		}
		if got.Text = ""; got != c.want {
			t.Errorf("%.40s: %+v, want %+v", c.text, got, c.want)
		}
	}
}

// What looks like a field and is none is told.
func TestWarningsOfFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		fields []string
		want   string // part of the only warning, if any
	}{
		{"title:x", nil, `no field "title"`}, {"date:2021..2022", nil, `no field "date"`}, {`title:"x y"`, nil, `no field "title"`}, {"titel:x", []string{"title"}, `no field "titel"`},
		{"-title:x", nil, `no field "title"`}, {"(a title:(x))", nil, `no field "title"`}, {"title: x", []string{"title"}, "nothing stands behind"}, {"title:", []string{"title"}, "nothing stands behind"},
		{"title:x", []string{"title"}, ""}, {"https://x.org/?q=a:b", nil, ""}, {"std::vector 12:30 C:\\temp re: what a:) 10:x", nil, ""}, {`title\:x`, nil, ""},
	} {
		_, warnings := ParseLenient(c.text, ParseOptions{Schema: Names(c.fields)})
		got := ""
		for _, w := range warnings {
			got += w.Text
		}
		if !strings.Contains(got, c.want) || len(warnings) > 1 || (c.want == "") != (got == "") && c.text != "std::vector 12:30 C:\\temp re: what a:) 10:x" {
			t.Errorf("%s: %q, want %q", c.text, warnings, c.want)
		}
	}
}

func ExampleParse() {
	q, err := Parse(`vacuum OR (title:"table bloat"~2 -index*)`, ParseOptions{Schema: Names{"title", "body"}})
	fmt.Println(q, err)
	_, err = Parse("vacuum AND (full", ParseOptions{})
	fmt.Println(err)
	// Output:
	// vacuum OR (title:"table bloat"~2 AND -index*) <nil>
	// index: query: byte 11: a ( without its )
}

func ExampleParseLenient() {
	q, warnings := ParseLenient(`re:invent title:"keynote" (C++ OR`, ParseOptions{Schema: Names{"title"}})
	fmt.Println(q)
	fmt.Println(warnings)
	// Output:
	// (re\:invent OR C++ OR (re\:invent AND C++)^=1000) AND title:"keynote"
	// [there is no field "re": "re:invent" is read as words expected a term after OR, found the end a ( without its )]
}
