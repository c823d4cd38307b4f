package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// KNN matches the K documents whose vectors in the field are nearest to Vector, of those that
// Filter matches, and scores each by how near it is, as the similarity of the field
// says. Equal ones are taken in the order of their keys. A program makes it: it is the
// only query that prints itself in no form that [Parse] reads.
//
// In an [Or] with words its scores are added to theirs, for which a [Boost] brings both to one
// scale. Beside it in an [And], a condition is applied to the K documents and leaves fewer
// of them; in Filter, it says which documents may be among the K. Of an index that is a
// shard it matches the K of the shard.
type KNN struct {
	Field  string
	Vector []float32 // of as many numbers as the field has
	K      int       // 0: 10
	Filter Query     // which documents may be found; nil: all
	// Candidates is among how many documents of each segment the K are found where the
	// field is approximate: more find more of the nearest, and take more time. 0: 100, or
	// twice K if that is more; at least K.
	Candidates int
	// Exact compares all vectors, also where the field is approximate. The time grows with
	// their number.
	Exact bool
}

func (q KNN) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "knn(%s%d, %d, %t, [", fieldPrefix(q.Field), q.K, q.Candidates, q.Exact)
	for i, x := range q.Vector {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatFloat(float64(x), 'g', -1, 32))
	}
	b.WriteByte(']')
	if q.Filter != nil {
		b.WriteString(", " + q.Filter.String())
	}
	b.WriteByte(')')
	return b.String()
}

// knnHead is a KNN without its filter.
type knnHead string

func (q KNN) head() any {
	q.Filter = nil
	return knnHead(q.String())
}

func (q KNN) members() []Query {
	if q.Filter == nil {
		return nil
	}
	return []Query{q.Filter}
}

func (KNN) binds() binding { return asLeaf }

func (q KNN) check() string {
	switch {
	case q.K < 0:
		return fmt.Sprintf("%d documents are less than none", q.K)
	case q.Candidates < 0:
		return fmt.Sprintf("%d candidates are less than none", q.Candidates)
	case len(q.Vector) == 0:
		return "a vector without numbers"
	}
	for i, x := range q.Vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Sprintf("number %d of the vector is %v", i, x)
		}
	}
	return ""
}

func (q KNN) leaves(yield func(Query) bool) bool { return leavesOf(q.members(), yield) }
