package index

import "time"

// touch notes that there is something to commit, and when the writer is to do
// that by itself, see [Options.CommitWithin]. Half of the time is for the commit.
func (w *Writer) touch() {
	if d := w.ix.opt.CommitWithin; d > 0 && w.state.due == nil && w.usable() == nil {
		w.state.due = time.AfterFunc(d/2, w.commitDue)
	}
}

// commitDue commits. What goes wrong is told to whoever calls the writer next.
func (w *Writer) commitDue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.due = nil
	w.background(func() { w.commitAll(w.ctx) })
}

// background has a goroutine of the writer do some work, unless the writer is at its
// end. The mutex is held.
func (w *Writer) background(work func()) {
	if w.usable() == nil {
		w.group.Go(work)
	}
}

// committed forgets what is due.
func (w *Writer) committed() {
	if w.state.due != nil {
		w.state.due.Stop()
		w.state.due = nil
	}
}
