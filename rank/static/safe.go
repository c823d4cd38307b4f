package static

// Safe is how safe for work a text is, from 1 for one without words of a list to near 0. Words have weights, 1 for one that nobody would
// want to see:
//
//	1 / (1 + 100·Σ weight / (words + 50))
//
// so that a text of 950 words with ten of them has 0.5, and one that names one once in passing 0.9. Words of the list
// are in lower case; it is for the caller to bring one, in the languages of the pages. Weights that are not above 0 do not count.
func Safe(text string, list map[string]float64) float64 {
	sum, words := 0.0, wordsOf(text)
	for _, w := range words {
		if weight := list[w]; weight > 0 {
			sum += min(weight, 1e6)
		}
	}
	return 1 / (1 + 100*sum/float64(len(words)+50))
}
