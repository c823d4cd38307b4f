package middleware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

func get(t *testing.T, f crawler.Fetcher, url string) (*crawler.Response, error) {
	t.Helper()
	return f.Fetch(t.Context(), frontier.Request{URL: url})
}

func TestChain(t *testing.T) {
	t.Parallel()
	var order []string
	named := func(name string) crawler.Middleware {
		return func(next crawler.Fetcher) crawler.Fetcher {
			return crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
				order = append(order, name)
				return next.Fetch(ctx, req)
			})
		}
	}
	o := &origin{answers: []string{"200\n\n"}}
	if _, err := get(t, Chain(o, named("a"), named("b")), "http://a.test/"); err != nil || fmt.Sprint(order) != "[a b]" {
		t.Errorf("%v, %v", order, err)
	}
}

// TestForbiddenRobots: a forbidden robots.txt forbids nothing, unless that is wanted.
func TestForbiddenRobots(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"401": "[2 0]", "403": "[2 0]", "404": "[2 2]", "301\nLocation: /to": "[2 0]"} {
		web, err := crawlertest.Parse("-- http://a.test/to --\nHTTP 403\n\nno\n-- http://a.test/robots.txt --\nHTTP " + status + "\n\nno\n-- http://a.test/ --\n<a href=/b>b</a>\n-- http://a.test/b --\nHTTP 403\n\nnot you\n")
		if err != nil {
			t.Fatal(err)
		}
		var put []int
		for _, around := range [][]crawler.Middleware{nil, {ForbiddenRobots}} {
			front, pages := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}}), 0
			c := crawler.Crawler{
				UserAgent: "test/1.0 (+https://quarry.test/bot)", Frontier: front,
				Fetcher: Chain(&crawler.HTTP{UserAgent: "test/1.0 (+https://quarry.test/bot)", Transport: web}, around...),
				OnEvent: func(e crawler.Event) {
					if e.Kind == crawler.Fetched || e.Kind == crawler.Failed {
						pages++
					}
				},
			}
			if err := c.Run(t.Context(), "http://a.test/"); err != nil && !errors.Is(err, crawler.ErrNothingFetched) {
				t.Fatal(err)
			}
			front.Close()
			put = append(put, pages)
		}
		if fmt.Sprint(put) != want {
			t.Errorf("%s: %v pages, want %s", status, put, want)
		}
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		retry   Retry
		answers string
		want    string // result, requests, time
	}{
		"all is well":         {Retry{}, "200", "200 1 0s"},
		"once":                {Retry{}, "!connect 200", "200 2 1s"},
		"twice":               {Retry{}, "!connect !broken 200", "200 3 3s"},
		"too often":           {Retry{}, "!connect", "connect 3 3s"},
		"not at all":          {Retry{Times: -1}, "!connect 200", "connect 1 0s"},
		"no status":           {Retry{}, "503 200", "503 1 0s"},
		"not what is slow":    {Retry{}, "!slow 200", "slow 1 0s"},
		"what it is told to":  {Retry{Kinds: []crawler.Kind{crawler.ErrSlow}}, "!slow !connect 200", "connect 2 1s"},
		"as long as it's set": {Retry{Times: 1, Wait: time.Minute}, "!connect !connect 200", "connect 2 1m0s"},
		"without a wait":      {Retry{Wait: -1}, "!connect !connect 200", "200 3 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := &origin{answers: strings.Fields(c.answers)}
				start := time.Now()
				resp, err := c.retry.Wrap(o).Fetch(t.Context(), frontier.Request{URL: "http://a.test/", Attempt: 1})
				got := ""
				if fe, ok := errors.AsType[*crawler.FetchError](err); ok {
					got = fe.Kind.String()
				} else if got = fmt.Sprint(resp.Status); resp.Request.Attempt != 1 {
					t.Errorf("the response says attempt %d", resp.Request.Attempt)
				}
				if got = fmt.Sprint(got, " ", len(o.asked), " ", time.Since(start)); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	o := &origin{answers: []string{"!connect"}}
	if _, err := (Retry{}).Wrap(o).Fetch(ctx, frontier.Request{}); err == nil || err.Error() != "enough" || len(o.asked) != 1 {
		t.Errorf("%v after %d", err, len(o.asked))
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rate     *Rate
		least    time.Duration
		most     time.Duration
		requests int
	}{
		"no limit":     {&Rate{}, time.Second, time.Second, 100},
		"10 requests":  {&Rate{Requests: 10}, 10 * time.Second, 12 * time.Second, 100},
		"bytes":        {&Rate{Bytes: 100}, 8 * time.Second, 14 * time.Second, 100}, // of 10 bytes each
		"3 at once":    {&Rate{AtOnce: 3}, 7 * time.Second, 7 * time.Second, 20},
		"what is less": {&Rate{Bytes: 100, Requests: 5}, 19 * time.Second, 25 * time.Second, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := &origin{answers: []string{"200\n\n"}}
				var mu sync.Mutex
				f := c.rate.Wrap(crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
					time.Sleep(time.Second)
					mu.Lock()
					defer mu.Unlock()
					return o.Fetch(ctx, req)
				}))
				var all sync.WaitGroup
				start := time.Now()
				for range c.requests {
					all.Go(func() { get(t, f, "http://a.test/") })
				}
				all.Wait()
				if took := time.Since(start); took < c.least || took > c.most {
					t.Errorf("%d requests took %v", c.requests, took)
				}
			})
		})
	}
	one := &Rate{AtOnce: 1}
	get(t, one.Wrap(one.Wrap(&origin{answers: []string{"200\n\n"}})), "http://a.test/") // within itself
	r := &Rate{Requests: 0.001}
	f := r.Wrap(&origin{answers: []string{"200\n\n"}})
	get(t, f, "http://a.test/")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := f.Fetch(ctx, frontier.Request{}); err == nil || err.Error() != "enough" {
		t.Errorf("%v", err)
	}
}

