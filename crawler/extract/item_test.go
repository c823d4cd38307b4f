package extract

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestItems: each page and what it says, as JSON.
func TestItems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ page, want string }{
		"json-ld": {ld(`{"@context":"https://schema.org","@type":"Article","headline":"A &amp; B","author":[{"@type":"Person","name":"Ann"},"Bob"],"n":1.5,"free":true,"no":null}`),
			`[{"@type":["Article"],"author":[{"@type":["Person"],"name":["Ann"]},"Bob"],"free":[true],"headline":["A & B"],"n":[1.5]}]`},
		"graph and references": {ld(`{"@graph":[{"@type":"WebPage","@id":"#p","isPartOf":{"@id":"#s"}},{"@type":["WebSite","schema:Thing"],"@id":"#s","name":"S","hasPart":{"@id":"#p"}},{"@type":"A","x":{"@id":"#gone"}}]}`),
			`[{"@id":"#p","@type":["WebPage"],"isPartOf":[{"@id":"#s","@type":["WebSite","Thing"],"hasPart":[{"@id":"#p"}],"name":["S"]}]},` +
				`{"@id":"#s","@type":["WebSite","Thing"],"hasPart":[{"@id":"#p","@type":["WebPage"],"isPartOf":[{"@id":"#s"}]}],"name":["S"]},` +
				`{"@type":["A"],"x":[{"@id":"#gone"}]}]`},
		"array, values, prefixes": {ld(`[[{"@type":"http://schema.org/Thing","schema:name":{"@value":"N","@language":"en"},"https://schema.org/url":{"@list":["u","v"]}}],7,"x"]`),
			`[{"@type":["Thing"],"name":["N"],"url":["u","v"]}]`},
		"two values, semicolons": {ld(`{"@type":"A"};{"@type":"B"};`), `[{"@type":["A"]},{"@type":["B"]}]`},
		"forgiven": {ld("<!--\n//<![CDATA[\n/* c */ {\"@type\": \"A\", // type\n \"t\": \"a\nb\\'c \\u00e9 \\ud\", \"u\": [\"http://a.test/,]\",],\n}\n//]]>\n-->"),
			`[{"@type":["A"],"t":["a\nb'c é ud"],"u":["http://a.test/,]"]}]`},
		"entities":          {ld(`{&quot;@type&quot;:&quot;A&quot;,&quot;n&quot;:&quot;x&amp;y&quot;}`), `[{"@type":["A"],"n":["x&y"]}]`},
		"broken in the end": {ld(`{"@type":"A"} {"@type":`), `[{"@type":["A"]}]`},
		"no json":           {ld(`function () {}`) + ld(``) + ld(`{}`), `null`},
		"other scripts":     {`<script type="application/json">{"@type":"A"}</script><script>{"@type":"A"}</script>`, `null`},
		"microdata": {`<div itemscope itemtype="https://schema.org/Product http://x.test/P" itemid="/p/1"><h1 itemprop="name alt"> A  <b>b</b></h1>
			<a itemprop=url href=/u>l</a><img itemprop=image src=i.png><meta itemprop=sku content=S><time itemprop=date datetime=2020-01-02>x</time>
			<data itemprop=n value=7>seven</data><object itemprop=o data=d></object>
			<div itemprop=offers itemscope itemtype="https://schema.org/Offer"><span itemprop=price content=9.5>9,50</span></div></div>`,
			`[{"@id":"http://a.test/p/1","@type":["Product","http://x.test/P"],"alt":["A b"],"date":["2020-01-02"],"image":["http://a.test/d/i.png"],"n":["7"],"name":["A b"],"o":["http://a.test/d/d"],` +
				`"offers":[{"@type":["Offer"],"price":["9.5"]}],"sku":["S"],"url":["http://a.test/u"]}]`},
		"itemref": {`<p id=x><b itemprop=a>1</b></p><div itemscope itemref="x y x2"><i itemprop=b>2</i></div><div id=y itemscope itemref=y itemprop=c><u itemprop=d>3</u></div>`,
			`[{"a":["1"],"b":["2"],"c":[{"d":["3"]}]},{"d":["3"]}]`},
		"rdfa": {`<div vocab="https://schema.org/" typeof="schema:Person" resource="#me"><span property="name">Ann</span><a property="schema:url" href="/ann">a</a>
			<div property=address typeof=PostalAddress><i property=city>X</i></div><meta property=born content=1990><b property=knows resource=#b>b</b></div>`,
			`[{"@id":"http://a.test/d/#me","@type":["Person"],"address":[{"@type":["PostalAddress"],"city":["X"]}],"born":["1990"],"knows":["http://a.test/d/#b"],"name":["Ann"],"url":["http://a.test/ann"]}]`},
		"metadata": {`<meta property="og:type" content="article"><meta property="og:image" content="/1.png"><meta property="og:image" content="/2.png"><meta name="twitter:card" content=" big  one"><meta property="og:empty" content=""><meta name=description content=x><meta property="my:own" content=x>`,
			`[{"@type":["OpenGraph"],"og:image":["http://a.test/1.png","http://a.test/2.png"],"og:type":["article"],"twitter:card":["big one"]}]`},
	} {
		got, err := json.Marshal(Items(parse(t, tt.page), "http://a.test/d/"))
		if err != nil {
			t.Fatal(err)
		}
		if s := strings.ReplaceAll(string(got), `\u0026`, "&"); s != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, s, tt.want)
		}
	}
}

