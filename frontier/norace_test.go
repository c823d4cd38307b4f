//go:build !race

package frontier_test

const few = 1
