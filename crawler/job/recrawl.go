package job

import (
	"time"

	"github.com/robfig/cron/v3"

	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/frontier/refresh"
)

// rounds has every page that is there wait for its next visit.
func (r Recrawl) rounds() recrawl.Rounds {
	rounds := recrawl.Rounds{Every: r.Every, Gone: r.Gone}
	if r.Adaptive {
		policy := &recrawl.Policy{Scheduler: &refresh.Scheduler{Min: r.Every / 24, Max: r.Every * 24}}
		rounds.Next = policy.Revisit
	}
	return rounds
}

// next is when the schedule has all pages come again, after t; zero: it has none.
func (r Recrawl) next(t time.Time) time.Time {
	if r.Schedule == "" {
		return time.Time{}
	}
	s, err := cron.ParseStandard(r.Schedule)
	if err != nil {
		return time.Time{} // check has seen to it
	}
	return s.Next(t)
}
