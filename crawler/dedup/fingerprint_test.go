package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// words draws a text of n words.
func words(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("w%d", r.IntN(5000))
	}
	return out
}

// edited is a text with a share of its words replaced.
func edited(r *rand.Rand, text []string, share float64) []string {
	text = slices.Clone(text)
	for i := range text {
		if r.Float64() < share {
			text[i] = fmt.Sprintf("new%d", r.IntN(5000))
		}
	}
	return text
}

func TestWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	a := Of("The quick, brown fox:\njumps Über – the lazy dog. 東京に行く")
	for _, same := range []string{
		"the QUICK brown fox jumps über the lazy dog 東京に行く",
		"<the>quick  brown\tfox jumps (ÜBER) the lazy dog! 東京 に行く",
	} {
		if b := Of(same); a != b {
			t.Errorf("%q: %+v, want %+v", same, b, a)
		}
	}
	for _, other := range []string{
		"the quick brown fox jumps über the dog lazy 東京に行く",
		"the quickbrown fox jumps über the lazy dog 東京に行く",
		"the quick brown fox jumps über the lazy dog 京東に行く",
		"",
	} {
		if Of(other).Same(a) {
			t.Errorf("%q is the same", other)
		}
	}
	if f := Of(" .,; \xff\xfe"); f.Words != 0 {
		t.Errorf("no words: %+v", f)
	}
}

// TestSimHashIsMajority holds the packed counters to the definition.
func TestSimHashIsMajority(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 254, 255, 256, 1000} {
		features := make([]uint64, n)
		var counts [64]int
		for i := range features {
			features[i] = r.Uint64()
			for bit := range 64 {
				counts[bit] += 2*int(features[i]>>bit&1) - 1
			}
		}
		var want uint64
		for bit, c := range counts {
			if c > 0 {
				want |= 1 << bit
			}
		}
		if got := simHash(features); got != want {
			t.Errorf("%d features: %x, want %x", n, got, want)
		}
	}
}

func TestDistanceGrowsWithEdits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, tt := range []struct {
		share         float64
		least, most   float64 // mean distance
		alike, differ float64 // mean resemblance
	}{
		{0.01, 1, 8, 0.9, 1},
		{0.10, 9, 17, 0.58, 0.78},
		{0.50, 23, 31, 0.05, 0.25},
		{1.00, 29, 35, 0, 0.03},
	} {
		var distance, resemblance float64
		const rounds = 50
		for range rounds {
			text := words(r, 300)
			a, b := Of(strings.Join(text, " ")), Of(strings.Join(edited(r, text, tt.share), " "))
			distance += float64(a.Distance(b)) / rounds
			resemblance += a.Sketch.Resemblance(b.Sketch) / rounds
		}
		if distance < tt.least || distance > tt.most || resemblance < tt.alike || resemblance > tt.differ {
			t.Errorf("%.0f%% edited: distance %.1f, resemblance %.2f", 100*tt.share, distance, resemblance)
		}
	}
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	var frames Template
	page := func(i int) string { return fmt.Sprintf("Home About Imprint\nstory number %d\nAll rights reserved", i) }
	for i := range 20 {
		got := strings.TrimSpace(frames.Own("http://a.test", page(i)))
		want := page(i)
		if i >= framePages {
			want = fmt.Sprint("story number ", i)
		}
		if got != want {
			t.Errorf("page %d: %q, want %q", i, got, want)
		}
	}
	if got := strings.TrimSpace(frames.Own("http://b.test", page(1))); got != page(1) {
		t.Errorf("another host: %q", got)
	}
	if all := "Home About Imprint\nAll rights reserved"; frames.Own("http://a.test", all) != all {
		t.Error("a page of nothing but frame is gone")
	}
	for i := range 3 * frameHosts {
		frames.Own(fmt.Sprint(i), strings.Repeat(fmt.Sprintf("line %d\n", i), 3))
	}
	for i := range 2 * frameLines {
		frames.Own("http://a.test", fmt.Sprint("line ", i))
	}
	if len(frames.hosts) > frameHosts || len(frames.hosts["http://a.test"].lines) > frameLines {
		t.Errorf("%d hosts, %d lines of one", len(frames.hosts), len(frames.hosts["http://a.test"].lines))
	}
}

func FuzzOf(f *testing.F) {
	f.Add("the quick brown fox", "東京 quick")
	f.Add("\xff\x00a\u0301", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		fa, fb := Of(a), Of(b)
		if fa.Distance(fb) != fb.Distance(fa) || !fa.Near(fa, 0) || !fa.Same(Of(a+" ")) {
			t.Errorf("%q and %q", a, b)
		}
		if r := fa.Sketch.Resemblance(fb.Sketch); r < 0 || r > 1 || r != fb.Sketch.Resemblance(fa.Sketch) {
			t.Errorf("%q and %q: %v", a, b, r)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	text := strings.Join(words(rand.New(rand.NewPCG(1, 1)), 1000), " ")
	b.ReportAllocs()
	for b.Loop() {
		Of(text)
	}
}
