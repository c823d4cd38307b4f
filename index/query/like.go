package query

import (
	"fmt"
	"strconv"
)

// Like matches the documents that share words with the document of Key: of the
// words of its stored text fields, or of Field, those that tell it best from
// others. These are the Words (0: 25) with the greatest product of how often they
// stand there and how rare they are, the inverse document frequency of
// rank.Probabilistic; words that no other document has are left out. A document
// scores as for an [Or] of them, each a [Term] times the weight of its field. The
// document of Key itself does not match. Nothing is like a document that is not
// there.
type Like struct {
	Field string
	Key   string
	Words int
}

func (q Like) String() string {
	s := fieldPrefix(q.Field) + "~" + quote(q.Key)
	if q.Words != 0 {
		s += "~" + strconv.Itoa(q.Words)
	}
	return s
}

func (Like) members() []Query { return nil }
func (q Like) head() any      { return q }
func (Like) binds() binding   { return asLeaf }
func (q Like) check() string {
	if q.Words < 0 {
		return fmt.Sprintf("%d words are less than none", q.Words)
	}
	return ""
}
func (Like) leaves(func(Query) bool) bool { return true }
