package index_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/durable"
)

// All methods of Writer, Index and Snapshot at random from eight goroutines, with
// closes, reopenings, full disks and kills: what a Commit acknowledged is there,
// what was done since is there or not, in the order of each key, and never anything
// else.
//
// It takes a second or two. The long form takes as long as the environment variable
// QUARRY_INDEX_AT_ONCE says, such as
//
//	QUARRY_INDEX_AT_ONCE=5m go test -race -run TestAtOnce -timeout 20m ./index

const (
	atOnceTime = "QUARRY_INDEX_AT_ONCE"
	atOnceDir  = "QUARRY_INDEX_AT_ONCE_DIR"  // of the child that is killed
	atOnceSeed = "QUARRY_INDEX_AT_ONCE_SEED" // of the child
)

const (
	atOnceGoroutines = 8
	atOnceKeys       = 6 // of each goroutine
)

// history is what may be seen of one thing, a document or the anchors of a key: what
// it was at some commit, and each state since.
type history struct {
	states []histState
	acked  int // from here on; what came before cannot be seen any more
}

type histState struct {
	state string
	maybe bool // the call that made it has failed, or is under way
}

// fits reports whether a state may be seen, if the commits up to acked are there.
func (h *history) fits(state string, acked int) bool {
	for i := len(h.states) - 1; i >= acked; i-- {
		if h.states[i].state == state {
			return true
		}
	}
	for i := acked; i > 0 && h.states[i].maybe; i-- {
		if h.states[i-1].state == state {
			return true
		}
	}
	return false
}

// model is what is known of an index.
type model struct {
	mu   sync.Mutex
	docs map[string]*history // by key
	says map[string]*history // anchors, by key
	log  io.Writer           // where a child tells of it; nil: nowhere
}

func newModel(log io.Writer) *model {
	m := &model{docs: map[string]*history{}, says: map[string]*history{}, log: log}
	for _, key := range atOnceAll() {
		m.docs[key] = &history{states: []histState{{}}}
		m.says[key] = &history{states: []histState{{}}}
	}
	return m
}

func atOnceAll() (keys []string) {
	for g := range atOnceGoroutines {
		for i := range atOnceKeys {
			keys = append(keys, fmt.Sprintf("k%d-%d", g, i))
		}
	}
	return keys
}

func (m *model) of(kind byte) map[string]*history {
	if kind == 'd' {
		return m.docs
	}
	return m.says
}

// begins notes a call that gives a key a state; done says how it ended.
func (m *model) begins(kind byte, key, state string) (done func(error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.of(kind)[key]
	at := len(h.states)
	h.states = append(h.states, histState{state, true})
	m.tell("%c %s %s", kind, key, state)
	return func(err error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if err == nil {
			h.states[at].maybe = false
			m.tell("ok %c %s %d", kind, key, at)
		}
	}
}

// last returns the last state of a key.
func (m *model) last(kind byte, key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.of(kind)[key]
	return h.states[len(h.states)-1].state
}

// counts returns how many calls have ended for each key.
func (m *model) counts() map[*history]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[*history]int{}
	for _, of := range []map[string]*history{m.docs, m.says} {
		for _, h := range of {
			// A key has one goroutine, so that only its last call may be under way.
			n := len(h.states) - 1
			if n > 0 && h.states[n].maybe {
				n--
			}
			out[h] = n
		}
	}
	return out
}

// acks notes that all that had ended before is committed.
func (m *model) acks(counts map[*history]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	line := ""
	for _, kind := range []byte("da") {
		for key, h := range m.of(kind) {
			if n := counts[h]; n > h.acked {
				h.acked = n
				line += fmt.Sprintf(" %c:%s:%d", kind, key, n)
			}
		}
	}
	m.tell("commit%s", line)
}

// acked returns what is committed of each key for sure.
func (m *model) acked() map[*history]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[*history]int{}
	for _, of := range []map[string]*history{m.docs, m.says} {
		for _, h := range of {
			out[h] = h.acked
		}
	}
	return out
}

func (m *model) tell(format string, args ...any) {
	if m.log != nil {
		fmt.Fprintf(m.log, format+"\n", args...)
	}
}

