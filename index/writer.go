package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
)

// Writer changes an index. What it does is seen by nobody before Commit, and
// then by everybody, in one step. Its methods may be called from many
// goroutines; documents are analysed in parallel then.
//
// A call whose context is done returns within milliseconds, whatever the writer is
// doing; what it has begun may still come to its end.
//
// After a fault, such as one of the disk, every call returns an error that matches
// [ErrWriterFailed] and the fault. The last commit is intact and can be read; close
// the writer and open another to go on.
type Writer struct {
	ix        *Index
	lock      io.Closer
	analyst   *analyst
	merging   *merging
	gathering *gathering

	// Two locks keep the calls of a writer apart. Whoever holds owner may change
	// what is committed: a commit, the end of a merge, Close. It is held for as long
	// as that takes, over reads, writes and syncs of files. The mutex guards the
	// fields below and is never held over any of these, but for look-ups of single
	// keys. Who needs both takes owner first. Nobody who holds owner waits for a
	// flush or a merge, which may wait for owner to come to their end.
	owner chan struct{} // full: somebody holds it

	// What takes long is done by goroutines of the writer: flushes, merges, commits.
	// Callers wait for them no longer than their contexts allow. Close ends ctx and
	// waits for the group; goroutines are added to it under the mutex.
	ctx   context.Context
	end   context.CancelFunc
	group sync.WaitGroup

	mu      sync.Mutex
	news    *sync.Cond // signals whatever somebody may wait for
	parts   []*part    // the segments, those committed and new ones
	anchors *anchoring
	counts  WriterStats
	state   writerState
}

// writerState is where a writer is.
type writerState struct {
	generation uint64          // of the last commit
	next       uint64          // number for the next segment
	scorer     *commit.Scorer  // that commits keep
	writing    map[uint64]bool // numbers of segments that are being written
	changed    bool            // parts differ from the last commit
	due        *time.Timer     // until the writer commits by itself; nil: nothing to commit
	failed     error
	closed     bool
}

// WriterStats counts what a writer did since it was opened.
type WriterStats struct {
	Added           int // documents
	Unchanged       int // documents that were there already, see Options.KeepUnchanged; not in Added
	Deleted         int // keys given to Delete
	Anchors         int // given to AddAnchors
	TokensTruncated int // tokens longer than an analyzer lets through, cut
	Flushes         int // segments written from added documents
	Merges          int // merges of segments
	Buffered        int // documents that are not in a segment yet
	Segments        int // now
	// AnchorsSkipped counts how often anchors of a document were left out of its field
	// because the analyzer panicked over them.
	AnchorsSkipped int
}

// Writer returns the writer of the index. There is one at a time, among all
// processes: otherwise the error is a [*LockedError], within 100 ms.
func (ix *Index) Writer() (*Writer, error) {
	lock, err := ix.place.Lock(commit.LockName)
	if err != nil {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		if ix.closed {
			return nil, ErrClosed
		}
		return nil, locked(ix.dir, err)
	}
	w, err := ix.newWriter(lock)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return w, nil
}

func (ix *Index) newWriter(lock io.Closer) (*Writer, error) {
	// What is newest can no more change now.
	s, err := ix.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	schema, err := s.commit.Schema.Extended(ix.schema)
	if err == nil {
		err = schema.CheckAnalyzers(ix.known)
	}
	if err != nil {
		return nil, err
	}
	m, err := ix.files.ReadManifest(s.commit.Generation)
	if err != nil {
		return nil, err
	}
	scorer := commit.Keep(ix.opt.Scorer)
	if scorer == nil {
		scorer = m.Scorer
	}
	w := &Writer{ix: ix, lock: lock, analyst: newAnalyst(schema, ix.known), owner: make(chan struct{}, 1)}
	w.ctx, w.end = context.WithCancel(context.Background())
	w.news = sync.NewCond(&w.mu)
	w.merging, w.gathering = &merging{w: w}, newGathering(w)
	w.state = writerState{generation: m.Generation, next: m.Next, writing: map[uint64]bool{}, changed: !slices.Equal(schema, m.Schema) || !reflect.DeepEqual(scorer, m.Scorer), scorer: scorer}
	for _, v := range s.commit.Views {
		w.parts = append(w.parts, &part{File: v.Retain(), deleted: v.Deleted, base: v.Deleted, shared: true, committed: true, anchored: true, columns: v.Overlay.Retain()})
	}
	w.anchors = newAnchoring(schema)
	w.anchors.keep(s.commit.Anchors, m.Anchors)
	w.state.changed = w.state.changed || w.anchors.behind()
	w.collect()
	w.mu.Lock() // what is due may be soon
	defer w.mu.Unlock()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return nil, errors.Join(ErrClosed, w.releaseParts())
	}
	ix.writer = w
	w.joinLater()
	return w, nil
}

