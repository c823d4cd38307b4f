package graph

import "sync"

// OPIC estimates the importance of pages while they are crawled, and so which to crawl next (Abiteboul, Preda and
// Cobena, Adaptive On-Line Page Importance Computation, WWW 2003). Each page has cash; who crawls it gives that away along its links, and
// a part of it to all pages alike. The cash of a page is a priority for the frontier: when the page with the most is always
// crawled next, what pages have been given in all comes to be their PageRank.
//
// The zero value is ready to use. It takes about a hundred bytes a page besides its key, and may be used side by side.
type OPIC[K comparable] struct {
	// Share is the part of its cash that a page gives to all pages alike; 0: 0.15.
	Share float64

	mu    sync.Mutex
	pages map[K]*opicPage
	cash  float64 // all there is: of the pages and in the pool
	pool  float64 // given to all, and not handed out yet
	each  float64 // what has been handed out to each page so far
	given float64 // by all pages, ever
}

type opicPage struct {
	cash  float64
	each  float64 // of OPIC.each, what cash has in it
	given float64 // ever
}

// Add makes pages known; each new one gets one unit of cash. Pages that are linked to are known by that, without such cash.
func (o *OPIC[K]) Add(pages ...K) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, k := range pages {
		if o.pages[k] == nil {
			o.page(k).cash++
			o.cash++
		}
	}
}

func (o *OPIC[K]) page(k K) *opicPage {
	p := o.pages[k]
	if p == nil {
		if o.pages == nil {
			o.pages = map[K]*opicPage{}
		}
		p = &opicPage{each: o.each}
		o.pages[k] = p
	}
	p.cash += o.each - p.each
	p.each = o.each
	return p
}

// Crawled tells that a page was crawled and links to others, once or more each. Its cash goes to them; a page without links gives it to all.
func (o *OPIC[K]) Crawled(page K, links ...K) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.page(page)
	cash := p.cash
	p.cash = 0
	p.given += cash
	o.given += cash
	share := o.Share
	if !(share > 0) {
		share = 0.15
	}
	to := map[K]bool{}
	for _, k := range links {
		to[k] = k != page
	}
	n := 0
	for _, other := range to {
		if other {
			n++
		}
	}
	if n == 0 {
		o.pool += cash
	} else {
		share = min(share, 1)
		o.pool += share * cash
		for k, other := range to {
			if other {
				o.page(k).cash += (1 - share) * cash / float64(n)
			}
		}
	}
	// The pool is a page like others: it is emptied when it has as much as one of them has in the mean.
	if n := float64(len(o.pages)); o.pool*n >= o.cash {
		o.each += o.pool / n
		o.pool = 0
	}
}

// Cash is what a page has: how much it is worth to crawl it next. It is 0 for pages that are not known.
func (o *OPIC[K]) Cash(page K) float64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.pages[page]
	if p == nil {
		return 0
	}
	return p.cash + o.each - p.each
}

// Importance is the share of a page in all that pages have had: an estimate of its PageRank. It is 0 for pages that are not known.
func (o *OPIC[K]) Importance(page K) float64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.pages[page]
	if p == nil {
		return 0
	}
	all := o.given + o.cash - o.pool // cash moves, and none is lost
	if all == 0 {
		return 0
	}
	return (p.given + p.cash + o.each - p.each) / all
}

// Len is the number of pages that are known.
func (o *OPIC[K]) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pages)
}
