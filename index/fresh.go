package index

import "time"

// touch notes that there is something to commit, and when the writer is to do
// that by itself, see [Options.CommitWithin]. Half of the time is for the commit.
func (w *Writer) touch() {
	if d := w.ix.opt.CommitWithin; d > 0 && w.state.due == nil {
		w.state.due = time.AfterFunc(d/2, w.commitDue)
	}
}

// commitDue commits. What goes wrong is told to whoever calls the writer next.
func (w *Writer) commitDue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.due = nil
	if w.usable() == nil {
		w.commitAll(w.merging.ctx)
	}
}

// committed forgets what is due.
func (w *Writer) committed() {
	if w.state.due != nil {
		w.state.due.Stop()
		w.state.due = nil
	}
}
