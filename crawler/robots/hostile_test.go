package robots

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// hostile are files of half a megabyte made to be slow.
func hostile() map[string]string {
	fill := func(line func(i int) string) string {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < maxBody-200; i++ {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	return map[string]string{
		"many stars":     fill(func(int) string { return "Disallow: /*a*b*c*d*e*x" }),
		"one long star":  "User-agent: *\nDisallow: /" + strings.Repeat("a*", maxBody/2-40) + "x\n",
		"stars only":     "User-agent: *\nDisallow: /" + strings.Repeat("*", maxBody-40) + "x\n",
		"1000 stars":     fill(func(int) string { return "Disallow: /" + strings.Repeat("*a", 1000) + "x" }),
		"all lengths":    fill(func(i int) string { return "Disallow: /" + strings.Repeat("a", i%900) + "*x" }),
		"many prefixes":  fill(func(i int) string { return fmt.Sprintf("Disallow: /aaaaaaaa%d", i) }),
		"ends":           fill(func(i int) string { return fmt.Sprintf("Disallow: /*aaaa%d$", i) }),
		"many agents":    fill(func(i int) string { return fmt.Sprintf("User-agent: a%d", i) }),
		"many groups":    fill(func(i int) string { return fmt.Sprintf("User-agent: *\nDisallow: /%d", i) }),
		"sitemaps":       fill(func(i int) string { return fmt.Sprintf("Sitemap: http://e.example/%d", i) }),
		"line ends":      "User-agent: *\n" + strings.Repeat("\r", maxBody),
		"colons":         "User-agent: *\n" + strings.Repeat(":", maxBody-50) + "\n",
		"escapes":        "User-agent: *\nDisallow: /" + strings.Repeat("%2a", (maxBody-50)/3) + "\n",
		"no end of line": strings.Repeat("a", 1<<20),
		"zeros":          string(bytes.Repeat([]byte{0}, 1<<20)),
		"invalid UTF-8":  "User-agent: *\nDisallow: /" + strings.Repeat("\xff\xc0", maxBody/3) + "\n",
		"delays":         fill(func(i int) string { return fmt.Sprintf("Crawl-delay: 1e%d", i) }),
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	long := "http://e.example/" + strings.Repeat("a", 2000)
	short := long[:400]
	for name, body := range hostile() {
		began := time.Now()
		r := Parse([]byte(body), "mybot")
		parsed := time.Since(began)
		began = time.Now()
		r.Allowed(short)
		r.Why(long + "x")
		// Generous, for slow machines under the race detector: what is
		// exponential would not end at all.
		if took := time.Since(began); parsed > 20*time.Second || took > 20*time.Second {
			t.Errorf("%s: parsed in %v, two verdicts in %v", name, parsed, took)
		} else {
			t.Logf("%s: parsed in %v, two verdicts in %v", name, parsed, took)
		}
	}
}

func benchRules(n, wild int) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		switch {
		case i < wild:
			fmt.Fprintf(&b, "Disallow: /*/section%d/*.html$\n", i)
		case i%10 == 0:
			fmt.Fprintf(&b, "Allow: /folder/%d/public/\n", i)
		default:
			fmt.Fprintf(&b, "Disallow: /folder/%d/\n", i)
		}
	}
	return []byte(b.String())
}

func BenchmarkAllowed(b *testing.B) {
	for _, size := range [][2]int{{20, 5}, {400, 200}, {5000, 0}} {
		b.Run(fmt.Sprintf("rules=%d/wild=%d", size[0], size[1]), func(b *testing.B) {
			r := Parse(benchRules(size[0], size[1]), "mybot")
			b.ReportAllocs()
			for b.Loop() {
				r.Allowed("https://docs.example.com/3/library/functions.html?highlight=map")
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range [][2]int{{20, 5}, {400, 200}, {5000, 0}} {
		b.Run(fmt.Sprintf("rules=%d/wild=%d", size[0], size[1]), func(b *testing.B) {
			body := benchRules(size[0], size[1])
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(body, "mybot")
			}
		})
	}
}
