package fuzzy

// farRarer is how many times rarer an error is than what was meant.
const farRarer = 1000

// Speller corrects words by a vocabulary, such as the terms of an index with
// the numbers of documents that hold them. Take the vocabulary from a field
// whose words are not stemmed, or stems is what it will suggest.
type Speller struct {
	Words *QGrams // the vocabulary; weights are frequencies

	Sounds *Sounds // which of them sound alike, made of Words: of another dictionary they do not count; nil: nobody knows
	Costs  *Costs  // how likely which error is; nil: TypingCosts
	Pairs  *Pairs  // which words follow each other; nil: each stands for itself

	// Normal writes a word as the vocabulary does. Nil: Fold.
	Normal func(word string) string

	// Written is how people write a word of the vocabulary, where that differs, such as
	// "Müller" for "muller". Nil: as the vocabulary does.
	Written func(word string) string

	// Rarer is how many times rarer than its correction a word of the vocabulary
	// must be to be corrected. 0: 1000. Rare words are often right: "form" is no
	// error because "from" is everywhere.
	Rarer float64
}

// English is a Speller for a vocabulary of English words: it knows which of them
// sound alike, and the errors that people make.
func English(words *QGrams) Speller {
	return Speller{Words: words, Sounds: NewSounds(words, EnglishSound), Costs: EnglishCosts()}
}

// Suggest gives words that may be meant by word, likeliest first, at most
// limit, all that are worth a thought when limit is negative. They are those that
// sound alike, those within two edits, and where there are none, the nearest that
// have half of the letters right. How likely one is depends on what the errors
// cost, on its sound, and on its weight. Word itself is not given, nor anything for a
// word of more than 64 runes. Distances are those to the normal form of word.
func (s Speller) Suggest(word string, limit int) []Match {
	if s.Words == nil || limit == 0 || s.Words.Len() == 0 {
		return nil
	}
	g := gatherings.Get().(*gathering)
	defer gatherings.Put(g)
	list := g.candidates(&s, s.normal(word), limit)
	matches := make([]Match, len(list))
	for i, c := range list {
		matches[i] = Match{s.written(s.Words.words.word(c.word)), c.distance, s.Words.words.weights[c.word]}
	}
	return matches
}

func (s Speller) written(word string) string {
	if s.Written != nil {
		return s.Written(word)
	}
	return word
}

func (s *Speller) costs() *Costs {
	if s.Costs != nil {
		return s.Costs
	}
	return TypingCosts()
}

func (s Speller) normal(word string) string {
	if s.Normal != nil {
		return s.Normal(word)
	}
	return Fold(word)
}