func ld(text string) string { return `<script type="application/ld+json">` + text + `</script>` }

func TestItemText(t *testing.T) {
	t.Parallel()
	i := Items(parse(t, ld(`{"@type":"P","a":{"b":[{"c":""},{"c":2.50}]},"brand":{"name":"N"},"ref":{"@id":"#r"},"ok":false}`)), "")[0]
	for path, want := range map[string]string{"a.b.c": "2.5", "brand": "N", "ref": "#r", "ok": "false", "a.x": "", "brand.name.x": "", "": ""} {
		if got := i.Text(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// TestHostileItems: nesting, circles and repetition are bounded.
func TestHostileItems(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many large pages")
	}
	refs := `<div id=r>` + strings.Repeat(`<p itemprop=a>x</p>`, 1000) + `</div>` + strings.Repeat(`<div itemscope itemref="r r r">`, 300)
	circle := `<div id=a itemprop=x itemscope itemref=b></div><div id=b itemprop=y itemscope itemref=a></div>`
	for name, page := range map[string]string{
		"deep json":     ld(strings.Repeat(`{"a":`, 100_000)),
		"deep arrays":   ld(strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000)),
		"wide json":     ld(`[` + strings.Repeat(`{"@id":"a","b":{"@id":"a"}},`, 20_000) + `]`),
		"items":         strings.Repeat(`<div itemscope>`, 400) + strings.Repeat(`<div itemscope></div>`, 12_000),
		"references":    refs,
		"circle":        circle,
		"nested texts":  `<div itemscope>` + strings.Repeat(`<div itemprop=a>`, 400) + strings.Repeat("x ", 40_000),
		"many meta":     strings.Repeat(`<meta property="og:image" content="x">`, 20_000),
		"open comments": ld(strings.Repeat(`/*`, 200_000)),
	} {
		began := time.Now()
		items := Items(parse(t, page), "http://a.test/")
		if _, err := json.Marshal(items); err != nil || len(items) > maxItems {
			t.Errorf("%s: %d items, %v", name, len(items), err)
		}
		if took := time.Since(began); took > 30*time.Second { // a second, but for -race and other work
			t.Errorf("%s took %v", name, took)
		} else {
			t.Logf("%s: %d items, %v", name, len(items), took)
		}
	}
}

// FuzzItems also holds that what is JSON stays the same value.
func FuzzItems(f *testing.F) {
	f.Add(`{"@type":"A","b":[1,2,{"@id":"#x"}]}`)
	f.Add(`[{"a":"\u00e9\n\/"},]; // x`)
	f.Add(`/* <![CDATA[ */ {"a":"\'` + "\n" + `"} ]]>`)
	f.Add(`{"@graph":[{"@id":"a","b":{"@id":"a"}}],"c":{"@value":1}}`)
	f.Fuzz(func(t *testing.T, s string) {
		var want any
		if json.Unmarshal([]byte(s), &want) == nil {
			if got := readJSON(s); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
				t.Errorf("%q is read as %v, want %v", s, got, want)
			}
		}
		var all bytes.Buffer
		for _, page := range []string{ld(s), `<div itemscope itemprop=a>` + s, `<div typeof=a>` + s, s} {
			if err := json.NewEncoder(&all).Encode(Items(parseAny(t, page), "http://a.test/")); err != nil {
				t.Fatal(err)
			}
		}
	})
}
