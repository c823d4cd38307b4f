package monitor

import (
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// State is how a crawl stands.
type State struct {
	Status  string         `json:"status"` // ready, running, pausing (visits are under way), paused or ended
	Error   string         `json:"error,omitempty"`
	Took    float64        `json:"took"` // seconds since the run began, pauses included
	Counts  Counts         `json:"counts"`
	Queue   Queue          `json:"queue"`
	Phases  map[string]int `json:"phases"` // workers by phase
	Workers []Worker       `json:"workers"`
	Hosts   []Host         `json:"hosts"`   // those with the most visits
	Trouble []Visit        `json:"trouble"` // the last visits that went wrong, the latest first
	Series  Series         `json:"series"`

	ReadOnly bool `json:"readOnly"` // nobody may pause
}

// Counts are those of [crawler.Summary].
type Counts struct {
	Pages   int                  `json:"pages"`
	Bytes   int64                `json:"bytes"`
	Retries int                  `json:"retries"`
	Skipped map[string]int       `json:"skipped"`
	Failed  map[crawler.Kind]int `json:"failed"`
}

// Queue are the sizes that the Frontier tells, see [frontier.Stats].
type Queue struct {
	Seen    int `json:"seen"`
	Queued  int `json:"queued"`
	Due     int `json:"due"` // of those queued, the ones that wait for their host only
	Leased  int `json:"leased"`
	Done    int `json:"done"`
	Dropped int `json:"dropped"`

	Hosts   int `json:"hosts"`   // with something queued or leased
	Ready   int `json:"ready"`   // hosts that may be visited now
	Waiting int `json:"waiting"` // hosts that rest, those parked included
	Parked  int `json:"parked"`

	AddRate   float64 `json:"addRate"`   // new URLs a second over the last minute
	VisitRate float64 `json:"visitRate"` // visits a second over the last minute
}

func queueOf(s frontier.Stats) Queue {
	return Queue{
		Seen: s.Seen, Queued: s.Queued, Due: s.Due, Leased: s.Leased, Done: s.Done, Dropped: s.Dropped,
		Hosts: s.Hosts, Ready: s.States.Ready, Waiting: s.States.Waiting, Parked: s.States.Parked,
		AddRate: s.AddRate, VisitRate: s.VisitRate,
	}
}

// Worker is what a worker is at.
type Worker struct {
	URL   string     `json:"url"` // empty: it waits for one
	Phase live.Phase `json:"phase"`
	Age   float64    `json:"age"`   // seconds in this phase
	Visit float64    `json:"visit"` // seconds since the visit began
}

const (
	shownHosts   = 50
	shownTrouble = 20
)

// State returns how the crawl stands, with the series of the last five minutes,
// or of the last day if long.
func (m *Monitor) State(long bool) State {
	now := time.Now()
	paused := m.control.Paused() // before the workers, of which none begins to look from then on
	workers := m.control.Workers()
	m.mu.Lock()
	p := m.now
	s := State{ReadOnly: m.opt.ReadOnly, Counts: Counts{p.sum.Pages, p.sum.Bytes, p.sum.Retries, p.sum.Skipped, p.sum.Failed}}
	s.Trouble = m.recent.trouble(shownTrouble)
	hosts := m.hosts.busiest(shownHosts)
	until := now
	if !p.ended.IsZero() {
		until = p.ended
	}
	s.Series = m.history.of(long).series(until)
	m.mu.Unlock()

	for _, h := range hosts {
		s.Hosts = append(s.Hosts, m.describe(h, now))
	}
	s.Phases = make(map[string]int)
	for _, w := range workers {
		s.Workers = append(s.Workers, newWorker(w, now))
		s.Phases[w.Phase.String()]++
	}
	s.Queue = m.queue()
	s.Status, s.Took = status(p, paused, workers), p.took(now)
	if p.err != nil {
		s.Error = p.err.Error()
	}
	return s
}

func (h *history) of(long bool) *ring {
	if long {
		return &h.minutes
	}
	return &h.seconds
}

func newWorker(a live.Activity, now time.Time) Worker {
	w := Worker{URL: a.URL, Phase: a.Phase, Age: now.Sub(a.Since).Seconds()}
	if !a.Began.IsZero() {
		w.Visit = now.Sub(a.Began).Seconds()
	}
	return w
}

func (p progress) took(now time.Time) float64 {
	switch {
	case p.started.IsZero():
		return 0
	case !p.ended.IsZero():
		now = p.ended
	}
	return now.Sub(p.started).Seconds()
}

func status(p progress, paused bool, workers []live.Activity) string {
	busy := false
	for _, w := range workers {
		busy = busy || w.URL != "" || w.Looking
	}
	switch {
	case len(workers) == 0 && !p.ended.IsZero():
		return "ended"
	case paused && busy:
		return "pausing"
	case paused:
		return "paused"
	case len(workers) == 0:
		return "ready"
	}
	return "running"
}
