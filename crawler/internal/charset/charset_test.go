package charset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	whatwg "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// sentences are texts that use what is peculiar to their encodings.
var sentences = map[string]string{
	"windows-1252": "Le cœur déçu mais l’âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles – 25 €.",
	"iso-8859-1":   "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío, añoraba a su cachorro. Zwölf Boxkämpfer jagen Viktor quer über den größten Deich.",
	"windows-1251": "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.",
	"koi8-r":       "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.",
	"shift_jis":    "いろはにほへと ちりぬるを わかよたれそ つねならむ。日本語の文字コードは、正しく表示するために必要です。",
	"euc-jp":       "いろはにほへと ちりぬるを わかよたれそ つねならむ。日本語の文字コードは、正しく表示するために必要です。",
	"iso-2022-jp":  "いろはにほへと ちりぬるを わかよたれそ つねならむ。日本語の文字コードは、正しく表示するために必要です。",
	"gbk":          "我能吞下玻璃而不伤身体。网络爬虫是一种按照一定的规则,自动地抓取万维网信息的程序。",
	"gb18030":      "我能吞下玻璃而不伤身体。网络爬虫是一种按照一定的规则,自动地抓取万维网信息的程序。",
	"big5":         "我能吞下玻璃而不傷身體。網路爬蟲是一種按照一定的規則,自動地抓取全球資訊網資訊的程式。",
	"euc-kr":       "다람쥐 헌 쳇바퀴에 타고파. 웹 크롤러는 조직적, 자동화된 방법으로 웹을 탐색하는 프로그램이다.",
	"iso-8859-7":   "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Η γρήγορη αλεπού πηδά πάνω από τον τεμπέλη σκύλο.",
	"iso-8859-2":   "Pchnąć w tę łódź jeża lub ośm skrzyń fig. Zażółć gęślą jaźń.",
	"windows-1250": "Pchnąć w tę łódź jeża lub ośm skrzyń fig. Zażółć gęślą jaźń. Příliš žluťoučký kůň.",
}

// encodeAs writes s in a named encoding.
func encodeAs(t testing.TB, label, s string) string {
	t.Helper()
	enc, _ := whatwg.Lookup(label)
	if enc == nil {
		t.Fatalf("no encoding %q", label)
	}
	out, err := enc.NewEncoder().String(s)
	if err != nil {
		t.Fatalf("%s: %v", label, err)
	}
	return out
}

func TestCharsetDeclared(t *testing.T) {
	t.Parallel()
	for label, want := range sentences {
		meta := fmt.Sprintf("<meta charset=%q>", label)
		equiv := fmt.Sprintf(`<meta http-equiv="Content-Type" content="text/html; charset=%s">`, label)
		for name, tt := range map[string]struct{ header, head string }{
			"header":           {"text/html; charset=" + label, ""},
			"header, quoted":   {`text/html;Charset="` + label + `"; x=y`, ""},
			"header, spaces":   {"text/html; charset = " + strings.ToUpper(label) + " ", ""},
			"header over meta": {"text/html; charset=" + label, "<meta charset=utf-8>"},
			"meta":             {"text/html", meta},
			"http-equiv":       {"text/html", equiv},
			"late meta":        {"text/html", "<!-- " + strings.Repeat("x", 3000) + " -->" + meta},
			"malformed meta":   {"text/html", strings.Replace(equiv, "http-equiv", "httpequiv", 1)},
			"unclosed quote":   {"text/html", strings.Replace(equiv, `Content-Type"`, "Content-Type", 1)},
			"xml":              {"text/html", "<?xml version='1.0' encoding='" + label + "'?>"},
			"wrong header":     {"text/html; charset=utf-8", meta},
			"wrong meta":       {"text/html", "<meta charset=utf-8>"},
			"unknown":          {"text/html; charset=klingon", meta},
			"nothing":          {"text/html", ""},
		} {
			body := encodeAs(t, label, tt.head+"<p>"+want)
			got := Decode([]byte(body), tt.header, "")
			if _, text, _ := strings.Cut(string(got.Body), "<p>"); text != want {
				t.Errorf("%s, %s:\n got %q\nwant %q\nflaw %q", label, name, text, want, got.Flaw)
			}
		}
	}
}

