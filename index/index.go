package index

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
	"github.com/webquarry/quarry/index/query"
)

// Index is a set of documents, on disk or in memory. Its methods may be called
// from many goroutines. Many processes may open one folder at the same time;
// one of them at a time may have a [Writer].
type Index struct {
	dir    string // for messages
	place  store.Place
	opt    Options
	schema schema.Fields // Options.Schema with defaults, or nil
	known  map[string]analysis.Analyzer
	files  commit.Reader
	sieves exec.Sieves

	closing sync.Once
	reading sync.Mutex // held by who opens a commit of another process

	mu      sync.Mutex
	current *exec.Collection // the newest that was read
	writer  *Writer          // the one of this Index, if open
	closed  bool
}

var _ Searcher = (*Index)(nil)

// New returns an empty index in memory.
func New(opt Options) (*Index, error) {
	return open("memory", store.NewMemory(), opt)
}

// Open opens the index in a folder, and creates both when they are absent. The
// error matches [ErrCorrupt] when a file is damaged or missing, [ErrVersion]
// when it is too new, and is a [*SchemaError] when opt.Schema contradicts that
// of the index.
func Open(dir string, opt Options) (*Index, error) {
	place, err := store.OpenDisk(dir, opt.hooks...)
	if err != nil {
		return nil, err
	}
	ix, err := open(dir, place, opt)
	if err != nil {
		return nil, errors.Join(err, place.Close())
	}
	return ix, nil
}

func open(dir string, place store.Place, opt Options) (*Index, error) {
	ix := &Index{dir: dir, place: place, opt: opt, known: opt.analyzers(), files: commit.Reader{Place: place, Codec: stored.NewCodec()}}
	ix.schema = opt.Schema.fields().Filled()
	if err := ix.schema.Check(); err != nil {
		return nil, err
	}
	if err := ix.schema.CheckAnalyzers(ix.known); err != nil {
		return nil, err
	}
	c, err := ix.files.ReadCommit(nil)
	if err == nil && c == nil {
		c, err = ix.create()
	}
	if err != nil {
		return nil, err
	}
	all, err := c.Schema.Extended(ix.schema)
	if err == nil {
		err = cmp.Or(c.Schema.CheckAnalyzers(ix.known), opt.checkOrder(all))
	}
	if err != nil {
		return nil, errors.Join(err, c.Release())
	}
	ix.current, ix.files.ID = exec.NewCollection(c), c.Manifest.ID.Index
	return ix, nil
}

// create publishes the empty commit 0.
func (ix *Index) create() (*commit.Commit, error) {
	lock, err := ix.place.Lock(commit.LockName)
	if err != nil {
		return nil, locked(ix.dir, err)
	}
	defer lock.Close()
	// Another process may have been quicker.
	if c, err := ix.files.ReadCommit(nil); c != nil || err != nil {
		return c, err
	}
	m := &commit.Manifest{ID: pagefile.ID{Index: rand.Uint64()}, Schema: ix.schema, Scorer: commit.Keep(ix.opt.Scorer)}
	if len(m.Schema) == 0 {
		m.Schema = webPage().fields().Filled()
	}
	b, err := m.Encode()
	if err != nil {
		return nil, err
	}
	if err := ix.place.Publish(commit.Name(0), b); err != nil {
		return nil, err
	}
	return commit.New(m, nil, nil), nil
}

// Schema returns the fields of the index: those committed, with what
// Options.Schema adds.
func (ix *Index) Schema() Schema {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return schemaOf(ix.schemaOver(ix.current.Commit))
}

// schemaOver is the schema of a commit with what Options.Schema adds.
func (ix *Index) schemaOver(c *commit.Commit) schema.Fields {
	s, err := c.Schema.Extended(ix.schema)
	if err != nil {
		return c.Schema // another process has added a field in another way
	}
	return s
}

// Snapshot returns the documents of the newest commit, of any process. It
// never changes. It must be closed, and may outlive the index. Where there is no new
// commit it asks for the names of two files, without waiting for any other call;
// where there is one, one call opens it, and others wait for that.
func (ix *Index) Snapshot() (*Snapshot, error) {
	c, err := ix.newest()
	if err != nil {
		return nil, err
	}
	return newSnapshot(ix, c), nil
}

// newest returns the newest commit, for the caller to release.
func (ix *Index) newest() (*exec.Collection, error) {
	c, ours, err := ix.held()
	if err != nil || ours {
		return c, err
	}
	newest, err := ix.isNewest(c)
	if err == nil && newest {
		return c, nil
	}
	if err := errors.Join(err, c.Release()); err != nil {
		return nil, ix.orClosed(err)
	}
	ix.reading.Lock()
	defer ix.reading.Unlock()
	if c, ours, err = ix.held(); err != nil || ours {
		return c, err
	}
	next, err := ix.files.ReadCommit(c.Commit) // nil when somebody has just read it
	switch {
	case err != nil:
		return nil, ix.orClosed(errors.Join(err, c.Release()))
	case next == nil:
		return c, nil
	}
	return ix.replace(c, exec.NewCollection(next))
}

// held returns the newest commit that was read, for the caller to release, and whether
// nobody else can have made a newer one.
func (ix *Index) held() (c *exec.Collection, ours bool, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return nil, false, ErrClosed
	}
	ix.current.Retain()
	return ix.current, ix.writer != nil, nil
}

// isNewest reports whether there is no newer commit. Writers remove commits in
// ascending order: as long as c is there the next one is, too, once it was made.
func (ix *Index) isNewest(c *exec.Collection) (bool, error) {
	next, err := ix.place.Exists(commit.Name(c.Generation + 1))
	if err != nil || next {
		return false, err
	}
	return ix.place.Exists(commit.Name(c.Generation))
}

// replace makes next the newest commit after last, and returns it. It takes both over.
func (ix *Index) replace(last, next *exec.Collection) (*exec.Collection, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := last.Release(); err != nil {
		return nil, errors.Join(err, next.Release())
	}
	switch {
	case ix.closed:
		return nil, errors.Join(ErrClosed, next.Release())
	case ix.current != last: // a writer of this index has come and committed meanwhile
		if err := next.Release(); err != nil {
			return nil, err
		}
	default:
		ix.current = next
		if err := last.Release(); err != nil {
			return nil, err
		}
	}
	ix.current.Retain()
	return ix.current, nil
}

// orClosed returns ErrClosed instead of an error that the index was closed under.
func (ix *Index) orClosed(err error) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return ErrClosed
	}
	return err
}

// Search answers q over the newest commit. To ask more than one question of the
// same documents, such as for a second page, take a [Snapshot].
func (ix *Index) Search(ctx context.Context, q query.Query, opt SearchOptions) (*Results, error) {
	s, err := ix.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Search(ctx, q, opt)
}

// install makes c the newest commit.
func (ix *Index) install(c *exec.Collection) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	old := ix.current
	ix.current = c
	return old.Release()
}

// Close closes the index, and its writer if there is one, see [Writer.Close]: what
// was not committed is lost. Snapshots stay open until they are closed. A second call
// waits for the first, and returns nil.
func (ix *Index) Close() (err error) {
	ix.closing.Do(func() { err = ix.close() })
	return err
}

func (ix *Index) close() error {
	ix.mu.Lock()
	ix.closed = true
	w := ix.writer
	ix.mu.Unlock()
	ix.sieves.Close()
	var err error
	if w != nil {
		err = w.Close()
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return errors.Join(err, ix.current.Release(), ix.place.Close())
}
