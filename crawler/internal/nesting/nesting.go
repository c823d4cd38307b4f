// Package nesting tells how deep a text of YAML may be nested, before a parser takes
// memory by the square of it.
package nesting

// Most is what no text written by hand or by a program comes near.
const Most = 1000

// Deep reports whether more than Most collections may lie within each other: brackets
// that are open, whatever they stand for, or entries that begin on one line.
// Indentation needs more text for each level than a text is long.
func Deep(text []byte) bool {
	open, begun := 0, 0
	for i, b := range text {
		switch b {
		case '[', '{':
			open++
		case ']', '}':
			open = max(open-1, 0)
		case '\n':
			begun = 0
		case '-', '?':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') {
				begun++
			}
		}
		if open > Most || begun > Most {
			return true
		}
	}
	return false
}
