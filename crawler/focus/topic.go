package focus

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
)

// Topic says how much a text is about what is looked for, from 0 to 1. Both
// methods are called from many goroutines.
type Topic interface {
	// Page judges the text of a page; 0.5 and above counts as on topic.
	Page(text string) float64

	// Phrase judges a few words, as the text of a link or the path of a URL.
	Phrase(text string) float64
}

const (
	onTopic = 0.5 // relevance of pages that are

	// BM25, as in Robertson and Zaragoza, "The Probabilistic Relevance
	// Framework" (2009).
	k1, b = 1.2, 0.75

	fullMatch   = 5   // terms of a topic that make a page wholly relevant
	likeTerms   = 60  // terms that are taken from sample pages
	usualLength = 300 // terms of a page, until pages were seen
	maxCounted  = 1e6 // distinct terms that are counted
)

// Words is a topic given by a query: relevant is what holds its words, the more
// of them and the rarer they are among the pages seen off topic, the more. It is
// BM25, divided by what a page with five of the words would have at most.
func Words(query string) Topic {
	weights := map[string]float64{}
	for t := range terms(query) {
		weights[t] = 1
	}
	return newVocabulary(weights)
}

// Like is a topic given by the texts of sample pages: their sixty most telling
// words count as [Words] do, by their weight. A word tells the more, the more
// often and in more of the samples it stands, and the fewer of the others, which
// are pages off topic and may be none.
func Like(samples, others []string) Topic {
	inOthers := map[string]float64{}
	for _, text := range others {
		for t := range maps.Keys(counted(text)) {
			inOthers[t]++
		}
	}
	weights := map[string]float64{}
	for _, text := range samples {
		for t, n := range counted(text) {
			weights[t] += 1 + math.Log(float64(n))
		}
	}
	for t := range weights {
		weights[t] *= math.Log(1 + (float64(len(others))+1)/(inOthers[t]+0.5))
	}
	best := slices.SortedFunc(maps.Keys(weights), func(x, y string) int {
		return cmp.Or(cmp.Compare(weights[y], weights[x]), cmp.Compare(x, y))
	})
	top := map[string]float64{}
	for _, t := range best[:min(likeTerms, len(best))] {
		top[t] = weights[t] / weights[best[0]]
	}
	return newVocabulary(top)
}

func counted(text string) map[string]int {
	n := map[string]int{}
	for t := range terms(text) {
		n[t]++
	}
	return n
}

// vocabulary is a topic of weighted terms. It counts how common terms are
// among the pages off topic that it is shown.
type vocabulary struct {
	weights map[string]float64

	mu     sync.Mutex
	docs   float64            // pages seen off topic
	length float64            // their terms
	with   map[string]float64 // docs that have a term of the topic
}

func newVocabulary(weights map[string]float64) *vocabulary {
	return &vocabulary{weights: weights, with: map[string]float64{}}
}

func (v *vocabulary) Page(text string) float64 {
	tf, length := map[string]float64{}, 0.0
	for t := range terms(text) {
		if length++; v.weights[t] > 0 {
			tf[t]++
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	average := float64(usualLength)
	if v.docs > 10 {
		average = max(v.length/v.docs, 1)
	}
	sum := 0.0
	for _, t := range slices.Sorted(maps.Keys(tf)) { // sums of floats depend on their order
		n := tf[t]
		sum += v.weight(t) * n / (n + k1*(1-b+b*length/average))
	}
	relevance := min(sum/v.most(), 1)
	if relevance < onTopic {
		v.docs++
		v.length += length
		for t := range tf {
			v.with[t]++
		}
	}
	return relevance
}

// weight is that of a term, times how rare it is off topic: as BM25 has it,
// but 1 for a term that stands in no page there.
func (v *vocabulary) weight(t string) float64 {
	most := math.Log(1 + (v.docs+0.5)/0.5)
	if v.docs == 0 {
		return v.weights[t]
	}
	return v.weights[t] * math.Log(1+(v.docs-v.with[t]+0.5)/(v.with[t]+0.5)) / most
}

// most is what a page with a few of the heaviest terms has.
func (v *vocabulary) most() float64 {
	all := make([]float64, 0, len(v.weights))
	for t := range v.weights {
		all = append(all, v.weight(t))
	}
	slices.Sort(all)
	sum := 0.0
	for _, w := range all[max(len(all)-fullMatch, 0):] {
		sum += w
	}
	return max(sum*saturated, 1e-9)
}

// saturated is what a term counts that stands three times in a page of usual
// length.
const saturated = 3 / (3 + k1)

// Phrase is 0.7 for one of the heaviest terms, less for others, and each further
// one takes as much from what is missing to 1.
func (v *vocabulary) Phrase(text string) float64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	heaviest := 1e-9
	for t := range v.weights {
		heaviest = max(heaviest, v.weight(t))
	}
	missing := 1.0
	seen := map[string]bool{}
	for t := range terms(text) {
		if v.weights[t] > 0 && !seen[t] {
			seen[t] = true
			missing *= 1 - telling*v.weight(t)/heaviest
		}
	}
	return 1 - missing
}

const telling = 0.7 // what one heavy term makes of a phrase
