package query_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// shop has a field of each kind.
var shop = index.Schema{
	{Name: "title"}, {Name: "tag", Kind: index.Keyword}, {Name: "site", Kind: index.Keyword, Column: true}, {Name: "note", Kind: index.StoredOnly},
	{Name: "stock", Kind: index.Integer}, {Name: "price", Kind: index.Float}, {Name: "seen", Kind: index.Time},
}

func TestParseWithSchema(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want string            // the query, printed, of both parsers
		pos  int               // of the error of Parse, if there is a kind
		kind query.WarningKind // of the warning of ParseLenient
	}{
		{text: "title:x", want: "title:x"},
		{text: "stock:5", want: "stock:[5 TO 5]"},
		{text: "stock:-5 x", want: "stock:[-5 TO -5] AND x"},
		{text: `stock:"5"`, want: "stock:[5 TO 5]"},
		{text: `stock:="5"`, want: "stock:[5 TO 5]"},
		{text: "stock:5^2", want: "stock:[5 TO 5]^2"},
		{text: "stock:5^=2", want: "stock:[5 TO 5]^=2"},
		{text: "-stock:5", want: "-stock:[5 TO 5]"},
		{text: "stock:(5 OR 6..7)", want: "stock:[5 TO 5] OR stock:[6 TO 7]"},
		{text: "price:0.5", want: "price:[0.5 TO 0.5]"},
		{text: "price:>=5", want: "price:[5 TO *]"},
		{text: "price:{1 TO 2e3]", want: "price:{1 TO 2e3]"},
		{text: "price:*", want: "price:*"},
		{text: "seen:2026-03", want: "seen:[2026-03 TO 2026-03]"},
		{text: "seen:2026-03-15T12:00:00Z", want: "seen:[2026-03-15T12:00:00Z TO 2026-03-15T12:00:00Z]"},
		{text: "seen:<2026", want: "seen:[* TO 2026}"},
		{text: "tag:C++", want: "tag:C++"},
		{text: `tag:"a b"`, want: `tag:"a b"`},
		{text: "site:*.org", want: "site:*.org"},
		{text: "title:1..2", want: "title:[1 TO 2]"},
		// as words of ParseLenient
		{"cheap stock:none", `cheap AND stock\:none`, 12, query.WarnBadValue},
		{"stock:1.5e", `stock\:1.5e`, 6, query.WarnBadValue},
		{"stock:(none OR 5)", `none OR stock:[5 TO 5]`, 7, query.WarnBadValue},
		{"price:1..9z", `price\:1..9z`, 6, query.WarnBadValue},
		{"price:[1 TO b]", `price\:\[1 AND TO AND b]`, 6, query.WarnBadValue},
		{"seen:2026-13", `seen\:2026-13`, 5, query.WarnBadValue},
		{"seen:>2026-02-30", `seen\:\>2026-02-30`, 5, query.WarnBadValue},
		{`seen:"last year"`, `seen\: AND "last year"`, 5, query.WarnBadValue},
		{"stock:5*", `stock\:5*`, 6, query.WarnUnfitField},
		{"stock:none~", `stock\:none~`, 6, query.WarnUnfitField},
		{"stock:/5.*/", `stock\:/5.\*/`, 6, query.WarnUnfitField},
		{"note:x", `note\:x`, 5, query.WarnUnfitField},
		{"note:*", `note\:*`, 5, query.WarnUnfitField},
		{"é colour:red", `é AND colour\:red`, 3, query.WarnUnknownField},
	} {
		strict, err := query.Parse(c.text, query.ParseOptions{Schema: shop})
		lenient, warnings := query.ParseLenient(c.text, query.ParseOptions{Operator: query.AllWords, Schema: shop})
		if lenient.String() != c.want {
			t.Errorf("%s is read as %s, want %s", c.text, lenient, c.want)
		}
		if c.kind == "" {
			if err != nil || strict.String() != c.want || len(warnings) > 0 {
				t.Errorf("%s is read as %v, want %s: %v, %q", c.text, strict, c.want, err, warnings)
			}
			continue
		}
		if e, ok := errors.AsType[*query.Error](err); !ok || e.Pos != c.pos || !strings.Contains(e.Msg, "field") {
			t.Errorf("%s: %v, want an error at %d", c.text, err, c.pos)
		}
		if len(warnings) == 0 || warnings[0].Kind != c.kind || !strings.HasPrefix(c.text[strings.Index(c.text, warnings[0].Field):], warnings[0].Field+":") {
			t.Errorf("%s: warnings %+v, want one of kind %s", c.text, warnings, c.kind)
		}
	}
	or, _ := query.ParseLenient("tag:a,b title:a,b", query.ParseOptions{Schema: shop, Operator: query.AnyWord})
	if want := `tag:a\,b OR (title:a\,b OR title:a OR title:b)`; or.String() != want {
		t.Errorf("got %s, want %s", or, want)
	}
}

// What Parse lets through, an index of that schema answers without a warning about a
// field, and what ParseLenient returns as well.
func TestParsedFitsTheSchema(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: shop})
	for i := range 5 {
		put(t, ix, index.Document{Key: fmt.Sprint(i), Fields: []index.Field{{Name: "title", Value: "red shoe"}, {Name: "tag", Value: "red"}, {Name: "site", Value: "x.org"},
			{Name: "stock", Value: i}, {Name: "price", Value: float64(i) / 2}, {Name: "seen", Value: time.Date(2026, 3, i+1, 0, 0, 0, 0, time.UTC)}}})
	}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	right := 0
	for range 1500 {
		text := pick("", "x ", "-", "(a ") + pick("title", "tag", "site", "note", "stock", "price", "seen", "colour") + ":" + pick("", ">", "<=", "[", "(", `"`, "=\"", "-", "~\"") +
			pick("5", "1.5", "2026-03", "2026-03-02T00:00:00Z", "red", "1e400", "nan", "*", "", "9999999999999999999") + pick("", "..7", " TO 9]", ")", `"`, "*", "~", "^2", "}", " y")
		lenient, _ := query.ParseLenient(text, query.ParseOptions{Schema: shop})
		for _, q := range []query.Query{lenient, parsed(text)} {
			if q == nil {
				continue
			}
			right++
			res, err := ix.Search(t.Context(), q, index.SearchOptions{})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for _, w := range res.Warnings {
				if w.Kind == query.WarnUnknownField || w.Kind == query.WarnUnfitField && !strings.Contains(w.Text, "compare") || w.Kind == query.WarnBadValue {
					t.Errorf("%s, read as %s: %+v", text, q, w)
				}
			}
		}
	}
	if right < 1500 {
		t.Errorf("only %d queries", right)
	}
}

func parsed(text string) query.Query {
	q, err := query.Parse(text, query.ParseOptions{Schema: shop})
	if err != nil {
		return nil
	}
	return q
}
