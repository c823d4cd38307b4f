package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/rank/embedding"
)

// topics makes texts of two topics: words a0… and b0… never stand together, but both with
// frequent words.
func topics(seed uint64, n int) (texts [][]string) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		topic := string("ab"[i%2])
		var text []string
		for range 30 {
			if rnd.IntN(3) == 0 {
				text = append(text, fmt.Sprintf("the%d", rnd.IntN(5)))
			} else {
				text = append(text, fmt.Sprintf("%s%d", topic, rnd.IntN(40)))
			}
		}
		texts = append(texts, text)
	}
	return texts
}

func learnt(t testing.TB, o embedding.Options, texts [][]string) *embedding.Model {
	t.Helper()
	l := embedding.NewLearner(o)
	for _, text := range texts {
		l.Add(text)
	}
	m, err := l.Learn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot, aa, bb = dot+float64(a[i]*b[i]), aa+float64(a[i]*a[i]), bb+float64(b[i]*b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

// Words of one topic are near each other, and so are texts, also those that have no word
// in common.
func TestTopics(t *testing.T) {
	t.Parallel()
	m := learnt(t, embedding.Options{Dims: 16}, topics(1, 400))
	for _, topic := range []string{"a", "b"} {
		near := m.Near(m.Word(topic+"3"), 20)
		if len(near) != 20 || near[0].Word != topic+"3" || near[0].Cosine < 0.9999 {
			t.Fatal(near)
		}
		for _, n := range near {
			if !strings.HasPrefix(n.Word, topic) {
				t.Errorf("%s is near %s3", n.Word, topic)
			}
		}
	}
	one, same, other := m.Text([]string{"a1", "a2", "the0"}), m.Text([]string{"a30", "the1", "a31"}), m.Text([]string{"b1", "the0", "b2"})
	if cosine(one, same) < 0.5 || cosine(one, other) > 0.3 {
		t.Errorf("cosine %.2f within a topic, %.2f across", cosine(one, same), cosine(one, other))
	}
	if !slices.Equal(m.Text([]string{"a1", "a2"}), m.Text([]string{"a2", "nowhere", "a1"})) {
		t.Error("the order of words, or one that is not known, changes the vector of a text")
	}
	length := 0.0
	for _, x := range one {
		length += float64(x * x)
	}
	if math.Abs(length-1) > 1e-5 {
		t.Errorf("a text has the length %v", length)
	}
	if m.Text([]string{"nowhere"}) != nil || m.Text(nil) != nil || m.Word("nowhere") != nil || m.Near(make([]float32, 3), 5) != nil || m.Near(m.Word("a1"), 0) != nil {
		t.Error("vectors of nothing")
	}
}

// The same texts give the same vectors on any number of processors.
func TestDeterministic(t *testing.T) {
	var files [2]bytes.Buffer
	for i, n := range []int{1, 8} {
		was := runtime.GOMAXPROCS(n)
		m := learnt(t, embedding.Options{Dims: 20, Window: -1}, topics(2, 200))
		runtime.GOMAXPROCS(was)
		if _, err := m.WriteTo(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("vectors differ by the number of processors")
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	texts := topics(3, 50)
	m := learnt(t, embedding.Options{Dims: 500, MaxWords: 30}, texts)
	if m.Dims() != 30 || len(m.Words()) != 30 || !slices.Contains(m.Words(), "the0") {
		t.Errorf("%d dimensions, words %v", m.Dims(), m.Words())
	}
	if m := learnt(t, embedding.Options{MinTexts: 20, Dims: 4}, texts); slices.ContainsFunc(m.Words(), func(w string) bool { return w[0] != 't' }) {
		t.Error(m.Words())
	}
	for _, l := range []*embedding.Learner{embedding.NewLearner(embedding.Options{}), embedding.NewLearner(embedding.Options{MinTexts: 1})} {
		l.Add([]string{"one"})
		l.Add(nil)
		if _, err := l.Learn(t.Context()); !errors.Is(err, embedding.ErrTooFew) {
			t.Error(err)
		}
	}
	// Words that never stand near another have vectors without a direction.
	l := embedding.NewLearner(embedding.Options{})
	for _, w := range []string{"x", "y", "x", "y"} {
		l.Add([]string{w})
	}
	if m, err := l.Learn(t.Context()); err != nil || m.Text([]string{"x"}) != nil || len(m.Near(m.Word("x"), 2)) > 0 {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l = embedding.NewLearner(embedding.Options{})
	for _, text := range texts {
		l.Add(text)
	}
	if _, err := l.Learn(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	m := learnt(t, embedding.Options{Dims: 8}, append(topics(4, 60), []string{"two words", "a1"}, []string{"two words", "a1"}, []string{"ü—", "a1"}, []string{"ü—", "a1"}))
	var file bytes.Buffer
	n, err := m.WriteTo(&file)
	if err != nil || n != int64(file.Len()) {
		t.Fatal(n, file.Len(), err)
	}
	got, err := embedding.Read(bytes.NewReader(file.Bytes()))
	if err != nil || got.Dims() != 8 || len(got.Words()) != len(m.Words())-1 {
		t.Fatal(err)
	}
	for _, w := range got.Words() {
		if !slices.Equal(got.Word(w), m.Word(w)) {
			t.Fatalf("%s has another vector", w)
		}
	}
	if m, err := embedding.Read(strings.NewReader("one 1 2\ntwo 3 -4e-1\n")); err != nil || m.Dims() != 2 || m.Word("two")[1] != -0.4 {
		t.Error(err)
	}
	for _, bad := range []string{"", "x", "one 1 2\ntwo 1\n", "one 1\none 2\n", "one x\n", "one NaN\n", "one 1e300\n", "one 1e20 2\n", "2 3\na 1 2 3\n", "-1 3\n", "1 0\n", "one 1 2\n\n", strings.Repeat("x", 2<<20)} {
		if _, err := embedding.Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%.20q is read", bad)
		} else if _, ok := errors.AsType[*embedding.FormatError](err); !ok {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("2 2\na 1 2\nb 3 4\n")
	f.Add("a 1 2\nb 3 4\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := embedding.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		m.Text(m.Words())
		for _, w := range m.Words() {
			if len(m.Word(w)) != m.Dims() {
				t.Fatal(w)
			}
			m.Near(m.Word(w), 2)
		}
		var out bytes.Buffer
		m.WriteTo(&out)
		again, err := embedding.Read(&out)
		if err != nil || len(again.Words()) != len(m.Words()) {
			t.Fatalf("what was written is read as %v, %v", again, err)
		}
	})
}

func ExampleLearner() {
	l := embedding.NewLearner(embedding.Options{Dims: 2})
	for _, text := range []string{"cats chase mice", "kittens chase mice", "cats eat mice", "kittens eat mice", "stocks fell today", "shares fell today", "stocks rose today", "shares rose today"} {
		l.Add(strings.Fields(text))
	}
	m, err := l.Learn(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range m.Near(m.Word("cats"), 5) {
		fmt.Println(n.Word)
	}
	// Unordered output:
	// cats
	// kittens
	// mice
	// chase
	// eat
}
