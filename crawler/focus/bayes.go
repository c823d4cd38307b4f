package focus

import (
	"errors"
	"math"
)

// ErrNoSamples is the error of a topic that is to be learned from nothing.
var ErrNoSamples = errors.New("focus: samples on topic and off topic are needed")

// Train learns a topic from the texts of pages on it and of others: naive
// Bayes over words (multinomial, Laplace's smoothing), with the surprise of a
// text divided among its words, so that long pages are not all sure of
// themselves. It takes a few dozen samples to be better than [Like].
func Train(on, off []string) (Topic, error) {
	if len(on) == 0 || len(off) == 0 {
		return nil, ErrNoSamples
	}
	counts := map[string]*[2]float64{}
	var total [2]float64
	for class, texts := range [2][]string{off, on} {
		for _, text := range texts {
			for t := range terms(text) {
				if counts[t] == nil {
					counts[t] = new([2]float64)
				}
				counts[t][class]++
				total[class]++
			}
		}
	}
	by := &bayes{odds: make(map[string]float64, len(counts))}
	size := float64(len(counts) + 1)
	for t, c := range counts {
		by.odds[t] = math.Log((c[1]+1)/(total[1]+size)) - math.Log((c[0]+1)/(total[0]+size))
	}
	return by, nil
}

// bayes holds the logarithms of how much likelier words are on topic.
type bayes struct{ odds map[string]float64 }

// evidence is how many words of a page count in full.
const evidence = 20

func (by *bayes) Page(text string) float64 { return by.judge(text, evidence) }

func (by *bayes) Phrase(text string) float64 {
	if p := by.judge(text, 2); p > onTopic {
		return 2 * (p - onTopic)
	}
	return 0
}

func (by *bayes) judge(text string, evidence float64) float64 {
	sum, n := 0.0, 0.0
	for t := range terms(text) {
		if o, ok := by.odds[t]; ok {
			sum += o
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sigmoid(sum / n * min(n, evidence))
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
