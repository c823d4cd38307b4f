package crawler

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestInlineStyles: a style attribute says what an element is drawn as.
func TestInlineStyles(t *testing.T) {
	t.Parallel()
	for style, want := range map[string]string{
		// Blocks.
		"display:block": "a\nb\nc", "DISPLAY : Block": "a\nb\nc", "color:red;display:block;": "a\nb\nc", "display:block flow": "a\nb\nc",
		"display:flex": "a\nb\nc", "display:grid": "a\nb\nc", "display:table": "a\nb\nc", "display:list-item": "a\nb\nc", "display:flow-root": "a\nb\nc",
		"display:-webkit-box": "a\nb\nc", "display:table-row": "a\nb\nc", "display:table-cell": "a\tb\tc",
		"float:left": "a\nb\nc", "float:inline-end": "a\nb\nc", "position:absolute": "a\nb\nc", "position:fixed": "a\nb\nc",
		"float:left;display:inline": "a\nb\nc", "position:absolute;display:table-cell": "a\nb\nc",
		// Within the line.
		"display:inline": "abc", "display:inline-block": "abc", "display:inline-flex": "abc", "display:contents": "abc", "": "abc",
		"position:relative": "abc", "position:sticky": "abc", "float:none": "abc", "float:absolute": "abc", "position:left": "abc",
		"display:inherit": "abc", "display:blocks": "abc", "display": "abc", ":block": "abc", "display:;": "abc", "x-display:block": "abc", "displayx:block": "abc",
		// Not drawn.
		"display:none": "ac", "display:none;float:left": "ac", "visibility:hidden": "ac", "visibility:collapse": "ac", "content-visibility:hidden": "ac",
		// The last that can be read counts, and what is important before it.
		"display:none;display:block": "a\nb\nc", "display:block;display:none": "ac", "display:none!important;display:block": "ac",
		"display:block ! IMPORTANT;display:none": "a\nb\nc", "display:none;display:nonsense": "ac", "display:none !imp;display:block": "a\nb\nc",
		"visibility:hidden;visibility:visible": "abc", "float:left;float:none": "abc", "display:block;display:inline": "abc",
		// What is no declaration.
		`background:url("x;display:none")`: "abc", "background:url(x;display:none)": "abc", "content:';display:none;'": "abc", `content:'\';display:none;'`: "abc",
		"/*display:none*/": "abc", "/* ; */display/**/:/**/none": "ac", "display:none/*": "ac", "/*": "abc", "content:'/*';display:none": "ac", "a{display:none}": "abc", "(": "abc", `\`: "abc",
		// White space.
		"white-space:pre": "ab  \n bc", "white-space:pre-wrap": "ab  \n bc",
	} {
		b := "b"
		if strings.HasPrefix(style, "white-space") {
			b = "b  \n b"
		}
		body := `a<span style="` + strings.ReplaceAll(style, `"`, "&quot;") + `">` + b + "</span>c"
		if got := parseHTML(t, &HTML{}, "text/html; charset=utf-8", body).Text; got != want {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
	for body, want := range map[string]string{
		"Tel<span style='display:block'>Fax</span>":                                                             "Tel\nFax",
		"<div style='visibility:hidden'>a<b style='visibility:visible'>b<i>c</i></b>d</div>":                    "bc",
		"<div style='display:none'>a<b style='visibility:visible;display:block'>b</b></div>c":                   "c",
		"<div style='visibility:hidden'>a<div style='display:none'><b style='visibility:visible'>b</div></div>": "",
		"<p hidden style='display:block'>a</p><p hidden style='float:left'>b</p><p hidden style='color:red'>c":  "a",
		"<div style='display:inline'>a</div><div style='display:inline'>b</div>":                                "ab",
		"<ul><li style='display:inline-block'>H</li><li style='display:inline-block'>i</li></ul>":               "Hi",
		"<dialog style='display:block'>a</dialog>b":                                                             "a\nb",
		"<table><tr><td style='display:block'>a<td style='display:block'>b</table>":                             "a\nb",
		"<pre>a\n b<span style='white-space:normal'>c\n  d</span>\n e</pre>":                                    "a\n bc d\n e",
		"a<img style='display:block'>b<img style='display:inline'>c<button style='display:inline'>d</button>e":  "a\nb c d e",
		"<h2 style='visibility:hidden'>a<b style='visibility:visible'>b</b></h2>":                               "b",
		"<body style='visibility:hidden'>a":                                                                     "a",
		"<audio style='display:block'>a</audio>b<canvas style='display:block'>c</canvas>d":                      "b\nd",
	} {
		if got := parseHTML(t, &HTML{}, "text/html; charset=utf-8", body).Text; got != want {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
}

// TestRandomStyles: in trees of elements with any styles the text is what a walk over the
// tree finds that knows what each style means.
func TestRandomStyles(t *testing.T) {
	t.Parallel()
	type meaning struct{ block, inline, gone, hidden, visible bool }
	styles := map[string]meaning{
		"": {}, "color:red": {}, "display:block": {block: true}, "display:flex": {block: true}, "float:right": {block: true},
		"display:inline": {inline: true}, "display:inline-block": {inline: true}, "display:none": {gone: true},
		"visibility:hidden": {hidden: true}, "visibility:visible": {visible: true}, "position:fixed": {block: true},
		"visibility:hidden;display:block": {hidden: true, block: true}, "visibility:visible;display:grid": {visible: true, block: true},
		"display:block;display:none": {gone: true}, "display:none!important;display:grid": {gone: true},
		"display:inline;position:absolute": {block: true}, "visibility:hidden;display:contents": {hidden: true, inline: true},
	}
	var names []string
	for s := range styles {
		names = append(names, s)
	}
	noise := []string{"", "/* display:none */", "background:url(;display:none;);", "margin:0;", ";;", " COLOR: blue ; "}
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 19))
		var body, want strings.Builder
		apart, n := false, 0
		var grow func(depth int, gone, hidden bool)
		grow = func(depth int, gone, hidden bool) {
			for range 1 + rnd.IntN(3) {
				if depth == 0 || rnd.IntN(3) == 0 {
					word := fmt.Sprintf("w%d.", n)
					n++
					body.WriteString(word)
					if !gone && !hidden {
						if apart && want.Len() > 0 {
							want.WriteByte('\n')
						}
						apart = false
						want.WriteString(word)
					}
					continue
				}
				tag := []string{"span", "b", "div", "section"}[rnd.IntN(4)]
				style := names[rnd.IntN(len(names))]
				m := styles[style]
				block := m.block || !m.inline && (tag == "div" || tag == "section")
				if strings.Contains(style, "display:none") {
					block = tag == "div" || tag == "section" // as without: a script may show it
				}
				apart = apart || block
				fmt.Fprintf(&body, `<%s style="%s%s">`, tag, noise[rnd.IntN(len(noise))], style)
				grow(depth-1, gone || m.gone, !m.visible && (hidden || m.hidden))
				fmt.Fprintf(&body, "</%s>", tag)
				apart = apart || block
			}
		}
		grow(4, false, false)
		if got := parseHTML(t, &HTML{}, "text/html; charset=utf-8", body.String()).Text; got != want.String() {
			t.Fatalf("seed %d: %s\n got %q\nwant %q", seed, body.String(), got, want.String())
		}
	}
}
