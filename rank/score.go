package rank

// Stats are the statistics of one term in one field of a collection.
type Stats struct {
	Docs    int     // documents in the collection
	DocFreq int     // documents that hold the term
	AvgLen  float64 // mean length of the field, in tokens
}

// Score is the contribution of a term that occurs tf times in a field of
// length tokens. It never falls when tf rises or length falls, so that the
// score for the greatest tf and the least length of a group of documents bounds
// the group, to the last bit. It is 0 for tf 0, never negative, never NaN.
type Score func(tf, length uint32) float64

// Scorer makes the Score of one term. It takes whatever statistics it is
// given: a collection without documents, more documents with a term than there
// are, a mean length of 0.
type Scorer interface {
	Term(Stats) Score
}
