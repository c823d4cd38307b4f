package frontiertest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/webquarry/quarry/frontier"
)

func metaCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"values travel with a URL":           valuesTravel,
		"values change one by one":           valuesChange,
		"a Meta beyond its bounds":           metaBounds,
		"an outcome's Meta beyond its bound": outcomeMetaBounds,
		"variants of a URL":                  variants,
		"a long variant":                     longVariant,
	}
}

func valuesTravel(d *desk) {
	meta := frontier.Meta{}.With("shop.price", "3").With("quarry.x", strings.Repeat("\x00long\xff", 1000)).With("shop.none", "")
	for i := range 40 { // with and without, in turn
		r := frontier.Request{URL: fmt.Sprintf("http://h%d.test/", i)}
		if i%3 == 1 {
			r.Meta = meta.With("shop.number", fmt.Sprint(i))
		}
		d.add(1, r)
	}
	for i := range 40 {
		l := d.next(fmt.Sprintf("http://h%d.test/", i), 0)
		want := frontier.Meta{}
		if i%3 == 1 {
			want = meta.With("shop.number", fmt.Sprint(i)).Without("shop.none")
		}
		if l.Meta != want {
			d.Errorf("%s: %v, want %v", l.URL, l.Meta, want)
		}
		d.done(l, frontier.Outcome{})
	}
}

// valuesChange: what an outcome says of one value leaves the others as they were.
func valuesChange(d *desk) {
	want := frontier.Meta{}.With("shop.price", "3").With("quarry.one", "1")
	d.add(1, frontier.Request{URL: "http://a.test/", Meta: want})
	for i, change := range []frontier.Meta{
		frontier.Meta{}.With("quarry.two", "2"),
		{},
		frontier.Meta{}.With("quarry.one", "").With("quarry.none", ""),
		frontier.Meta{}.With("quarry.two", "3").With("quarry.three", "3"),
		frontier.Meta{}.With("shop.price", ""),
		frontier.Meta{}.With("quarry.two", "").With("quarry.three", ""),
	} {
		l := d.next("http://a.test/", time.Duration(i)*time.Second)
		if l.Meta != want {
			d.Errorf("visit %d: %v, want %v", i, l.Meta, want)
		}
		d.done(l, frontier.Outcome{Again: time.Now(), Meta: change})
		for k, v := range change.All() {
			want = want.Without(k)
			if v != "" {
				want = want.With(k, v)
			}
		}
	}
	if l := d.next("http://a.test/", 6*time.Second); l.Meta != (frontier.Meta{}) || want != (frontier.Meta{}) {
		d.Errorf("in the end %v, want nothing", l.Meta)
	}
}

// beyond are Metas that no frontier takes, by what is wrong with them.
func beyond() map[string]frontier.Meta {
	m := map[string]frontier.Meta{"bytes": frontier.Meta{}.With("a.b", strings.Repeat("x", frontier.MaxMeta))}
	for _, key := range []string{"", ".", "a.", ".a", "a..b", "a b", "a.b c", "a.ü", "a.\x00", strings.Repeat("a.", frontier.MaxMetaKey/2) + "a"} {
		m["key "+key] = frontier.Meta{}.With("good.key", "1").With(key, "1")
	}
	var many frontier.Meta
	for i := range frontier.MaxMetaValues + 1 {
		many = many.With(fmt.Sprintf("a.b%d", i), "1")
	}
	m["values"] = many
	return m
}

