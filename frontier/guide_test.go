package frontier_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// polite is the first snippet of docs/guides/politeness.md.
func polite() frontier.Options {
	// snippet: limits
	return frontier.Options{Limits: frontier.Limits{
		PerIP:   2,                      // visits at a time on one address
		IPDelay: 200 * time.Millisecond, // between the starts of two of them
		Exempt:  []string{"cloudfront.net", "198.51.100.0/24"},
		Budget: frontier.HostBudget{
			Pages:    50_000, // then the host is dropped
			Failures: 10,     // in a row: parked for an hour, three times, then dropped
		},
	}}
}

// explain is the second.
func explain(ctx context.Context, f *frontier.Memory, url string) {
	// snippet: explain
	e, err := f.Explain(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.State, "due", e.Due, "host is", e.Host.State, e.Host.Reason, "no visit before", e.Host.Next)
}

// TestGuide holds the guide to the code above.
func TestGuide(t *testing.T) {
	t.Parallel()
	f := frontier.New(polite())
	defer f.Close()
	add(t, f, "http://a.test/")
	explain(t.Context(), f, "http://a.test/")
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../docs/guides/politeness.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"limits", "explain"} {
		_, code, _ := strings.Cut(string(source), "\t// snippet: "+name+"\n")
		code, _, _ = strings.Cut(code, "\n}\n")
		want := "```go\n" + strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:] + "\n```\n"
		if !strings.Contains(string(guide), want) {
			t.Errorf("the snippet %s of the guide is not\n%s", name, want)
		}
	}
}
