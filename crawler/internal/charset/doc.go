// Package charset finds out in which encoding a body is, and reads it.
//
//	charset.go  what a body declares, and what comes of it
//	guess.go    what its bytes speak for where it declares nothing, or something wrong
//	letters.go  encodings of one script, told apart by the letters of languages
package charset
