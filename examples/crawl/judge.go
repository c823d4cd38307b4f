package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/cloaking"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/trap"
)

// judge is what is thought of pages: which lead into traps, which say the same.
type judge struct {
	traps, dedup bool
	cloaking     string // user agent to compare with; empty: nobody
}

func (j *judge) flags(fs *flag.FlagSet) {
	fs.BoolVar(&j.traps, "traps", true, "keep out of calendars, session ids and other links without end; -traps=false follows them")
	fs.StringVar(&j.cloaking, "cloaking", "", "compare some pages of each host with what a `browser` of this User-Agent is shown, and leave hosts that show it others")
	fs.BoolVar(&j.dedup, "dedup", false, `write with each page that says what an earlier one does the URL of that one, as "group"`)
}

// wrap puts what was asked for into the crawler of a job. The judges are asked why a
// URL is not visited.
func (j judge) wrap(c *crawler.Crawler, opt *options, job *job) (judges map[string]monitor.Judge, err error) {
	judges = map[string]monitor.Judge{}
	if j.traps && opt.way.phase != phaseFetch {
		guard := trap.New(trap.Options{})
		if opt.dir != "" {
			if guard, err = trap.Open(filepath.Join(opt.dir, "traps"), trap.Options{}); err != nil {
				return nil, fmt.Errorf("-traps: %w", err)
			}
		}
		c.Plugins = append(c.Plugins, guard)
		judges["traps"] = guard
		job.opened = append([]io.Closer{guard}, job.opened...)
	}
	if j.cloaking != "" {
		check := &cloaking.Check{Frontier: c.Frontier, As: j.cloaking}
		c.Plugins = append(c.Plugins, check)
		judges["cloaking"] = check
	}
	alike, err := j.wrapSink(c, opt, job)
	if alike != nil {
		judges["duplicates"] = alike
	}
	return judges, err
}

// wrapSink has the sink told which pages say the same. The index is nil where that was
// not asked for.
func (j judge) wrapSink(c *crawler.Crawler, opt *options, job *job) (index *dedup.Index, err error) {
	out, ok := job.sink.(*lines)
	if !j.dedup || !ok {
		return nil, nil
	}
	like := dedup.Options{Distance: 20, Resemblance: 0.6}
	index = dedup.New(like)
	if opt.dir != "" {
		if index, err = dedup.Open(filepath.Join(opt.dir, "dedup"), like); err != nil {
			return nil, fmt.Errorf("-dedup: %w", err)
		}
	}
	job.opened = append([]io.Closer{index}, job.opened...)
	c.Sink = &dedup.Sink{Index: index, Next: func(_ context.Context, page *crawler.Page, m dedup.Match) error {
		r := newRecord(page)
		if m.Group != page.URL {
			r.Group = m.Group
		}
		return out.put(page.URL, r)
	}}
	return index, nil
}
