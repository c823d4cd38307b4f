package job_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/job"
)

const spec = `
name: kettles
seeds: http://shop.test/
user-agent: acme/1.0 (+https://acme.example/bot)
pace: {delay: 0s}
extract:
  - urls: [/p/*]
    fields: {name: h1, price: {css: .price, type: price}}
recrawl: {gone: 10ms}
output: {pages: pages.jsonl, records: records.jsonl, warc: archive}
`

// shop is a site with a page for each product.
func shop(prices map[string]string) string {
	var list, pages strings.Builder
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range prices {
			if !yield(name) {
				return
			}
		}
	}) {
		fmt.Fprintf(&list, "<a href=/p/%s>%s</a>\n", name, name)
		fmt.Fprintf(&pages, "-- http://shop.test/p/%s --\n<title>%s</title><h1>%s</h1><p class=price>%s</p><p>A kettle called %s.</p>\n\n", name, name, name, prices[name], name)
	}
	return "-- http://shop.test/ --\n<title>Shop</title><p>All our kettles</p>" + list.String() + "\n\n" + pages.String()
}

func web(t testing.TB, text string) *crawlertest.Web {
	t.Helper()
	w, err := crawlertest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func create(t testing.TB, spec string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "job")
	if err := job.Create(dir, []byte(spec)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string, opt job.Options) *job.Job {
	t.Helper()
	j, err := job.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// table is the records of a job: the price of each name.
func table(t testing.TB, j *job.Job) map[string]string {
	t.Helper()
	out := map[string]string{}
	for row, err := range j.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range row.Records {
			m := r.(map[string]any)
			out[m["name"].(string)] = fmt.Sprint(m["price"].(map[string]any)["amount"])
		}
	}
	return out
}

// TestRunAndRecrawl: a run takes records out of pages; a recrawl tells what is new, has
// changed and is gone, and the table is what the site says.
func TestRunAndRecrawl(t *testing.T) {
	t.Parallel()
	prices := map[string]string{"alpha": "€10", "beta": "€20", "gamma": "€30"}
	site := web(t, shop(prices))
	j := open(t, create(t, spec), job.Options{Transport: site})
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := j.Status().Run
	if run.State != job.Done || run.Pages != (job.Counts{New: 4, Records: 3}) || run.Bytes == 0 {
		t.Errorf("%+v", run)
	}
	if got := table(t, j); len(got) != 3 || got["beta"] != "20" {
		t.Errorf("%v", got)
	}
	if err := j.Run(t.Context()); err != nil { // nothing is due
		t.Fatal(err)
	}
	if run := j.Status().Run; run.Number != 2 || run.Pages != (job.Counts{}) {
		t.Errorf("%+v", run)
	}
	site.Add("http://shop.test/p/beta", "<title>beta</title><h1>beta</h1><p class=price>€25</p>")
	site.Add("http://shop.test/p/gamma", "HTTP 404\n\nno more")
	site.Add("http://shop.test/p/delta", "<title>delta</title><h1>delta</h1><p class=price>€40</p>")
	site.Add("http://shop.test/", "<title>Shop</title><a href=/p/alpha>a</a><a href=/p/beta>b</a><a href=/p/delta>d</a>")
	if err := j.Recrawl(t.Context()); err != nil {
		t.Fatal(err)
	}
	run = j.Status().Run
	if run.State != job.Done || !run.Recrawl || run.Pages != (job.Counts{New: 1, Changed: 2, Same: 1, Gone: 1, Records: 3}) {
		t.Errorf("%+v", run)
	}
	if got := table(t, j); len(got) != 3 || got["alpha"] != "10" || got["beta"] != "25" || got["delta"] != "40" {
		t.Errorf("%v", got)
	}
	pages, err := os.ReadFile(filepath.Join(j.Dir(), "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for line := range strings.Lines(string(pages)) {
		var l struct{ URL, Kind string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		kinds[l.Kind]++
	}
	if kinds["new"] != 5 || kinds["changed"] != 2 || kinds["gone"] != 1 || len(kinds) != 3 {
		t.Errorf("%v", kinds)
	}
	if runs := j.Runs(); len(runs) != 3 || runs[2].Number != 3 {
		t.Errorf("%+v", runs)
	}
	if other, err := job.Runs(j.Dir()); err != nil || len(other) != 3 {
		t.Errorf("%v, %v", other, err)
	}
}

// TestBecomesCopy: where copies are dropped, a page that becomes one leaves the table.
func TestBecomesCopy(t *testing.T) {
	t.Parallel()
	site := web(t, shop(map[string]string{"alpha": "€10", "beta": "€20"}))
	j := open(t, create(t, spec+"dedup: drop\n"), job.Options{Transport: site})
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := table(t, j); len(got) != 2 {
		t.Errorf("%v", got)
	}
	site.Add("http://shop.test/p/beta", "<title>alpha</title><h1>alpha</h1><p class=price>€10</p><p>A kettle called alpha.</p>")
	if err := j.Recrawl(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := table(t, j); len(got) != 1 || got["alpha"] != "10" {
		t.Errorf("%v", got)
	}
	if run := j.Status().Run; run.Pages.Moved != 1 {
		t.Errorf("%+v", run)
	}
}

// TestStopAndGoOn: a run that is stopped again and again visits each page once.
func TestStopAndGoOn(t *testing.T) {
	t.Parallel()
	prices := map[string]string{}
	for i := range 40 {
		prices[fmt.Sprintf("k%02d", i)] = "€" + fmt.Sprint(i+1)
	}
	site := web(t, shop(prices))
	dir := create(t, spec)
	var j *job.Job
	stops := 0
	for range 30 {
		var once sync.Once
		seen := 0
		j = nil
		opt := job.Options{Transport: site}
		opt.OnEvent = func(e crawler.Event) {
			if e.Kind != crawler.Fetched {
				return
			}
			if seen++; seen == 4 {
				once.Do(func() { go j.Stop(context.Background()) })
			}
		}
		var err error
		if j, err = job.Open(dir, opt); err != nil {
			t.Fatal(err)
		}
		err = j.Run(t.Context())
		if err == nil {
			break
		}
		if !errors.Is(err, job.ErrStopped) || j.Status().Run.State != job.Stopped {
			t.Fatalf("%v, %+v", err, j.Status().Run)
		}
		stops++
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if stops == 0 {
		t.Error("it was never stopped")
	}
	if got := table(t, j); len(got) != 40 {
		t.Errorf("%d records", len(got))
	}
	total := job.Counts{}
	for _, r := range j.Runs() {
		total.New += r.Pages.New
	}
	if total.New < 41 {
		t.Errorf("%d pages", total.New)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Run(t.Context()); !errors.Is(err, job.ErrClosed) {
		t.Error(err)
	}
}

// TestFolder: what a folder is taken for, and who has it open.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := create(t, spec)
	if err := job.Create(dir, []byte(spec)); !errors.Is(err, job.ErrExists) {
		t.Error(err)
	}
	if _, err := job.Open(filepath.Join(dir, "none"), job.Options{}); !errors.Is(err, job.ErrMissing) {
		t.Error(err)
	}
	if err := job.Create(filepath.Join(dir, "bad"), []byte("seeds: [")); err == nil {
		t.Error("a spec that is none")
	}
	j := open(t, dir, job.Options{Transport: web(t, shop(nil))})
	if _, err := job.Open(dir, job.Options{}); !errors.Is(err, job.ErrLocked) {
		t.Error(err)
	}
	if err := j.SetSpec([]byte("seeds: [")); err == nil {
		t.Error("a spec that is none")
	}
	if err := j.SetSpec([]byte(strings.Replace(spec, "name: kettles", "name: pots", 1))); err != nil {
		t.Error(err)
	}
	if s, text := j.Spec(); s.Name != "pots" || !strings.Contains(string(text), "pots") {
		t.Errorf("%+v", s)
	}
	if j.Pause() || j.Resume() || j.Monitor() != nil || j.Stop(t.Context()) != nil {
		t.Error("nothing is running")
	}
}

// TestOtherOutput: an output of the program gets its settings and all results, and one
// that the program does not have is an error before anything is visited.
func TestOtherOutput(t *testing.T) {
	t.Parallel()
	with := spec[:strings.Index(spec, "output:")] + "output: {others: {list: {prefix: '> '}}}\n"
	site := web(t, shop(map[string]string{"alpha": "€1"}))
	var mu sync.Mutex
	var got []string
	out := func(_ context.Context, dir string, resumed bool, s job.Settings) (crawler.Sink, error) {
		var own struct {
			Prefix string `yaml:"prefix"`
		}
		if err := s.Decode(&own); err != nil {
			return nil, err
		}
		return crawler.SinkFunc(func(_ context.Context, r *crawler.Result) error {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, own.Prefix+r.URL)
			return nil
		}), nil
	}
	j := open(t, create(t, with), job.Options{Transport: site, Outputs: map[string]job.Output{"list": out}})
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"> http://shop.test/", "> http://shop.test/p/alpha"}) {
		t.Error(got)
	}
	none := open(t, create(t, with), job.Options{Transport: site})
	asked := len(site.Requests())
	if err := none.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `no output "list"`) || len(site.Requests()) != asked {
		t.Error(err)
	}
	if r := none.Status().Run; r.State != job.Failed || r.Error == "" {
		t.Errorf("%+v", r)
	}
}

// TestPause: no visit begins while a run is held up.
func TestPause(t *testing.T) {
	t.Parallel()
	prices := map[string]string{}
	for i := range 30 {
		prices[fmt.Sprintf("k%02d", i)] = "€1"
	}
	site := web(t, shop(prices))
	var j *job.Job
	paused := make(chan bool, 1)
	var once sync.Once
	j = open(t, create(t, strings.Replace(spec, "delay: 0s", "delay: 0s, workers: 1", 1)), job.Options{Transport: site, OnEvent: func(e crawler.Event) {
		if e.Kind == crawler.Fetched {
			once.Do(func() { paused <- j.Pause() })
		}
	}})
	done := make(chan error, 1)
	go func() { done <- j.Run(t.Context()) }()
	if !<-paused {
		t.Fatal("there was nothing to hold up")
	}
	for !j.Status().Paused {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // what had begun ends
	before := len(site.Requests())
	time.Sleep(100 * time.Millisecond)
	if now := len(site.Requests()); now != before {
		t.Errorf("%d requests while it was held up", now-before)
	}
	if s := j.Status(); s.Live == nil || s.Live.Queue.Queued == 0 || s.Run.State != job.Running {
		t.Errorf("%+v", s)
	}
	if err := j.SetSpec([]byte(spec)); !errors.Is(err, job.ErrRunning) {
		t.Error(err)
	}
	if !j.Resume() {
		t.Error("nothing to go on with")
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := table(t, j); len(got) != 30 {
		t.Errorf("%d records", len(got))
	}
}

// TestServe: pages come again by themselves, and Stop ends the wait for a schedule too.
func TestServe(t *testing.T) {
	t.Parallel()
	site := web(t, shop(map[string]string{"alpha": "€1"}))
	var j *job.Job
	seen := 0
	often := strings.Replace(spec, "recrawl: {gone: 10ms}", "recrawl: {every: 20ms}", 1)
	j = open(t, create(t, often), job.Options{Transport: site, OnEvent: func(crawler.Event) {
		if seen++; seen == 12 {
			go j.Stop(context.Background())
		}
	}})
	if err := j.Serve(t.Context(), false); !errors.Is(err, job.ErrStopped) {
		t.Error(err)
	}
	if r := j.Status().Run; r.Number != 1 || r.State != job.Stopped || r.Pages.Same < 5 {
		t.Errorf("%+v", r)
	}
	yearly := strings.Replace(spec, "recrawl: {gone: 10ms}", "recrawl: {schedule: 0 0 1 1 *}", 1)
	j = open(t, create(t, yearly), job.Options{Transport: site})
	done := make(chan error, 1)
	go func() { done <- j.Serve(t.Context(), false) }()
	for len(done) == 0 {
		if err := j.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if err := <-done; !errors.Is(err, job.ErrStopped) {
		t.Error(err)
	}
	if s := j.Status(); s.Next.IsZero() || s.Next.Before(time.Now()) {
		t.Errorf("%+v", s)
	}
}

// TestMissingVariable: a variable that is not set is told before anything is asked for.
func TestMissingVariable(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{
		"header":     "fetch: {headers: {X: {env: QUARRY_NONE}}}",
		"credential": "fetch: {credentials: {'http://shop.test': {Authorization: {env: QUARRY_NONE}}}}",
		"login":      "logins: [{url: 'http://shop.test/login', fields: {user: {env: QUARRY_NONE}}}]",
		"chain":      "chains: [{urls: /a, steps: [{for-each: {css: a, do: [{fill: {css: input, value: {env: QUARRY_NONE}}}]}}]}]",
	} {
		site := web(t, shop(nil))
		j := open(t, create(t, spec+more+"\n"), job.Options{Transport: site})
		if err := j.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "QUARRY_NONE") || len(site.Requests()) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDryRun: the first pages are read, and nothing is written.
func TestDryRun(t *testing.T) {
	t.Parallel()
	site := web(t, shop(map[string]string{"alpha": "€1", "beta": "€2", "gamma": "€3"}))
	s, err := job.Parse([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	pages, _, err := job.DryRun(t.Context(), s, job.Options{Transport: site}, 2)
	records := 0
	for _, p := range pages {
		records += len(p.Records)
	}
	if err != nil || len(pages) != 2 || records != 1 { // the list, and one of those that it leads to
		t.Errorf("%d pages with %d records, %v", len(pages), records, err)
	}
}

// TestRestarts: a recrawl whose preparation was broken off anywhere is prepared again, and
// no page is forgotten.
func TestRestarts(t *testing.T) {
	t.Parallel()
	site := web(t, shop(map[string]string{"alpha": "€1", "beta": "€2"}))
	dir := create(t, spec)
	first := open(t, dir, job.Options{Transport: site})
	if err := errors.Join(first.Run(t.Context()), first.Close()); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, breakOff := range map[string]func() error{
		"while it is copied": func() error { return os.MkdirAll(at("frontier.next"), 0o755) },
		"between the renames": func() error {
			return errors.Join(os.CopyFS(at("frontier.next"), os.DirFS(at("frontier"))), os.Rename(at("frontier"), at("frontier.old")))
		},
		"before the old goes": func() error { return os.CopyFS(at("frontier.old"), os.DirFS(at("frontier"))) },
		"while the old goes":  func() error { return os.MkdirAll(at("frontier.old"), 0o755) },
		"a run was cut off": func() error {
			return os.WriteFile(at("runs.json"), []byte(`[{"number": 7, "state": "running"}]`), 0o644)
		},
	} {
		if err := breakOff(); err != nil {
			t.Fatal(name, err)
		}
		j := open(t, dir, job.Options{Transport: site})
		if err := j.Recrawl(t.Context()); err != nil {
			t.Fatal(name, err)
		}
		if got := j.Status().Run.Pages; got.Same != 3 || got.New != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if name == "a run was cut off" && j.Runs()[0].State != job.Interrupted {
			t.Errorf("%+v", j.Runs())
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if left, err := filepath.Glob(at("frontier.*")); err != nil || len(left) > 0 {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}
