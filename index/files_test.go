package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/query"
)

// The tests of this file take each file of an index that has all kinds of them, and
// put something else in its place.

// long is set for the tests to try all they have, and not some of it at random:
// QUARRY_LONG=1 go test ./index -run Files
const long = "QUARRY_LONG"

var richOptions = index.Options{
	Schema: index.Schema{
		{Name: "title", Weight: 2, Stored: true}, {Name: "body", Stored: true}, {Name: "tag", Kind: index.Keyword, Stored: true},
		{Name: "price", Kind: index.Integer}, {Name: "weight", Kind: index.Float}, {Name: "seen", Kind: index.Time},
		{Name: "host", Kind: index.Keyword, Column: true}, {Name: "anchor", Anchors: 3},
	},
	Order: index.ByColumn, OrderColumn: "price", KeepUnchanged: true,
}

func richDocs(from, to int) []index.Document {
	docs := longDocs(from, to)
	for i := range docs {
		n := from + i
		docs[i].Fields = append(docs[i].Fields,
			index.Field{Name: "tag", Value: []string{fmt.Sprintf("t%d", n%3), "all"}}, index.Field{Name: "price", Value: n * 7919 % 1000},
			index.Field{Name: "host", Value: fmt.Sprintf("h%d", n%11)}, index.Field{Name: "weight", Value: float64(n) / 7},
			index.Field{Name: "seen", Value: time.Date(2026, 1, 1, n, 0, 0, 0, time.UTC)})
	}
	return docs
}

// richIndex makes an index of segments of two kinds of order, with documents that
// were deleted, columns that were set, and anchors that came late. It returns what
// each file ever held.
func richIndex(t *testing.T, dir string, docs int) map[string][]byte {
	t.Helper()
	ctx, all := t.Context(), richDocs(0, docs)
	ever := map[string][]byte{}
	keep := func() {
		for _, name := range files(t, dir) {
			b, err := os.ReadFile(filepath.Join(dir, name))
			must(t, err)
			ever[name] = b
		}
	}
	opt := richOptions
	opt.Order = index.ByKey
	for _, o := range []index.Options{opt, richOptions} {
		ix := opens(t, dir, o)
		w := writer(t, ix)
		half := all[:docs/2]
		if o.Order == index.ByColumn {
			half = all[docs/2:]
		}
		must(t, w.Add(ctx, half[:len(half)/2]...), w.Commit(ctx))
		keep()
		must(t, w.Add(ctx, half[len(half)/2:]...), linkAll(ctx, w, half[1].Key+" s red", half[2].Key+" s blue", "nowhere s waits"), w.Commit(ctx))
		keep()
		_, err := w.Set(ctx, half[3].Key, index.Field{Name: "price", Value: 5000})
		must(t, err, w.Commit(ctx))
		keep()
		_, err = w.Set(ctx, half[4].Key, index.Field{Name: "price", Value: 6000}, index.Field{Name: "weight", Value: 0.5})
		must(t, err, linkAll(ctx, w, half[1].Key+" t green"), w.Delete(ctx, half[5].Key, half[6].Key), w.Commit(ctx))
		keep()
		must(t, w.Close(), ix.Close())
	}
	return ever
}

// kinds are the files of an index, without the lock.
func kinds(t *testing.T, dir string) []string {
	t.Helper()
	names := slices.DeleteFunc(files(t, dir), func(name string) bool { return name == "writer.lock" })
	for _, kind := range []string{"commit-", "segment-", "column-", "anchors-"} {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, kind) }) {
			t.Fatalf("no %s among %v", kind, names)
		}
	}
	return names
}

// answer is what was answered to a question.
type answer struct {
	text string
	err  error
}

