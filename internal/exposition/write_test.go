package exposition

import (
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metrics"
)

// TestForeign: metrics of a program of one's own are written as they are, and every family
// stands together, once.
func TestForeign(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	set.GetOrCreateCounter(`shop_orders_total{kind="a"}`).Inc()
	set.GetOrCreateCounter(`quarry_pages_total`).Inc()
	set.GetOrCreateCounter(`shop_orders_total{kind="b"}`).Inc()
	set.GetOrCreateHistogram("shop_seconds").Update(1)
	set.GetOrCreatePrometheusHistogram("quarry_page_seconds").Update(1)
	var out strings.Builder
	if err := Write(&out, set, "/nowhere/at/all"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"shop_orders_total{kind=\"a\"} 1\nshop_orders_total{kind=\"b\"} 1\n", "shop_seconds_count 1\n",
		"# HELP quarry_pages_total Pages that were put.\n# TYPE quarry_pages_total counter\nquarry_pages_total 1\n",
		"# TYPE quarry_page_seconds histogram\nquarry_page_seconds_bucket{",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "# HELP") {
			if seen[line] {
				t.Errorf("twice: %s", line)
			}
			seen[line] = true
		}
	}
	if strings.Contains(out.String(), "quarry_disk") {
		t.Error("a folder that is not there has a disk")
	}
}
