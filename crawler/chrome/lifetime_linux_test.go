package chrome_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// group lists the processes of a browser, alive and not, with their command lines.
func group(leader int) map[int]string {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	all := make(map[int]string)
	for _, f := range files {
		stat, err := os.ReadFile(f)
		i := bytes.LastIndexByte(stat, ')')
		if err != nil || i < 0 {
			continue
		}
		fields := strings.Fields(string(stat[i+1:]))
		if fields[2] != strconv.Itoa(leader) || fields[0] == "Z" { // whom PID 1 has not buried yet
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
		all[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
	}
	return all
}

// A deadline of one action ends that action and nothing else.
func TestActionDeadline(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{"/": `<title>one</title><a href=/>go</a>`})
	f := shared(t)
	err := f.Tab(t.Context(), s.URL, func(tab context.Context) error {
		if err := chromedp.Do(tab, chromedp.Navigate(s.URL)); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(tab, 100*time.Millisecond)
		defer cancel()
		if err := chromedp.Do(short, chromedp.WaitVisible(chromedp.CSS("#nowhere"))); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting gives %v", err)
		}
		if title, err := chromedp.Run(tab, chromedp.Title()); err != nil || title != "one" {
			t.Errorf("afterwards %q, %v", title, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantBody(t, fetch(t, f, s.URL+"/"), "<title>one</title>")
}

// The end of one fetch is that of one page.
func TestCancel(t *testing.T) {
	t.Parallel()
	asked, other := make(chan bool), make(chan bool)
	s := serve(t, pages{
		"/slow":  func(w http.ResponseWriter, r *http.Request) { close(asked); never(w, r) },
		"/other": func(w http.ResponseWriter, r *http.Request) { <-other; as("text/html", "<p>here")(w, r) },
	})
	f := own(t, &chrome.Fetcher{})
	ctx, cancel := context.WithCancelCause(t.Context())
	mine := errors.New("mine")
	done := make(chan error)
	go func() {
		_, err := f.Fetch(ctx, frontier.Request{URL: s.URL + "/slow"})
		done <- err
	}()
	go func() {
		<-asked
		cancel(mine)
		if err := <-done; err != mine {
			t.Errorf("got %v", err)
		}
		close(other)
	}()
	wantBody(t, fetch(t, f, s.URL+"/other"), "<p>here")
}

// Many more fetches than tabs wait for their turn, get their own page each, and
// end when the Fetcher is closed, those that wait and those under way.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const n = 64
	asked := make(chan bool, n)
	s := serve(t, pages{
		"/slow": func(w http.ResponseWriter, r *http.Request) { asked <- true; never(w, r) },
		"/page": func(w http.ResponseWriter, r *http.Request) {
			as("text/html", "<p id=p></p><script>p.textContent = 'page "+r.URL.RawQuery+".'</script>")(w, r)
		},
	})
	f := own(t, &chrome.Fetcher{Tabs: 4})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			resp, err := f.Fetch(t.Context(), frontier.Request{URL: fmt.Sprintf("%s/page?%d", s.URL, i)})
			if err != nil || !strings.Contains(string(resp.Body), fmt.Sprintf(">page %d.<", i)) {
				t.Errorf("page %d: %v", i, err)
			}
		})
	}
	all.Wait()
	for range n {
		all.Go(func() {
			if _, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/slow"}); !errors.Is(err, chrome.ErrClosed) {
				t.Errorf("closed meanwhile: %v", err)
			}
		})
	}
	for range 4 {
		<-asked
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if len(asked) > 0 {
		t.Errorf("%d pages more than there are tabs", len(asked))
	}
}

