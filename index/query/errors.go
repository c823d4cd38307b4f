package query

import "fmt"

// Error is a query that does not parse, or cannot be answered, or what
// index.SearchOptions ask beside it.
type Error struct {
	Pos int // byte offset in the text that was parsed; -1: it is not about a text
	Msg string
}

func (e *Error) Error() string {
	if e.Pos < 0 {
		return "index: query: " + e.Msg
	}
	return fmt.Sprintf("index: query: byte %d: %s", e.Pos, e.Msg)
}
