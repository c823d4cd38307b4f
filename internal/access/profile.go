package access

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"time"
)

const profiles = "/debug/pprof/"

// longest is how long a profile may be taken, in seconds: servers have a limit for answers.
const longest = 25

// profile answers as net/http/pprof does, which is not imported because it adds itself to
// the default mux of the whole program.
func profile(w http.ResponseWriter, r *http.Request, name string) {
	seconds, err := strconv.Atoi(r.FormValue("seconds"))
	if err != nil || seconds < 1 || seconds > longest {
		seconds = 10
	}
	debug, _ := strconv.Atoi(r.FormValue("debug"))
	w.Header().Set("Content-Type", "application/octet-stream")
	switch name {
	case "":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		var names []string
		for _, p := range pprof.Profiles() {
			names = append(names, p.Name())
		}
		fmt.Fprintf(w, "profile?seconds=10 trace?seconds=10 %s\n", strings.Join(names, " "))
	case "profile", "trace":
		start, stop := pprof.StartCPUProfile, pprof.StopCPUProfile
		if name == "trace" {
			start, stop = trace.Start, trace.Stop
		}
		if err := start(w); err != nil {
			http.Error(w, err.Error(), http.StatusConflict) // one at a time
			return
		}
		defer stop()
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-r.Context().Done():
		}
	default:
		p := pprof.Lookup(name)
		if p == nil {
			http.Error(w, "there is no such profile", http.StatusNotFound)
			return
		}
		if debug > 0 {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		_ = p.WriteTo(w, debug) // whoever asked is gone
	}
}
