package rank

// Stats are the statistics of one term in one field of a collection.
type Stats struct {
	Docs    int     // documents in the collection
	DocFreq int     // documents that hold the term
	AvgLen  float64 // mean length of the field, in tokens
}

// Score is the contribution of a term that occurs tf times in a field of
// length tokens. It rises with tf and falls with length, so that an index can
// bound it.
type Score func(tf, length uint32) float64

// Scorer makes the Score of one term.
type Scorer interface {
	Term(Stats) Score
}
