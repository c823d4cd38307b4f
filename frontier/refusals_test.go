package frontier

import (
	"errors"
	"fmt"
	"testing"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	a, b := &URLError{URL: "a", Msg: "x"}, &URLError{URL: "b", Msg: "x"}
	for name, tt := range map[string]struct {
		err     error
		refused int
		rest    error
	}{
		"none":               {nil, 0, nil},
		"one":                {a, 1, nil},
		"joined":             {errors.Join(a, b), 2, nil},
		"joined twice":       {errors.Join(errors.Join(a), errors.Join(b, a)), 3, nil},
		"wrapped":            {fmt.Errorf("rpc: %w", errors.Join(a, b)), 2, nil},
		"beside another":     {errors.Join(a, ErrClosed), 1, ErrClosed},
		"wrapped and beside": {fmt.Errorf("rpc: %w", errors.Join(a, ErrClosed)), 0, ErrClosed},
		"another":            {ErrDrained, 0, ErrDrained},
		"others":             {errors.Join(ErrDrained, ErrLeaseExpired), 0, ErrLeaseExpired},
	} {
		refused, rest := Refusals(tt.err)
		if len(refused) != tt.refused || !errors.Is(rest, tt.rest) || (rest == nil) != (tt.rest == nil) {
			t.Errorf("%s: %v and %v", name, refused, rest)
		}
	}
}
