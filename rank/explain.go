package rank

import (
	"fmt"
	"strings"
)

// Explanation tells where a number comes from.
type Explanation struct {
	Value float64       // the number
	Text  string        // what it is: the formula and what went into it
	Parts []Explanation // what it is made of
}

// Explainer is what a Scorer is when it can tell where a score comes from.
// The Value of the explanation is the score itself, bit for bit.
type Explainer interface {
	Explain(s Stats, tf, length uint32) Explanation
}

// String writes the explanation as a tree, a line for each number.
func (e Explanation) String() string {
	var b strings.Builder
	e.write(&b, 0)
	return b.String()
}

func (e Explanation) write(b *strings.Builder, depth int) {
	fmt.Fprintf(b, "%s%.6g  %s\n", strings.Repeat("  ", depth), e.Value, e.Text)
	for _, part := range e.Parts {
		part.write(b, depth+1)
	}
}
