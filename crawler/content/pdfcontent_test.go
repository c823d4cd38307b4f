package content

import (
	"fmt"
	"strings"
	"testing"
)

// told writes instructions one a line: operands, then the operator.
func told(b string) string {
	var out strings.Builder
	in := content{[]byte(b)}
	for op, args := in.next(); op != ""; op, args = in.next() {
		for _, a := range args {
			tell(&out, a)
		}
		out.WriteString(op + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func tell(out *strings.Builder, o operand) {
	switch o.kind {
	case numberOperand:
		fmt.Fprintf(out, "%g ", o.num)
	case stringOperand:
		fmt.Fprintf(out, "%q ", o.str)
	case nameOperand:
		out.WriteString("/" + o.str + " ")
	case listOperand:
		out.WriteString("[ ")
		for _, part := range o.list {
			tell(out, part)
		}
		out.WriteString("] ")
	default:
		out.WriteString("? ")
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                               "",
		"BT/F1 12 Tf(a)Tj":               "BT\n/F1 12 Tf\n\"a\" Tj",
		"-.5 +3 1. 4.5 re":               "-0.5 3 1 4.5 re",
		`(a(b)c\)\\\n\101\1015\7) Tj`:    `"a(b)c)\\\nAA5\a" Tj`,
		"(a\\\nb\\\r\nc\\xd) '":          `"abcxd" '`,
		"<48 65 6c6C 6> Tj":              "\"Hell`\" Tj",
		"[(a) -20 <62> [(c)]] TJ":        `[ "a" -20 "b" [ "c" ] ] TJ`,
		"% comment (\n/A#42#zz gs":       "/AB#zz gs",
		"/P <</MCID 0>> BDC (x) Tj":      "/P ? /MCID 0 ? BDC\n\"x\" Tj",
		"q BI /W 1 ID \x00EI(<EI\nEI Q":  "q\nQ",
		"BI ID no end":                   "",
		"(no end":                        "",
		"<no end":                        "",
		"[no end":                        "",
		"(x) Tj <48":                     "\"x\" Tj",
		"] } ) > (x) Tj":                 "? ? ? ? \"x\" Tj",
		strings.Repeat("1 ", 100) + "Tj": strings.Repeat("1 ", 64) + "Tj",
	} {
		if got := told(in); got != want {
			t.Errorf("%.60q:\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestContentDeep(t *testing.T) {
	t.Parallel()
	const deep = 1 << 20
	got := told(strings.Repeat("[", deep) + "(x)" + strings.Repeat("]", deep) + " TJ (y) Tj")
	if !strings.HasSuffix(got, "TJ\n\"y\" Tj") {
		t.Errorf("%.100q", got)
	}
}

func FuzzContent(f *testing.F) {
	for _, s := range []string{"BT /F 12 Tf (a\\101) Tj [<61> -2 (b)] TJ ET", "BI ID x EI Q", "[[[[[[", "(((", "<<>>", "/a#62 % c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { told(s) })
}
