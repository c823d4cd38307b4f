// Package fold takes away what people leave out when they type, and what makes no
// difference to them: case, forms of one character, diacritics, vowel points, joiners,
// strokes through letters, the script of digits. It is one for the index, its queries,
// snippets and what corrects typing errors: texts that are equal to one are equal to all.
//
//	fold.go   folded text, and the way back to the original
//	emoji.go  which characters are one emoji
//	runes.go  what becomes of each character, and what it is to a word
package fold