// heard takes up what a child has told of its model.
func (m *model) heard(line string) error {
	words := strings.Split(line, " ")
	if words[0] == "commit" {
		for _, w := range words[1:] {
			of := strings.Split(w, ":")
			n, err := strconv.Atoi(of[2])
			if err != nil {
				return err
			}
			m.of(of[0][0])[of[1]].acked = n
		}
		return nil
	}
	if of, ok := strings.CutPrefix(line, "begin "); ok {
		for _, state := range strings.Split(of, "|") {
			of := strings.Split(state, ":")
			*m.of(of[0][0])[of[1]] = history{states: []histState{{of[2], false}}}
		}
		return nil
	}
	if words[0] == "ok" && len(words) == 4 {
		n, err := strconv.Atoi(words[3])
		if err != nil {
			return err
		}
		m.of(words[1][0])[words[2]].states[n].maybe = false
		return nil
	}
	if len(words) < 3 || len(words[0]) != 1 {
		return fmt.Errorf("the child says %s", line)
	}
	h := m.of(words[0][0])[words[1]]
	h.states = append(h.states, histState{strings.Join(words[2:], " "), true})
	return nil
}

// check looks at a snapshot that was taken after acked was.
func (m *model) check(ctx context.Context, s *index.Snapshot, acked map[*history]int) error {
	docs := 0
	for key := range m.docs {
		doc, err := docState(s, key)
		if err != nil {
			return err
		}
		if doc != "" {
			docs++
		}
		says, err := saysState(s, key)
		if err != nil {
			return err
		}
		m.mu.Lock()
		d, a := m.docs[key], m.says[key]
		if !d.fits(doc, acked[d]) {
			err = fmt.Errorf("%s is %q, not one of %v from %d on", key, doc, d.states, acked[d])
		} else if !a.fits(says, acked[a]) {
			err = fmt.Errorf("the anchors of %s are %q, not one of %v from %d on", key, says, a.states, acked[a])
		}
		m.mu.Unlock()
		if err != nil {
			return err
		}
		res, err := s.Search(ctx, query.Term{Field: "id", Text: key}, index.SearchOptions{})
		if err != nil {
			return err
		}
		if found := res.Total.Value; found > 1 || (found == 1) != (doc != "") {
			return fmt.Errorf("%s is %q, and found %d times", key, doc, found)
		}
	}
	if s.Docs() != docs {
		return fmt.Errorf("%d documents, of which %d are known", s.Docs(), docs)
	}
	return nil
}

// settles makes what a snapshot holds the begin of all histories.
func (m *model) settles(s *index.Snapshot) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var begin []string
	for _, kind := range []byte("da") {
		for key, h := range m.of(kind) {
			state, err := docState(s, key)
			if kind == 'a' {
				state, err = saysState(s, key)
			}
			if err != nil {
				return err
			}
			*h = history{states: []histState{{state, false}}}
			begin = append(begin, fmt.Sprintf("%c:%s:%s", kind, key, state))
		}
	}
	m.tell("begin %s", strings.Join(begin, "|"))
	return nil
}

func docState(s *index.Snapshot, key string) (string, error) {
	d, ok, err := s.Document(key)
	if err != nil || !ok {
		return "", err
	}
	state := d.Text("version")
	for _, f := range d.Fields {
		if f.Name == "price" {
			state += fmt.Sprint(" ", f.Value)
		}
	}
	return state, nil
}

func saysState(s *index.Snapshot, key string) (string, error) {
	of, err := s.Anchors(key)
	if err != nil || len(of) == 0 {
		return "", err
	}
	return of[0].Text, nil
}

var atOnceSchema = index.Schema{
	{Name: "id", Kind: index.Keyword, Column: true},
	{Name: "version", Stored: true},
	{Name: "body"},
	{Name: "price", Kind: index.Integer, Column: true},
	{Name: "anchor", Anchors: 3},
}

// atOnce is an index at work.
type atOnce struct {
	dir  string
	full atomic.Bool // the disk
	m    *model

	open sync.RWMutex // held for writing by who opens
	ix   *index.Index
	w    *index.Writer
	next atomic.Int64 // version
}

// errWrong is something that must not be.
type errWrong struct{ error }

func wrong(format string, args ...any) error { return errWrong{fmt.Errorf(format, args...)} }

// allowed returns an error of a call unless it is one that may be.
func (a *atOnce) allowed(what string, err error) error {
	switch {
	case err == nil, errors.Is(err, index.ErrClosed), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil
	case errors.Is(err, index.ErrCorrupt):
		return wrong("%s: %w", what, err)
	case errors.Is(err, syscall.ENOSPC): // told by one call, and then by all
		return nil
	}
	return wrong("%s: %w", what, err)
}

