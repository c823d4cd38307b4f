package crawler

import (
	"cmp"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// explain says what the run makes of a URL that stands in the page via.
func (r *run) explain(url, via string) (v live.Verdict) {
	at, err := r.Canon.URL("", url)
	if err != nil {
		v.Problem = err.Error()
		return v
	}
	v.Canonical = at
	via = cmp.Or(via, at)
	from := &Page{URL: via, Response: &Response{Request: frontier.Request{URL: via}, URL: via}}
	v.Priority, v.Follow = r.Follow(from, Link{URL: at})
	v.Robots = live.RobotsIgnored
	if r.robots == nil {
		return v
	}
	switch e, known := r.robots.Peek(at); {
	case e == nil, !known && e.Rules != nil:
		v.Robots = live.RobotsUnknown
	case e.Rules == nil: // it will be asked for again
		v.Robots, v.Problem = live.RobotsUnreachable, e.Err.Error()
	case e.Allowed(at):
		v.Robots, v.Delay = live.RobotsAllowed, e.Delay()
	default:
		v.Robots, v.Delay = live.RobotsForbidden, e.Delay()
	}
	return v
}
