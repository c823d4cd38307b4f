package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/trap"
)

// judge is what is thought of pages: which lead into traps, which say the same.
type judge struct {
	traps, dedup bool
}

func (j *judge) flags(fs *flag.FlagSet) {
	fs.BoolVar(&j.traps, "traps", true, "keep out of calendars, session ids and other links without end; -traps=false follows them")
	fs.BoolVar(&j.dedup, "dedup", false, `write with each page that says what an earlier one does the URL of that one, as "group"`)
}

// wrap puts what was asked for into the crawler of a job. The guard is nil where
// none was.
func (j judge) wrap(c *crawler.Crawler, opt *options, job *job) (guard *trap.Guard, err error) {
	if j.traps && opt.way.phase != phaseFetch {
		guard = trap.New(trap.Options{})
		if opt.dir != "" {
			if guard, err = trap.Open(filepath.Join(opt.dir, "traps"), trap.Options{}); err != nil {
				return nil, fmt.Errorf("-traps: %w", err)
			}
		}
		guard.Wrap(c, opt.seeds...)
		job.opened = append([]io.Closer{guard}, job.opened...)
	}
	out, ok := job.sink.(*lines)
	if !j.dedup || !ok {
		return guard, nil
	}
	like := dedup.Options{Distance: 20, Resemblance: 0.6}
	index := dedup.New(like)
	if opt.dir != "" {
		if index, err = dedup.Open(filepath.Join(opt.dir, "dedup"), like); err != nil {
			return guard, fmt.Errorf("-dedup: %w", err)
		}
	}
	job.opened = append([]io.Closer{index}, job.opened...)
	c.Sink = &dedup.Sink{Index: index, Frames: new(dedup.Template), Next: func(_ context.Context, page *crawler.Page, m dedup.Match) error {
		r := newRecord(page)
		if m.Group != page.URL {
			r.Group = m.Group
		}
		return out.put(page.URL, r)
	}}
	return guard, nil
}

// judges are asked why a URL is not visited.
func judges(guard *trap.Guard) map[string]monitor.Judge {
	if guard == nil {
		return nil
	}
	return map[string]monitor.Judge{"traps": guard}
}