func (a *atOnce) hook(op durable.Op) error {
	if op.Kind == "write" && a.full.Load() {
		return &durable.ShortWrite{N: op.Size / 2, Err: syscall.ENOSPC}
	}
	return nil
}

// reopen opens the index anew, after the writer was closed or has failed, and looks
// at what is there.
func (a *atOnce) reopen(ctx context.Context, w *index.Writer, opt index.Options) error {
	a.open.Lock()
	defer a.open.Unlock()
	if a.w != w { // somebody was quicker
		return nil
	}
	a.full.Store(false)
	if a.ix != nil {
		if err := errors.Join(a.w.Close(), a.ix.Close()); a.allowed("close", err) != nil && !errors.Is(err, index.ErrWriterFailed) {
			return wrong("close: %w", err)
		}
	}
	opt.Schema = atOnceSchema
	var err error
	if a.ix, err = index.Open(a.dir, opt.WithHooks(a.hook)); err != nil {
		return wrong("open: %w", err)
	}
	if a.w, err = a.ix.Writer(); err != nil {
		return wrong("open the writer: %w", err)
	}
	s, err := a.ix.Snapshot()
	if err != nil {
		return wrong("open: %w", err)
	}
	defer s.Close()
	if err := errors.Join(s.Verify(ctx), a.m.check(ctx, s, a.m.acked())); err != nil {
		return wrong("after opening: %w", err)
	}
	return a.m.settles(s)
}

func atOnceOptions(rnd *rand.Rand) index.Options {
	return index.Options{
		MemoryBudget:  1 << 20,
		CommitWithin:  []time.Duration{0, 10 * time.Millisecond}[rnd.IntN(2)],
		AnchorsWithin: []time.Duration{0, time.Millisecond}[rnd.IntN(2)],
		KeepUnchanged: rnd.IntN(2) == 0,
		KeepFilters:   2,
		Order:         []index.Order{index.ByKey, index.AsGiven}[rnd.IntN(2)],
	}
}

// work does something at random until ctx is done. What it returns must not be.
func (a *atOnce) work(ctx context.Context, g int, rnd *rand.Rand) error {
	for ctx.Err() == nil {
		a.open.RLock()
		ix, w := a.ix, a.w
		err := a.one(ctx, ix, w, g, rnd)
		a.open.RUnlock()
		if err != nil {
			return err
		}
		if probe := w.AddAnchors(ctx); errors.Is(probe, index.ErrClosed) || errors.Is(probe, index.ErrWriterFailed) {
			if err := a.reopen(context.WithoutCancel(ctx), w, atOnceOptions(rnd)); err != nil {
				return err
			}
		}
	}
	return nil
}