// own waits until nobody else changes what is committed; disown must follow.
func (w *Writer) own(ctx context.Context) error {
	var err error
	select {
	case w.owner <- struct{}{}:
		if err = w.ready(ctx); err != nil {
			w.disown()
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.ctx.Done():
		return w.ready(ctx)
	}
}

func (w *Writer) disown() { <-w.owner }

// ready returns why a call can do nothing.
func (w *Writer) ready(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.usable()
}

// patience is how long a call whose context is done waits for its work to give up,
// which it does as a rule.
const patience = 5 * time.Millisecond

// do has a goroutine of the writer do some work, and waits for it until the context
// is done. The context of the work ends with that of the call, and with the writer.
func (w *Writer) do(ctx context.Context, work func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.mu.Lock()
	if err := w.usable(); err != nil {
		w.mu.Unlock()
		return err
	}
	done := make(chan error, 1)
	w.group.Go(func() {
		within, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(w.ctx, func() { cancel(w.ready(context.Background())) })()
		err := errors.New("index: a goroutine of the writer has ended early")
		defer func() { done <- err }()
		err = work(within)
	})
	w.mu.Unlock()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return context.Cause(ctx)
	}
}

// wait waits until enough says so. The mutex is held, but free meanwhile. The error
// is that of the context, or why the writer cannot be used.
func (w *Writer) wait(ctx context.Context, enough func() bool) error {
	if ctx.Err() == nil && w.usable() == nil && enough() {
		return nil
	}
	defer context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.news.Broadcast()
	})()
	for ctx.Err() == nil && w.usable() == nil && !enough() {
		w.news.Wait()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return w.usable()
}

// usable returns why the writer cannot be used.
func (w *Writer) usable() error {
	switch {
	case w.state.closed:
		return ErrClosed
	case w.state.failed != nil:
		return fmt.Errorf("%w: %w", ErrWriterFailed, w.state.failed)
	}
	return nil
}

// fail makes err, unless it is nil, of the context or of the writer's end, the end
// of the writer.
func (w *Writer) fail(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) || errors.Is(err, ErrClosed) || errors.Is(err, ErrWriterFailed) {
		return err
	}
	if _, panicked := errors.AsType[*fault.PanicError](err); panicked { // a file that was checked once may be anything now
		err = cmp.Or(w.changed(), err)
	}
	if w.state.failed == nil {
		w.state.failed = err
		w.end()
		w.news.Broadcast()
	}
	return fmt.Errorf("%w: %w", ErrWriterFailed, err)
}

// Add adds documents, each in place of an earlier one of its key. A document
// that the schema does not allow is a [*SchemaError]; none is added then. One that
// cannot be taken up is a [*DocumentError]; the others are added, and the error is of
// all that are not, joined. When the context ends the call, some may have been added.
// Add has a segment written when MemoryBudget is used up, and waits for merges only
// when there are very many. Much text in one call is added by several goroutines.
func (w *Writer) Add(ctx context.Context, docs ...Document) error {
	for _, d := range docs {
		if err := w.analyst.check(d); err != nil {
			return err
		}
	}
	if worthSplitting(docs) {
		return w.addSideBySide(ctx, docs)
	}
	var refused []error
	for _, d := range docs {
		err := w.add(ctx, d)
		if _, ok := errors.AsType[*DocumentError](err); ok {
			refused = append(refused, err)
		} else if err != nil {
			return errors.Join(append(refused, err)...)
		}
	}
	return errors.Join(refused...)
}

