// Package arch keeps the shape of the module: its tests fail when an import,
// a size or a name leaves what the rooms have agreed on. Each message says what
// to do; where a rule stands in the way of clarity, the place gets an entry in
// the exceptions, with the reason.
//
// It is no style checker: gofmt, go vet and staticcheck do that.
//
// Where to look:
//
//	imports.go     who may import whom, and what a room may pull in
//	budget.go      how long, how wide, how many
//	names.go       what is documented, what nothing may be called
//	variables.go   which package variables count as constant
//	places.go      folders, top level, doc.go
//	links.go       pages that lead to each other
//	exceptions.go  what is let off, and why
//	tree.go        how the source is read
package arch
