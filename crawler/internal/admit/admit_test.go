package admit

import (
	"context"
	"errors"
	"testing"
)

func TestQuotaWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	q := NewQuota(1, 0)
	if !q.Reserve(t.Context()) {
		t.Fatal("the first page is not to be had")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	waited := make(chan bool)
	go func() { waited <- q.Reserve(ctx) }()
	cancel(errors.New("enough"))
	if <-waited {
		t.Error("a second page")
	}
	q.Use()
	if q.Reserve(t.Context()) {
		t.Error("a second page")
	}
}

func TestWeightsEndWithContext(t *testing.T) {
	t.Parallel()
	w := NewWeights()
	free, err := w.Take(t.Context(), 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error)
	for range 2 { // one waits for units, one for its turn
		go func() { _, err := w.Take(ctx, 2<<20); ended <- err }()
	}
	cancel(enough)
	for range 2 {
		if err := <-ended; err != enough {
			t.Errorf("%v", err)
		}
	}
	free()
	if _, err := w.Take(t.Context(), 100<<20); err != nil { // nothing was kept
		t.Fatal(err)
	}
}