func metaBounds(d *desk) {
	n := 0
	for name, m := range beyond() {
		n++
		good := frontier.Request{URL: fmt.Sprintf("http://a.test/%d", n)}
		added, err := d.f.Add(d.Context(), frontier.Request{URL: "http://a.test/bad", Meta: m}, good)
		ue, ok := errors.AsType[*frontier.URLError](err)
		me, metaToo := errors.AsType[*frontier.MetaError](err)
		if added != 1 || !ok || ue.URL != "http://a.test/bad" || !metaToo || me.Msg == "" {
			d.Errorf("%s: %d, %v", name, added, err)
		}
		if refused, rest := frontier.Refusals(err); len(refused) != 1 || rest != nil {
			d.Errorf("%s: refused %v and %v", name, refused, rest)
		}
	}
	most := frontier.Meta{}.With(strings.Repeat("a", frontier.MaxMetaKey-2)+".b", strings.Repeat("x", frontier.MaxMeta-100))
	d.add(1, frontier.Request{URL: "http://b.test/", Meta: most})
	for range n {
		l, err := d.f.Next(d.Context())
		if err != nil {
			d.Fatal(err)
		}
		if l.URL == "http://b.test/" && l.Meta != most {
			d.Errorf("the largest Meta came back with %d values", l.Meta.Len())
		}
		d.done(l, frontier.Outcome{})
	}
}

// outcomeMetaBounds: a visit ends whatever its outcome says, and loses nothing.
func outcomeMetaBounds(d *desk) {
	kept := frontier.Meta{}.With("shop.price", "3")
	d.add(1, frontier.Request{URL: "http://a.test/", Meta: kept})
	i := 0
	for name, m := range beyond() {
		l := d.next("http://a.test/", time.Duration(i)*time.Second)
		if i++; l.Meta != kept {
			d.Errorf("before %s: %v, want %v", name, l.Meta, kept)
		}
		err := d.f.Done(d.Context(), l, frontier.Outcome{Again: time.Now(), Meta: m, Found: requests(fmt.Sprintf("http://h%d.test/", i))})
		if _, ok := errors.AsType[*frontier.MetaError](err); !ok {
			d.Errorf("%s: %v", name, err)
		}
		if refused, rest := frontier.Refusals(err); len(refused) != 1 || rest != nil {
			d.Errorf("%s: refused %v and %v", name, refused, rest)
		}
		d.visit(fmt.Sprintf("http://h%d.test/", i), time.Duration(i-1)*time.Second)
	}
	d.stats(frontier.Stats{Seen: i + 1, Queued: 1, Done: i, Hosts: 1})
}

// variants: each is queued, visited, rescored and known by itself.
func variants(d *desk) {
	one := frontier.Request{URL: "http://a.test/"}
	two, three := one, one
	two.Variant, three.Variant, three.Priority = "quarry.two", "\x00", 1
	d.add(3, one, two, three, two, one)
	d.stats(frontier.Stats{Seen: 3, Queued: 3, Hosts: 1})
	if f, ok := frontier.As[frontier.Rescorer](d.f); ok {
		two.Priority = 2
		if n, err := f.Rescore(d.Context(), two); n != 1 || err != nil {
			d.Errorf("Rescore: %d, %v", n, err)
		}
	} else {
		two, three = three, two
	}
	for i, want := range []frontier.Request{two, three, one} {
		l := d.next(want.URL, time.Duration(i)*time.Second)
		if l.Request != want {
			d.Errorf("got %+v, want %+v", l.Request, want)
		}
		d.add(0, one, two, three)
		other := l
		other.Variant = "other"
		if err := d.f.Done(d.Context(), other, frontier.Outcome{}); !errors.Is(err, frontier.ErrLeaseExpired) {
			d.Errorf("Done of another variant: %v", err)
		}
		d.done(l, frontier.Outcome{})
	}
	two.Again = true
	d.add(1, one, two, three)
	two.Again = false
	if l := d.next(one.URL, 3*time.Second); l.Request != two {
		d.Errorf("got %+v, want %+v", l.Request, two)
	} else {
		d.done(l, frontier.Outcome{})
	}
	d.drained()
}

func longVariant(d *desk) {
	good := frontier.Request{URL: "http://a.test/", Variant: strings.Repeat("v", frontier.MaxVariant)}
	bad := good
	bad.Variant += "v"
	n, err := d.f.Add(d.Context(), bad, good)
	if ue, ok := errors.AsType[*frontier.URLError](err); n != 1 || !ok || ue.Variant != bad.Variant {
		d.Errorf("Add: %d, %v", n, err)
	}
	if l := d.next(good.URL, 0); l.Request != good {
		d.Errorf("got %+v", l.Request)
	}
}
