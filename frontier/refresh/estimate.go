package refresh

import (
	"math"
	"time"
)

// ByContent estimates a rate of change, in changes a second, of a page of which
// only is known whether it had changed between one visit and the next. visits
// counts the intervals between visits, N, changes those that held a change, X,
// and span is the time they cover, S:
//
//	-N·log(1 - X/N) / S
//
// That is the likeliest rate if all intervals are equally long (J. Cho and
// H. Garcia-Molina, Estimating Frequency of Change, ACM TOIT 3(3), 2003). For
// X = N, where it is infinite, [Corrected] is taken. Without visits or time it
// is 0.
func ByContent(visits, changes int, span time.Duration) float64 {
	n, x := counted(visits, changes)
	if x == n {
		return Corrected(visits, changes, span)
	}
	return over(-n*math.Log1p(-x/n), seconds(span))
}

// Corrected estimates as [ByContent] does, with the estimator of the same paper
// that has less bias and is finite for X = N:
//
//	-N·log((N - X + 0.5)/(N + 0.5)) / S
func Corrected(visits, changes int, span time.Duration) float64 {
	n, x := counted(visits, changes)
	return over(n*missed(n, x), seconds(span))
}

// missed is how many changes an interval held on average, by the corrected
// form: between 0 and log(2N + 1).
func missed(n, x float64) float64 {
	return -math.Log((n - x + 0.5) / (n + 0.5))
}

// ByLastModified estimates a rate of change, in changes a second, of a page
// that tells when it last changed. visits and changes are as for [ByContent].
// quiet is for how long the page is known to have stayed as it was: the whole
// interval if it held no change, the time from the last change to the visit if
// it did. It is the S·T that some authors write, T being a share of time S.
//
//	((X-1) - X/(N·log(1 - X/N))) / quiet
//
// is X changes in that time less a bias, see section 5 of the paper named at
// [ByContent]. Where the logarithm has no finite value other than 0, the
// corrected form takes its place.
func ByLastModified(visits, changes int, quiet time.Duration) float64 {
	n, x := counted(visits, changes)
	if x == 0 {
		return 0
	}
	m := missed(n, x)
	if x < n {
		m = -math.Log1p(-x / n)
	}
	return over(x-1+x/(n*m), seconds(quiet))
}

// counted makes sense of counts: no fewer visits than changes, neither of them
// negative.
func counted(visits, changes int) (n, x float64) {
	n = float64(max(visits, 0))
	return n, min(float64(max(changes, 0)), n)
}

func over(changes, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return changes / seconds
}
