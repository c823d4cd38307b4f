package charset

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

// TestCharsetUndeclared takes the declarations out of real pages, and puts wrong
// ones in: only the bytes are left to tell.
func TestCharsetUndeclared(t *testing.T) {
	t.Parallel()
	declaration := regexp.MustCompile(`(?i)charset\s*=`)
	pages := []string{"8859_1_da", "8859_1_de", "8859_1_fr", "big5", "euc_kr", "gb18030", "shift_jis"}
	right := 0
	for _, name := range pages {
		body, err := os.ReadFile("testdata/pages/" + name + ".html")
		if err != nil {
			t.Fatal(err)
		}
		want := Decode(body, "text/html", "")
		bare := declaration.ReplaceAll(body, []byte("xharset="))
		for _, contentType := range []string{"", "text/html", "text/html; charset=utf-8"} {
			got := Decode(bare, contentType, "")
			if got.Charset == want.Charset && len(got.Body) == len(want.Body)+len(bare)-len(body) && bytes.Count(got.Body, []byte("\uFFFD")) == bytes.Count(want.Body, []byte("\uFFFD")) {
				right++
			} else {
				t.Errorf("%s as %q: %s, want %s", name, contentType, got.Charset, want.Charset)
			}
		}
	}
	t.Logf("%d of %d right", right, 3*len(pages))
}
