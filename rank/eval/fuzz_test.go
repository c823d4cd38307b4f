package eval

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// checkInput wants what is wrong with bytes to be told as such.
func checkInput(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*InputError](err); err != nil && !ok {
		t.Fatalf("%v is a %T", err, err)
	}
}

// FuzzReadRun: what is read can be written, read again and measured.
func FuzzReadRun(f *testing.F) {
	f.Add([]byte("1 Q0 a 1 2.5 t\n1 Q0 b 2 inf t\r\n#\n2\tQ0\ta\t1\t-0\n"))
	f.Add([]byte("\xef\xbb\xbf1 Q0 \xff 1 1e-400 t"))
	f.Add([]byte(" \ufeff 0 a 1 2"))
	f.Fuzz(func(t *testing.T, b []byte) {
		run, err := ReadRun(bytes.NewReader(b))
		checkInput(t, err)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := run.Write(&out, "t"); err != nil {
			t.Fatal(err)
		}
		again, err := ReadRun(&out)
		if err != nil {
			t.Fatal(err)
		}
		qrels := Qrels{}
		for query, hits := range run {
			qrels[query] = map[string]int{hits[0].Key: 1}
		}
		first, err := Evaluate(run, qrels, Options{})
		if err != nil {
			t.Fatal(err)
		}
		second, err := Evaluate(again, qrels, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range first.Overall {
			if first.Overall[i] != second.Overall[i] {
				t.Fatalf("%v is %v, written and read %v", first.Measures[i], first.Overall[i], second.Overall[i])
			}
		}
	})
}

func FuzzReadQrels(f *testing.F) {
	f.Add([]byte("1 0 a 1\n1 0 b -1\r\n\n# so\n2 0 c 1.0\n"))
	f.Add([]byte("query-id\tcorpus-id\tscore\n1\ta b\t2\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		qrels, err := ReadQrels(bytes.NewReader(b))
		checkInput(t, err)
		if _, err := Evaluate(nil, qrels, Options{}, every()...); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if qrels.Write(&out) == nil { // BEIR's tables allow for IDs that TREC's do not
			if again, err := ReadQrels(&out); err != nil || len(qrels)+len(again) > 0 && !reflect.DeepEqual(again, qrels) {
				t.Fatalf("%v, written and read %v: %v", qrels, again, err)
			}
		}
	})
}

func FuzzCollection(f *testing.F) {
	f.Add([]byte(smartDocs))
	f.Add([]byte("*TEXT 017 01/04/63 PAGE 020\n\nTHE ALLIES\n*STOP\n"))
	f.Add([]byte("1  268 288\n\n2  326\n"))
	f.Add([]byte("1   17   0   0.000000\n"))
	f.Add([]byte("{\"_id\":\"1\",\"title\":\"a\",\"text\":\"b\"}\n2\tred fox\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, format := range []Format{JSONL, SMART} {
			for d, err := range format.Documents(bytes.NewReader(b)) {
				checkInput(t, err)
				if err == nil && d.ID == "" {
					t.Fatal("a document without an ID")
				}
			}
			queries, err := format.Queries(bytes.NewReader(b))
			checkInput(t, err)
			qrels, err := format.Qrels(bytes.NewReader(b))
			checkInput(t, err)
			if got := Renumber(queries, qrels); len(got) != len(queries) {
				t.Fatalf("%d queries became %d", len(queries), len(got))
			}
		}
	})
}
