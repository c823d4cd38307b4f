package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/index/serve"
)

// status is how the watch stands.
type status struct {
	Running  bool      `json:"running"` // a round is going on
	Round    int       `json:"round"`
	Pages    int       `json:"pages"` // read in this round
	Waiting  int       `json:"waiting"`
	Failed   int       `json:"failed"`
	Products int       `json:"products"`
	Offers   int       `json:"offers"`
	Checked  time.Time `json:"checked,omitzero"` // when the last round with an answer began
}

// String is the line at the foot of the page.
func (s status) String() string {
	failed := ""
	if s.Failed > 0 {
		failed = fmt.Sprintf(", %s failed", serve.Grouped(s.Failed))
	}
	what := fmt.Sprintf("%s, %s", serve.Plural(s.Products, "product"), serve.Plural(s.Offers, "offer"))
	switch {
	case s.Running:
		return fmt.Sprintf("Asking the shops: %s read, %s waiting%s.", serve.Plural(s.Pages, "page"), serve.Grouped(s.Waiting), failed)
	case !s.Checked.IsZero():
		return fmt.Sprintf("%s, as of %s%s.", what, day(s.Checked), failed)
	}
	return what + "."
}

// watch sees what becomes of a round, shop by shop.
type watch struct {
	mu      sync.Mutex
	now     status
	shops   map[string]*shopWatch
	resumed bool
}

// shopWatch is what a shop has given in a round.
type shopWatch struct {
	pages, products int
	retried         map[string]bool // URLs to be tried again
	down            map[string]bool // origins whose robots.txt cannot be had
	dead            map[string]bool // URLs that are no more
	failed          int             // pages that may be there, but could not be had
	trouble         error           // what was last in vain
}

// errEnough ends a round when nothing is left but shops that do not answer.
var errEnough = errors.New("the rest does not answer")

func (w *watch) begin(round int, resumed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now, w.shops, w.resumed = status{Running: true, Round: round}, map[string]*shopWatch{}, resumed
}

// soon says that a round is about to begin.
func (w *watch) soon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.Running, w.now.Pages, w.now.Waiting = true, 0, 0
}

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.Running = false
}

func (w *watch) shop(name string) *shopWatch {
	s := w.shops[name]
	if s == nil {
		s = &shopWatch{retried: map[string]bool{}, down: map[string]bool{}, dead: map[string]bool{}}
		w.shops[name] = s
	}
	return s
}

// see takes in an event of the crawl.
func (w *watch) see(e crawler.Event, list *shopList, giveUp context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.Pages, w.now.Waiting, w.now.Failed = e.Summary.Pages, e.Queue.Queued+e.Queue.Leased, 0
	for _, n := range e.Summary.Failed {
		w.now.Failed += n
	}
	of := list.of(e.URL)
	if of == nil {
		return
	}
	s := w.shop(of.Name)
	if e.Kind != crawler.Retrying {
		delete(s.retried, e.URL)
	}
	switch e.Kind {
	case crawler.Fetched:
		s.pages++
	case crawler.Skipped:
		s.trouble = inVain(e)
	case crawler.Failed:
		s.trouble = inVain(e)
		if fe, ok := errors.AsType[*crawler.FetchError](e.Err); ok && (fe.Status == http.StatusNotFound || fe.Status == http.StatusGone) {
			s.dead[e.URL] = true
		} else {
			s.failed++
		}
	case crawler.Retrying:
		s.trouble = inVain(e)
		s.retried[e.URL] = true
		if errors.Is(e.Err, crawler.ErrRobotsUnreachable) {
			s.down[urlnorm.Origin(e.URL)] = true // nothing else of it is going to be tried for now
		}
	}
	if retried, down := w.silent(); retried+down > 0 && (retried >= w.now.Waiting || down >= e.Queue.Hosts) {
		giveUp(errEnough)
	}
}

// silent counts what is to be tried again of shops that have given nothing: whoever
// watches ten shops should not have to wait for the one that is down.
func (w *watch) silent() (urls, hosts int) {
	for _, s := range w.shops {
		if s.pages == 0 {
			urls += len(s.retried)
			hosts += len(s.down)
		}
	}
	return urls, hosts
}

// found counts the products that a page told of.
func (w *watch) found(page *crawler.Page) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range page.Records {
		w.shop(r.(sighting).Shop).products++
	}
}

// outcome says whether all of a shop was read in this round, and which addresses
// of it are dead.
func (w *watch) outcome(shop string) (whole bool, dead map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.shop(shop)
	return !w.resumed && s.products > 0 && s.failed == 0 && len(s.retried) == 0, s.dead
}

// silentShops tells of the shops that had nothing to say, one line each. The
// error is that of all of them together, when there is no other.
func (w *watch) silentShops(list *shopList) (lines []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	answered := w.resumed
	for _, l := range list.Shops {
		s := w.shop(l.Name)
		switch {
		case s.products > 0:
			answered = true
		case s.trouble != nil:
			lines = append(lines, fmt.Sprintf("Nothing of %s: %v", l.Name, s.trouble))
			err = fmt.Errorf("nothing of %s: %w", l.Name, s.trouble)
		case w.resumed: // what there was may have come before
		default:
			lines = append(lines, fmt.Sprintf("Nothing of %s: no product was found on %s", l.Name, serve.Plural(s.pages, "page")))
			err = fmt.Errorf("nothing of %s: no product was found on %s", l.Name, serve.Plural(s.pages, "page"))
		}
	}
	if answered {
		return lines, nil
	}
	return nil, err
}

func (w *watch) status() status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// inVain says in one line why no page could be had.
func inVain(e crawler.Event) error {
	if e.Kind == crawler.Skipped {
		return fmt.Errorf("nothing to read at %s: %s", e.URL, e.Reason)
	}
	err := e.Err
	if fe, ok := errors.AsType[*crawler.FetchError](err); ok {
		err = fe.Cause() // is enough: it is the same address all the way down
	}
	hint := ""
	if errors.Is(e.Err, crawler.ErrBlockedAddr) {
		hint = "; -allow-private fetches from such addresses too"
	}
	return fmt.Errorf("cannot fetch %s: %w%s", e.URL, err, hint)
}
