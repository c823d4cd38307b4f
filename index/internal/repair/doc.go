// Package repair finds out what can be read of a damaged index: damaged.go tells files that
// are intact, or can be repaired, from others; columns.go reads what is left of columns,
// anchors.go of anchors. What becomes of it is for index.Salvage.
package repair
