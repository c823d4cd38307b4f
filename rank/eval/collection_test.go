package eval

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// documents reads all documents.
func documents(f Format, r io.Reader) (docs []Document, err error) {
	for d, err := range f.Documents(r) {
		if err != nil {
			return docs, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func TestJSONLDocuments(t *testing.T) {
	t.Parallel()
	text := "\ufeff" + `{"id":"a","title":"T","body":"B"}` + "\r\n\n" +
		`{"_id":"b","text":"B","metadata":{"x":[1]}}` + "\n" +
		`{"id":17,"title":null,"body":""}` + "\n" +
		`{"_id":"c","id":null,"title":"only"}` + "\n" +
		`{"id":"d","title":1984,"text":["one",null,2,["three"]]}`
	got, err := documents(JSONL, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Document{{"a", "T", "B"}, {"b", "", "B"}, {"17", "", ""}, {"c", "only", ""}, {"d", "1984", "one\n\n2\nthree"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestJSONLQueries(t *testing.T) {
	t.Parallel()
	text := `{"_id":"1","text":"red fox"}` + "\n2\tblue\tfox \n\n3\t\n" + `  {"id":4,"title":"a","body":"b"}`
	got, err := JSONL.Queries(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Query{{"1", "red fox"}, {"2", "blue\tfox"}, {"3", ""}, {"4", "a\nb"}}, got); d != "" {
		t.Error(d)
	}
}

const smartDocs = ".I 001\r\n.T\r\na\r\ntitle .\r\n.A\r\nsomebody\r\n.B\r\n1958\r\n.W\r\n  text\r\n.5 inch .W\r\n.X\r\n1 2\r\n" +
	".I 2   \n.W\n.T\n.I 3\n\n.W\nlast"

func TestSMARTDocuments(t *testing.T) {
	t.Parallel()
	got, err := documents(SMART, strings.NewReader(smartDocs))
	if err != nil {
		t.Fatal(err)
	}
	want := []Document{{"1", "a\ntitle .", "text\n.5 inch .W"}, {"2", "", ""}, {"3", "", "last"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestTIME: its documents are judged by their place, not by the number of their
// page.
func TestTIME(t *testing.T) {
	t.Parallel()
	docs, err := documents(SMART, strings.NewReader("*TEXT 017 01/04/63 PAGE 020\n\nTHE ALLIES\n\nAFTER NASSAU\n*TEXT 021 01/04/63 PAGE 021\nRUSSIA\n*STOP\n \n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Document{{"1", "", "THE ALLIES\n\nAFTER NASSAU"}, {"2", "", "RUSSIA"}}, docs); d != "" {
		t.Error(d)
	}
	docs, err = documents(SMART, strings.NewReader("*TEXT 498 11/15/63 PAGE 040\nA\n*TEXT 501 11/15/63 PAGE 042\nB\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Document{{"1", "", "A"}, {"4", "", "B"}}, docs); d != "" { // 499 and 500 are lost
		t.Error(d)
	}
	queries, err := SMART.Queries(strings.NewReader("*FIND      1\n\n KENNEDY .\n\n*FIND 2\n LODGE .\n*STOP\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Query{{"1", "KENNEDY ."}, {"2", "LODGE ."}}, queries); d != "" {
		t.Error(d)
	}
}

func TestSMARTQrels(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		want       Qrels
	}{
		{"Cranfield", "1 184 2 \n1 29 -1\n02 031 4\n", Qrels{"1": {"184": 1, "29": -1}, "2": {"31": 1}}},
		{"MED", "1 0 13 1\n1 0 14 0\n2 0 13 3\n", Qrels{"1": {"13": 1, "14": 0}, "2": {"13": 1}}},
		{"ADI", "1   17   0   0.000000   \r\n1   46   0   0.000000\r\n", Qrels{"1": {"17": 1, "46": 1}}},
		{"CACM", "01 1410  0 0\n01 1572  0 0\n", Qrels{"1": {"1410": 1, "1572": 1}}},
		{"TIME", "1  268 288\n\n2  326\n\n3  326 350 364\n", Qrels{"1": {"268": 1, "288": 1}, "2": {"326": 1}, "3": {"326": 1, "350": 1, "364": 1}}},
		{"pairs", "1 a\n1 b\n", Qrels{"1": {"a": 1, "b": 1}}},
		{"long lists", "1 1 2 3 4\n2 5 6 7 8\n", Qrels{"1": {"1": 1, "2": 1, "3": 1, "4": 1}, "2": {"5": 1, "6": 1, "7": 1, "8": 1}}},
		{"none", "", Qrels{}},
	}
	for _, c := range cases {
		got, err := SMART.Qrels(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestRenumber: the third query of Cranfield calls itself 004 and is judged as 3.
// Joined by what they call themselves, queries would get the judgements of
// others.
func TestRenumber(t *testing.T) {
	t.Parallel()
	queries, err := SMART.Queries(strings.NewReader(".I 001\n.W\none\n.I 002\n.W\ntwo\n.I 004\n.W\nthree\n"))
	if err != nil {
		t.Fatal(err)
	}
	own := []Query{{"1", "one"}, {"2", "two"}, {"4", "three"}}
	if d := cmp.Diff(own, queries); d != "" {
		t.Fatal(d)
	}
	judged := func(ids ...string) Qrels {
		qrels := Qrels{}
		for _, id := range ids {
			qrels[id] = map[string]int{"d": 1}
		}
		return qrels
	}
	counted := []Query{{"1", "one"}, {"2", "two"}, {"3", "three"}}
	if d := cmp.Diff(counted, Renumber(queries, judged("1", "2", "3"))); d != "" {
		t.Error(d)
	}
	for _, qrels := range []Qrels{judged("1", "4"), judged("2"), judged("1", "3", "5"), judged("0", "3"), judged("3", "x"), {}} {
		if d := cmp.Diff(own, Renumber(queries, qrels)); d != "" {
			t.Errorf("judged %v: %s", qrels, d)
		}
	}
}

func TestCollectionErrors(t *testing.T) {
	t.Parallel()
	docs := func(f Format) func(io.Reader) error {
		return func(r io.Reader) error { _, err := documents(f, r); return err }
	}
	queries := func(f Format) func(io.Reader) error {
		return func(r io.Reader) error { _, err := f.Queries(r); return err }
	}
	qrels := func(r io.Reader) error { _, err := SMART.Qrels(r); return err }
	cases := []struct {
		read       func(io.Reader) error
		text, want string
	}{
		{docs(JSONL), "{\"id\":\"a\"}\n{\n", "eval: line 2: not a JSON object as wanted: unexpected end of JSON input"},
		{docs(JSONL), `{"title":"x"}`, `eval: line 1: the object has neither "id" nor "_id"`},
		{docs(JSONL), `{"id":["x"]}`, "eval: line 1: not a JSON object as wanted: want a string or a number"},
		{docs(SMART), "\nhello\n", `eval: line 2: want a line such as .I 1, .T or .W here, not "hello"`},
		{docs(SMART), ".I 1\nhello\n", `eval: line 2: want a line such as .I 1, .T or .W here, not "hello"`},
		{docs(SMART), ".I 1\n.W\na\n.I \n", "eval: line 4: want an ID behind .I"},
		{docs(SMART), ".W\n", `eval: line 1: want a line such as .I 1, .T or .W here, not ".W"`},
		{docs(SMART), `{"id":"a"}`, "eval: line 1: want a line such as .I 1, .T or .W here, not \"{\\\"id\\\":\\\"a\\\"}\""},
		{qrels, strings.Repeat("1 0 a 1\n", 20) + "1 0 b 1 sure\n", "eval: line 21: has 5 columns, unlike nearly all other lines"},
		{queries(JSONL), "1 red fox\n", "eval: line 1: want a JSON object, or ID, tab and text"},
		{queries(JSONL), "1\ta\n1\tb\n", "eval: line 2: query 1: listed twice"},
		{queries(SMART), ".I 1\n.W\na\n.I 01\n.W\nb\n", "eval: line 4: query 1: listed twice"},
		{qrels, "1 2 3\n1 2 x\n", `eval: line 2: grade "x" is no whole number`},
		{qrels, "1 2\n3\n", "eval: line 2: want a query and at least one document"},
		{qrels, "1 2 3\n1 2 -1\n", "eval: line 2: query 1, document 2: listed twice, with grades 1 and -1"},
	}
	for _, c := range cases {
		err := c.read(strings.NewReader(c.text))
		if _, ok := errors.AsType[*InputError](err); !ok || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	broken := errors.New("broken")
	for _, read := range []func(io.Reader) error{docs(JSONL), docs(SMART), queries(JSONL), queries(SMART), qrels} {
		if err := read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
			t.Errorf("a broken reader gives %v", err)
		}
	}
}

// TestStopReading: whoever has seen enough gets no more.
func TestStopReading(t *testing.T) {
	t.Parallel()
	for f, text := range map[Format]string{JSONL: "{\"id\":\"a\"}\n{\"id\":\"b\"}\nnonsense", SMART: smartDocs} {
		n := 0
		for range f.Documents(strings.NewReader(text)) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%v: %d documents", f, n)
		}
	}
}

func TestFormatNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Format{"jsonl": JSONL, "BEIR": JSONL, "smart": SMART} {
		var f Format
		if err := f.UnmarshalText([]byte(name)); err != nil || f != want {
			t.Errorf("%s is %v (%v)", name, f, err)
		}
	}
	var f Format
	if err := f.UnmarshalText([]byte("csv")); err == nil {
		t.Error("csv is a format")
	}
	if b, err := SMART.MarshalText(); string(b) != "smart" || err != nil {
		t.Errorf("SMART is %s (%v)", b, err)
	}
}
