package frontier

import (
	"math"
	"testing"
	"time"
)

func TestTimesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		in   time.Time
		want int64
	}{
		{time.Time{}, 0},
		{time.Unix(0, 0), 1},
		{time.Unix(-5, 0), 1},
		{time.Unix(1, 5), 1e9 + 5},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), math.MaxInt64},
		{time.Unix(math.MaxInt64/1_000_000_000, 999_999_999), math.MaxInt64},
	} {
		if got := nanos(x.in); got != x.want || nanos(fromNanos(got)) != got && got != math.MaxInt64 {
			t.Errorf("%v: %d, want %d; back %v", x.in, got, x.want, fromNanos(got))
		}
	}
}
