package ltr

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSVMlight(t *testing.T) {
	t.Parallel()
	d, err := ReadSVMlight(strings.NewReader("# a comment\n\n2 qid:7 1:0.5 3:-1e3 # key one\n0 qid:7 2:nan\r\n-1 qid:x\n"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(d.Features, " ") != "f1 f2 f3" || len(d.Groups) != 2 || d.Groups[0].Query != "7" || len(d.Groups[0].Docs) != 2 {
		t.Fatalf("%+v", d)
	}
	first, second, third := d.Groups[0].Docs[0], d.Groups[0].Docs[1], d.Groups[1].Docs[0]
	if first.Key != "key one" || first.Grade != 2 || first.Features[0] != 0.5 || first.Features[1] != 0 || first.Features[2] != -1000 {
		t.Errorf("%+v", first)
	}
	if second.Features[1] == second.Features[1] || second.Key != "" || third.Grade != -1 || len(third.Features) != 3 {
		t.Errorf("%+v %+v", second, third)
	}
	made := madeUp(1, 3)
	made.Groups[0].Docs[0].Features[2] = math.Inf(1)
	made.Groups[0].Docs[1].Features[1] = 0
	var text bytes.Buffer
	if err := made.WriteSVMlight(&text); err != nil {
		t.Fatal(err)
	}
	again, err := ReadSVMlight(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var second2 bytes.Buffer
	if err := again.WriteSVMlight(&second2); err != nil || second2.String() != text.String() {
		t.Errorf("written again it is another text: %v", err)
	}
	if _, err := ReadSVMlight(iotest.ErrReader(io.ErrClosedPipe)); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

func TestSVMlightErrors(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{
		"x qid:1":                               1,
		"0.5 qid:1":                             1,
		"1":                                     1,
		"1 1:2":                                 1,
		"\n1 qid:1 0:1":                         2,
		"1 qid:1 2:1 1:1":                       1,
		"1 qid:1 1:x":                           1,
		"1 qid:1 1":                             1,
		"1 qid:1 99999999:1":                    1,
		"1 qid:1\n1 qid:2\n1 qid:1":             3,
		"# features: a\n1 qid:1 2:1":            2,
		strings.Repeat("1 qid:1 900000:1\n", 9): 2,
		"1 qid:1 # " + strings.Repeat("x", 1<<24): 1,
	} {
		_, err := ReadSVMlight(strings.NewReader(text))
		if e, ok := errors.AsType[*FormatError](err); !ok || e.Line != line {
			t.Errorf("%q: %v", clip(text), err)
		}
	}
	for name, d := range map[string]*Dataset{
		"name":  {Features: []string{"a b"}},
		"query": {Groups: []Group{{Query: "a b"}}},
		"key":   {Groups: []Group{{Query: "a", Docs: []Doc{{Key: "a\nb"}}}}},
	} {
		if _, ok := errors.AsType[*FormatError](d.WriteSVMlight(io.Discard)); !ok {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzSVMlight(f *testing.F) {
	f.Add("# features: a b\n2 qid:7 1:0.5 2:nan # key\n0 qid:7 2:1\n")
	f.Add("1 qid:1 800000:1\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ReadSVMlight(strings.NewReader(text))
		if err != nil {
			if _, ok := errors.AsType[*FormatError](err); !ok {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		var out bytes.Buffer
		if err := d.WriteSVMlight(&out); err != nil {
			return
		}
		if _, err := ReadSVMlight(bytes.NewReader(out.Bytes())); err != nil && !strings.Contains(err.Error(), "fit into memory") && !strings.Contains(err.Error(), "too far") {
			t.Fatalf("%v of what was written of %q:\n%s", err, text, out.String())
		}
	})
}
