package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestStepsAreBounded has an expression that takes the square of a page.
func TestStepsAreBounded(t *testing.T) {
	t.Parallel()
	doc, err := html.Parse(strings.NewReader(strings.Repeat("<li>a</li>", 2000)))
	if err != nil {
		t.Fatal(err)
	}
	q, err := compileXPath("//li[count(preceding::li)>5]")
	if err != nil {
		t.Fatal(err)
	}
	q.steps = 200_000
	if all, err := q.find(doc, 30_000); err == nil || !strings.Contains(err.Error(), errSteps.Error()) {
		t.Errorf("%d nodes, %v", len(all), err)
	}
	q, err = compileXPath("//li[last()]/text()")
	if err != nil {
		t.Fatal(err)
	}
	if all, err := q.find(doc, 10); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}
