// Package analysis turns text into the tokens that an index holds.
package analysis
