package urlnorm

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces are what random URLs are put together from: what the grammar gives a
// meaning to, and what looks like it.
var pieces = []string{
	"http:", "https:", "HTTP:", "ftp:", "mailto:", "//", "/", "/", "/", "\\", "?", "&", "=", ";", ":", ":80", ":443", ":8080", ":080", ":99999", ":0", ":",
	"@", "user:pw@", ".", "..", "./", "../", "/.", "/..", "%2e", "%2E", ".%2e", "%2f", "%41", "%e3%83%84", "%", "%4", "%zz", "%25", "%%41",
	"a", "b", "index.html", "Dir", "~jo", "example.com", "EXAMPLE.com", "www.example.co.uk", "a_b.example", "-x.example", "x-.example", "xn--bcher-kva.example", "xn--", "xn--a",
	"127.0.0.1", "127.1", "0x7f.1", "1.2.3.4.", "[::1]", "[1:2::3]", "example.com.", "a..b", ".a", "9", "256", "-1", "+1", "bücher.example", "é", "文書", "ß", "\u00ad", "\u200d",
	" ", "\t", "\n", "\x00", "\x7f", "\xff", "\"", "'", "<", ">", "^", "`", "{", "}", "|", "[", "]", "!", "$", "(", ")", "*", "+", ",", "-", "_", "~",
	";jsessionid=0a1b", ";JSESSIONID=", "(S(4hqa0555fwsecu455xqckv45))", "utm_source=x", "sid=0123456789abcdef0123456789abcdef", "PHPSESSID=1", "a=1", "a=1", "b=2",
}

func randomURL(rnd *rand.Rand, starts ...string) string {
	var b strings.Builder
	if len(starts) > 0 && rnd.IntN(4) > 0 {
		b.WriteString(starts[rnd.IntN(len(starts))])
	}
	for range rnd.IntN(9) {
		b.WriteString(pieces[rnd.IntN(len(pieces))])
	}
	return b.String()
}

// agree fails when the fast reader is sure of something else than the full
// parser, and reports whether it was sure.
func agree(t *testing.T, base, ref string) bool {
	t.Helper()
	ref, _ = tidy(ref)
	if foreign(ref) {
		return false
	}
	got, ok := fast(base, ref)
	if !ok {
		return false
	}
	got.path, got.dir = got.dir+got.path, ""
	if n := schemeLen(ref); n > 0 && strings.HasPrefix(ref[n:], "://") {
		base = ""
	}
	if want, err := slow(base, ref); err != nil || got != want {
		t.Fatalf("base %q ref %q:\nfast %+v\nslow %+v, %v", base, ref, got, want, err)
	}
	return true
}

func TestFastAgrees(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	rounds, sure := 20_000, 0
	if testing.Short() {
		rounds /= 4
	}
	for range rounds {
		base := randomURL(rnd, "http://example.com/", "https://example.com/dir/page?q", "http://example.com")
		if agree(t, base, randomURL(rnd, "http://example.com", "https://www.example.com/", "/", "../", "?", "x")) {
			sure++
		}
	}
	if sure < rounds/20 {
		t.Errorf("only %d of %d random URLs were read fast", sure, rounds)
	}
	t.Logf("%d of %d read fast", sure, rounds)
}

func FuzzFast(f *testing.F) {
	for _, base := range []string{"http://example.com/a/b?c", "https://WWW.example.com:8443"} {
		for _, ref := range []string{"", "x", "../x?y#z", "/x/./y", "?q", "//h/p", "http://a.b/", "HTTPS://A-b.c_d.e:443/%41?x&y"} {
			f.Add(base, ref)
		}
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		if len(base)+len(ref) < 1000 {
			agree(t, base, ref)
		}
	})
}

// canonicalTwice fails unless a canonical URL is its own canonical form.
func canonicalTwice(t *testing.T, p *Profile, base, ref string) {
	t.Helper()
	once, err := p.URL(base, ref)
	if err != nil {
		return
	}
	for _, b := range []string{"", "http://other.example/x/y"} {
		if twice, err := p.URL(b, once); err != nil || twice != once {
			t.Fatalf("%+v\nbase  %q ref %q\nonce  %q\ntwice %q, %v", p, base, ref, once, twice, err)
		}
	}
	if host := Host(once); host == "" || Site(once) == "" || !strings.HasSuffix(host, Site(once)) || !strings.Contains(once, host) {
		t.Fatalf("%q: host %q, site %q", once, host, Site(once))
	}
	if o := Origin(once); !strings.HasPrefix(once, "http") || !p.KeepUserinfo && !p.KeepRootDot && !strings.HasPrefix(once, o+"/") {
		t.Fatalf("%q: origin %q", once, o)
	}
	SURT(once)
}

// profileOf makes a profile of eleven bits.
func profileOf(bits uint16) *Profile {
	on := func(n int) bool { return bits>>n&1 != 0 }
	p := &Profile{
		Fragments:    Fragments(bits >> 8 & 3 % 3),
		KeepEscapes:  on(0),
		KeepUserinfo: on(1), KeepRootDot: on(2), KeepEmpty: on(3), KeepDuplicates: on(4),
		KeepSessions: on(5), KeepTracking: on(6), SortQuery: on(7),
	}
	if on(10) {
		p.Drop, p.Keep = []string{"a", "B*"}, []string{"sid", "utm_*"}
	}
	return p
}

func TestIdempotent(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	rounds := 8_000
	if testing.Short() {
		rounds /= 4
	}
	for i := range rounds {
		p := new(Profile)
		if i%2 == 0 {
			p = profileOf(uint16(rnd.Uint32()))
		}
		canonicalTwice(t, p, "http://example.com/dir/page?q", randomURL(rnd, "http://example.com", "/", "?", "x/"))
	}
}

func FuzzURL(f *testing.F) {
	for _, ref := range []string{"http://bücher.example/%7e?utm_source=x&a=1&a=1#!/x", "//[::1]:80/;jsessionid=1/(S(4hqa0555fwsecu455xqckv45))/..", "http://0x7f.1./%%41?sid="} {
		f.Add("http://example.com/a/b?c", ref, uint16(0))
		f.Add("", ref, uint16(0x3ff))
	}
	f.Fuzz(func(t *testing.T, base, ref string, bits uint16) {
		canonicalTwice(t, profileOf(bits), base, ref)
		URLIn(base, ref, "shift_jis")
		URLIn(base, ref, "iso-2022-jp")
	})
}
