//go:build race

package segment_test

// few divides the rounds of random tests under the race detector, which makes
// them some ten times slower.
const few = 8
