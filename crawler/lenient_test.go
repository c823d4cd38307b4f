package crawler

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// TestForgivenAnswers: what browsers read though it is not HTTP is read here, by
// one request, in whatever pieces it comes, and the connection is of use
// afterwards where it says where its answers end.
func TestForgivenAnswers(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	zipped := encode(t, "gzip", []byte("hi"))
	const hi = "Content-Type: text/x\r\nContent-Length: 2\r\n\r\nhi"
	for name, c := range map[string]struct{ answer, also string }{ // also: a field that is to be there
		"no colon":                     {ok + "no colon\r\n" + hi, ""},
		"a second status":              {ok + ok + hi, ""},
		"no name":                      {ok + ": x\r\n" + hi, ""},
		"a name of two words":          {ok + "X Y: z\r\n" + hi, ""},
		"a name beyond ASCII":          {ok + "X-Pr\xc3\xa9nom: z\r\n" + hi, ""},
		"a name with a quote":          {ok + "\"X\": z\r\n" + hi, ""},
		"a space before the colon":     {ok + "X-A : b\r\n" + hi, "X-A: b"},
		"a space before the first":     {ok + " X-A: b\r\n" + hi, ""},
		"a dropped line continued":     {ok + "no colon\r\n  more: of it\r\nX-A: b\r\n" + hi, "X-A: b"},
		"a field continued":            {ok + "X-A: b\r\n\tc\r\n" + hi, "X-A: b c"},
		"zeros":                        {ok + "X-A: b\x00c\x01\r\n" + hi, "X-A: b c"},
		"a carriage return within":     {ok + "X-A: b\rX-B: c\r\n" + hi, "X-A: b X-B: c"},
		"two carriage returns":         {strings.ReplaceAll(ok+hi, "\r\n", "\r\r\n"), ""},
		"bare line feeds, no colon":    {strings.ReplaceAll(ok+"no colon\r\n"+hi, "\r\n", "\n"), ""},
		"Latin-1":                      {ok + "X-A: caf\xe9\r\n" + hi, "X-A: caf\xe9"},
		"a cookie with controls":       {ok + "Set-Cookie: a=\x01\r\nSet-Cookie: b=c\r\n" + hi, "Set-Cookie: b=c"},
		"empty lines first":            {"\r\n\r\n" + ok + hi, ""},
		"lower case":                   {"http/1.1 200 ok\r\n" + hi, ""},
		"no version":                   {"HTTP 200 OK\r\nConnection: keep-alive\r\n" + hi, ""},
		"version 2":                    {"HTTP/2 200\r\n" + hi, ""},
		"version 1":                    {"HTTP/1 200 OK\r\nConnection: keep-alive\r\n" + hi, ""},
		"no reason":                    {"HTTP/1.1 200\r\n" + hi, ""},
		"the reason beside the code":   {"HTTP/1.1 200OK\r\n" + hi, ""},
		"a tab for a space":            {"HTTP/1.1\t200\tOK\r\n" + hi, ""},
		"hints without colons":         {"HTTP/1.1 103 Early Hints\r\nno colon\r\n\r\n" + ok + "no colon\r\n" + hi, ""},
		"an odd length beside a good":  {ok + "Content-Length: two\r\n" + hi, "Content-Length: 2"},
		"a length twice in one":        {ok + "Content-Length: 2, 2\r\nContent-Type: text/x\r\n\r\nhi", "Content-Length: 2"},
		"identity, and a length":       {ok + "Transfer-Encoding: identity\r\n" + hi, ""},
		"chunked twice":                {ok + "Transfer-Encoding: chunked\r\ntransfer-encoding: Chunked\r\nContent-Type: text/x\r\n\r\n2\r\nhi\r\n0\r\n\r\n", ""},
		"gzip, chunked":                {ok + "Transfer-Encoding: gzip, chunked\r\nContent-Type: text/x\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(zipped), zipped), ""},
		"a length below zero":          {ok + "Content-Length: -1\r\nContent-Type: text/x\r\n\r\nhi", ""},
		"a length beyond all":          {ok + "Content-Length: 99999999999999999999\r\nContent-Type: text/x\r\n\r\nhi", ""},
		"another transfer encoding":    {ok + "Transfer-Encoding: binary\r\nContent-Type: text/x\r\n\r\nhi", ""},
		"no line after the last chunk": {ok + "Transfer-Encoding: chunked\r\nContent-Type: text/x\r\n\r\n2\r\nhi\r\n0\r\n", ""},
		"an odd trailer":               {ok + "Transfer-Encoding: chunked\r\nContent-Type: text/x\r\n\r\n2\r\nhi\r\n0\r\nno colon\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, https := range []bool{false, true} {
				base, trust, asked := answering(t, https, c.answer)
				h := local(t, func(h *HTTP) { h.Network.TLS = trust })
				for range 2 {
					resp, err := fetchURL(t, h, base)
					if err != nil || resp.Status != 200 || string(resp.Body) != "hi" || resp.Header.Get("Content-Type") != "text/x" {
						t.Fatalf("%+v, %v", resp, err)
					}
					if field, value, _ := strings.Cut(c.also, ": "); c.also != "" && resp.Header.Get(field) != value {
						t.Errorf("%+q, want %s", resp.Header, c.also)
					}
				}
				if n := asked.Load(); n != 2 {
					t.Errorf("%d requests for two fetches", n)
				}
			}
		})
	}
}

func endsItself(answer string) bool {
	return strings.HasSuffix(answer, "2\r\n\r\nhi") || strings.HasSuffix(answer, "2\n\nhi") || strings.HasSuffix(answer, "0\r\n\r\n")
}

// answering is a server that says the same to each request, and hangs up then
// where that says no end.
func answering(t *testing.T, https bool, answer string) (base string, trust *tls.Config, asked *atomic.Int32) {
	asked = new(atomic.Int32)
	talk := func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			asked.Add(1)
			for _, part := range []string{answer[:len(answer)/3], answer[len(answer)/3:]} {
				io.WriteString(conn, part)
				runtime.Gosched() // so that they may come one by one
			}
			if !endsItself(answer) {
				return
			}
			if _, err := http.ReadRequest(buf.Reader); err != nil {
				return
			}
		}
	}
	if !https {
		return serve(t, talk), nil, asked
	}
	base, trust, _ = secure(t, false, talk)
	return base, trust, asked
}
