package job

import (
	"context"
	"errors"
	"slices"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// DryRun visits at most so many pages of a spec, ten for 0, as a run would, and returns
// what it made of them: pages with their records and flaws, and every other event. It
// keeps everything in memory and writes nothing, but the hosts are really visited.
func DryRun(ctx context.Context, spec *Spec, opt Options, pages int) (seen []*crawler.Page, events []crawler.Event, err error) {
	short := *spec
	short.Output = Outputs{}
	if short.Budget.Pages = pages; pages <= 0 {
		short.Budget.Pages = 10
	}
	if spec.Budget.Pages > 0 {
		short.Budget.Pages = min(short.Budget.Pages, spec.Budget.Pages)
	}
	front := frontier.New(frontier.Options{Limits: short.Pace.limits(short.Budget)})
	defer func() { err = errors.Join(err, front.Close()) }()
	r, err := wire(&short, &opt, "", front, opt.Log)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.Sink = crawler.Pages(func(_ context.Context, page *crawler.Page) error {
		return nil // OnEvent sees it, one at a time
	})
	r.OnEvent = func(e crawler.Event) {
		if e.Kind == crawler.Fetched {
			seen = append(seen, e.Page)
		} else {
			events = append(events, e)
		}
		if opt.OnEvent != nil {
			opt.OnEvent(e)
		}
	}
	err = r.Run(ctx, short.Seeds...)
	return slices.Clip(seen), events, err
}