// A crawl goes on when renderers and browsers die, and loses nothing. There are
// as many pages as QUARRY_CHROME_CRAWL says, or 24.
func TestKill(t *testing.T) {
	t.Parallel()
	n := 24
	if s := os.Getenv("QUARRY_CHROME_CRAWL"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	site := pages{"/wait": func(w http.ResponseWriter, _ *http.Request) { time.Sleep(20 * time.Millisecond) }}
	for i := range n {
		site[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<p id=p>page %d</p><script>fetch("/wait").then(() => {
			document.body.insertAdjacentHTML("beforeend", "<a href=/%d>x</a><a href=/%d>y</a>") })</script>`, i, (2*i+1)%n, (2*i+2)%n)
	}
	s := serve(t, site)
	f := own(t, &chrome.Fetcher{})
	var put, died atomic.Int64
	seen := make([]atomic.Int64, n)
	c := crawler.Crawler{
		UserAgent: agent, Fetcher: f, Workers: 4, IgnoreRobots: true,
		Frontier: frontier.New(frontier.Options{Limits: frontier.Limits{PerHost: 4, Delay: 1, Factor: 1e-9}}),
		Sink: crawler.Pages(func(_ context.Context, p *crawler.Page) error {
			i, _ := strconv.Atoi(p.URL[strings.LastIndexByte(p.URL, '/')+1:])
			seen[i].Add(1)
			if !strings.Contains(p.Text, fmt.Sprintf("page %d", i)) || len(p.Links) != 2 {
				t.Errorf("%s: %q with %d links", p.URL, p.Text, len(p.Links))
			}
			if k := put.Add(1); k%7 == 3 {
				kill(t, f, k%2 == 0)
			}
			return nil
		}),
		Revisit: func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
			if err != nil && req.Attempt < 20 {
				died.Add(1)
				if !errors.Is(err, chrome.ErrCrash) && !errors.Is(err, chrome.ErrGone) || !errors.Is(err, crawler.ErrOther) {
					t.Errorf("%s: %v", req.URL, err)
				}
				return frontier.Outcome{Again: time.Now()}
			}
			return frontier.Outcome{}
		},
	}
	if err := c.Run(t.Context(), s.URL+"/0"); err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if got := seen[i].Load(); got != 1 {
			t.Errorf("page %d was put %d times", i, got)
		}
	}
	t.Logf("%d pages, %d visits that were hit", put.Load(), died.Load())
}

// kill ends the browser, or one of its renderers.
func kill(t *testing.T, f *chrome.Fetcher, renderer bool) {
	pid := chrome.Pid(f)
	if !renderer {
		syscall.Kill(pid, syscall.SIGKILL)
		return
	}
	for p, line := range group(pid) {
		if strings.Contains(line, "--type=renderer") {
			syscall.Kill(p, syscall.SIGKILL)
		}
	}
}

// Close returns and leaves nothing, whatever the browser is doing.
func TestCloseStopped(t *testing.T) {
	t.Parallel()
	asked := make(chan bool)
	s := serve(t, pages{"/": "<p>x", "/slow": func(w http.ResponseWriter, r *http.Request) { close(asked); never(w, r) }})
	f := own(t, &chrome.Fetcher{})
	fetch(t, f, s.URL+"/")
	done := make(chan error)
	go func() {
		_, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/slow"})
		done <- err
	}()
	<-asked
	pid := chrome.Pid(f)
	if err := syscall.Kill(-pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("Close took %v", took)
	}
	if err := <-done; !errors.Is(err, chrome.ErrClosed) {
		t.Errorf("the page that was under way gives %v", err)
	}
	if _, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/"}); !errors.Is(err, chrome.ErrClosed) {
		t.Errorf("afterwards %v", err)
	}
	until(t, 5*time.Second, "the processes are gone", func() bool { return len(group(pid)) == 0 })
}

// TestCycles opens a browser, kills it and closes the next one, as often as QUARRY_CHROME_CYCLES says, or
// three times. It is not parallel, since it counts goroutines.
func TestCycles(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("QUARRY_CHROME_CYCLES"))
	n = max(n, 3)
	s := serve(t, pages{"/": "<p>x"})
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var pids []int
	cycle := func() {
		f := own(t, &chrome.Fetcher{Via: named(map[string]string{"a.test": "127.0.0.1", "b.test": "127.0.0.1", "c.test": "127.0.0.1"})})
		fetch(t, f, s.URL+"/")
		for _, host := range []string{"a.test", "b.test", "c.test"} { // in tabs of their own, which idle when the browser dies
			fetch(t, f, strings.Replace(s.URL, "127.0.0.1", host, 1)+"/")
		}
		pids = append(pids, chrome.Pid(f))
		kill(t, f, false)
		until(t, time.Minute, "another browser in the place of the dead one", func() bool {
			_, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/"})
			return err == nil
		})
		pids = append(pids, chrome.Pid(f))
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		f.Via.(*crawler.HTTP).Close()
	}
	fds := func() int {
		all, _ := os.ReadDir("/proc/self/fd")
		return len(all)
	}
	cycle()
	goroutines, files := runtime.NumGoroutine(), fds()
	for range n - 1 {
		cycle()
	}
	until(t, 10*time.Second, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= goroutines+2 })
	until(t, 10*time.Second, "the files are closed", func() bool { return fds() <= files+2 })
	for _, pid := range pids {
		until(t, 5*time.Second, "the processes are gone", func() bool { return len(group(pid)) == 0 })
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Logf("%d cycles: %d goroutines of %d, %d files of %d", n, runtime.NumGoroutine(), goroutines, fds(), files)
}

// When our program is killed, its browser ends, and the next to start removes its
// files.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	needs(t)
	s := serve(t, pages{"/": "<p>x"})
	if os.Getenv("CHROME_TEST_CHILD") != "" {
		t.Skip("is the child")
	}
	temp := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), "CHROME_TEST_CHILD="+s.URL, "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	_, scanned := fmt.Fscanf(out, "browser %d\n", &pid)
	cmd.Process.Kill()
	cmd.Wait()
	if scanned != nil {
		t.Fatal(scanned)
	}
	until(t, 5*time.Second, "the browser is gone", func() bool { return len(group(pid)) == 0 })
	left, err := filepath.Glob(filepath.Join(temp, chrome.ProfilePrefix+"*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, %v: want what the dead one left", left, err)
	}
	chrome.Sweep(temp)
	if again, _ := filepath.Glob(filepath.Join(temp, chrome.ProfilePrefix+"*")); len(again) != 0 {
		t.Errorf("%v is still there", again)
	}
}

// TestChild is the program that TestParentKilled kills.
func TestChild(t *testing.T) {
	url := os.Getenv("CHROME_TEST_CHILD")
	if url == "" {
		t.Skip("is for TestParentKilled")
	}
	f := own(t, &chrome.Fetcher{})
	fetch(t, f, url)
	fmt.Printf("browser %d\n", chrome.Pid(f))
	select {}
}

// Cookies last from page to page, and over a retry.
func TestSession(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{"/": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		n := 0
		if c, err := r.Cookie("n"); err == nil {
			n, _ = strconv.Atoi(c.Value)
		}
		http.SetCookie(w, &http.Cookie{Name: "n", Value: strconv.Itoa(n + 1), HttpOnly: true})
		fmt.Fprintf(w, "<p>visit %d", n)
	}})
	f := own(t, &chrome.Fetcher{Tabs: 1})
	for n := range 3 {
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/", Attempt: n})
		if err != nil {
			t.Fatal(err)
		}
		wantBody(t, resp, fmt.Sprintf("<p>visit %d", n))
	}
}

// A browser that shows nothing in time any more is replaced.
func TestHangingBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{"/": "<p>x"})
	f := own(t, &chrome.Fetcher{Tabs: 1, Timeout: 2 * time.Second})
	shows := func() bool {
		_, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/"})
		if err != nil && !errors.Is(err, crawler.ErrTimeoutTotal) {
			t.Fatal(err)
		}
		return err == nil
	}
	until(t, time.Minute, "a page", shows)
	if err := syscall.Kill(-chrome.Pid(f), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, time.Minute, "a page after those that ran out of time", shows)
}
