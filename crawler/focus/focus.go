package focus

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// Options say what a Focus looks for. Topic is required.
type Options struct {
	Topic    Topic
	Scope    crawler.Follow // which links may be followed at all; nil: crawler.Any. Its priorities are not used
	Features []Feature      // nil: Standard()

	// Decay is what is left of the relevance of a page at each step further:
	// a page off topic that a good one led to is worth looking behind. 0.5;
	// negative: nothing is left.
	Decay float64

	// MaxOff is how many pages off topic in a row are gone through. Links of
	// the last of them are not followed. 0: any number.
	MaxOff int

	Noise float64 // share of a priority that is random, 0..1: 0.1 is ten per cent
	Seed  uint64  // of the randomness, which is the same for a URL in every run
	Fixed bool    // learn nothing: weights stay as they are

	// Frontier is that of the Crawler. If it is a [frontier.Rescorer]
	// it is told of links that look better or worse
	// than when they were queued.
	Frontier frontier.Frontier
}

// Score is what a Focus makes of a page. Its Parser appends one, as a *Score,
// to the Records of each page.
type Score struct {
	Relevance float64 `json:"relevance"` // of the page, by the Topic, 0..1
	Potential float64 `json:"potential"` // the greatest relevance on the way to it, the page's own included, less at each step
	Off       int     `json:"off"`       // pages off topic in a row, up to this one
	Promise   float64 `json:"promise"`   // what was expected of it; 0 for seeds
}

// OnTopic reports whether the page is about the topic.
func (s Score) OnTopic() bool { return s.Relevance >= onTopic }

// ScoreOf returns the score that a Focus gave a page.
func ScoreOf(page *crawler.Page) (Score, bool) {
	if page == nil {
		return Score{}, false
	}
	for _, r := range page.Records {
		if s, ok := r.(*Score); ok {
			return *s, true
		}
	}
	return Score{}, false
}

// Focus steers a crawl towards a topic. Its Parser judges pages as they come,
// and learns from them which links lead to good ones; its Follow gives links
// their priority by what they promise. Both have to be in the same Crawler, and
// may be used from many goroutines.
//
// What it knows of links that wait is in memory, about 500 bytes each and 100,000
// at most, the most promising ones. After a restart it learns from new links;
// [Focus.Save] keeps what was learned before. With one worker and the same
// answers a crawl is the same each time; with more, the order of answers is
// a matter of chance, and so is what is learned first.
type Focus struct {
	opt      Options
	features []Feature

	mu    sync.Mutex
	model *model
	queue waiting
}

// New makes a Focus. Without a Topic it panics.
func New(opt Options) *Focus {
	if opt.Topic == nil {
		panic("focus: New: no Topic")
	}
	if opt.Scope == nil {
		opt.Scope = crawler.Any
	}
	opt.Decay = cmp.Or(opt.Decay, 0.5)
	if opt.Features == nil {
		opt.Features = Standard()
	}
	return &Focus{opt: opt, features: opt.Features, model: newModel(opt.Features), queue: newWaiting()}
}

// Install puts the Focus into a Crawler, as one of its Plugins or by hand: around its Parser,
// and as its Follow, with the one that is there for the Scope, beside that of the Options.
// Parser and Follow have to be set then. A Crawler has one Focus.
func (f *Focus) Install(c *crawler.Crawler) error {
	if c.Follow == nil || c.Parser == nil {
		return &crawler.ConfigError{What: "focus", Value: "of a crawler", Why: "wants its Follow and Parser; have Run install it, by Crawler.Plugins, or set them before"}
	}
	if _, ok := crawler.ParserAs[parser](c.Parser); ok {
		return &crawler.ConfigError{What: "focus", Value: "of a crawler", Why: "there is one already"}
	}
	if f.opt.Frontier == nil {
		f.opt.Frontier = c.Frontier
	}
	scope := c.Follow
	c.Parser = f.Parser(c.Parser)
	c.Follow = func(from *crawler.Page, link crawler.Link) (float64, bool) {
		before, ok := scope(from, link)
		if !ok {
			return 0, false
		}
		priority, ok := f.Follow(from, link)
		return priority + before, ok
	}
	return nil
}

