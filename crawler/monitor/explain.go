package monitor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// Explanation says why a URL was visited, will be, or will not.
type Explanation struct {
	URL       string `json:"url"`       // as it was asked for
	Canonical string `json:"canonical"` // as the crawl knows it; empty: it is no URL to crawl
	Steps     []Step `json:"steps"`     // its way through the crawl
}

// Step is what one part of the crawl says of the URL.
type Step struct {
	Part   string `json:"part"`   // canon, scope, robots, frontier, host, last visit, or the name of a Judge
	Answer string `json:"answer"` // in a word or two
	Detail string `json:"detail,omitempty"`
	Stops  bool   `json:"stops,omitempty"` // this is why it is not visited
}

// Explain follows a URL through the crawl. What the Frontier cannot tell, as ctx is cancelled
// or the Frontier is closed, its step says.
func (m *Monitor) Explain(ctx context.Context, url string) Explanation {
	x := Explanation{URL: url}
	v, known := m.control.Explain(url, "")
	if !known {
		return x.with(Step{Part: "crawl", Answer: "not begun"})
	}
	if v.Canonical == "" {
		return x.with(Step{Part: "canon", Answer: "refused", Detail: v.Problem, Stops: true})
	}
	x.Canonical = v.Canonical
	var at frontier.Explanation
	f, tells := frontier.As[frontier.Inspector](m.crawl)
	var err error
	if tells {
		if at, err = f.Explain(ctx, v.Canonical); at.Request.Via != "" {
			v, _ = m.control.Explain(url, at.Request.Via)
		}
	}
	x = x.with(canonStep(url, v), scopeStep(v, at), robotsStep(v))
	for _, name := range slices.Sorted(maps.Keys(m.judges)) {
		if says := m.judges[name].Why(v.Canonical); says != "" {
			x = x.with(Step{Part: name, Answer: says})
		}
	}
	now := time.Now()
	switch {
	case tells && err != nil:
		x = x.with(Step{Part: "frontier", Answer: "cannot tell", Detail: err.Error()})
	case tells:
		x = x.with(frontierStep(at, now), hostStep(at.Host, now))
	}
	return x.with(m.lastStep(v.Canonical))
}

func (x Explanation) with(steps ...Step) Explanation {
	x.Steps = append(x.Steps, steps...)
	return x
}

func canonStep(url string, v live.Verdict) Step {
	if url == v.Canonical {
		return Step{Part: "canon", Answer: "canonical"}
	}
	return Step{Part: "canon", Answer: "rewritten", Detail: v.Canonical}
}

func scopeStep(v live.Verdict, at frontier.Explanation) Step {
	s := Step{Part: "scope", Answer: "followed", Detail: fmt.Sprintf("priority %.4g", v.Priority)}
	if !v.Follow {
		s = Step{Part: "scope", Answer: "not followed", Stops: at.State == frontier.Unknown || at.State == ""}
	}
	if via := at.Request.Via; via != "" {
		s.Detail = strings.TrimPrefix(s.Detail+", found on "+via, ", ")
	}
	return s
}

func robotsStep(v live.Verdict) Step {
	s := Step{Part: "robots", Answer: v.Robots, Detail: v.Problem}
	s.Stops = v.Robots == live.RobotsForbidden || v.Robots == live.RobotsUnreachable
	if v.Delay > 0 {
		s.Detail = strings.TrimPrefix(s.Detail+", Crawl-delay "+v.Delay.String(), ", ")
	}
	return s
}

func frontierStep(at frontier.Explanation, now time.Time) Step {
	s := Step{Part: "frontier", Answer: string(at.State)}
	switch at.State {
	case frontier.Unknown:
		s.Answer, s.Detail = "never added", "no page that links to it was visited, or its links were not followed"
	case frontier.Queued:
		s.Detail = fmt.Sprintf("depth %d, priority %.4g, attempt %d, %s", at.Request.Depth, at.Request.Priority, at.Request.Attempt+1, until("not before", at.Due, now))
	case frontier.Leased:
		s.Detail = fmt.Sprintf("being visited for %v", now.Sub(at.Since).Round(time.Millisecond))
	case frontier.Dropped:
		s.Stops, s.Detail = true, at.Host.Reason
	}
	return s
}

func hostStep(h frontier.Host, now time.Time) Step {
	s := Step{Part: "host", Answer: string(h.State)}
	if h.State == frontier.Unknown {
		s.Answer = "nothing known"
		return s
	}
	s.Detail = fmt.Sprintf("%d visits, %d in trouble, %d under way, gap %v, %s", h.Visits, h.Errors, h.Leased, h.Gap, until("next", h.Next, now))
	if h.Steps > 0 {
		s.Detail += fmt.Sprintf(", backing off %d steps", h.Steps)
	}
	if h.Reason != "" {
		s.Stops, s.Detail = true, h.Reason+"; "+s.Detail
	}
	return s
}

func until(what string, at, now time.Time) string {
	if !at.After(now) {
		return what + " now"
	}
	return fmt.Sprintf("%s in %v", what, at.Sub(now).Round(100*time.Millisecond))
}

func (m *Monitor) lastStep(url string) Step {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.recent.of(url)
	if !ok {
		return Step{Part: "last visit", Answer: "none remembered"}
	}
	var detail []string
	for _, d := range []string{v.Reason, v.Target, v.Error} {
		if d != "" {
			detail = append(detail, d)
		}
	}
	return Step{Part: "last visit", Answer: string(v.Kind),
		Detail: cmp.Or(strings.Join(detail, ": "), "at "+v.At.Format(time.DateTime))}
}
