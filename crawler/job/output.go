package job

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
)

// Counts are what became of the pages of a run.
type Counts struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Gone    int `json:"gone"`
	Moved   int `json:"moved"`
	Records int `json:"records"` // that were taken out of them
	Flaws   int `json:"flaws"`   // pages of which some records could not be read
}

// counter is the Sink that all pages go through.
type counter struct {
	into crawler.Sink // nil: nothing is written
	mu   sync.Mutex
	n    Counts
}

// Put implements [crawler.Sink].
func (c *counter) Put(ctx context.Context, r *crawler.Result) error {
	if c.into != nil {
		if err := c.into.Put(ctx, r); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Kind {
	case crawler.New:
		c.n.New++
	case crawler.Changed:
		c.n.Changed++
	case crawler.Same:
		c.n.Same++
	case crawler.Gone:
		c.n.Gone++
	case crawler.Moved:
		c.n.Moved++
	}
	if r.Page != nil {
		c.n.Records += len(r.Page.Records)
		if len(r.Page.Flaws) > 0 {
			c.n.Flaws++
		}
	}
	return nil
}

func (c *counter) counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// line is a page, or what became of it, in a file of pages.
type line struct {
	sink.Record
	Kind  crawler.ResultKind `json:"kind"`
	Flaws []string           `json:"flaws,omitempty"`
}

// lost is a page that is not there any more.
type lost struct {
	URL  string             `json:"url"`
	Kind crawler.ResultKind `json:"kind"`
	To   string             `json:"to,omitempty"`
}

// Row is the records of a page, a line of the file of records.
type Row struct {
	URL     string             `json:"url"`
	Kind    crawler.ResultKind `json:"kind"`
	Fetched time.Time          `json:"fetched,omitzero"`
	Records []any              `json:"records"`
	Flaws   []string           `json:"flaws,omitempty"`
}

// outputs opens what the spec says is written.
func (r *rig) outputs(ctx context.Context, resumed bool) (crawler.Sink, error) {
	var all []crawler.Sink
	add := func(s crawler.Sink) {
		if c, ok := s.(io.Closer); ok {
			r.open(c)
		}
		all = append(all, s)
	}
	out := r.spec.Output
	for name, record := range map[string]func(*crawler.Result) any{out.Pages: pageLine, out.Records: recordLine} {
		if name == "" {
			continue
		}
		s, err := sink.OpenJSONL(r.path(name), sink.JSONLOptions{Anew: !resumed, Record: record})
		if err != nil {
			return nil, err
		}
		add(s)
	}
	for _, name := range slices.Sorted(maps.Keys(out.Others)) {
		open := r.opt.Outputs[name]
		if open == nil {
			return nil, r.noOutput(name)
		}
		s, err := open(ctx, r.dir, resumed, out.Others[name])
		if err != nil {
			return nil, fmt.Errorf("job: output %s: %w", name, err)
		}
		add(s)
	}
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return all[0], nil
	}
	return sink.Tee(all...), nil
}

func (r *rig) noOutput(name string) error {
	there := "it has none"
	if len(r.opt.Outputs) > 0 {
		there = "it has " + strings.Join(slices.Sorted(maps.Keys(r.opt.Outputs)), ", ")
	}
	return fmt.Errorf("job: this program has no output %q; %s", name, there)
}

// pageLine is the line of a Result in the file of pages. Pages that are the same as before
// are not written again.
func pageLine(r *crawler.Result) any {
	switch {
	case r.Kind == crawler.Same:
		return nil
	case r.Page == nil:
		return lost{r.URL, r.Kind, r.To}
	}
	return line{sink.NewRecord(r.Page), r.Kind, r.Page.Flaws}
}

// recordLine is the line of a Result in the file of records.
func recordLine(r *crawler.Result) any {
	switch {
	case r.Kind == crawler.Same, r.Kind == crawler.New && len(r.Page.Records) == 0 && len(r.Page.Flaws) == 0:
		return nil
	case r.Page == nil:
		return lost{r.URL, r.Kind, r.To}
	}
	return Row{r.URL, r.Kind, r.Page.Response.Fetched, r.Page.Records, r.Page.Flaws}
}
