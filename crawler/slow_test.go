package crawler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// stuck is a body that is there, and then goes on in a way: with nothing, a space a
// second, or an error.
type stuck struct {
	io.Reader
	ctx context.Context
	how string
}

func (s stuck) Read(p []byte) (int, error) {
	if n, _ := s.Reader.Read(p); n > 0 {
		return n, nil
	}
	switch s.how {
	case "breaks":
		return 0, io.ErrUnexpectedEOF
	case "drips":
		select {
		case <-time.After(time.Second):
			p[0] = ' '
			return 1, nil
		case <-s.ctx.Done():
		}
	default:
		<-s.ctx.Done()
	}
	return 0, context.Cause(s.ctx)
}

func (s stuck) Close() error { return nil }

// TestWhatCameIsKept: of a body that goes on too slowly, or not at all, the second
// attempt keeps what came, in any coding; one that is whole by the account of its
// coding is whole at once.
func TestWhatCameIsKept(t *testing.T) {
	t.Parallel()
	page := []byte("<title>All of it</title>" + strings.Repeat("<p>Some words of text.", 100))
	for _, coding := range []string{"", "gzip", "br", "zstd", "deflate", "gzip, br", "cut gzip", "cut br", "cut zstd", "two gzip"} {
		for _, how := range []string{"stalls", "drips", "breaks"} {
			t.Run(coding+" "+how, func(t *testing.T) {
				t.Parallel()
				name := strings.TrimPrefix(strings.TrimPrefix(coding, "cut "), "two ")
				body := page
				for c := range strings.SplitSeq(name, ", ") {
					if c != "" {
						body = encode(t, c, body)
					}
				}
				if strings.HasPrefix(coding, "cut") {
					body = body[:len(body)-5]
				} else if strings.HasPrefix(coding, "two") {
					body = append(encode(t, name, page[:100]), encode(t, name, page[100:])...)
				}
				if strings.HasPrefix(coding, "cut") && how == "drips" {
					t.Skip("what drips would be part of the coding")
				}
				whole := name != "" && !strings.HasPrefix(coding, "cut")
				synctest.Test(t, func(t *testing.T) {
					h := &HTTP{UserAgent: testAgent, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
						header := http.Header{"Content-Length": {"100000"}}
						if name != "" {
							header.Set("Content-Encoding", name)
						}
						return &http.Response{StatusCode: 200, Header: header, ContentLength: 100000, Request: r, Body: stuck{bytes.NewReader(body), r.Context(), how}}, nil
					})}
					for attempt := range 2 {
						resp, err := h.Fetch(t.Context(), frontier.Request{URL: "http://a.test/", Attempt: attempt})
						switch {
						case !whole && attempt == 0:
							if !errors.Is(err, ErrSlow) && !errors.Is(err, ErrBroken) && !errors.Is(err, ErrDecode) {
								t.Errorf("first: %v, %v", resp, err)
							}
						case err != nil && coding == "cut zstd": // its blocks are all or nothing
						case err != nil:
							t.Errorf("attempt %d: %v", attempt, err)
						case whole && (!bytes.Equal(resp.Body, page) || resp.Truncated):
							t.Errorf("attempt %d: %d bytes of %d, truncated %v", attempt, len(resp.Body), len(page), resp.Truncated)
						case !whole && (!resp.Truncated || len(resp.Body) == 0 || !bytes.HasPrefix(append(page, bytes.Repeat([]byte(" "), 1000)...), resp.Body)):
							t.Errorf("attempt %d: %d bytes of %d, truncated %v", attempt, len(resp.Body), len(page), resp.Truncated)
						}
					}
					// That we gave up ourselves is no trouble of the page, and leaves no part of one.
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Second/2, cancel)
					if how == "stalls" && !whole {
						if resp, err := h.Fetch(ctx, frontier.Request{URL: "http://a.test/", Attempt: 1}); !errors.Is(err, context.Canceled) {
							t.Errorf("cancelled: %v, %v", resp, err)
						}
					}
					cancel()
				})
			})
		}
	}
}

// TestTooLargeForNoText: a body over the limit that is no text is an error, however
// its length comes to be known.
func TestTooLargeForNoText(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"video/mp4", "application/pdf", "text/html", ""} {
		for _, length := range []bool{true, false} {
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = []string{media}
				if length {
					w.Header().Set("Content-Length", "20000")
				}
				for range 20 {
					w.Write(make([]byte, 1000))
					w.(http.Flusher).Flush()
				}
			})
			resp, err := fetchURL(t, local(t, func(h *HTTP) { h.MaxBody = 5000 }), base)
			name := fmt.Sprintf("%q, length %v", media, length)
			if text := media == "" || media == "text/html"; text && (err != nil || len(resp.Body) != 5000 || !resp.Truncated) {
				t.Errorf("%s: %v", name, err)
			} else if !text && !errors.Is(err, ErrTooLarge) {
				t.Errorf("%s: %v, want %v", name, err, ErrTooLarge)
			}
		}
	}
}