// one calls one method.
func (a *atOnce) one(ctx context.Context, ix *index.Index, w *index.Writer, g int, rnd *rand.Rand) error {
	key := fmt.Sprintf("k%d-%d", g, rnd.IntN(atOnceKeys))
	outer := ctx
	if rnd.IntN(8) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rnd.IntN(3000))*time.Microsecond)
		defer cancel()
	}
	defer func(from time.Time) {
		// A hang, not a slow machine.
		if took := time.Since(from); took > time.Minute {
			fmt.Fprintln(os.Stderr, "a call took", took)
		}
	}(time.Now())
	switch n := rnd.IntN(1000); {
	case n < 350:
		version, price := a.next.Add(1), rnd.IntN(100)
		done := a.m.begins('d', key, fmt.Sprintf("v%d %d", version, price))
		size := 1
		if rnd.IntN(20) == 0 {
			size = 4000
		}
		err := w.Add(ctx, index.Document{Key: key, Fields: []index.Field{
			{Name: "id", Value: key}, {Name: "version", Value: fmt.Sprint("v", version)},
			{Name: "body", Value: strings.Repeat(fmt.Sprintf("w%d common ", version%1000), size)}, {Name: "price", Value: price},
		}})
		done(err)
		return a.allowed("Add", err)
	case n < 450:
		done := a.m.begins('d', key, "")
		err := w.Delete(ctx, key)
		done(err)
		return a.allowed("Delete", err)
	case n < 550:
		price := rnd.IntN(100)
		version, _, _ := strings.Cut(a.m.last('d', key), " ")
		if version == "" {
			found, err := w.Set(ctx, key, index.Field{Name: "price", Value: price})
			if found && err == nil && a.m.sure('d', key) {
				return wrong("Set has found %s, which is deleted", key)
			}
			if found {
				// The call before has failed and come through, or the other way round: give it a
				// known state.
				done := a.m.begins('d', key, "")
				err := w.Delete(outer, key)
				done(err)
				return a.allowed("Delete", err)
			}
			return a.allowed("Set", err)
		}
		if !a.m.sure('d', key) {
			return nil
		}
		done := a.m.begins('d', key, fmt.Sprintf("%s %d", version, price))
		found, err := w.Set(ctx, key, index.Field{Name: "price", Value: price})
		done(err)
		if err == nil && !found {
			return wrong("Set has not found %s", key)
		}
		return a.allowed("Set", err)
	case n < 650:
		text := fmt.Sprint("says", a.next.Add(1))
		done := a.m.begins('a', key, text)
		err := w.AddAnchors(ctx, index.Anchor{Target: key, Source: "s", Text: text})
		done(err)
		return a.allowed("AddAnchors", err)
	case n < 680:
		done := a.m.begins('a', key, "")
		err := w.DeleteAnchors(ctx, key)
		done(err)
		return a.allowed("DeleteAnchors", err)
	case n < 760:
		counts := a.m.counts()
		err := w.Commit(ctx)
		if err == nil {
			a.m.acks(counts)
		}
		return a.allowed("Commit", err)
	case n < 775:
		counts := a.m.counts()
		err := w.Merge(ctx)
		if err == nil {
			a.m.acks(counts)
		}
		return a.allowed("Merge", err)
	case n < 800:
		if s := w.Stats(); s.Buffered < 0 || s.Segments < 0 {
			return wrong("Stats: %+v", s)
		}
		return nil
	case n < 805:
		return a.allowed("Writer.Close", w.Close())
	case n < 808:
		return a.allowed("Index.Close", ix.Close())
	case n < 811:
		a.full.Store(true)
		return nil
	case n < 830:
		next, err := ix.Writer()
		if err == nil { // of an index whose writer was closed
			return a.allowed("Writer.Close", next.Close())
		}
		if errors.Is(err, index.ErrLocked) {
			return nil
		}
		return a.allowed("Index.Writer", err)
	case n < 850:
		_, err := ix.Search(ctx, query.Match{Text: "common"}, index.SearchOptions{Limit: 3})
		if len(ix.Schema()) != len(atOnceSchema) {
			return wrong("the schema is %v", ix.Schema())
		}
		return a.allowed("Index.Search", err)
	}
	return a.read(ctx, outer, ix, rnd, key)
}

// sure reports whether the last call for a key has come through.
func (m *model) sure(kind byte, key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.of(kind)[key]
	return !h.states[len(h.states)-1].maybe
}

// read calls the methods of a snapshot.
func (a *atOnce) read(ctx, outer context.Context, ix *index.Index, rnd *rand.Rand, key string) error {
	acked := a.m.acked()
	s, err := ix.Snapshot()
	if err != nil {
		return a.allowed("Index.Snapshot", err)
	}
	defer s.Close()
	switch rnd.IntN(8) {
	case 0, 1, 2:
		err = a.m.check(outer, s, acked)
		if err != nil && outer.Err() == nil {
			return wrong("a snapshot: %w", err)
		}
		return nil
	case 3:
		return a.allowed("Verify", s.Verify(ctx))
	case 4:
		terms := s.Terms(ctx, "body", index.TermOptions{})
		for range terms.All() {
		}
		if err := terms.Err(); err != nil {
			return a.allowed("Terms", err)
		}
		_, err = s.Stats()
		return a.allowed("Stats", err)
	case 5:
		var closing sync.WaitGroup
		closing.Go(func() { s.Close() })
		q := query.Or{query.Match{Text: "common"}, query.Prefix{Text: "w1"}}
		res, err := s.Search(ctx, q, index.SearchOptions{Sort: []index.SortBy{{Field: "price"}}, Facets: map[string]facet.Facet{"ids": facet.Terms{Field: "id"}}})
		if err == nil && len(res.Hits) > 0 {
			_, _, err = s.Explain(ctx, q, res.Hits[0].Key, index.SearchOptions{})
		}
		closing.Wait()
		return a.allowed("Search", err)
	case 6:
		dir, err := os.MkdirTemp(filepath.Dir(a.dir), "copy")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := s.Backup(ctx, dir); err != nil {
			return a.allowed("Backup", err)
		}
		copied, err := index.Open(dir, index.Options{})
		if err != nil {
			return wrong("a copy: %w", err)
		}
		defer copied.Close()
		of, err := copied.Snapshot()
		if err != nil {
			return wrong("a copy: %w", err)
		}
		defer of.Close()
		if of.Docs() != s.Docs() {
			return wrong("a copy has %d documents, not %d", of.Docs(), s.Docs())
		}
		return nil
	}
	_, _, err = s.Document(key)
	if len(s.Schema()) != len(atOnceSchema) {
		return wrong("the schema is %v", s.Schema())
	}
	return a.allowed("Document", err)
}

