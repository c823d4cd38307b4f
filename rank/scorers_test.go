package rank_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
)

// All by hand: 100 documents of 50 tokens in the mean, a term in 10 of them, 20 times; it
// stands 3 times in a document of 60 tokens.
func TestScorersByHand(t *testing.T) {
	t.Parallel()
	s := rank.Stats{Docs: 100, DocFreq: 10, AvgLen: 50, CollFreq: 20}
	idf := math.Log(1 + 90.5/10.5)
	norm := 0.25 + 0.75*60/50.0
	tfn := 3 * math.Log2(1+50.0/60)
	n := 100 * (1 - math.Pow(0.99, 20))
	p := 21.0 / 5001
	for name, c := range map[string]struct {
		of   rank.Scorer
		want float64
	}{
		"plain":     {rank.BM25{Plain: true}, idf * 3 / (3 + 1.2*norm)},
		"ATIRE":     {rank.BM25{IDF: rank.Ratio}, math.Log(10) * 3 * 2.2 / (3 + 1.2*norm)},
		"Robertson": {rank.BM25{IDF: rank.RobertsonSparckJones}, math.Log(90.5/10.5) * 3 * 2.2 / (3 + 1.2*norm)},
		"BM25+":     {rank.BM25Plus{IDF: rank.RatioPlus}, math.Log(10.1) * (1 + 3*2.2/(3+1.2*norm))},
		"BM25+ 0.3": {rank.BM25Plus{Delta: 0.3}, idf * (0.3 + 3*2.2/(3+1.2*norm))},
		"BM25L":     {rank.BM25L{}, idf * 2.2 * (3/norm + 0.5) / (1.2 + 3/norm + 0.5)},
		"In_expB2":  {rank.InExpB2{}, 21 / (10 * (tfn + 1)) * tfn * math.Log2(101/(n+0.5))},
		"PL2":       {rank.PL2{}, (tfn*math.Log2(tfn/0.2) + (0.2-tfn)*math.Log2E + 0.5*math.Log2(2*math.Pi*tfn)) / (tfn + 1)},
		"PL2 c 7": {rank.PL2{C: 7}, func() float64 {
			f := 3 * math.Log2(1+350.0/60)
			return (f*math.Log2(f/0.2) + (0.2-f)*math.Log2E + 0.5*math.Log2(2*math.Pi*f)) / (f + 1)
		}()},
		"DPH":              {rank.DPH{}, 0.95 * 0.95 / 4 * (3*math.Log2(3.0*50/60*100/20) + 0.5*math.Log2(2*math.Pi*3*0.95))},
		"Dirichlet":        {rank.Dirichlet{}, math.Log(1+3/(2000*p)) + math.Log(2000/2060.0)},
		"Dirichlet 100":    {rank.Dirichlet{Mu: 100}, math.Log(1+3/(100*p)) + math.Log(100/160.0)},
		"Jelinek-Mercer":   {rank.JelinekMercer{}, math.Log(1 + 9*3/60.0/p)},
		"Jelinek-Mercer 7": {rank.JelinekMercer{Lambda: 0.7}, math.Log(1 + 3.0/7*3/60.0/p)},
		"sum of tf-idf":    {rank.TFIDF{Frequency: rank.RawTF, Norm: rank.NoNorm, IDF: rank.LogRatio}, 3 * math.Log2(10)},
	} {
		near(t, name, c.of.Term(s)(3, 60), c.want, 1e-12*(1+c.want))
	}
	for name, c := range map[string]struct {
		of   rank.TFIDF
		want float64
	}{ // the document has 4 terms: 3, 6, 1 and 2 times
		"augmented": {rank.TFIDF{Frequency: rank.AugmentedTF, Norm: rank.NoNorm, IDF: rank.Ratio}, math.Log(10) * 0.75},
		"cosine":    {rank.TFIDF{Norm: rank.CosineNorm, IDF: rank.Ratio}, math.Log(10) * (1 + math.Log(3)) / math.Sqrt(square(1+math.Log(3))+square(1+math.Log(6))+1+square(1+math.Log(2)))},
		"raw":       {rank.TFIDF{Frequency: rank.RawTF, Norm: rank.CosineNorm, IDF: rank.Ratio}, math.Log(10) * 3 / math.Sqrt(9+36+1+4)},
		"augmented, cosine": {rank.TFIDF{Frequency: rank.AugmentedTF, Norm: rank.CosineNorm, IDF: rank.Ratio},
			math.Log(10) * 0.75 / math.Sqrt(square(0.75)+1+square(0.5+0.5/6)+square(0.5+0.5/3))},
	} {
		d := rank.DocStats{Length: 12, Terms: 4, MaxTF: 6, Squares: 50, LogSquares: square(1+math.Log(3)) + square(1+math.Log(6)) + 1 + square(1+math.Log(2))}
		near(t, name, c.of.Doc(s)(3, d), c.want, 1e-12)
		near(t, name+" of nothing", c.of.Doc(s)(0, d), 0, 0)
	}
}

func square(x float64) float64 { return x * x }