func (w *Writer) add(ctx context.Context, d Document) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if size := d.size(); size > w.ix.opt.largest() {
		return w.refuse(ctx, d.Key, tooLarge(size, w.ix.opt.largest()))
	}
	var content int64
	if w.ix.opt.KeepUnchanged {
		content = w.analyst.content(d)
		if same, err := w.leave(ctx, d, content); same || err != nil {
			return err
		}
	}
	var doc analysed
	err := fault.Guard("analyzer", func() (err error) {
		doc, err = w.analyst.analyse(ctx, d)
		return err
	})
	if err != nil {
		return w.refuse(ctx, d.Key, err)
	}
	if w.ix.opt.KeepUnchanged {
		doc.Columns = append(doc.Columns, contentColumn(content))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	if err := w.gathering.add(ctx, &doc); err != nil {
		return err
	}
	w.analyst.done(doc.Doc)
	w.touch()
	w.counts.Added++
	w.counts.TokensTruncated += doc.tokensCut()
	return w.gathering.makeRoom(ctx)
}

// refuse returns the error of a document that cannot be taken up, unless the reason
// is another one.
func (w *Writer) refuse(ctx context.Context, key string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := w.ready(ctx); err != nil {
		return err
	}
	return &DocumentError{key, err}
}

func tooLarge(size, most int64) error {
	return fmt.Errorf("%w: it takes more than %d bytes of memory, with %d of text; see Options.MemoryBudget", ErrTooLarge, most, size)
}

// leave leaves a document that is there already as it is.
func (w *Writer) leave(ctx context.Context, d Document, content int64) (same bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return false, err
	}
	return w.keepUnchanged(ctx, d, content)
}

// Delete deletes the documents of these keys. Keys without a document are
// ignored. When the context ends the call, some may have been deleted.
func (w *Writer) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := w.deleteOne(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) deleteOne(ctx context.Context, key string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	spots, err := w.find(key)
	if err != nil {
		return w.fail(ctx, err)
	}
	w.delete(spots)
	w.gathering.kill(key)
	w.touch()
	w.counts.Deleted++
	return nil
}

// Commit makes what was added and deleted before visible and durable. When the
// context ends the call, that may have been done or not: all was committed, or
// nothing was and a later Commit makes up for it.
func (w *Writer) Commit(ctx context.Context) error { return w.do(ctx, w.commitAll) }

func (w *Writer) commitAll(ctx context.Context) error {
	w.mu.Lock()
	w.committed()
	err := w.gathering.flushAll(ctx)
	w.mu.Unlock()
	if err == nil {
		err = w.commit(ctx, w.ix.opt.AnchorsWithin <= 0)
	}
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.touch()
	}
	return err
}

// Stats returns what the writer did so far.
func (w *Writer) Stats() WriterStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.counts
	s.Buffered, s.Segments = w.gathering.docs(), len(w.parts)
	return s
}

// Close ends the writer. A Commit under way comes to its end; what was not
// committed is lost. Anchors that commits have left to a later time are joined with
// their documents, so that with [Options.AnchorsWithin] it may take as long as a
// Commit. A second call waits for the first, and returns nil.
func (w *Writer) Close() error {
	w.owner <- struct{}{}
	defer w.disown()
	w.mu.Lock()
	closed, usable := w.state.closed, w.usable() == nil
	w.mu.Unlock()
	if closed {
		return nil
	}
	var late error
	if usable {
		late = w.joinCommitted(context.Background())
	}
	w.mu.Lock()
	w.state.closed = true
	w.committed()
	w.anchors.stop()
	w.end()
	w.news.Broadcast()
	w.mu.Unlock()
	w.group.Wait()

	w.mu.Lock()
	defer w.mu.Unlock()
	w.gathering.end()
	if w.state.failed == nil && late == nil {
		w.removeNew()
	} // else a commit may have come through that names new files
	err := w.releaseParts()
	w.ix.mu.Lock()
	w.ix.writer = nil
	w.ix.mu.Unlock()
	return errors.Join(late, err, w.lock.Close())
}
