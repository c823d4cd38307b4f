package crawler

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestRetryTable walks through the table in Retry's comment.
func TestRetryTable(t *testing.T) {
	t.Parallel()
	fails := func(k Kind) error { return &FetchError{Kind: k} }
	for _, c := range []struct {
		status int
		err    error
		visits int
		first  time.Duration
	}{
		{200, nil, 1, 0}, {301, nil, 1, 0}, {304, nil, 1, 0}, {404, nil, 1, 0}, {410, nil, 1, 0}, {501, nil, 1, 0},
		{408, nil, 3, 10 * time.Second}, {425, nil, 3, 10 * time.Second}, {500, nil, 3, 10 * time.Second}, {502, nil, 3, 10 * time.Second},
		{504, nil, 3, 10 * time.Second}, {522, nil, 3, 10 * time.Second}, {429, nil, 4, 0}, {503, nil, 4, 0},
		{0, fails(ErrDNS), 3, 10 * time.Second}, {0, fails(ErrConnect), 3, 10 * time.Second}, {0, fails(ErrTimeoutConnect), 3, 10 * time.Second},
		{0, fails(ErrTimeoutHeader), 3, 10 * time.Second}, {0, fails(ErrTimeoutTotal), 3, 10 * time.Second}, {0, fails(ErrSlow), 3, 10 * time.Second},
		{0, fails(ErrBroken), 3, 10 * time.Second}, {0, fails(ErrOther), 3, 10 * time.Second}, {0, errors.New("?"), 3, 10 * time.Second},
		{0, fails(ErrTLS), 2, 10 * time.Second}, {0, fails(ErrProtocol), 2, 10 * time.Second}, {0, fails(ErrDecode), 2, 10 * time.Second},
		{0, fails(ErrBomb), 1, 0}, {0, fails(ErrTooLarge), 1, 0}, {0, fails(ErrBlockedAddr), 1, 0}, {0, fails(ErrRedirect), 1, 0},
		{0, fails(ErrRedirectLoop), 1, 0}, {0, fails(ErrRedirectTooMany), 1, 0}, {0, fails(ErrParse), 1, 0}, {0, fails(ErrPanic), 1, 0},
		{0, fails(ErrRobotsUnreachable), 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var resp *Response
			if c.err == nil {
				resp = &Response{Status: c.status, Header: http.Header{}}
			}
			want := c.first
			for n := range c.visits {
				out := Retry(frontier.Request{Attempt: n}, resp, c.err)
				wait := time.Until(out.Again)
				switch {
				case n == c.visits-1 && !out.Again.IsZero():
					t.Errorf("%d %v: a visit too many", c.status, c.err)
				case n < c.visits-1 && (wait < want || wait > want+want/5):
					t.Errorf("%d %v: attempt %d waits %v, want %v", c.status, c.err, n, wait, want)
				}
				if out.Delay != 0 {
					t.Errorf("%d %v: the host rests %v", c.status, c.err, out.Delay)
				}
				want *= 2
			}
		})
	}
}

func TestRetryAfterHeader(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"120": 2 * time.Minute, " 0 ": 0, "99999999": longestRetry, "99999999999999999999": longestRetry,
		"Fri, 01 May 2026 12:01:00 GMT": time.Minute, "Fri, 01 May 2020 12:01:00 GMT": 0, "Friday, 01-May-26 12:01:00 GMT": time.Minute,
		"Mon, 01 May 2124 12:00:00 GMT": longestRetry, "1 May 2026 12:01:00 GMT": time.Minute, "2026-05-01T12:01:00Z": time.Minute,
		"1.5": 2 * time.Second, "120, 240": 2 * time.Minute, "120 seconds": 2 * time.Minute, "90s": 90 * time.Second, "120;": 2 * time.Minute,
	} {
		if got, ok := retryAfter(http.Header{"Retry-After": {v}}, now); got != want || !ok {
			t.Errorf("%q: %v, %v; want %v", v, got, ok, want)
		}
	}
	for _, v := range []string{"", "soon", "-5", "in 5 minutes", "5 minutes", "1h", "31 Foo 2026", "2026-13-45"} {
		if got, ok := retryAfter(http.Header{"Retry-After": {v}}, now); ok {
			t.Errorf("%q: %v", v, got)
		}
	}
}

// TestRetryAfterDate: a date counts from when the server says that it is, however wrong its
// clock or ours.
func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	const at = "Fri, 01 May 2026 12:01:00 GMT"
	for _, tt := range []struct {
		date string // header
		now  string // by our clock
		want time.Duration
	}{
		{"Fri, 01 May 2026 12:00:00 GMT", "2026-05-01T12:00:00Z", time.Minute},
		{"Fri, 01 May 2026 12:00:00 GMT", "2026-05-01T11:00:00Z", time.Minute}, // ours is slow
		{"Fri, 01 May 2026 12:00:00 GMT", "2026-05-02T12:00:00Z", time.Minute}, // ours is a day fast
		{"Fri, 01 May 2026 12:00:00 GMT", "1970-01-01T00:00:00Z", time.Minute}, // ours was never set
		{"Friday, 01-May-26 12:00:30 GMT", "2031-05-01T12:00:00Z", 30 * time.Second},
		{"Fri May  1 12:00:30 2026", "2031-05-01T12:00:00Z", 30 * time.Second},
		{"Fri, 01 May 2026 12:02:00 GMT", "2026-05-01T11:00:00Z", 0}, // it is over
		{"Sat, 01 May 2021 12:00:00 GMT", "2026-05-01T12:00:00Z", longestRetry},
		{"", "2026-05-01T12:00:30Z", 30 * time.Second},
		{"yesterday", "2026-05-01T12:00:30Z", 30 * time.Second},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := retryAfter(http.Header{"Retry-After": {at}, "Date": {tt.date}}, now)
		if got != tt.want || !ok {
			t.Errorf("Date %q, our clock %s: %v, %v; want %v", tt.date, tt.now, got, ok, tt.want)
		}
		if got, ok := retryAfter(http.Header{"Retry-After": {"90"}, "Date": {tt.date}}, now); got != 90*time.Second || !ok {
			t.Errorf("Date %q: 90 seconds became %v, %v", tt.date, got, ok)
		}
	}
}

func TestBackOffStaysWithinADay(t *testing.T) {
	t.Parallel()
	for n := range 100 {
		if d := backOff(time.Minute, n); d < time.Minute || d > longestRetry+longestRetry/5 {
			t.Errorf("attempt %d: %v", n, d)
		}
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  FetchError
		want bool
	}{
		{FetchError{Kind: ErrSlow}, true}, {FetchError{Kind: ErrBomb}, false}, {FetchError{Kind: ErrStatus, Status: 503}, true},
		{FetchError{Kind: ErrStatus, Status: 404}, false}, {FetchError{Kind: ErrTLS}, true},
	} {
		if got := c.err.Retryable(); got != c.want {
			t.Errorf("%v: %v", &c.err, got)
		}
	}
}

// FuzzWaits: whatever a header says, waits stay within their bounds.
func FuzzWaits(f *testing.F) {
	for _, s := range []string{"120", "-1", "Fri, 01 May 2026 12:01:00 GMT", "max-age=60, public", `MAX-AGE="99999999999"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, _ := retryAfter(http.Header{"Retry-After": {s}}, time.Now()); d < 0 || d > longestRetry {
			t.Errorf("Retry-After %q: %v", s, d)
		}
		if d := maxAge(s); d < 0 {
			t.Errorf("Cache-Control %q: %v", s, d)
		}
	})
}
