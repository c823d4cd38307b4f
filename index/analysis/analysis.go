package analysis

import "iter"

// Token is one term of a text and where it stands.
type Token struct {
	Text  string // the term as it is indexed; may share memory with the text
	Start int    // byte offsets of its source in the text that was given
	End   int
	Pos   int  // position counted in words from 0; never falls, may repeat or jump
	Cut   bool // Text was longer than [MaxToken] and is cut

	extra bool // stands for what other tokens stand for, too, and has no place of its own
}

// MaxToken is the greatest length of a Token's Text, in bytes. Longer ones are
// cut at the end of a rune.
const MaxToken = 255

// Analyzer turns text into tokens, the same for documents and for queries.
//
// Tokens must accept any bytes, yield tokens with Start and Pos that never
// fall, and be safe for concurrent use. Tokens of one position are
// alternatives to each other. A token that lies wholly inside a longer one is
// a part of it: documents are indexed under both, a query asks for the longer
// one only (see [Slots]).
type Analyzer interface {
	Tokens(text string) iter.Seq[Token]
}
