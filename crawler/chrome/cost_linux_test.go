package chrome_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is the processor time and the memory of us and of the browsers that we
// started, as long as they live.
func usage() (cpu time.Duration, rss int64) {
	var own syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	cpu = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	const tick = 10 * time.Millisecond
	for _, stat := range chromeStats() {
		user, _ := strconv.Atoi(stat[11])
		sys, _ := strconv.Atoi(stat[12])
		pages, _ := strconv.ParseInt(stat[21], 10, 64)
		cpu += time.Duration(user+sys) * tick
		rss += pages * int64(os.Getpagesize())
	}
	return cpu, rss
}

// chromeStats are the fields of stat (proc(5)) from the state on, of processes
// that descend from this one.
func chromeStats() (all [][]string) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	stats := make(map[string][]string)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if i := bytes.LastIndexByte(b, ')'); err == nil && i > 0 {
			stats[filepath.Base(filepath.Dir(f))] = strings.Fields(string(b[i+1:]))
		}
	}
	for _, s := range stats {
		for up := s; ; {
			if up[1] == strconv.Itoa(os.Getpid()) {
				all = append(all, s)
				break
			}
			next, ok := stats[up[1]]
			if !ok {
				break
			}
			up = next
		}
	}
	return all
}
