//go:build 386 || arm || mips || mipsle

package durable

// Files are mapped whole and lengths are ints, so that a 32-bit system could
// hold little of an index or a frontier.
var _ = quarry_needs_a_64_bit_system
