package live

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParseFlags: a variable sets what the command line does not, and secrets are not taken from the latter.
func TestParseFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("QUARRY_X_PER_HOST", "7")
	t.Setenv("QUARRY_X_TOKEN_FILE", file)
	t.Setenv("QUARRY_X_PROXY", "http://u:p@proxy.test:1")
	for _, c := range []struct{ args, want string }{
		{"", "7 hunter2 http://u:p@proxy.test:1"},
		{"-per-host 3 -proxy http://other.test:1", "3 hunter2 http://other.test:1"},
		{"-proxy http://u@other.test:1", "7 hunter2 http://u@other.test:1"},
		{"-token abc", "set QUARRY_X_TOKEN,"},
		{"--token=abc", "set QUARRY_X_TOKEN,"},
		{"-proxy http://u:p@other.test:1", "set QUARRY_X_PROXY,"},
		{"--proxy=http://u:p@other.test:1", "set QUARRY_X_PROXY,"},
		{"-- -token", "7 hunter2 http://u:p@proxy.test:1"},
	} {
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		n, token, proxy := fs.String("per-host", "", ""), fs.String("token", "", ""), fs.String("proxy", "", "")
		got := ""
		if err := ParseFlags(fs, strings.Fields(c.args), "token"); err != nil {
			got = err.Error()
		} else {
			got = *n + " " + *token + " " + *proxy
		}
		if !strings.Contains(got, c.want) || strings.Contains(c.want, "set") && strings.Contains(got, "u:p") {
			t.Errorf("%q: %s", c.args, got)
		}
	}
	t.Setenv("QUARRY_X_TOKEN_FILE", file+".none")
	if err := ParseFlags(flag.NewFlagSet("x", flag.ContinueOnError), nil); err != nil {
		t.Errorf("of a flag that is not there: %v", err)
	}
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.String("token", "", "")
	if err := ParseFlags(fs, nil); err == nil || !strings.Contains(err.Error(), "QUARRY_X_TOKEN_FILE") {
		t.Errorf("%v", err)
	}
}