// everything asks a snapshot all that can be asked.
func everything(t *testing.T, s *index.Snapshot) (all []answer) {
	t.Helper()
	say := func(err error, what ...any) { all = append(all, answer{fmt.Sprintln(what...), err}) }
	fields := []string{"title", "tag", "price", "weight", "seen", "host", "body"}
	search := func(q query.Query, opt index.SearchOptions) {
		opt.Fields = fields
		res, err := s.Search(t.Context(), q, opt)
		if err != nil {
			say(err)
			return
		}
		res.Took = 0
		say(nil, fmt.Sprintf("%+v", *res))
	}
	for _, q := range []query.Query{
		query.Match{Text: "all words"}, query.Phrase{Text: "number 7"}, query.Prefix{Text: "n1"}, query.Term{Field: "anchor", Text: "red"},
		query.Fuzzy{Text: "nummber"}, query.Wildcard{Field: "title", Pattern: "*umb*"}, query.Between("price", 5, 600), query.All{},
		query.And{query.Match{Text: "number"}, query.Not{Query: query.Term{Field: "tag", Text: "t1"}}}, query.Like{Key: "n2"},
	} {
		search(q, index.SearchOptions{Limit: 30, Effort: index.Effort{Threads: 2}})
	}
	search(query.All{}, index.SearchOptions{
		Sort: []index.SortBy{{Field: "host"}, {Field: "price", Descending: true}}, Collapse: index.Collapse{Field: "host", Keep: 2},
		Facets: map[string]facet.Facet{"hosts": facet.Terms{Field: "host"}, "prices": facet.Ranges{Field: "price", Bounds: []float64{100, 1000}}, "seen": facet.Dates{Field: "seen", Every: facet.Day}},
	})
	for _, key := range []string{"n1", "n2", "n3", "n4", "n42"} {
		d, ok, err := s.Document(key)
		say(err, d, ok)
		of, err := s.Anchors(key)
		say(err, of)
		ex, ok, err := s.Explain(t.Context(), query.Match{Text: "number"}, key, index.SearchOptions{})
		say(err, ex, ok)
	}
	terms := s.Terms(t.Context(), "title", index.TermOptions{})
	var words []string
	for term, docs := range terms.All() {
		words = append(words, fmt.Sprint(term, docs))
	}
	say(terms.Err(), words)
	stats, err := s.Stats()
	say(err, stats.Docs, stats.Deleted)
	say(s.Verify(t.Context()))
	return all
}

// asked opens an index and asks it everything.
func asked(t *testing.T, dir string) (string, error) {
	t.Helper()
	ix, err := index.Open(dir, index.Options{})
	if err != nil {
		return "", err
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	var b strings.Builder
	var errs []error
	for _, a := range everything(t, s) {
		b.WriteString(a.text)
		errs = append(errs, a.err)
	}
	return b.String(), errors.Join(errs...)
}

// replace puts a new file in the place of one, which may be mapped.
func replace(t *testing.T, name string, b []byte) {
	t.Helper()
	must(t, os.Remove(name), os.WriteFile(name, b, 0o600))
}

// refused checks that what stands for a file now is not taken without a word.
func refused(t *testing.T, dir, what string) {
	t.Helper()
	var c *index.CorruptError
	if got, err := asked(t, dir); !errors.Is(err, index.ErrCorrupt) || !errors.As(err, &c) {
		t.Errorf("%s: %v (%d bytes of answers)", what, err, len(got))
	}
}

// A file of another index is not taken, nor an older file of the same one, whatever
// its size, and Salvage takes none of it.
func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	const docs = 80
	dir, twin, other := t.TempDir(), t.TempDir(), t.TempDir()
	ever := richIndex(t, dir, docs)
	richIndex(t, twin, docs) // the same documents, and so the same sizes
	richIndex(t, other, docs+8)
	want, err := asked(t, dir)
	must(t, err)
	names := kinds(t, dir)
	if !slices.Equal(names, kinds(t, twin)) {
		t.Fatalf("%v, and the twin has %v", names, kinds(t, twin))
	}
	for _, name := range names {
		file := filepath.Join(dir, name)
		whole, err := os.ReadFile(file)
		must(t, err)
		instead := map[string][]byte{}
		for what, from := range map[string]string{"of the twin": twin, "of another index": other} {
			b, err := os.ReadFile(filepath.Join(from, name))
			must(t, err)
			instead[what] = b
		}
		if len(instead["of the twin"]) != len(whole) {
			t.Errorf("%s: %d bytes, and that of the twin has %d", name, len(whole), len(instead["of the twin"]))
		}
		for older, b := range ever {
			if older != name && strings.HasPrefix(older, name[:4]) {
				instead["that was "+older] = b
			}
		}
		if len(instead) < 3 {
			t.Errorf("%s: instead %v", name, slices.Collect(maps.Keys(instead)))
		}
		some := 2
		for what, b := range instead { // in any order
			if some--; some < 0 && os.Getenv(long) == "" {
				break
			}
			what = name + " " + what
			replace(t, file, b)
			refused(t, dir, what)
			to := filepath.Join(t.TempDir(), "saved")
			r, err := index.Salvage(t.Context(), dir, to, richOptions)
			if err != nil {
				t.Errorf("%s: salvaged: %v", what, err)
				continue
			}
			if len(r.Damage) == 0 {
				t.Errorf("%s: salvaged without a word", what)
			}
			got, err := asked(t, to)
			switch {
			case err != nil:
				t.Errorf("%s: saved is %v", what, err)
			case strings.HasPrefix(name, "segment-") && r.Docs+r.Unknown != docs-4:
				t.Errorf("%s: %d saved, %d unknown", what, r.Docs, r.Unknown)
			case strings.HasPrefix(name, "column-") && r.Docs != docs-4:
				t.Errorf("%s: %d saved", what, r.Docs)
			case strings.HasPrefix(name, "commit-") && (!r.NoCommit || r.Docs != docs):
				t.Errorf("%s: %d saved", what, r.Docs)
			case got == want && strings.HasPrefix(name, "segment-"):
				t.Errorf("%s: nothing is missing", what)
			}
		}
		replace(t, file, whole)
	}
}

