package eval

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of                   Format
		docs, queries, qrels string
		wantDocs             []Document
		wantQueries          []Query
	}{
		{LISA,
			"Document    1\r\nTHE TITLE OF\r\nTHE FIRST.\r\n     \r\nITS TEXT, WHICH IS\r\nOF TWO LINES.\r\n********************************************\r\nDocument  002\n\nALONE\n********************\n\x1a",
			"1\nI WANT THE FIRST.\nIN ALL. #\n2\nTHE\n1984\nONE#\n",
			"\nQuery 1\n2 Relevant Refs:\n1 002\n 7 -1\n\nQuery 2\n1 Relevant Refs:\n1 -1\n\n",
			[]Document{{"1", "THE TITLE OF\nTHE FIRST.", "ITS TEXT, WHICH IS\nOF TWO LINES."}, {"2", "ALONE", ""}},
			[]Query{{"1", "I WANT THE FIRST.\nIN ALL."}, {"2", "THE\n1984\nONE"}}},
		{NPL,
			"1\ncompact memories have\nflexible capacities\n   /\n2\n1984 was a year\n/\n",
			"1\nDIELECTRIC CONSTANT\n/\n2\nAMPLIFIERS\n/\n",
			"1\n   1   2  \n 7\n   /\n2\n  1\n/\n",
			[]Document{{"1", "", "compact memories have\nflexible capacities"}, {"2", "", "1984 was a year"}},
			[]Query{{"1", "DIELECTRIC CONSTANT"}, {"2", "AMPLIFIERS"}}},
		{TREC,
			"<DOC>\n<DOCNO> A-1 </DOCNO>\n<DOCID>99</DOCID><HEADLINE>Cats &amp; dogs</HEADLINE>\n<TEXT>\nif a < b then <P>c</P>\n</TEXT></DOC>\n<doc><docno>A-2</docno><title>T</title>\n<dochdr>\nhttp://x.example/\n</dochdr>b</doc><DOC a=1><DOCNO>A-3</DOCNO></DOC> outside",
			"<top>\n<num> Number: 051\n<title> Topic: cats and dogs\n<desc> Description:\nWhat of them?\n<narr> Narrative:\nAll.\n</top>\n\n<top><num>52</num><title> empty \n<desc> Description: the other\n</top>",
			"51 0 A-1 1\n51 0 A-2 1\n51 0 A-9 1\n52 0 A-1 1\n",
			[]Document{{"A-1", "Cats & dogs", "if a < b then \nc"}, {"A-2", "T", "b"}, {"A-3", "", ""}},
			[]Query{{"51", "cats and dogs"}, {"52", "the other"}}},
	} {
		docs, err := documents(c.of, strings.NewReader(c.docs))
		if d := cmp.Diff(c.wantDocs, docs); err != nil || d != "" {
			t.Errorf("%v: %v\n%s", c.of, err, d)
		}
		queries, err := c.of.Queries(strings.NewReader(c.queries))
		if d := cmp.Diff(c.wantQueries, queries); err != nil || d != "" {
			t.Errorf("%v: %v\n%s", c.of, err, d)
		}
		qrels, err := c.of.Qrels(strings.NewReader(c.qrels))
		if err != nil || len(qrels) != 2 || len(qrels[c.wantQueries[0].ID]) != 3 || qrels[c.wantQueries[1].ID][c.wantDocs[0].ID] != 1 {
			t.Errorf("%v: %v, %v", c.of, err, qrels)
		}
		var read Format
		if text, err := c.of.MarshalText(); err != nil || read.UnmarshalText(text) != nil || read != c.of {
			t.Errorf("%v is written %s, and read as %v", c.of, text, read)
		}
	}
	web, err := TREC.Queries(strings.NewReader(`<webtrack2009><topic number="1" type="x"><query>obama family tree</query><description>Find.</description></topic></webtrack2009>`))
	if d := cmp.Diff([]Query{{"1", "obama family tree"}}, web); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

func TestFormsRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of     Format
		line   int
		read   func(f Format, text string) error
		reader string
		text   string
	}{
		{LISA, 1, readsDocuments, "documents", "no document"},
		{LISA, 1, readsQueries, "queries", "1\nopen end"},
		{LISA, 3, readsQueries, "queries", "1\na#\nb#"},
		{LISA, 1, readsQrels, "qrels", "1 -1"},
		{LISA, 2, readsQrels, "qrels", "Query 1\nx -1"},
		{NPL, 1, readsDocuments, "documents", "text\n/"},
		{NPL, 4, readsQueries, "queries", "1\na\n/\n1\nb\n/"},
		{NPL, 1, readsQrels, "qrels", "1\nx\n/"},
		{TREC, 2, readsDocuments, "documents", "\n<DOC><TEXT>a</TEXT></DOC>"},
		{TREC, 1, readsDocuments, "documents", "<DOC><DOCNO>1</DOCNO>"},
		{TREC, 1, readsQueries, "queries", "<top><title>a</top>"},
		{TREC, 1, readsQueries, "queries", "<top><num>1<title>a</top><top><num>1<title>a</top>"},
	} {
		err := c.read(c.of, c.text)
		if in, ok := errors.AsType[*InputError](err); !ok || in.Line != c.line {
			t.Errorf("%v, %s %q: %v, want line %d", c.of, c.reader, c.text, err, c.line)
		}
	}
}

func readsDocuments(f Format, text string) error {
	_, err := documents(f, strings.NewReader(text))
	return err
}
func readsQueries(f Format, text string) error {
	_, err := f.Queries(strings.NewReader(text))
	return err
}
func readsQrels(f Format, text string) error { _, err := f.Qrels(strings.NewReader(text)); return err }

// Keywords of CACM are text.
func TestSMARTKeywords(t *testing.T) {
	t.Parallel()
	docs, err := documents(SMART, strings.NewReader(".I 1\n.T\nA\n.W\nB\n.K\nC, D\n.C\n3.7\n.I 2\n.K\nE\n"))
	if d := cmp.Diff([]Document{{"1", "A", "B\nC, D"}, {"2", "", "E"}}, docs); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

// Scores that are one number of 32 bits are equal, as for trec_eval.
func TestScoresOf32Bits(t *testing.T) {
	t.Parallel()
	run, err := ReadRun(strings.NewReader("1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n1 Q0 c 3 16777214 t\n"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Evaluate(run, Qrels{"1": {"b": 1}}, Options{}, Measure{Kind: MRR})
	if err != nil || report.Overall[0] != 1 { // b and a are equal, and b comes before a
		t.Errorf("%v, %v", report, err)
	}
}

// Documents of many tags, and of many that do not end, are read in time that grows as they do.
func TestManyTags(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("<b>a</b>", 60_000)
	start := time.Now()
	docs, err := documents(TREC, strings.NewReader("<DOC><DOCNO>1</DOCNO>"+many+"</DOC>\n<DOC><DOCNO>2</DOCNO><T>"+strings.Repeat("<a ", 300_000)+"\n</DOC>"))
	if err != nil || len(docs) != 2 || strings.Count(docs[0].Body, "a") != 60_000 {
		t.Fatal(len(docs), err)
	}
	t.Log(time.Since(start))
}

func FuzzForms(f *testing.F) {
	f.Add("1\na\n/\n")
	f.Add("Document 1\na\n\nb\n**********\n")
	f.Add("<DOC><DOCNO>1</DOCNO></DOC><top><num>1<title>x</top><topic number=1><query>")
	f.Add("Query 1\n1 Relevant Refs:\n1 -1\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range []Format{LISA, NPL, TREC, SMART} {
			_ = readsDocuments(of, text)
			_ = readsQueries(of, text)
			_ = readsQrels(of, text)
		}
	})
}
