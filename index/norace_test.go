//go:build !race

package index_test

const few = 1