var _ crawler.Plugin = (*Focus)(nil)

// Parser wraps the Parser of the crawl; nil is &crawler.HTML{Context: 8}.
func (f *Focus) Parser(p crawler.Parser) crawler.Parser {
	if p == nil {
		p = &crawler.HTML{Context: 8}
	}
	return parser{f, p}
}

type parser struct {
	*Focus
	next crawler.Parser
}

// Unwrap returns the Parser that reads the pages.
func (p parser) Unwrap() crawler.Parser { return p.next }

// Parse reads a page, judges it and learns from it.
func (p parser) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	page, err := p.next.Parse(ctx, resp)
	if err != nil {
		if errors.Is(err, crawler.ErrUnsupportedType) {
			p.arrived(resp.Request.URL, "", 0)
		}
		return page, err
	}
	relevance := p.opt.Topic.Page(pageText(page))
	s := p.arrived(resp.Request.URL, page.URL, relevance)
	page.Records = append(page.Records, &s)
	p.rescore(ctx)
	return page, nil
}

// pageText is the text that a page is judged by. What its title says counts
// double.
func pageText(page *crawler.Page) string {
	return strings.Join([]string{page.Title, page.Title, page.Description, page.Text}, "\n")
}

// Follow is the Follow of the crawl.
func (f *Focus) Follow(from *crawler.Page, link crawler.Link) (priority float64, ok bool) {
	if _, ok := f.opt.Scope(from, link); !ok {
		return 0, false
	}
	score, known := ScoreOf(from)
	if known && f.opt.MaxOff > 0 && score.Off >= f.opt.MaxOff {
		return 0, false
	}
	l := &Lead{From: from, Link: link, Topic: f.opt.Topic, Score: score}
	if known {
		l.Cash = f.cash(from, link.URL)
	}
	s := f.signals(l)
	f.mu.Lock()
	defer f.mu.Unlock()
	promise := f.model.promise(s)
	if known {
		promise = f.queue.add(link.URL, lead{signals: s, promise: promise, potential: score.Potential, off: score.Off})
	}
	return f.noisy(promise, link.URL), true
}

// signals evaluates the features of a link.
func (f *Focus) signals(l *Lead) signals {
	s := signals{features: make([]float32, len(f.features))}
	for i, feature := range f.features {
		s.features[i] = float32(feature.Of(l))
	}
	if !f.opt.Fixed {
		s.words = l.tokens()
	}
	return s
}

// cash is the importance that has come to a URL, this page's part included.
func (f *Focus) cash(from *crawler.Page, url string) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queue.pay(from, url)
}

// arrived takes what was expected of a URL and compares it with what it is.
func (f *Focus) arrived(url, canonical string, relevance float64) Score {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, ok := f.queue.take(url, canonical)
	if ok && !f.opt.Fixed {
		f.model.learn(l.signals, relevance)
	}
	s := Score{Relevance: relevance, Potential: max(relevance, max(f.opt.Decay, 0)*l.potential), Promise: l.promise}
	if !s.OnTopic() {
		s.Off = l.off + 1
	}
	return s
}

// noisy mixes a promise with a random number that depends on the URL alone.
func (f *Focus) noisy(promise float64, url string) float64 {
	if f.opt.Noise <= 0 {
		return promise
	}
	share := min(f.opt.Noise, 1)
	return (1-share)*promise + share*uniform(f.opt.Seed, url)
}

// uniform hashes a URL to a number from 0 to 1 (FNV-1a, mixed as in SplitMix64).
func uniform(seed uint64, url string) float64 {
	h := 14695981039346656037 ^ seed
	for i := range len(url) {
		h = (h ^ uint64(url[i])) * 1099511628211
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return float64((h^h>>31)>>11) / (1 << 53)
}
