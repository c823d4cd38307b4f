package arch

import (
	"slices"
	"testing"
	"testing/fstest"
)

// plant makes a module of the files, given as path, text, path, text.
func plant(t *testing.T, files ...string) *tree {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module example.org/m\n\ngo 1.26\n")}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	tree, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestChecks plants faults and their innocent neighbours: each rule must find
// its subjects, and nothing else.
func TestChecks(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		check func(*tree) []problem
		files []string
		want  []string // "rule subject"
	}{
		{"room imports a stranger", checkImports, []string{
			"rank/a.go", "package rank\nimport _ \"example.org/m/index\"",
			"index/a.go", "package index\nimport _ \"example.org/m/rank\"\nimport _ \"example.org/m/index/analysis\"\nimport _ \"example.org/m/internal/durable\"",
			"crawler/a.go", "package crawler\nimport _ \"example.org/m/internal/durable\"\nimport _ \"example.org/m/index\"",
			"frontier/a_test.go", "package frontier\nimport _ \"example.org/m/crawler\"",
			"examples/x/main.go", "package main\nimport _ \"example.org/m/crawler/chrome\"\nimport _ \"example.org/m/examples/x/site\"",
			"examples/y/main.go", "package main\nimport _ \"example.org/m/examples/x/site\"",
			"fuzzy/a_test.go", "package fuzzy\nimport _ \"example.org/m/examples/x/site\"",
		}, []string{"import crawler/a.go", "import examples/y/main.go", "import fuzzy/a_test.go", "import rank/a.go"}},
		{"socket in the frontier", checkImports, []string{
			"frontier/a.go", "package frontier\nimport _ \"net\"",
			"frontier/b.go", "package frontier\nimport _ \"net/url\"",
			"frontier/cluster/a.go", "package cluster\nimport _ \"net\"",
		}, []string{"import frontier/a.go"}},
		{"signals", checkImports, []string{
			"crawler/live/a.go", "package live\nimport _ \"os/signal\"",
			"examples/x/main.go", "package main\nimport _ \"os/signal\"",
			"examples/x/main_test.go", "package main\nimport _ \"os/signal\"",
		}, []string{"import examples/x/main.go"}},
		{"undocumented", checkDocs, []string{
			"rank/a.go", `package rank
				type A int
				// B is.
				type B int
				func (B) C() {}
				func (B) String() string { return "" }
				func String() {}
				type d int
				func (d) E() {}
				// Numbers.
				const ( F = 1; G = 2 )
				var ( H = 1; I = 2 // said
				)`,
			"examples/x/main.go", "package main\ntype A int",
		}, []string{"undocumented rank.A", "undocumented rank.B.C", "undocumented rank.H", "undocumented rank.String"}},
		{"empty names", checkNames, []string{
			"rank/util.go", `package rank
				type HostManager int
				type Database int
				type Commonplace int
				type PageInfo int
				type BaseURL int
				type RoomBase int
				var ErrBase = 1
				func GetPage() {}
				func Getaway() {}`,
			"crawler/common/a.go", "package common",
			"index/writer_v2.go", "package index",
		}, []string{"name crawler/common", "name index/writer_v2.go", "name rank.GetPage", "name rank.HostManager", "name rank.PageInfo", "name rank.RoomBase", "name rank/util.go"}},
		{"init", checkInit, []string{
			"rank/a.go", "package rank\ntype t int\nfunc (t) init() {}\nfunc init() {}\n",
		}, []string{"init rank/a.go:4"}},
		{"stray at the top", checkTop, []string{
			".gitignore", "# built\n/bin/\n*.prof\n",
			"bin/x", "", "cpu.prof", "", "README.md", "", "notes.txt", "", "pkg/a.go", "package pkg",
		}, []string{"top notes.txt", "top pkg"}},
		{"deep", checkDepth, []string{
			"index/internal/postings/a.go", "package postings",
			"index/internal/postings/deep/a.go", "package deep",
			"index/internal/postings/testdata/x/a.go", "package x",
		}, []string{"depth index/internal/postings/deep"}},
		{"rooms without a map", checkRoomDocs, []string{
			"rank/a.go", "// Package rank is.\npackage rank", "rank/b.go", "package rank",
			"rank/eval/a.go", "// Package eval is.\npackage eval", "rank/graph/a.go", "package graph",
			"index/doc.go", "// Package index is.\n//\n//\ta.go  this\n//\tgone.go  that\npackage index", "index/a.go", "package index",
			"fuzzy/doc.go", "// Package fuzzy is.\npackage fuzzy", "fuzzy/a.go", "package fuzzy", "fuzzy/b.go", "package fuzzy",
			"crawler/doc.go", "// Package crawler has a.go and internal/x/b.go.\npackage crawler", "crawler/a.go", "package crawler", "crawler/internal/x/b.go", "package x",
			"index/internal/x/a.go", "package x", "examples/x/main.go", "package main",
		}, []string{"room-doc fuzzy/doc.go", "room-doc index/doc.go", "room-doc rank", "room-doc rank/graph"}},
		{"broken links", checkLinks, []string{
			"README.md", "[a](docs/a.md) [b](docs/b.md#x) [c](#here) [d](https://example.org/d.md) ![p](docs/p.png \"p\")",
			"docs/a.md", "[up](../README.md) [beside](b.md) `f[T](nil)`\n```go\nf[T](nil)\n```\n",
			"docs/decisions/README.md", "[1](0001-x.md)",
			"docs/decisions/0001-x.md", "", "docs/decisions/0002-y.md", "[gone](0003-z.md)",
			"rank/testdata/x.md", "[gone](gone.md)",
		}, []string{"link README.md", "link README.md", "link docs/a.md", "link docs/decisions/0002-y.md", "link docs/decisions/0002-y.md"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			expect(t, c.check(plant(t, c.files...)), c.want)
		})
	}
}