// TestPlaceGivenUp: who waits for a place does so until there is one, or no longer than it may.
func TestPlaceGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fetched := 0
		f := (&Rate{AtOnce: 1}).Wrap(crawler.FetcherFunc(func(context.Context, frontier.Request) (*crawler.Response, error) {
			fetched++
			time.Sleep(time.Minute)
			return &crawler.Response{Status: 200}, nil
		}))
		go get(t, f, "http://a.test/")
		synctest.Wait()
		start, enough := time.Now(), errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(enough) })
		if _, err := f.Fetch(ctx, frontier.Request{}); err != enough || fetched != 1 || time.Since(start) != time.Second {
			t.Errorf("%v after %v and %d requests", err, time.Since(start), fetched)
		}
		if _, err := get(t, f, "http://a.test/"); err != nil || fetched != 2 || time.Since(start) != 2*time.Minute {
			t.Errorf("%v after %v and %d requests", err, time.Since(start), fetched)
		}
	})
}

// TestAuth: one value for many, another one after a 401, and none for others.
func TestAuth(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	valid, tokens := "Bearer t1", 0
	server := crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		got := crawler.Asked(ctx).Header.Get("Authorization")
		if !strings.HasPrefix(req.URL, "https://a.test/p") {
			if got != "" {
				t.Errorf("%s gets %s", req.URL, got)
			}
			return &crawler.Response{Status: 200}, nil
		}
		if got != valid {
			return &crawler.Response{Status: 401}, nil
		}
		return &crawler.Response{Status: 200}, nil
	})
	fail := error(nil)
	f := (&Auth{Origin: "https://A.test", Value: Bearer(func(context.Context) (string, error) {
		tokens++
		return fmt.Sprint("t", tokens), fail
	})}).Wrap(server)
	many := func(want int) {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if resp, err := get(t, f, "https://a.test/p"); err != nil || resp.Status != want {
					t.Errorf("%+v, %v", resp, err)
				}
			})
		}
		all.Wait()
	}
	many(200)
	if tokens != 1 {
		t.Errorf("%d tokens", tokens)
	}
	valid = "Bearer t2"
	many(200)
	if tokens != 2 {
		t.Errorf("%d tokens", tokens)
	}
	for _, u := range []string{"https://b.test/", "http://a.test/", "https://a.test:8443/", "https://a.test/robots.txt"} {
		if _, err := get(t, f, u); err != nil {
			t.Error(err)
		}
	}
	valid, fail = "", errors.New("no token today")
	if _, err := get(t, f, "https://a.test/p"); !errors.Is(err, fail) {
		t.Errorf("%v", err)
	}
	if v, _ := Basic("user", "pass")(t.Context()); v != "Basic dXNlcjpwYXNz" {
		t.Error(v)
	}
}