// runAtOnce works for some time, from eight goroutines.
func runAtOnce(ctx context.Context, dir string, seed uint64, log io.Writer) error {
	a := &atOnce{dir: dir, m: newModel(log)}
	a.next.Store(time.Now().UnixNano()) // versions of earlier runs are others
	// What is there is where it begins.
	s, err := index.Open(dir, index.Options{Schema: atOnceSchema})
	if err != nil {
		return wrong("open: %w", err)
	}
	snapshot, err := s.Snapshot()
	if err == nil {
		err = errors.Join(a.m.settles(snapshot), snapshot.Close(), s.Close())
	}
	if err != nil {
		return wrong("open: %w", err)
	}
	if err := a.reopen(context.WithoutCancel(ctx), nil, index.Options{}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for g := range atOnceGoroutines {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					cancel(wrong("panic: %v", p))
					panic(p)
				}
			}()
			if err := a.work(ctx, g, rand.New(rand.NewPCG(seed, uint64(g)))); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err, ok := errors.AsType[errWrong](context.Cause(ctx)); ok {
		return err
	}
	// Now what is there when all is closed.
	return errors.Join(a.reopen(context.WithoutCancel(ctx), a.w, index.Options{}), a.w.Close(), a.ix.Close())
}

// atOnceChild works until it is killed, and tells of what it does.
func atOnceChild(dir string) {
	seed, _ := strconv.ParseUint(os.Getenv(atOnceSeed), 10, 64)
	err := runAtOnce(context.Background(), dir, seed, os.Stdout)
	fmt.Println("wrong", err)
	os.Exit(1)
}

// killAtOnce has a child work, kills it, and looks at what is there.
func killAtOnce(t *testing.T, dir string, seed uint64, after time.Duration) {
	t.Helper()
	m := newModel(nil)
	ix := opens(t, dir, index.Options{Schema: atOnceSchema})
	s, err := ix.Snapshot()
	must(t, err, m.settles(s), s.Close(), ix.Close())
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), atOnceDir+"="+dir, fmt.Sprintf("%s=%d", atOnceSeed, seed))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	lines := bufio.NewReader(out)
	for first := true; ; first = false {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // what is not whole was not told
		}
		if first {
			kill.Reset(after)
		}
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "wrong") {
			t.Errorf("seed %d: the child says %s", seed, line)
		} else if err := m.heard(line); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	ix = opens(t, dir, index.Options{})
	s, err = ix.Snapshot()
	must(t, err)
	if err := errors.Join(s.Verify(t.Context()), m.check(t.Context(), s, m.acked())); err != nil {
		t.Errorf("seed %d, after a kill: %v", seed, err)
	}
	must(t, s.Close(), ix.Close())
}

func TestAtOnce(t *testing.T) {
	t.Parallel()
	long, _ := time.ParseDuration(os.Getenv(atOnceTime))
	until := time.Now().Add(long)
	dir := filepath.Join(t.TempDir(), "index")
	seed := uint64(time.Now().UnixNano())
	rounds := 0
	for ; rounds == 0 || time.Now().Before(until); rounds++ {
		span := time.Second
		if long > 0 {
			span = 10 * time.Second
		}
		ctx, cancel := context.WithTimeout(t.Context(), span)
		err := runAtOnce(ctx, dir, seed, nil)
		cancel()
		if err != nil {
			t.Fatalf("round %d, seed %d: %v", rounds, seed, err)
		}
		killAtOnce(t, dir, seed+1, time.Duration(50+seed%500)*time.Millisecond)
		if t.Failed() {
			t.Fatalf("round %d", rounds)
		}
		seed += 2
	}
	t.Logf("%d rounds", rounds)
}
