package frontiertest

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// locate tells the address of a host, in half of the cases of one that is being
// visited.
func (w *walk) locate() {
	f, ok := frontier.As[frontier.Locator](w.f)
	if !ok {
		return
	}
	url := fmt.Sprintf("http://a.x.test/%d", w.IntN(200))
	if len(w.open) > 0 && w.IntN(2) == 0 {
		url = w.open[w.IntN(len(w.open))].URL
	}
	addr := netip.AddrFrom4([4]byte{192, 0, 2, byte(w.IntN(4))})
	want := w.model.locate(url, addr)
	w.log("locate %s at %v: %v", url, addr, want)
	if free, err := f.Locate(w.Context(), url, addr); free != want || err != nil {
		w.Fatalf("Locate: %v, %v, want %v", free, err, want)
	}
}

func (m *model) locate(url string, addr netip.Addr) (free bool) {
	var s *site
	for _, q := range m.pages {
		if q.state < done && q.host.key == keyOf(url) {
			s = q.host
		}
	}
	if s == nil {
		return true
	}
	old := s.addr
	s.move(addr.String(), m.limits.Exempt)
	m.leave(old, time.Now())
	m.visit(s, s.start)
	return s.addr == "" || m.limits.PerIP < 0 || m.count(func(p *page) bool { return p.state == leased && p.host.addr == s.addr }) <= m.limits.PerIP
}

// look compares what is known of one host.
func (w *walk) look() {
	f, ok := frontier.As[frontier.Inspector](w.f)
	if !ok || len(w.model.pages) == 0 {
		return
	}
	p := w.model.pages[w.IntN(len(w.model.pages))]
	w.log("look at %s", p.req.URL)
	if p.req.Variant == "" {
		w.explain(f, p)
	}
	var waits []frontier.Request
	hosts := map[string]int{}
	for _, q := range w.model.pages {
		if q.host.key == p.host.key && q.state == queued {
			waits = append(waits, q.req)
		}
		if q.state < done {
			hosts[q.host.key]++
		}
	}
	byURL := func(a, b frontier.Request) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Variant, b.Variant))
	}
	var got []frontier.Request
	for r, err := range f.Pending(w.Context(), p.req.URL) {
		if err != nil {
			w.Fatal(err)
		}
		got = append(got, r)
	}
	slices.SortFunc(got, byURL)
	slices.SortFunc(waits, byURL)
	if !slices.EqualFunc(got, waits, same) {
		w.Fatalf("Pending of %s: %v, want %v", p.req.URL, got, waits)
	}
	for h, err := range f.Hosts(w.Context()) {
		if err != nil {
			w.Fatal(err)
		}
		if h.Queued+h.Leased > 0 {
			hosts[keyOf(h.Name)] -= h.Queued + h.Leased
		}
	}
	for key, n := range hosts {
		if n != 0 {
			w.Fatalf("Hosts: %d requests of %s too few", n, key)
		}
	}
}

// explain compares what is known of a URL.
func (w *walk) explain(f frontier.Inspector, p *page) {
	e, err := f.Explain(w.Context(), p.req.URL)
	if err != nil {
		w.Fatal(err)
	}
	want := map[state]frontier.State{queued: frontier.Queued, leased: frontier.Leased, done: frontier.Done, dropped: frontier.Dropped}[p.state]
	if w.model.hosts[p.host.key].dropped && p.state == done {
		want = frontier.Dropped // it does not know better
	}
	if e.State != want || p.state < done && !same(e.Request, p.req) {
		w.Fatalf("Explain: %+v, want %s %+v", e, want, p.req)
	}
}
