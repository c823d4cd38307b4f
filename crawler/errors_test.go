package crawler

import (
	"errors"
	"fmt"
	"testing"
)

func TestCause(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	inner := &FetchError{URL: "http://a.test/robots.txt", Kind: ErrConnect, Err: refused}
	bare := &FetchError{URL: "http://a.test/", Kind: ErrTooLarge}
	for name, c := range map[string]struct {
		err  *FetchError
		want error
	}{
		"itself":         {inner, refused},
		"wrapped":        {&FetchError{URL: "http://a.test/", Err: fmt.Errorf("robots: %w", inner)}, refused},
		"without one":    {bare, bare},
		"none within it": {&FetchError{Err: bare}, bare},
	} {
		if got := c.err.Cause(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