// Of one word in a document of one, the cosine with a query of it is the word's idf.
func TestCosineIsACosine(t *testing.T) {
	t.Parallel()
	cosine := rank.TFIDF{Norm: rank.CosineNorm, IDF: rank.Ratio}
	near(t, "only word", cosine.Term(rank.Stats{Docs: 100, DocFreq: 10})(1, 1), math.Log(10), 1e-12)
	rapid.Check(t, func(t *rapid.T) {
		// A document of words tf times each, and a query of all of them.
		tfs := rapid.SliceOfN(rapid.Uint32Range(1, 50), 1, 8).Draw(t, "tfs")
		frequency := rapid.SampledFrom([]rank.Frequency{rank.LogTF, rank.RawTF, rank.AugmentedTF}).Draw(t, "frequency")
		d := rank.DocStats{Terms: uint32(len(tfs))}
		for _, tf := range tfs {
			d.Length += tf
			d.MaxTF = max(d.MaxTF, tf)
			d.Squares += float64(tf) * float64(tf)
			d.LogSquares += square(1 + math.Log(float64(tf)))
		}
		sum, query := 0.0, 0.0
		for i, tf := range tfs {
			s := rank.Stats{Docs: 1000, DocFreq: 1 + 100*i}
			sum += rank.TFIDF{Frequency: frequency, Norm: rank.CosineNorm, IDF: rank.Ratio}.Doc(s)(tf, d)
			query += square(rank.Ratio.Weight(1000, 1+100*i))
		}
		if cosine := sum / math.Sqrt(query); !(cosine > 0 && cosine <= 1+1e-12) {
			t.Fatalf("cosine %v", cosine)
		}
	})
}

// What is not known of a word is taken to be as little as it can be.
func TestCollFreqUnknown(t *testing.T) {
	t.Parallel()
	for _, name := range rank.ScorerNames() {
		m, err := rank.ParseScorer(name)
		if err != nil {
			t.Fatal(err)
		}
		known, unknown := rank.Stats{Docs: 100, DocFreq: 10, AvgLen: 50, CollFreq: 10}, rank.Stats{Docs: 100, DocFreq: 10, AvgLen: 50}
		if a, b := m.Term(known)(3, 60), m.Term(unknown)(3, 60); a != b {
			t.Errorf("%s: %v and %v", name, a, b)
		}
		many := m.Term(rank.Stats{Docs: 100, DocFreq: 10, AvgLen: 50, CollFreq: 400})(3, 60)
		if a := m.Term(known)(3, 60); rank.NeedsOf(m).CollFreq != (a != many) {
			t.Errorf("%s: needs %+v, scores %v and %v", name, rank.NeedsOf(m), a, many)
		}
	}
}

// A rarer word counts more, and a document of nothing but the word is scored.
func TestScorersOrderWords(t *testing.T) {
	t.Parallel()
	for _, name := range rank.ScorerNames() {
		m, err := rank.ParseScorer(name)
		if err != nil {
			t.Fatal(err)
		}
		rare := m.Term(rank.Stats{Docs: 10_000, DocFreq: 10, AvgLen: 100, CollFreq: 15})
		common := m.Term(rank.Stats{Docs: 10_000, DocFreq: 4000, AvgLen: 100, CollFreq: 9000})
		if !(rare(2, 100) > common(2, 100)) {
			t.Errorf("%s: rare %v, common %v", name, rare(2, 100), common(2, 100))
		}
		if !(rare(2, 100) > rare(1, 100)) && name != "tfidf_augmented" {
			t.Errorf("%s: twice %v, once %v", name, rare(2, 100), rare(1, 100))
		}
	}
}