// TestHead: what is not wanted is not fetched, what is wanted is after a while,
// and only where there is doubt is it asked.
func TestHead(t *testing.T) {
	t.Parallel()
	for url, c := range map[string]struct {
		head Head
		kind string // Content-Type and status of the answer to HEAD
		want string
	}{
		"http://a.test/x.zip":  {Head{}, "application/zip 200", "HEAD 0s"},
		"http://a.test/x.bin":  {Head{}, "text/html 200", "HEAD GET 1s"},
		"http://a.test/x.dat":  {Head{}, " 200", "HEAD GET 1s"},
		"http://a.test/x.gone": {Head{}, "text/html 404", "HEAD GET 1s"},
		"http://a.test/x.no":   {Head{}, "text/html 405", "HEAD GET 1s"},
		"http://a.test/x.busy": {Head{}, "text/html 503", "HEAD 0s"},
		"http://a.test/x.to":   {Head{}, "text/html 302", "HEAD 0s"},
		"http://a.test/x.html": {Head{}, "application/zip 200", "GET 0s"},
		"http://a.test/x":      {Head{}, "application/zip 200", "GET 0s"},
		"http://a.test/v1.2":   {Head{}, "application/zip 200", "GET 0s"},
		"http://a.test/?x.zip": {Head{}, "application/zip 200", "GET 0s"},
		"http://a.test/any":    {Head{Only: func(frontier.Request) bool { return true }, Wanted: func(t string) bool { return t == "application/zip" }, Gap: -1}, "application/zip; x=y 200", "HEAD GET 0s"},
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked []string
				f := c.head.Wrap(crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
					method := crawler.Asked(ctx).Method
					if method == "" {
						method = "GET"
					}
					asked = append(asked, method)
					resp := &crawler.Response{Header: http.Header{}}
					i := strings.LastIndexByte(c.kind, ' ')
					resp.Header.Set("Content-Type", c.kind[:i])
					fmt.Sscan(c.kind[i:], &resp.Status)
					return resp, nil
				}))
				start := time.Now()
				if _, err := get(t, f, url); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(strings.Join(asked, " "), " ", time.Since(start)); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	f := Shape(func(req frontier.Request) crawler.Ask {
		if req.Label == "api" {
			return crawler.Ask{Method: "POST", Header: http.Header{"Accept": {"application/json"}}, Body: []byte("{}")}
		}
		return crawler.Ask{}
	})(crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		a := crawler.Asked(ctx)
		return &crawler.Response{Body: []byte(a.Method + " " + a.Header.Get("Accept") + " " + string(a.Body))}, nil
	}))
	for label, want := range map[string]string{"api": "POST application/json {}", "": "  "} {
		resp, err := f.Fetch(t.Context(), frontier.Request{Label: label})
		if err != nil || string(resp.Body) != want {
			t.Errorf("%q: %s, %v", label, resp.Body, err)
		}
	}
}

func TestMetricsAndLog(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	var log bytes.Buffer
	o := &origin{answers: []string{"200\n\nhello", "404\n\n", "!timeout header", "299\n\n", "777\n\n"}}
	f := Chain(o, Log{Logger: slog.New(slog.NewTextHandler(&log, nil))}.Wrap, Metrics{Set: set}.Wrap)
	for range 5 {
		get(t, f, "http://a.test/")
	}
	var text bytes.Buffer
	set.WritePrometheus(&text)
	for _, want := range []string{
		`quarry_fetches_total{result="200"} 1`, `quarry_fetches_total{result="404"} 1`, `quarry_fetches_total{result="timeout header"} 1`,
		`quarry_fetches_total{result="299"} 1`, `quarry_fetches_total{result="other status"} 1`, "quarry_fetch_bytes_total 40",
		"quarry_fetch_body_bytes_total 5", "quarry_fetch_seconds_count 4", "quarry_fetches_running 0",
	} {
		if !strings.Contains(text.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, &text)
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines != 5 || !strings.Contains(log.String(), "status=404 bytes=10") || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("log\n%s", &log)
	}
}
