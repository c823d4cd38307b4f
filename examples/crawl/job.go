package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/harvest"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

// The phases of a crawl that is not done in one go.
const (
	phaseCollect = "collect" // follow links, and note which pages there are
	phaseFetch   = "fetch"   // fetch these, unread
)

// job is what a crawl works with: all that was opened for it.
type job struct {
	front   frontier.Frontier
	parser  crawler.Parser
	sink    crawler.Sink
	earlier int         // pages of earlier runs
	visited int         // URLs that earlier runs are done with
	opened  []io.Closer // in the order in which they are to be closed
}

// open opens what a crawl, or a phase of it, works with.
func open(opt *options, stdout io.Writer) (j *job, err error) {
	j = &job{parser: opt.parser()}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.Close())
		}
	}()
	folder := opt.dir
	switch opt.way.phase {
	case phaseCollect:
		folder = filepath.Join(opt.dir, "links")
	case phaseFetch:
		folder = filepath.Join(opt.dir, "pages")
		j.parser = harvest.Raw{}
	}
	if j.front, err = j.frontier(opt, folder); err != nil {
		return j, err
	}
	held, err := j.front.Stats(context.Background())
	if err != nil {
		return j, err
	}
	j.visited = held.Done
	if opt.way.phase == phaseFetch && held.Seen == 0 {
		return j, fmt.Errorf("-phase fetch: no pages were collected in %s; run -phase collect with this -dir first", opt.dir)
	}
	if opt.way.phase == phaseCollect {
		pages, err := j.frontier(opt, filepath.Join(opt.dir, "pages"))
		if err != nil {
			return j, err
		}
		held, err := pages.Stats(context.Background())
		if err != nil {
			return j, err
		}
		j.sink, j.earlier = &harvest.Links{Into: pages}, held.Seen
		return j, nil
	}
	// It is resumed when an earlier run visited pages already.
	out, err := openLines(opt.out, stdout, opt.dir != "", opt.dir != "" && j.visited > 0)
	if err != nil {
		return j, err
	}
	out.raw = opt.way.phase == phaseFetch
	j.sink, j.earlier = out, out.earlier
	j.opened = append([]io.Closer{out}, j.opened...)
	return j, nil
}

// frontier makes a frontier in memory, or opens the one in a folder.
func (j *job) frontier(opt *options, folder string) (q frontier.Frontier, err error) {
	fo := frontier.Options{Limits: opt.pace.limits()}
	if folder == "" {
		q = frontier.New(fo)
	} else if q, err = frontier.Open(folder, fo); err != nil {
		return nil, fmt.Errorf("-dir: %w", err)
	}
	j.opened = append(j.opened, q)
	return q, nil
}

// fetcher fetches by HTTP, and keeps what it is asked to keep. What a robots.txt says
// is in -dir, for a day at most, so that no host is asked for it again by a crawl that
// goes on.
func (j *job) fetcher(opt *options) (crawler.Fetcher, error) {
	http := &crawler.HTTP{UserAgent: opt.userAgent, Proxy: opt.proxy, AllowPrivate: opt.allowPrivate}
	if opt.demo {
		web, err := crawlertest.Parse(demo)
		if err != nil {
			return nil, err
		}
		http.Transport = web
	}
	f := crawler.Fetcher(http)
	if opt.way.warc != "" {
		w, err := warc.OpenWriter(opt.way.warc, warc.Options{})
		if err != nil {
			return nil, fmt.Errorf("-warc: %w", err)
		}
		j.opened = append([]io.Closer{w}, j.opened...)
		f = w.Capture(f)
	}
	if opt.dir != "" {
		store, err := middleware.OpenDisk(filepath.Join(opt.dir, "robots"), 256<<20)
		if err != nil {
			return nil, fmt.Errorf("-dir: %w", err)
		}
		j.opened = append([]io.Closer{store}, j.opened...)
		f = middleware.KeepRobots{Store: store}.Wrap(f)
	}
	return f, nil
}

// Close closes all that was opened.
func (j *job) Close() (err error) {
	for _, c := range j.opened {
		err = errors.Join(err, c.Close())
	}
	return err
}
