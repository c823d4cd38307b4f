package monitor

import (
	"cmp"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
)

// Visit is what became of one visit.
type Visit struct {
	URL    string            `json:"url"`
	Kind   crawler.EventKind `json:"kind"`
	Reason string            `json:"reason,omitempty"` // of a skipped page
	Target string            `json:"target,omitempty"` // where it leads
	Error  string            `json:"error,omitempty"`
	At     time.Time         `json:"at"`
	Again  *time.Time        `json:"again,omitempty"` // when it is tried again
}

// longestError is how many bytes of an error are remembered: what servers say is
// part of some.
const longestError = 1000

func newVisit(e crawler.Event, now time.Time) Visit {
	v := Visit{URL: e.URL, Kind: e.Kind, Reason: e.Reason, Target: e.Target, At: now}
	if e.Err != nil {
		v.Error = e.Err.Error()
		if len(v.Error) > longestError {
			v.Error = strings.ToValidUTF8(v.Error[:longestError], "") + "..."
		}
	}
	if !e.Again.IsZero() {
		v.Again = &e.Again
	}
	return v
}

// recent remembers the last visits, and of each URL the last of them.
type recent struct {
	most   int // 0: defaultMemory
	visits []Visit
	next   int            // place of the next one
	at     map[string]int // by URL
}

func (r *recent) add(v Visit) {
	if r.at == nil {
		r.at = make(map[string]int)
	}
	if most := max(cmp.Or(r.most, defaultMemory), 1); len(r.visits) < most {
		r.visits = append(r.visits, Visit{})
	} else if old := r.visits[r.next].URL; r.at[old] == r.next {
		delete(r.at, old)
	}
	r.visits[r.next], r.at[v.URL] = v, r.next
	r.next = (r.next + 1) % max(cmp.Or(r.most, defaultMemory), 1)
}

func (r *recent) of(url string) (Visit, bool) {
	i, ok := r.at[url]
	if !ok {
		return Visit{}, false
	}
	return r.visits[i], true
}

// trouble returns the last visits that went wrong, the latest first.
func (r *recent) trouble(most int) (out []Visit) {
	for i := range r.visits {
		v := r.visits[(r.next-1-i+2*len(r.visits))%len(r.visits)]
		if v.Kind == crawler.Failed || v.Kind == crawler.Retrying {
			if out = append(out, v); len(out) == most {
				break
			}
		}
	}
	return out
}
