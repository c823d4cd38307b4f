package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ask(args ...string) (out, trouble string, status int) {
	var stdout, stderr bytes.Buffer
	status = run(args, &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

func TestDemonstration(t *testing.T) {
	t.Parallel()
	out, _, status := ask()
	for _, pair := range []string{"paper mega limited\tMega Paper Ltd", "Acme Holdings Internatonal\tAcme International Holdings", "Cafe de la Gare\tCafé de la Gare", "Lodz Textile Works\tŁódź Textile Works", "東京ホテル本館\t東京ホテル"} {
		if !strings.Contains(out, "\t"+pair+"\n") {
			t.Errorf("%q is not found in\n%s", pair, out)
		}
	}
	if status != 0 || strings.Contains(out, "Galveston") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(list, []byte("\ufeffAcme Corp\r\nCorp. Acme\n\nBeta\nAcme Corp\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, status := ask(list); out != "1.00\tAcme Corp\tCorp. Acme\n" || status != 0 {
		t.Errorf("status %d: %q", status, out)
	}
	if out, _, status := ask("-measure", "tokens", "-json", list); out != `{"match":"Corp. Acme","name":"Acme Corp","similarity":1}`+"\n" || status != 0 {
		t.Errorf("status %d: %q", status, out)
	}
	for _, test := range []struct {
		args   []string
		status int
	}{
		{[]string{"-measure", "nothing"}, 2}, {[]string{"-threshold", "2"}, 2}, {[]string{"-limit", "0"}, 2}, {[]string{"a", "b", "c"}, 2}, {[]string{"nowhere"}, 1}, {[]string{"-x"}, 2}, {[]string{"-help"}, 0},
	} {
		if _, trouble, status := ask(test.args...); status != test.status || trouble == "" {
			t.Errorf("%q: status %d, %q", test.args, status, trouble)
		}
	}
}
