package main

import (
	"errors"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/trap"
)

// judges think about pages: which say the same, and which lead into traps.
type judges struct {
	alike *dedup.Index
	guard *trap.Guard // nil: links without end are followed
}

// openJudges opens what they know, on disk or in memory.
func (j *job) openJudges() (*judges, error) {
	if j.dir == "" {
		all := &judges{alike: dedup.New(dedup.Options{})}
		if j.limits.traps {
			all.guard = trap.New(trap.Options{})
		}
		return all, nil
	}
	alike, err := dedup.Open(j.place.dedup(), dedup.Options{})
	if err != nil || !j.limits.traps {
		return &judges{alike: alike}, err
	}
	guard, err := trap.Open(j.place.traps(), trap.Options{})
	if err != nil {
		return nil, errors.Join(err, alike.Close())
	}
	return &judges{alike, guard}, nil
}

// wrap puts them into a crawl. Those that it returns can tell why a URL was not
// visited.
func (all *judges) wrap(c *crawler.Crawler) map[string]monitor.Judge {
	c.Plugins = append(c.Plugins, &dedup.Sink{Index: all.alike})
	asked := map[string]monitor.Judge{"duplicates": all.alike}
	if all.guard != nil {
		c.Plugins = append(c.Plugins, all.guard)
		asked["traps"] = all.guard
	}
	return asked
}

// Close writes down what they know.
func (all *judges) Close() error {
	err := all.alike.Close()
	if all.guard != nil {
		err = errors.Join(err, all.guard.Close())
	}
	return err
}
