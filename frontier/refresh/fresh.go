package refresh

import (
	"math"
	"time"
)

// Fresh is the probability that a copy is still true some time after the visit
// it was made by, e^(-rate·since), of a page that changes rate times a second.
func Fresh(rate float64, since time.Duration) float64 {
	return math.Exp(-sound(rate) * seconds(since))
}

// MeanFresh is the share of time for which the copy of a page is true that
// changes rate times a second and is visited at regular intervals:
// (1 - e^(-x))/x with x = rate·every. It is 1 for a page that never changes.
func MeanFresh(rate float64, every time.Duration) float64 {
	x := sound(rate) * seconds(every)
	if x < 1e-12 {
		return 1
	}
	return -math.Expm1(-x) / x
}

// Age is the expected time for which a copy has been out of date, since after
// it was made; 0 counts for a copy that is still true.
func Age(rate float64, since time.Duration) time.Duration {
	t := seconds(since)
	return duration(t * lag(sound(rate)*t))
}

// lag is (x - 1 + e^-x)/x, the age as a share of the time since the visit.
func lag(x float64) float64 {
	if x < 1e-5 {
		return x / 2
	}
	return (x + math.Expm1(-x)) / x
}

// MeanAge is the mean of [Age] over time for a page that is visited at regular
// intervals. For a page that changes all the time it is half an interval.
func MeanAge(rate float64, every time.Duration) time.Duration {
	t := seconds(every)
	x := sound(rate) * t
	if x < 1e-3 {
		return duration(t * x / 6 * (1 - x/4))
	}
	return duration(t * (0.5 - lag(x)/x))
}

// sound makes 0 of a rate that cannot be, or is nothing, and bounds the others,
// so that squares and products of them are numbers.
func sound(rate float64) float64 {
	if !(rate > 1e-100) {
		return 0
	}
	return min(rate, 1e100)
}

// seconds makes 0 of negative durations.
func seconds(d time.Duration) float64 { return max(d.Seconds(), 0) }

// duration turns seconds into a duration, at most the longest there is.
func duration(s float64) time.Duration {
	if s >= math.MaxInt64/1e9 {
		return math.MaxInt64
	}
	return time.Duration(s * 1e9)
}
