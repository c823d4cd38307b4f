// Package automaton finds the strings of a sorted dictionary that match a
// pattern, without looking at all of them.
//
// A pattern is a machine over runes; the [Automaton] makes it deterministic,
// state by state as they are met, and [Walk] leaps over what cannot match.
//
// Where to look:
//
//	automaton.go  states and steps, made when they are needed
//	walk.go       the strings of a dictionary that are accepted
//	fuzzy.go      strings within some edits of another
//	regexp.go     regular expressions, and wildcards as such
//	needs.go      what strings have that match
package automaton