func TestCharsetUTF8(t *testing.T) {
	t.Parallel()
	const text = "Þjóð 日本 😀"
	tests := map[string]struct {
		header, body, want string
		flawed             bool
	}{
		"header":            {"text/html; charset=UTF8", text, text, false},
		"nothing":           {"text/html", text, text, false},
		"mark":              {"text/html", "\xef\xbb\xbf" + text, text, false},
		"mark over header":  {"text/html; charset=koi8-r", "\xef\xbb\xbf" + text, text, false},
		"meta says utf-16":  {"text/html", "<meta charset=utf-16>" + text, text, false},
		"header beats meta": {"text/html; charset=utf-8", "<meta charset=iso-8859-1>" + text, text, false},
		"header, utf-16":    {"text/html; charset=utf-16", "<p>" + text, text, false},
		"header, as unset":  {"text/html; charset=ISO-8859-1", "<meta charset=utf-8>" + text, text, true},
		"in truth Latin-1":  {"text/html; charset=ISO-8859-1", "caf\xe9 d\xe9j\xe0", "café déjà", false},
		"one pair":          {"text/html; charset=ISO-8859-1", "caf\xc3\xa9", "cafÃ©", false},
		"a number":          {"text/html; charset=cp932", "\x93\xfa\x96\x7b\x8c\xea", "日本語", false},
		"cut in a rune":     {"text/html; charset=utf-8", text[:len(text)-2], "Þjóð 日本", false},
		"damaged":           {"text/html; charset=utf-8", "caf\xe9 \xff\xfe" + text, "caf\uFFFD \uFFFD\uFFFD" + text, true},
		"damaged, short":    {"text/html; charset=utf-8", "caf\xe9 au lait", "caf\uFFFD au lait", true},
		"damaged, meta":     {"text/html", "<meta charset=utf-8>na\xefve " + text, "na\uFFFDve " + text, true},
		"damaged, nothing":  {"text/html", strings.Repeat(text, 5) + "\xff", strings.Repeat(text, 5) + "\uFFFD", true},
		"surrogate halves":  {"text/html; charset=utf-8", "a\xed\xa0\x80b", "a\uFFFD\uFFFD\uFFFDb", true},
	}
	tag := regexp.MustCompile("<[a-z][^>]*>")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Decode([]byte(tt.body), tt.header, "")
			if text := strings.TrimSpace(tag.ReplaceAllString(string(got.Body), "")); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
			if flawed := got.Flaw != ""; flawed != tt.flawed {
				t.Errorf("flaw %q", got.Flaw)
			}
		})
	}
}

func TestCharsetGB18030(t *testing.T) {
	t.Parallel()
	const text = "龦 龧 ḿ 㐀 €" // four bytes each in GB 18030, unknown to GBK and GB 2312
	body, err := simplifiedchinese.GB18030.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"gb2312", "GBK", "x-gbk", "gb18030", "chinese"} {
		if got := string(Decode([]byte(body), "text/html; charset="+label, "").Body); got != text {
			t.Errorf("%s: got %q, want %q", label, got, text)
		}
	}
}

func TestCharsetRefused(t *testing.T) {
	t.Parallel()
	if got := string(Decode([]byte("<title>plain</title>"), "text/html; charset=hz-gb-2312", "").Body); got != "<title>plain</title>" {
		t.Errorf("%q: an encoding that browsers refuse must not cost the page", got)
	}
}

