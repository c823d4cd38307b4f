package exec

import (
	"math"
	"testing"
)

// Marks of one document are none of the next, also when they have come to the
// greatest that there is.
func TestMarksOfDocuments(t *testing.T) {
	t.Parallel()
	s, again := new(steps), 0
	for i := range 200 {
		words := []int{2, 300, 7, 9000}[i%4]
		if i == 150 {
			words = math.MaxUint16
		}
		was := s.marks[i]
		high := s.begin(words)
		if s.marks[i] < was {
			again++
		}
		if high == 0 || s.marks[i] >= high || int(high)+words-1 > math.MaxUint16 {
			t.Fatalf("document %d: %d words from %d over %d", i, words, high, s.marks[i])
		}
		s.marks[i+1] = high + uint16(words-1) // all words agree
	}
	if again < 2 {
		t.Errorf("begun again %d times", again)
	}
}
