package fetch

import (
	"context"
	"io"
	"net/textproto"
	"strings"
	"sync/atomic"
	"time"
)

// phase is how far an exchange has come.
type phase int32

const (
	inConnect phase = iota
	inHandshake
	inHeader
	inBody
)

// watch ends an exchange whose header does not come or whose body comes too
// slowly. One timer serves all phases.
type watch struct {
	cancel context.CancelCauseFunc
	header time.Duration // for the header to be complete
	window time.Duration // over which the rate of the body counts
	least  int64         // bytes in a window
	timer  *time.Timer
	phase  atomic.Int32
	got    atomic.Int64 // bytes since the window began
}

func (h *HTTP) newWatch(cancel context.CancelCauseFunc) *watch {
	w := &watch{cancel: cancel, header: h.headerTimeout(), window: h.rateWindow()}
	w.least = int64(float64(h.MinRate) * w.window.Seconds())
	w.timer = time.AfterFunc(time.Hour, w.look)
	if h.Transport == nil {
		w.timer.Reset(3 * h.connectTimeout()) // dialing and TLS have deadlines of their own, a proxy's CONNECT has none
	} else {
		w.connected() // it need not tell
	}
	return w
}

func (w *watch) reached() phase { return phase(w.phase.Load()) }

func (w *watch) handshake() { w.phase.CompareAndSwap(int32(inConnect), int32(inHandshake)) }

// connected starts the time for the header. When a server closes a connection
// that was used before, net/http asks again by another, within the same time.
func (w *watch) connected() {
	if phase(w.phase.Swap(int32(inHeader))) < inHeader {
		w.timer.Reset(w.header)
	}
}

// body starts the time for the body.
func (w *watch) body() {
	w.phase.Store(int32(inBody))
	if w.least <= 0 {
		w.timer.Stop()
		return
	}
	w.timer.Reset(w.window)
}

func (w *watch) stop() { w.timer.Stop() }

func (w *watch) look() {
	switch at := w.reached(); {
	case at < inHeader:
		w.cancel(ErrTimeoutConnect)
	case at == inHeader:
		w.cancel(ErrTimeoutHeader)
	case w.got.Swap(0) < w.least:
		w.cancel(ErrSlow)
	default:
		w.timer.Reset(w.window)
	}
}

// wire is a body as it comes over the wire: counted, watched and limited. An error
// ends it as io.EOF does, so that a decoder tells whether it has all that it needs.
type wire struct {
	r     io.Reader
	watch *watch
	n     int64
	limit int64
	err   error // of r, other than io.EOF
}

func (w *wire) Read(p []byte) (int, error) {
	if w.n >= w.limit {
		return 0, errOverLimit
	}
	if int64(len(p)) > w.limit-w.n {
		p = p[:w.limit-w.n]
	}
	n, err := w.r.Read(p)
	w.n += int64(n)
	w.watch.got.Add(int64(n))
	if err != nil && err != io.EOF {
		if !isTrailer(err) {
			w.err = err
		}
		err = io.EOF
	}
	return n, err
}

// isTrailer reports whether an error is about what follows the last chunk of a
// body. The body is whole then, and browsers do not look at the rest.
func isTrailer(err error) bool {
	return isA[textproto.ProtocolError](err) || strings.HasPrefix(err.Error(), "http: ") && strings.Contains(err.Error(), "trailer")
}
