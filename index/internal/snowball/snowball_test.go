package snowball

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStems compares the stems of some six hundred words of each algorithm with
// those of the Snowball project's Python package of the same version; see
// testdata/README.md.
func TestStems(t *testing.T) {
	t.Parallel()
	words := readWords(t)
	for _, algorithm := range Algorithms() {
		if len(words[algorithm]) < 400 {
			t.Errorf("%s: %d words", algorithm, len(words[algorithm]))
		}
		compare(t, algorithm, words[algorithm])
	}
}

// TestVocabularies does so with whole vocabularies: QUARRY_SNOWBALL names a
// folder with a folder for each algorithm, with the words in voc.txt and their
// stems in output.txt, as the project's snowball-data has them.
func TestVocabularies(t *testing.T) {
	t.Parallel()
	root := os.Getenv("QUARRY_SNOWBALL")
	if root == "" {
		t.Skip("QUARRY_SNOWBALL is not set: the whole vocabularies are not compared")
	}
	for _, algorithm := range Algorithms() {
		words, err := os.ReadFile(filepath.Join(root, algorithm, "voc.txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		stems, err := os.ReadFile(filepath.Join(root, algorithm, "output.txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		w, s := strings.Split(string(words), "\n"), strings.Split(string(stems), "\n")
		if len(w) != len(s) {
			t.Errorf("%s: %d words, %d stems", algorithm, len(w), len(s))
			continue
		}
		pairs := make([][2]string, len(w))
		for i := range w {
			pairs[i] = [2]string{w[i], s[i]}
		}
		compare(t, algorithm, pairs)
	}
}

func compare(t *testing.T, algorithm string, pairs [][2]string) {
	t.Helper()
	s, wrong := New(algorithm), 0
	for _, pair := range pairs {
		if got := s.Stem(pair[0]); got != pair[1] {
			if wrong++; wrong <= 5 {
				t.Errorf("%s: the stem of %q is %q, want %q", algorithm, pair[0], got, pair[1])
			}
		}
	}
	t.Logf("%s: %d of %d words differ", algorithm, wrong, len(pairs))
}

// readWords returns the words and stems of testdata.
func readWords(tb testing.TB) map[string][][2]string {
	tb.Helper()
	f, err := os.Open("testdata/words.tsv.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	words := map[string][][2]string{}
	lines := bufio.NewReader(z)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return words
		}
		if err != nil {
			tb.Fatal(err)
		}
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) != 3 {
			tb.Fatalf("%q", line)
		}
		words[parts[0]] = append(words[parts[0]], [2]string{parts[1], parts[2]})
	}
}

// FuzzStem looks for words that an algorithm stumbles over.
func FuzzStem(f *testing.F) {
	for _, words := range readWords(f) {
		for _, pair := range words[:20] {
			f.Add(pair[0])
		}
	}
	f.Add("\xff'\x00")
	stemmers := map[string]*Stemmer{}
	for _, algorithm := range Algorithms() {
		stemmers[algorithm] = New(algorithm)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if len(word) > 200 {
			return
		}
		for algorithm, s := range stemmers {
			if first, second := s.Stem(word), New(algorithm).Stem(word); first != second {
				t.Errorf("%s: %q is %q to a new stemmer, %q to one that was used", algorithm, word, second, first)
			}
		}
	})
}

// A plain stemmer gives back what it was given within bounds, for any word of testdata.
func TestPlain(t *testing.T) {
	t.Parallel()
	for algorithm, words := range readWords(t) {
		s := NewPlain(algorithm)
		for _, pair := range words {
			if got := s.Stem(pair[0]); len(got) > 2*len(pair[0])+8 {
				t.Errorf("%s: the stem of %q is %q", algorithm, pair[0], got)
			}
		}
	}
	for word, want := range map[string]string{"educacion": "educ", "educaciones": "educ", "canciones": "cancion"} {
		if got := NewPlain("spanish").Stem(word); got != want {
			t.Errorf("the stem of %q is %q, want %q", word, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	if New("klingon") != nil {
		t.Error("there is a stemmer for an unknown algorithm")
	}
}

func BenchmarkStem(b *testing.B) {
	words := readWords(b)
	for _, algorithm := range []string{"english", "german", "french", "russian", "finnish", "turkish"} {
		b.Run(algorithm, func(b *testing.B) {
			s := New(algorithm)
			for i := 0; b.Loop(); i++ {
				s.Stem(words[algorithm][i%300][0])
			}
		})
	}
}

// TestPlainPlurals: without accents a noun and its plural still have one stem where an
// ending of verbs that has lost its accent could be seen in one of them.
func TestPlainPlurals(t *testing.T) {
	s := NewPlain("french")
	for pair := range strings.FieldsSeq("regime/regimes victime/victimes prime/primes tomate/tomates date/dates visite/visites site/sites limite/limites " +
		"merite/merites elite/elites dame/dames drame/drames programme/programmes climat/climats chocolat/chocolats contrat/contrats resultat/resultats " +
		"candidat/candidate format/formats etat/etats poeme/poemes systeme/systemes") {
		one, many, _ := strings.Cut(pair, "/")
		if a, b := s.Stem(one), s.Stem(many); a != b {
			t.Errorf("%s and %s are %s and %s", one, many, a, b)
		}
	}
}