// A folder whose commit is that of another index without documents is not empty.
func TestCommitOfAnEmptyIndex(t *testing.T) {
	t.Parallel()
	dir, empty := t.TempDir(), t.TempDir()
	richIndex(t, dir, 40)
	ix := opens(t, empty, richOptions)
	w := writer(t, ix)
	commit := slices.IndexFunc(kinds(t, dir), func(name string) bool { return strings.HasPrefix(name, "commit-") })
	name := kinds(t, dir)[commit]
	for !slices.Contains(files(t, empty), name) {
		must(t, w.Add(t.Context(), richDocs(0, 1)...), w.Commit(t.Context()))
		if slices.Contains(files(t, empty), name) {
			t.Fatal("not empty")
		}
		must(t, w.Delete(t.Context(), "n0"), w.Commit(t.Context()))
	}
	must(t, ix.Close())
	b, err := os.ReadFile(filepath.Join(empty, name))
	must(t, err)
	replace(t, filepath.Join(dir, name), b)
	refused(t, dir, "the commit of an empty index")
}

// With a byte more or fewer anywhere, or some of them changed, each file is refused,
// and all of it is saved.
func TestFilesRepaired(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	richIndex(t, dir, 80)
	want, err := asked(t, dir)
	must(t, err)
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, name := range kinds(t, dir) {
		file := filepath.Join(dir, name)
		whole, err := os.ReadFile(file)
		must(t, err)
		n := len(whole)
		spoiled := map[string][]byte{
			"a zero behind":    append(bytes.Clone(whole), 0),
			"a byte in front":  append([]byte{'Q'}, whole...),
			"a byte fewer":     whole[:n-1],
			"the first gone":   whole[1:],
			"lines behind":     append(bytes.Clone(whole), strings.Repeat("QEND\n", 2000)...),
			"twice":            append(bytes.Clone(whole), whole...),
			"the footer twice": append(bytes.Clone(whole), whole[n-200:]...),
		}
		for i := range 6 / few * 2 {
			at := rnd.IntN(n)
			if i == 0 {
				at = n / 3
			}
			spoiled[fmt.Sprintf("a byte too many at %d of %d", at, n)] = slices.Insert(bytes.Clone(whole), at, 'x')
			spoiled[fmt.Sprintf("a byte too few at %d of %d", at, n)] = slices.Delete(bytes.Clone(whole), at, at+1)
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << rnd.IntN(8)
			spoiled[fmt.Sprintf("a bit at %d of %d", at, n)] = flipped
			if n > 3*4096 {
				zeros := bytes.Clone(whole)
				clear(zeros[at/4096*4096 : min(at/4096*4096+4096, n)])
				spoiled[fmt.Sprintf("zeros from %d of %d", at/4096*4096, n)] = zeros
			}
		}
		some := 5
		for what, b := range spoiled { // in any order
			if some--; some < 0 && os.Getenv(long) == "" {
				break
			}
			what = name + ": " + what
			replace(t, file, b)
			refused(t, dir, what)
			to := filepath.Join(t.TempDir(), "saved")
			r, err := index.Salvage(t.Context(), dir, to, index.Options{})
			if err != nil || len(r.Damage) != 1 || len(r.Lost)+len(r.Incomplete)+r.Unknown > 0 {
				t.Errorf("%s: %v, %+v", what, err, r)
				continue
			}
			if got, err := asked(t, to); err != nil || got != want {
				t.Errorf("%s: saved is another; %v", what, err)
			}
		}
		replace(t, file, whole)
	}
}
