//go:build !race

package segment_test

const few = 1
