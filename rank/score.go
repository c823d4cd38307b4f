package rank

// Stats are the statistics of one term in one field of a collection.
type Stats struct {
	Docs     int     // documents in the collection
	DocFreq  int     // documents that hold the term
	AvgLen   float64 // mean length of the field, in tokens
	CollFreq int     // occurrences of the term in all documents; less than DocFreq: not known, and taken to be that (see [Needs])
}

// Score is the contribution of a term that occurs tf times in a field of
// length tokens. It never falls when tf rises or length falls, so that the
// score for the greatest tf and the least length of a group of documents bounds
// the group, to the last bit. It is 0 for tf 0, never negative, never NaN. Only the
// Scores of a [Demander] that needs [Needs].Exhaustive may rise and fall as they like.
type Score func(tf, length uint32) float64

// Scorer makes the Score of one term. It takes whatever statistics it is
// given: a collection without documents, more documents with a term than there
// are, a mean length of 0.
type Scorer interface {
	Term(Stats) Score
}

// Demander is a Scorer that needs more than the others.
type Demander interface {
	Scorer
	Needs() Needs
}

// Needs are what a Scorer needs of an index.
type Needs struct {
	// CollFreq: the collection frequency of each word. An index counts it in the list of
	// the word when it is first asked for. It is not known for words that stand for others
	// besides, by typing errors or an expander.
	CollFreq bool
	// Exhaustive: every match is scored, since the Scores are not monotone and say
	// nothing of groups of documents.
	Exhaustive bool
	// Doc: the scores are those of [DocScorer]. Implies Exhaustive.
	Doc bool
}

// NeedsOf returns what a Scorer needs.
func NeedsOf(s Scorer) (n Needs) {
	if d, ok := s.(Demander); ok {
		n = d.Needs()
	}
	n.Exhaustive = n.Exhaustive || n.Doc
	return n
}

// DocStats describe the field of a document as a vector of how often its terms occur.
type DocStats struct {
	Length     uint32  // tokens
	Terms      uint32  // different terms
	MaxTF      uint32  // occurrences of the most frequent term
	Squares    float64 // Σ tf² over the terms
	LogSquares float64 // Σ (1 + ln tf)²
}

// DocScore is the contribution of a term that occurs tf times in a document. It is 0 for
// tf 0, never negative, never NaN.
type DocScore func(tf uint32, d DocStats) float64

// DocScorer is a Scorer that looks at the whole field of a document when its Needs
// include Doc. An index then walks all lists of the field once, segment by
// segment, and keeps 24 bytes for each document in memory.
type DocScorer interface {
	Demander
	Doc(Stats) DocScore
	ExplainDoc(s Stats, tf uint32, d DocStats) Explanation
}

// collFreq is at least DocFreq and 1, as a number.
func (s Stats) collFreq() float64 { return float64(max(s.CollFreq, s.DocFreq, 1)) }

// counts returns the number of documents, at least 1, and of those with the term, from 1 up to that.
func (s Stats) counts() (docs, docFreq float64) {
	docs = float64(max(s.Docs, 1))
	return docs, min(float64(max(s.DocFreq, 1)), docs)
}

// avgLen is the mean length within what formulas can work with.
func (s Stats) avgLen() float64 {
	if !(s.AvgLen >= minAvgLen) {
		return minAvgLen
	}
	return min(s.AvgLen, maxAvgLen)
}

// tokens is the number of tokens in all documents, at least the occurrences of the term.
func (s Stats) tokens() float64 {
	docs, _ := s.counts()
	return max(s.avgLen()*docs, s.collFreq())
}
