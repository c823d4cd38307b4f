package fuzzy

// Sounds tells which words of a dictionary sound like another. It takes some 25
// bytes for each word and does not change.
type Sounds struct {
	dictionary *QGrams
	key        func(word string) string
	keys       *QGrams
	ends       []uint32 // the words of key i are words[ends[i-1]:ends[i]]
	words      []uint32 // numbers in the dictionary
}

// NewSounds makes Sounds of a dictionary; key gives equal keys for words that
// sound alike, as [EnglishSound] does. Words with an empty key sound like none.
func NewSounds(words *QGrams, key func(word string) string) *Sounds {
	s := &Sounds{dictionary: words, key: key}
	type sounding struct {
		key  string
		word uint32
	}
	counts := map[string]int{}
	list := make([]sounding, 0, words.Len())
	for i := range words.Len() {
		if k := key(words.words.word(i)); k != "" {
			list = append(list, sounding{k, uint32(i)})
			counts[k]++
		}
	}
	s.keys = New(func(yield func(string, int) bool) {
		for k, n := range counts {
			if !yield(k, n) {
				return
			}
		}
	})
	s.ends = make([]uint32, s.keys.Len())
	at := uint32(0)
	for i := range s.ends {
		s.ends[i] = at // moves on to its end below
		at += uint32(counts[s.keys.words.word(i)])
	}
	s.words = make([]uint32, at)
	for _, w := range list {
		i, _ := s.keys.words.find(w.key)
		s.words[s.ends[i]] = w.word
		s.ends[i]++
	}
	return s
}

// of is the numbers of the words of key i.
func (s *Sounds) of(i int) []uint32 {
	return listOf(s.words, s.ends, i)
}
