package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/index/internal/invert"
)

// Writer changes an index. What it does is seen by nobody before Commit, and
// then by everybody, in one step. Its methods may be called from many
// goroutines; documents are analysed in parallel then.
//
// After a fault, of the disk or a panic in an analyzer, every call returns an
// error that matches [ErrWriterFailed] and the fault. The last commit is intact
// and can be read; close the writer and open another to go on.
type Writer struct {
	ix      *Index
	lock    io.Closer
	analyst *analyst
	merging *merging

	gathering *gathering

	mu      sync.Mutex
	news    *sync.Cond                  // signals whatever somebody may wait for
	parts   []*part                     // the segments, those committed and new ones
	sets    map[string]map[int]setValue // by key and field: of documents that are not in a segment yet
	anchors *anchoring
	counts  WriterStats
	state   writerState
}

// writerState is where a writer is.
type writerState struct {
	generation uint64          // of the last commit
	next       uint64          // number for the next segment
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
}

// Writer returns the writer of the index. There is one at a time, among all
// processes: otherwise the error is a [*LockedError], within 100 ms.
func (ix *Index) Writer() (*Writer, error) {
	lock, err := ix.place.Lock(lockName)
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
	schema, err := s.commit.schema.extended(ix.schema)
	if err == nil {
		err = schema.checkAnalyzers(ix.known)
	}
	if err != nil {
		return nil, err
	}
	m, err := ix.readManifest(s.commit.generation)
	if err != nil {
		return nil, err
	}
	w := &Writer{ix: ix, lock: lock, analyst: newAnalyst(schema, ix.known)}
	w.news, w.sets = sync.NewCond(&w.mu), map[string]map[int]setValue{}
	w.merging, w.gathering = newMerging(w), newGathering(w)
	w.state = writerState{generation: m.Generation, next: m.Next, writing: map[uint64]bool{}, changed: !slices.Equal(schema, m.Schema)}
	for _, v := range s.commit.views {
		w.parts = append(w.parts, &part{handle: v.retain(), deleted: v.deleted, base: v.deleted, shared: true, committed: true, anchored: true, columns: v.overlay.retain()})
	}
	w.anchors = newAnchoring(schema)
	w.anchors.keep(s.commit.anchors, m.Anchors)
	w.state.changed = w.state.changed || w.anchors.behind()
	w.mu.Lock() // what is due may be soon
	defer w.mu.Unlock()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return nil, errors.Join(ErrClosed, w.releaseParts())
	}
	ix.writer = w
	w.collect()
	w.joinLater()
	return w, nil
}

// wait waits until ready says so. The mutex is free meanwhile. The error is
// that of the context, or why the writer cannot be used.
func (w *Writer) wait(ctx context.Context, ready func() bool) error {
	if ctx.Err() == nil && w.usable() == nil && ready() {
		return nil
	}
	defer context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.news.Broadcast()
	})()
	for ctx.Err() == nil && w.usable() == nil && !ready() {
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

// fail makes err, unless it is nil or of the context, the end of the writer.
func (w *Writer) fail(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	if w.state.failed == nil {
		w.state.failed = err
		w.merging.stop()
		w.news.Broadcast()
	}
	return fmt.Errorf("%w: %w", ErrWriterFailed, err)
}

// Add adds documents, each in place of an earlier one of its key. A document
// that the schema does not allow is a [*SchemaError]; none is added then. When
// the context ends the call, some may have been added. Add writes a segment when
// MemoryBudget is used up, and waits for merges only when there are very many.
// Much text in one call is added by several goroutines.
func (w *Writer) Add(ctx context.Context, docs ...Document) error {
	for _, d := range docs {
		if err := w.analyst.check(d); err != nil {
			return err
		}
	}
	if worthSplitting(docs) {
		return w.addSideBySide(ctx, docs)
	}
	for _, d := range docs {
		if err := w.add(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) add(ctx context.Context, d Document) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var content int64
	if w.ix.opt.KeepUnchanged {
		content = w.analyst.content(d)
		if same, err := w.leave(ctx, d, content); same || err != nil {
			return err
		}
	}
	var doc invert.Doc
	var cut int
	err := guarded("analyzer", func() error {
		doc, cut = w.analyst.analyse(d)
		return nil
	})
	if w.ix.opt.KeepUnchanged {
		doc.Columns = append(doc.Columns, contentColumn(content))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	if err != nil {
		return w.fail(ctx, err)
	}
	if err := w.gathering.add(ctx, doc); err != nil {
		return err
	}
	w.analyst.done(doc)
	w.touch()
	w.counts.Added++
	w.counts.TokensTruncated += cut
	return w.gathering.makeRoom(ctx)
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
// ignored.
func (w *Writer) Delete(ctx context.Context, keys ...string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	spots, err := w.find(ctx, keys...)
	if err != nil {
		return w.fail(ctx, err)
	}
	w.delete(spots)
	w.gathering.kill(keys...)
	w.touch()
	w.counts.Deleted += len(keys)
	return nil
}

// Commit makes what was added and deleted visible and durable. When the
// context is done before that, all is as it was, and a later Commit may go on.
func (w *Writer) Commit(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	return w.commitAll(ctx)
}

func (w *Writer) commitAll(ctx context.Context) error {
	w.committed()
	if err := w.gathering.flushAll(ctx); err != nil {
		w.touch()
		return err
	}
	if err := w.commit(ctx, w.ix.opt.AnchorsWithin <= 0); err != nil {
		w.touch()
		return err
	}
	w.merging.start()
	return nil
}

// Stats returns what the writer did so far.
func (w *Writer) Stats() WriterStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.counts
	s.Buffered, s.Segments = w.gathering.docs(), len(w.parts)
	return s
}

// Close ends the writer. What was not committed is lost. Anchors that commits have
// left to a later time are joined with their documents, so that with
// [Options.AnchorsWithin] it may take as long as a Commit.
func (w *Writer) Close() error {
	w.mu.Lock()
	var late error
	if w.usable() == nil {
		late = w.joinCommitted(context.Background())
	}
	w.mu.Unlock()
	w.merging.stop()
	w.mu.Lock()
	if w.state.closed {
		w.mu.Unlock()
		return late
	}
	w.state.closed = true
	w.committed()
	w.anchors.stop()
	w.news.Broadcast()
	w.mu.Unlock()
	w.merging.wait()

	w.mu.Lock()
	defer w.mu.Unlock()
	w.gathering.end()
	w.removeNew()
	err := w.releaseParts()
	w.ix.mu.Lock()
	w.ix.writer = nil
	w.ix.mu.Unlock()
	return errors.Join(late, err, w.lock.Close())
}
