// Package arch keeps the shape of the module: its tests fail when an import
// or a name leaves what the rooms have agreed on. Each message says what to do.
// Size is judged by reading, not counted.
//
// It is no style checker: gofmt, go vet and staticcheck do that.
//
// Where to look:
//
//	imports.go     who may import whom, and what a room may pull in
//	names.go       what is documented, what nothing may be called
//	variables.go   which package variables count as constant
//	api.go         the public API as text, in docs/api; go test ./internal/arch -run TestAPI
//	               -update writes it anew
//	places.go      folders, top level, doc.go
//	links.go       pages that lead to each other
//	tree.go        how the source is read
package arch
