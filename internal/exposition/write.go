package exposition

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/VictoriaMetrics/metrics"
)

// Write writes the metrics of a set, of the process and of the disks of folders. Metrics
// of the set that this package does not know, as those of a program of one's own, are
// written as they are.
func Write(w io.Writer, set *metrics.Set, folders ...string) error {
	var own, process bytes.Buffer
	set.WritePrometheus(&own)
	writeDisks(&own, folders)
	metrics.WriteProcessMetrics(&process)

	all := map[string][]string{}
	collect(all, &own, true)
	collect(all, &process, false)
	out := bufio.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if help, ok := families[name]; ok {
			fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kindOf(name))
		}
		for _, line := range all[name] {
			out.WriteString(line)
			out.WriteByte('\n')
		}
	}
	return out.Flush()
}

// Serve answers a request with what Write writes.
func Serve(w http.ResponseWriter, set *metrics.Set, folders ...string) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_ = Write(w, set, folders...) // whoever asked is gone
}

// collect sorts lines by their family. Those of unknown families are kept if all.
func collect(into map[string][]string, text *bytes.Buffer, all bool) {
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		name, comment := nameOf(line)
		_, known := families[name]
		if name == "" || comment && known || !all && !known {
			continue
		}
		into[name] = append(into[name], line)
	}
}

// nameOf is the family that a line belongs to.
func nameOf(line string) (name string, comment bool) {
	if rest, ok := strings.CutPrefix(line, "# "); ok {
		words := strings.SplitN(rest, " ", 3)
		if len(words) > 1 && (words[0] == "HELP" || words[0] == "TYPE") {
			return words[1], true
		}
		return "", true
	}
	if end := strings.IndexAny(line, "{ "); end > 0 {
		line = line[:end]
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(line, suffix); ok && histograms[base] {
			return base, false
		}
	}
	return line, false
}

func kindOf(name string) string {
	switch {
	case histograms[name]:
		return "histogram"
	case strings.HasSuffix(name, "_total"):
		return "counter"
	}
	return "gauge"
}

// writeDisks writes how much room there is for each of the folders. One of which that
// cannot be told is left out.
func writeDisks(w io.Writer, folders []string) {
	for _, folder := range folders {
		if free, size, ok := disk(folder); ok {
			fmt.Fprintf(w, "quarry_disk_free_bytes{folder=%q} %d\nquarry_disk_size_bytes{folder=%q} %d\n", folder, free, folder, size)
		}
	}
}
