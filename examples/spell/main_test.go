package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/fuzzy"
)

func ask(t *testing.T, input string, args ...string) (out, trouble string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(args, strings.NewReader(input), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

func TestDemonstration(t *testing.T) {
	t.Parallel()
	out, trouble, status := ask(t, "")
	if status != 0 || trouble != "" || !strings.Contains(out, "\nof 60 misspellings 9") {
		t.Errorf("status %d, %s%s", status, trouble, out)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	dict := filepath.Join(t.TempDir(), "words.txt")
	if err := os.WriteFile(dict, []byte("\ufeffreceive 700\r\nrecipe 300\r\nLondon 50\nlondon 2\nice 90\ncream 80\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, trouble, status := ask(t, "recieve\nlodnon\nice craem\n\n", "-dict", dict, "-limit", "1")
	if want := "recieve\treceive\nlodnon\tLondon\nice craem\tice cream\n"; out != want || status != 0 {
		t.Errorf("status %d, %s%q, want %q", status, trouble, out, want)
	}
	out, _, _ = ask(t, "recieve\treceive\nreciepe\trecieve\nlodnon\tLondon\nxx\tyy", "-dict", dict, "-json")
	var f figures
	if err := json.Unmarshal([]byte(out), &f); err != nil || f.N != 4 || *f.Top1 != 0.5 || *f.Top5 != 0.5 || f.DictWords != 5 || f.USPerLookup <= 0 || f.BytesPerWord < 0 { // what five words take is lost in the noise
		t.Errorf("%+v, %v of %s", f, err, out)
	}
	out, _, _ = ask(t, "recieve\n", "-dict", dict, "-json")
	if !strings.Contains(out, `"top1":null`) {
		t.Errorf("without pairs: %s", out)
	}
}

func TestLearn(t *testing.T) {
	t.Parallel()
	pairs := "fone\tphone\nfoto\tphoto\nfase\tphase\nfrase\tphrase\n"
	out, _, status := ask(t, pairs, "-learn")
	costs, err := fuzzy.ReadCosts(strings.NewReader(out))
	if err != nil || status != 0 || costs.Distance("phoenix", "foenix") >= costs.Distance("phoenix", "goenix") {
		t.Errorf("status %d, %v: %s", status, err, out)
	}
	file := filepath.Join(t.TempDir(), "costs.tsv")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, trouble, status := ask(t, "", "-costs", file); status != 0 {
		t.Errorf("status %d, %s", status, trouble)
	}
}

func TestTrouble(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("a\tb\t-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		status int
	}{
		{[]string{"-dict", "nowhere"}, 1}, {[]string{"-dict", bad}, 1}, {[]string{"-costs", bad}, 1}, {[]string{"-costs", "nowhere"}, 1},
		{[]string{"-limit", "0"}, 2}, {[]string{"word"}, 2}, {[]string{"-nothing"}, 2}, {[]string{"-help"}, 0},
	} {
		if _, trouble, status := ask(t, "", test.args...); status != test.status || trouble == "" {
			t.Errorf("%q: status %d, %q, want %d", test.args, status, trouble, test.status)
		}
	}
}
