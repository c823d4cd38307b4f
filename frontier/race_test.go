//go:build race

package frontier_test

// few divides the rounds of long tests under the race detector, which makes them
// some ten times slower.
const few = 4
