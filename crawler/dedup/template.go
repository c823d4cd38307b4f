package dedup

import (
	"strings"
	"sync"
)

// A Template leaves out of the texts of a host what many of its pages have:
// menus, side columns, footers. Without it the likeness of two short pages is
// that of their frames. It knows a line for part of the frame once it stood in
// at least five pages and one in eight of those seen lately, so the first few
// pages of a host keep theirs.
//
// It remembers up to 4,096 lines of a host, of 256 hosts, in memory (some
// 25 MB when full); beyond that it begins anew with whom it has not met for
// longest. The zero value is ready, and may be used by many goroutines.
type Template struct {
	mu    sync.Mutex
	hosts map[string]*frame
	tick  int
}

const (
	framePages = 5
	frameShare = 8
	frameLines = 4096
	frameHosts = 256
	frameAge   = 1024 // pages after which counts are halved
)

// frame is what the pages of a host have in common.
type frame struct {
	pages int
	lines map[uint64]int
	used  int
}

// Own returns the lines of a text that are the page's own, and counts those of
// the page. A text of nothing but frame is returned whole.
func (t *Template) Own(host, text string) string {
	own, _ := t.leaveOut(host, text)
	return own
}

// leaveOut is Own, and whether what it returns is the page's own for the most part.
// Of the first pages of a host that is what no other page had.
func (t *Template) leaveOut(host, text string) (_ string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.frame(host)
	f.pages++
	var own strings.Builder
	own.Grow(len(text))
	met := 0 // bytes of own that another page had
	seen := make(map[uint64]bool)
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			continue
		}
		h := hashText(line)
		if !f.shared(h) {
			own.WriteString(line)
			own.WriteByte('\n')
			if f.lines[h] > 0 && !seen[h] {
				met += len(line)
			}
		}
		if !seen[h] {
			seen[h] = true
			if n, known := f.lines[h]; known || len(f.lines) < frameLines {
				f.lines[h] = n + 1
			}
		}
	}
	if f.pages >= frameAge || len(f.lines) >= frameLines {
		f.age()
	}
	if own.Len() == 0 {
		return text, false
	}
	return own.String(), f.pages > framePages || met <= own.Len()/2
}

func (f *frame) shared(line uint64) bool {
	n := f.lines[line]
	return n >= framePages && n*frameShare >= f.pages
}

// age halves all counts and forgets lines that few pages had.
func (f *frame) age() {
	f.pages /= 2
	for h, n := range f.lines {
		if n /= 2; n > 0 {
			f.lines[h] = n
		} else {
			delete(f.lines, h)
		}
	}
}

func (t *Template) frame(host string) *frame {
	t.tick++
	f := t.hosts[host]
	if f == nil {
		if len(t.hosts) >= frameHosts {
			t.forget()
		}
		if t.hosts == nil {
			t.hosts = make(map[string]*frame)
		}
		f = &frame{lines: make(map[uint64]int)}
		t.hosts[host] = f
	}
	f.used = t.tick
	return f
}

// forget drops the host that was not met for longest.
func (t *Template) forget() {
	oldest := ""
	for host, f := range t.hosts {
		if oldest == "" || f.used < t.hosts[oldest].used {
			oldest = host
		}
	}
	delete(t.hosts, oldest)
}
