package warc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
)

// maxHead is how long the header of an HTTP message may be.
const maxHead = 1 << 20

// HTTP reads the block as an answer of a server. The body is what the record
// holds of it, transfer coding taken off and content coding left on; one that is
// cut off ends with an error. Records that hold no HTTP message but what one
// would carry, as in WET files, are an answer of status 200. The header of a
// revisit is its own, and it mostly has no body. The error is an *[Error], also
// for a record of another type.
func (r *Record) HTTP() (*http.Response, error) {
	switch {
	case r.Type == Conversion, r.Type == Resource && !strings.HasPrefix(r.MediaType(), "application/http"):
		return &http.Response{Status: "200 OK", StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {r.Header.Get("Content-Type")}}, ContentLength: r.Size, Body: io.NopCloser(r.Block)}, nil
	case r.Type != Response && r.Type != Revisit && r.Type != Resource:
		return nil, r.wrong(fmt.Errorf("%w: a %s record is no answer of a server", ErrHeader, r.Type))
	}
	in := bufio.NewReader(r.Block)
	resp, n, err := readHead(in, false)
	if err != nil {
		return nil, r.wrong(err)
	}
	resp.ContentLength = max(r.Size-n, 0)
	body := io.Reader(in)
	if isChunked(resp.Header) {
		resp.Header.Del("Transfer-Encoding")
		if looksChunked(in) {
			resp.ContentLength = -1
			body = httputil.NewChunkedReader(in)
		}
	}
	resp.Body = io.NopCloser(body)
	return resp, nil
}

// wrong places an error at the record.
func (r *Record) wrong(err error) error {
	if isDamage(err) {
		return err
	}
	return &Error{r.File, r.Offset, err}
}

// readMessageHead reads the header of an answer or a request.
func readMessageHead(in *bufio.Reader, request bool) (http.Header, int64, error) {
	resp, n, err := readHead(in, request)
	if err != nil {
		return nil, n, err
	}
	return resp.Header, n, nil
}

// readHead reads a status line and the header fields after it, as leniently as
// browsers do, and tells how many bytes they are.
func readHead(in *bufio.Reader, request bool) (*http.Response, int64, error) {
	resp := &http.Response{Header: http.Header{}}
	var n int64
	for first := true; ; first = false {
		line, err := readLine(in, maxHead-n)
		n += int64(len(line))
		if err != nil && (err != io.EOF || first && len(line) == 0) {
			return nil, n, headError(err)
		}
		text := bytes.TrimRight(line, "\r\n")
		switch {
		case first:
			if !request && !parseStatus(resp, string(text)) {
				return nil, n, fmt.Errorf("%w: no HTTP status line", ErrHeader)
			}
		case len(text) == 0:
			return resp, n, nil
		default:
			name, value, ok := strings.Cut(string(text), ":")
			if name = strings.TrimSpace(name); ok && name != "" {
				name = textproto.CanonicalMIMEHeaderKey(name)
				resp.Header[name] = append(resp.Header[name], strings.TrimSpace(value))
			}
		}
		if err == io.EOF {
			return resp, n, nil
		}
	}
}

func headError(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: no HTTP message", ErrHeader)
	}
	return err
}

// readLine reads a line with its end, at most limit bytes.
func readLine(in *bufio.Reader, limit int64) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if int64(len(line)+len(part)) > limit {
			return nil, fmt.Errorf("%w: HTTP header over %d bytes", ErrHeader, maxHead)
		}
		if line = append(line, part...); err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// parseStatus reads a line such as "HTTP/1.1 200 OK".
func parseStatus(resp *http.Response, line string) bool {
	proto, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.Atoi(code)
	if !strings.HasPrefix(proto, "HTTP") && proto != "ICY" || err != nil || n < 100 || n > 999 {
		return false
	}
	resp.Status, resp.StatusCode = strings.TrimSpace(rest), n
	resp.Proto, resp.ProtoMajor, resp.ProtoMinor = "HTTP/1.1", 1, 1
	return true
}

func isChunked(h http.Header) bool {
	return strings.Contains(strings.ToLower(strings.Join(h["Transfer-Encoding"], ",")), "chunked")
}

// looksChunked reports whether what follows begins with the size of a chunk:
// some tools take the coding off and leave the header as it was.
func looksChunked(in *bufio.Reader) bool {
	head, _ := in.Peek(20)
	line, _, ok := bytes.Cut(head, []byte("\n"))
	size, _, _ := strings.Cut(string(line), ";")
	_, err := strconv.ParseUint(strings.TrimSpace(size), 16, 63)
	return ok && err == nil
}