// TestCharsetHostile holds declarations without end to linear time.
func TestCharsetHostile(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, body := range []string{
		`<meta charset="` + strings.Repeat("x", 500<<10),
		strings.Repeat("<meta charset=", 500<<10/14),
		strings.Repeat("<meta content='charset=", 500<<10/23) + "\xff",
		strings.Repeat("charset=", 500<<10/8) + "\xff",
		"<?xml encoding=" + strings.Repeat("'", 500<<10),
		strings.Repeat("\x1b$", 250<<10),
		strings.Repeat("\xe9 ", 250<<10),
	} {
		Decode([]byte(body), "text/html; "+strings.Repeat("charset", 1000), "")
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestCharsetW3C(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{ // header, encoding
		"HTTP-charset.html":              {"iso-8859-15", "iso-8859-15"},
		"HTTP-vs-UTF-8-BOM.html":         {"iso-8859-15", "utf-8"},
		"HTTP-vs-meta-charset.html":      {"iso-8859-15", "iso-8859-15"},
		"HTTP-vs-meta-content.html":      {"iso-8859-15", "iso-8859-15"},
		"No-encoding-declaration.html":   {"", "utf-8"},
		"UTF-16BE-BOM.html":              {"", "utf-16be"},
		"UTF-16LE-BOM.html":              {"", "utf-16le"},
		"UTF-8-BOM-vs-meta-charset.html": {"", "utf-8"},
		"UTF-8-BOM-vs-meta-content.html": {"", "utf-8"},
		"meta-charset-attribute.html":    {"", "iso-8859-15"},
		"meta-content-attribute.html":    {"", "iso-8859-15"},
		"8859_1_da.html":                 {"", "windows-1252"}, // its meta says utf-8, wrongly
		"8859_1_de.html":                 {"", "windows-1252"}, // likewise
		"gb18030.html":                   {"", "gbk"},
		"shift_jis.html":                 {"", "shift_jis"},
	} {
		body, err := os.ReadFile(filepath.Join("testdata/pages", name))
		if err != nil {
			t.Fatal(err)
		}
		contentType := "text/html"
		if want[0] != "" {
			contentType += "; charset=" + want[0]
		}
		got := Decode(body, contentType, "")
		if got.Charset != want[1] {
			t.Errorf("%s: %s, want %s", name, got.Charset, want[1])
		}
		if bytes.Contains(got.Body, []byte("\uFFFD")) && !bytes.Contains(body, []byte("\uFFFD")) {
			t.Errorf("%s: characters were lost", name)
		}
	}
}

// TestCharsetSniffing runs html5lib's table of encoding declarations.
func TestCharsetSniffing(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/sniffing/*.dat")
	if err != nil || len(files) != 3 {
		t.Fatalf("files %v: %v", files, err)
	}
	passed, failed := 0, 0
	for _, file := range files {
		table, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range strings.Split(string(table), "#data\n")[1:] {
			body, label, ok := strings.Cut(row, "\n#encoding\n")
			if !ok {
				t.Fatalf("%s: row %d has no encoding", file, i)
			}
			want := Name(strings.TrimSpace(label))
			if got := Decode([]byte(body), "text/html", "").Charset; got != want {
				failed++
				t.Logf("differs: %s: %.200q: %s, want %s", filepath.Base(file), body, got, want)
				continue
			}
			passed++
		}
	}
	t.Logf("html5lib sniffing: %d passed, %d differ", passed, failed)
	// Those two declare after 8 KiB and are plain ASCII: nothing hangs on it.
	if passed != 80 || failed != 2 {
		t.Errorf("%d passed and %d differ, want 80 and 2", passed, failed)
	}
}

// TestHeaderCharset: quotes in a header may lack their end and hold backslashes.
func TestHeaderCharset(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`text/html; charset=gbk`: "gbk", `text/html; charset="gbk"`: "gbk", `text/html; charset="gbk`: "gbk", `text/html; charset="\g\b\k"`: "gbk", `text/html; charset="gbk"; x=y`: "gbk", `text/html; charset='gbk'`: "gbk", `text/html;charset=gbk;x`: "gbk",
		`text/html; charset="`: "", `text/html; charset=`: "", `text/html; charset="gbk\`: "gbk\\",
	} {
		if got := InHeader(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if got := Decode([]byte("<!doctype html><p>\xd7\xd6"), `text/html; charset="gbk`, ""); string(got.Body) != "<!doctype html><p>字" {
		t.Errorf("%+v", got)
	}
}
