package crawler

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func TestCharsetUTF16(t *testing.T) {
	t.Parallel()
	const page16 = "<!DOCTYPE html><title>Юникод</title><p>Съешь ещё 😀"
	for name, order := range map[string]unicode.Endianness{"utf-16le": unicode.LittleEndian, "utf-16be": unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			body, err := unicode.UTF16(order, mark).NewEncoder().String(page16)
			if err != nil {
				t.Fatal(err)
			}
			for _, header := range []string{"text/html", "text/html; charset=" + name, "", "application/octet-stream"} {
				page := parseHTML(t, &HTML{}, header, body)
				if page.Title != "Юникод" || page.Text != "Съешь ещё 😀" {
					t.Errorf("%s, mark %v, header %q: title %q, text %q", name, mark, header, page.Title, page.Text)
				}
			}
		}
	}
	page := parseHTML(t, &HTML{}, "text/html; charset=utf-16le", "<\x00p\x00>\x00\x00\xd8x") // half a pair, half a unit
	if !strings.Contains(page.Text, "\uFFFD") {
		t.Errorf("text %q", page.Text)
	}
}

func TestCharsetQueries(t *testing.T) {
	t.Parallel()
	body, err := charmap.Windows1251.NewEncoder().String("<a href='/поиск?q=кот'>кот</a><form action='?x=кот'>")
	if err != nil {
		t.Fatal(err)
	}
	page := parseHTML(t, &HTML{}, "text/html; charset=windows-1251", body)
	const want = "http://www.example.com/%D0%BF%D0%BE%D0%B8%D1%81%D0%BA?q=%EA%EE%F2|кот|"
	if got := show(page.Links); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