func TestParseScorer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rank.Scorer{
		"bm25":                     rank.BM25{},
		" BM25-Lucene ( k1 = .9 )": rank.BM25{K1: 0.9, Plain: true},
		"lm-dirichlet(mu=300)":     rank.Dirichlet{Mu: 300},
		"tfidf(frequency=raw, norm=none, idf=log-ratio)": rank.TFIDF{Frequency: rank.RawTF, Norm: rank.NoNorm, IDF: rank.LogRatio},
		"bm25+(delta=-1)":     rank.BM25Plus{Delta: -1},
		"bm25(plain=false)":   rank.BM25{},
		"dph":                 rank.DPH{},
		"bm25(k1=1e999)":      rank.BM25{K1: math.Inf(1)},
		"bm25_log2(k1=2,b=1)": rank.BM25{K1: 2, B: 1, IDF: rank.LogRatio},
	} {
		if got, err := rank.ParseScorer(text); err != nil || got != want {
			t.Errorf("%s: %#v, %v, want %#v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "bm26", "bm25(", "bm25(k1)", "bm25(k1=)", "bm25(k1=x)", "bm25(c=1)", "bm25(idf=none)", "bm25(plain=maybe)", "dph(c=1)", `bm25f(fields=1)`,
		`bm25f(fields[title]=1)`, `bm25f(fields["title"=1)`, `bm25f(fields["title"]=x)`, `bm25f(k1["title"]=1)`, "bm25(=1)", "(k1=1)", "bm25)", "bm25(k1=1) x"} {
		if got, err := rank.ParseScorer(text); err == nil {
			t.Errorf("%q is %#v", text, got)
		}
	}
}

func TestFormatScorer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawScorer(t)
		text, ok := rank.FormatScorer(want)
		got, err := rank.ParseScorer(text)
		again, _ := rank.FormatScorer(got)
		if !ok || err != nil || again != text {
			t.Fatalf("%#v: %q is %#v, %v", want, text, got, err)
		}
		stats, tf, length := drawStats(t), rapid.Uint32().Draw(t, "tf"), rapid.Uint32().Draw(t, "length")
		if a, b := want.Term(stats)(tf, length), got.Term(stats)(tf, length); a != b {
			t.Fatalf("%q scores %v, %#v %v", text, b, want, a)
		}
	})
	f := &rank.BM25F{K1: 2, Fields: map[string]float64{"a, b)=\"": 0.5, "": math.Inf(-1)}}
	if text, ok := rank.FormatScorer(f); !ok || text != `bm25f(k1=2, fields[""]=-Inf, fields["a, b)=\""]=0.5)` {
		t.Errorf("%q", text)
	} else if got, err := rank.ParseScorer(text); err != nil || got.(rank.BM25F).Fields["a, b)=\""] != 0.5 {
		t.Errorf("%#v, %v", got, err)
	}
	if text, ok := rank.FormatScorer(nil); ok {
		t.Errorf("nil is %q", text)
	}
}

func TestParseFeedback(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rank.Feedback{"rm3": rank.RM3{}, "RM3(docs=5, query=.5)": rank.RM3{Docs: 5, Query: 0.5}, "bo1(words=-1)": rank.Bo1{Words: -1}} {
		if got, err := rank.ParseFeedback(text); err != nil || got != want {
			t.Errorf("%s: %#v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "rm4", "rm3(docs=1.5)", "rm3(", "bo1(lambda=1)"} {
		if got, err := rank.ParseFeedback(text); err == nil {
			t.Errorf("%q is %#v", text, got)
		}
	}
}

func FuzzParseScorer(f *testing.F) {
	for _, name := range rank.ScorerNames() {
		f.Add(name + "(k1=1, b=2)")
	}
	f.Add(`bm25f(fields["x"]=0.3)`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := rank.ParseScorer(text)
		if err != nil {
			return
		}
		again, ok := rank.FormatScorer(m)
		if other, err := rank.ParseScorer(again); !ok || err != nil {
			t.Errorf("%q is %#v, %q, and that %#v, %v", text, m, again, other, err)
		}
	})
}

// The frequencies of In_expB2 over fields rise and fall as they must, and over one field of
// weight 1 it is what Term makes.
func TestInExpB2OverFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawStats(t)
		m := rank.InExpB2{C: rapid.Float64Range(-1, 20).Draw(t, "c")}
		tf, length := rapid.Uint32Range(0, 1<<20).Draw(t, "tf"), rapid.Uint32Range(0, 1<<20).Draw(t, "length")
		one := m.Combine(s, []rank.FieldStats{{Name: "x", Weight: 1, AvgLen: s.AvgLen}})
		if got, want := one.Score(one.Frequency[0](tf, length)), m.Term(s)(tf, length); got != want {
			t.Fatalf("one field scores %v, Term %v", got, want)
		}
		c := m.Combine(s, []rank.FieldStats{{Name: "x", Weight: rapid.Float64Range(0, 10).Draw(t, "weight"), AvgLen: s.AvgLen}, {Name: "y", Weight: 1, AvgLen: 3}})
		at := func(tf, length uint32) float64 { return c.Frequency[0](tf, length) + c.Frequency[1](3, 4) }
		if f := at(tf, length); at(tf+1, length) < f || at(tf, length+1) > f || !(c.Score(f) >= 0) || c.Score(at(tf+1, length)) < c.Score(f) {
			t.Fatalf("falls at %d, %d", tf, length)
		}
		x, y := c.Frequency[0](tf, length), rapid.Float64Range(0, 1e6).Draw(t, "y")
		if whole, parts := c.Score(x+y), c.Score(x)+c.Score(y); whole > parts+0x1p-50*c.Score(math.Inf(1)) {
			t.Fatalf("of %v and %v: %v, apart %v", x, y, whole, parts)
		}
	})
}

func FuzzScorers(f *testing.F) {
	f.Add(uint8(3), 100, 10, 50.0, 20, uint32(3), uint32(60))
	f.Fuzz(func(t *testing.T, which uint8, docs, docFreq int, avgLen float64, collFreq int, tf, length uint32) {
		names := rank.ScorerNames()
		m, _ := rank.ParseScorer(names[int(which)%len(names)])
		if got := m.Term(rank.Stats{Docs: docs, DocFreq: docFreq, AvgLen: avgLen, CollFreq: collFreq})(tf, length); !(got >= 0) || math.IsInf(got, 1) {
			t.Errorf("%#v scores %v", m, got)
		}
	})
}
