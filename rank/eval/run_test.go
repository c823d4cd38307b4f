package eval

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/rank"
)

func TestReadRun(t *testing.T) {
	t.Parallel()
	text := "\ufeff# a comment\r\n" +
		"1 Q0 a 1 3.5 tag\r\n" +
		"\r\n" +
		" 1\tQ0  b\t9\t-1e2\ttag and more\r\n" +
		"x 0 ü#1 0 7" // no tag, no end of line
	got, err := ReadRun(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := Run{
		"1": {{Key: "a", Score: 3.5}, {Key: "b", Score: -100}},
		"x": {{Key: "ü#1", Score: 7}},
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestReadRunErrors(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text string
		line int
		want string
	}{
		{"1 Q0 a 1 2 t\n1 Q0 b 1\n", 2, "eval: line 2: want query, Q0, document, rank, score and tag, not 4 columns"},
		{"\n#\n1 Q0 a 1 high t\n", 3, `eval: line 3: score "high" is no number`},
		{"1 Q0 a 1 NaN t\n", 1, `eval: line 1: score "NaN" is no number`},
		{"1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", 3, "eval: line 3: query 1, document a: listed twice"},
	}
	for _, c := range cases {
		_, err := ReadRun(strings.NewReader(c.text))
		in, ok := errors.AsType[*InputError](err)
		if !ok || in.Line != c.line || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
		if twice := strings.Contains(c.want, "twice"); errors.Is(err, ErrDuplicate) != twice {
			t.Errorf("%q: matches ErrDuplicate: %v", c.text, !twice)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadRun(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a broken reader gives %v", err)
	}
}

func TestWriteRun(t *testing.T) {
	t.Parallel()
	run := Run{
		"10": {{Key: "a", Score: 1}},
		"9":  {{Key: "a", Score: 0.1}, {Key: "c", Score: 0.2}, {Key: "b", Score: 0.2}},
		"q":  {{Key: "a", Score: math.Nextafter(1, 2)}},
	}
	var b strings.Builder
	if err := run.Write(&b, "mine"); err != nil {
		t.Fatal(err)
	}
	want := "9 Q0 c 1 0.2 mine\n9 Q0 b 2 0.2 mine\n9 Q0 a 3 0.1 mine\n10 Q0 a 1 1 mine\nq Q0 a 1 1.0000000000000002 mine\n"
	if b.String() != want {
		t.Errorf("wrote\n%swant\n%s", b.String(), want)
	}
	back, err := ReadRun(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, hits := range run {
		slices.SortFunc(hits, func(a, b rank.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Key, a.Key)) })
	}
	if d := gocmp.Diff(run, back); d != "" {
		t.Error(d)
	}
}

func TestWriteRunErrors(t *testing.T) {
	t.Parallel()
	for _, run := range []Run{{"a b": nil}, {"": nil}, {"1": {{Key: "a\tb"}}}, {"1": {{Key: "a\n"}}}} {
		if err := run.Write(&bytes.Buffer{}, "tag"); err == nil {
			t.Errorf("%v was written", run)
		}
	}
	if err := (Run{}).Write(&bytes.Buffer{}, "my run"); err == nil {
		t.Error("a tag of two words was written")
	}
	full := errors.New("full")
	if err := (Run{"1": {{Key: "a"}}}).Write(failing{full}, "tag"); !errors.Is(err, full) {
		t.Errorf("a full disk gives %v", err)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestUntied: whatever the scores, the order is that of the hits, for 32 bits
// too.
func TestUntied(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		hits := make([]rank.Hit, 1+rnd.IntN(30))
		for i := range hits {
			hits[i] = rank.Hit{Key: string(rune('a' + i)), Score: float64(rnd.IntN(4)) * math.Pow(10, float64(rnd.IntN(40)-20))}
		}
		rank.Sort(hits)
		before := slices.Clone(hits)
		got := Untied(hits)
		if d := gocmp.Diff(before, hits); d != "" {
			t.Fatal("changes what it is given", d)
		}
		for i := 1; i < len(got); i++ {
			if !(float32(got[i].Score) < float32(got[i-1].Score)) {
				t.Fatalf("hit %d has %v after %v", i, got[i].Score, got[i-1].Score)
			}
		}
		if d := gocmp.Diff(got, ranked(got)); d != "" {
			t.Fatal(d)
		}
		for i := range got {
			if math.Abs(got[i].Score-hits[i].Score) > 1e-5*math.Abs(hits[i].Score)+1e-40 {
				t.Fatalf("score %v became %v", hits[i].Score, got[i].Score)
			}
		}
	}
}