func expect(t *testing.T, found []problem, want []string) {
	t.Helper()
	var got []string
	for _, p := range found {
		got = append(got, p.key())
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q\n%v", got, want, found)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	const src = `package rank

import ("errors"; "fmt"; "regexp"; "sync"; "sync/atomic"; "math/rand/v2"; "io")

var ErrGone = errors.New("gone")
var ErrLost = fmt.Errorf("lost: %w", ErrGone)
var _ io.Reader = (*reader)(nil)
var word = regexp.MustCompile("x")
var table = map[string]int{"a": 1}
var lazy = sync.OnceValue(func() int { return 1 })
var pool = sync.Pool{New: func() any { return nil }}
var empty state
var shadowed = 1

var Exported = 1
var assigned int
var counted int
var filled = map[string]int{}
var part state
var aliased int
var ranged int
var deleted = map[string]int{}
var called state
var lock sync.Mutex
var number atomic.Int64
var pointer atomic.Pointer[state]
var events = make(chan int)
var source = rand.New(nil)
var shared = &state{}

type reader struct{}
type state struct{ n int }

func (s *state) add() { s.n++ }
func (s state) value() int { return s.n }

func f(shadowed int) {
	shadowed = 2
	table := table["a"] + empty.value()
	table++
	assigned = table
	counted++
	filled["a"] = 1
	part.n = 2
	g(&aliased)
	for ranged = range 3 {}
	delete(deleted, "a")
	called.add()
}

func g(*int) {}
`
	var want []string
	for _, name := range []string{"Exported", "aliased", "assigned", "called", "counted", "deleted", "events", "filled", "lock", "number", "part", "pointer", "ranged", "shared", "source"} {
		want = append(want, "variable rank."+name)
	}
	expect(t, checkVariables(plant(t, "rank/a.go", src)), want)
}

func TestReachRefused(t *testing.T) {
	t.Parallel()
	tree := &tree{module: "example.org/m"}
	cases := []struct {
		dir, dep string
		refused  bool
	}{
		{"index", "net/http", true},
		{"index", "net/http/internal", true},
		{"index", "net/httpx", false},
		{"index", "net/url", false},
		{"index", "github.com/chromedp/chromedp", true},
		{"crawler", "net/http", false},
		{"crawler", "github.com/nats-io/nats.go", true},
		{"fuzzy", "golang.org/x/text/unicode/norm", false},
		{"fuzzy", "golang.org/x/net/html", true},
		{"fuzzy", "vendor/golang.org/x/net/idna", false},
		{"fuzzy", "example.org/m/fuzzy/internal/x", false},
		{"fuzzy", "example.org/m/internal/fold", false},
		{"fuzzy", "example.org/m/rank", true},
	}
	for _, c := range cases {
		if got := tree.reachRefused(c.dir, c.dep); (got != "") != c.refused {
			t.Errorf("%s reaching %s: %q, refused should be %v", c.dir, c.dep, got, c.refused)
		}
	}
}

// TestLoad leaves out what is not the module's own source.
func TestLoad(t *testing.T) {
	t.Parallel()
	tree := plant(t,
		"rank/a.go", "package rank",
		"rank/made.go", "// Code generated by x. DO NOT EDIT.\n\npackage rank",
		"rank/a_test.go", "package rank_test",
		"rank/testdata/x.go", "package x",
		"examples/big/go.mod", "module other",
		"examples/big/main.go", "package main",
		".git/hook.go", "package hook",
	)
	if len(tree.packages) != 1 {
		t.Fatalf("%d packages, want rank alone", len(tree.packages))
	}
	if p := tree.packages[0]; len(p.files) != 1 || len(p.tests) != 1 {
		t.Errorf("%d files and %d tests, want 1 and 1", len(p.files), len(p.tests))
	}
	if tree.module != "example.org/m" {
		t.Errorf("module %q", tree.module)
	}
}
