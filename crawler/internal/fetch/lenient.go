package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/net/http/httpguts"
)

// lenient is a connection of HTTP/1 that puts the headers of answers right on
// their way to net/http, which refuses a whole answer for one line that browsers
// pass over. It says where the header of an answer begins (asked), and the header
// ends with its first empty line; all other bytes go through as they are. What
// browsers do not read either is left for net/http to refuse.
type lenient struct {
	net.Conn
	asked  atomic.Bool // a request goes out now: what comes next is a header
	header header
	out    []byte // put right, not read yet
	at     int    // in out
}

// mostKept is how large a buffer is kept for the next header.
const mostKept = 16 << 10

// Read is that of a net.Conn.
func (l *lenient) Read(p []byte) (int, error) {
	for l.at == len(l.out) {
		if !l.header.reading && max(cap(l.out), cap(l.header.line)) > mostKept {
			l.out, l.header.line, l.at = nil, nil, 0 // of a header beyond measure
		}
		n, err := l.Conn.Read(p)
		if l.asked.Load() && l.asked.Swap(false) {
			l.header = header{reading: true, line: l.header.line[:0]}
		}
		if !l.header.reading {
			return n, err
		}
		l.out, l.at = l.header.take(l.out[:0], p[:n]), 0
		if err != nil {
			l.out = l.header.leave(l.out, nil)
		}
		if err != nil && len(l.out) == 0 {
			return 0, err // else the next Read gets it again
		}
	}
	n := copy(p, l.out[l.at:])
	l.at += n
	return n, nil
}

// dialTLS is dial, and TLS on it. A connection of HTTP/2 is left as it is.
func (h *HTTP) dialTLS(ctx context.Context, addr string, config *tls.Config) (net.Conn, error) {
	conn, err := h.connect(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	trace := httptrace.ContextClientTrace(ctx)
	if trace != nil && trace.TLSHandshakeStart != nil {
		trace.TLSHandshakeStart()
	}
	if config == nil {
		config = new(tls.Config)
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName, _, _ = net.SplitHostPort(addr)
	}
	ctx, cancel := context.WithTimeout(ctx, h.connectTimeout())
	defer cancel()
	secure := tls.Client(conn, config)
	err = secure.HandshakeContext(ctx)
	state := secure.ConnectionState()
	if err == nil && state.NegotiatedProtocol == "h2" {
		return secure, nil // and net/http tells the trace
	}
	if trace != nil && trace.TLSHandshakeDone != nil {
		trace.TLSHandshakeDone(state, err)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &lenient{Conn: secure}, nil
}

// header is the header of an answer as it comes, those of answers that only
// inform (1xx) before it included.
type header struct {
	reading bool
	begun   bool // the status line was read
	informs bool // and another one comes after this
	dropped bool // the last line was, and so is what continues it
	chunked bool
	line    []byte // not complete yet
	size    int    // as it came
}

// take appends to out what of b is complete, put right.
func (h *header) take(out, b []byte) []byte {
	if h.size += len(b); h.size > maxHeader {
		return h.leave(out, b)
	}
	for h.reading {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			h.line = append(h.line, b...)
			return out
		}
		line := b[:end+1]
		if len(h.line) > 0 {
			h.line = append(h.line, line...)
			line = h.line
		}
		out = h.put(out, line)
		h.line, b = h.line[:0], b[end+1:]
	}
	return append(out, b...)
}

// leave gives the rest up to net/http as it is.
func (h *header) leave(out, b []byte) []byte {
	h.reading = false
	return append(append(out, h.line...), b...)
}

// put appends a line.
func (h *header) put(out, line []byte) []byte {
	text := bytes.TrimRight(line, "\r\n")
	switch {
	case !h.begun && len(text) == 0: // browsers pass over a few bytes before the status
		return out
	case !h.begun:
		status, code, ok := statusLine(text)
		if !ok {
			h.reading = false
			return append(out, line...)
		}
		h.begun, h.dropped, h.chunked = true, true, false
		h.informs = code[0] == '1' && code != "101"
		return append(out, status...)
	case len(text) == 0:
		h.begun, h.reading = false, h.informs
	default:
		return h.putField(out, text)
	}
	return append(out, "\r\n"...)
}

// statusLine reads one as browsers do: HTTP in whatever case, of whatever version,
// a code of three digits, and a reason or none.
func statusLine(text []byte) (line, code string, ok bool) {
	version, rest, _ := strings.Cut(strings.ReplaceAll(string(text), "\t", " "), " ")
	rest = strings.TrimLeft(rest, " ")
	if len(version) < 4 || !strings.EqualFold(version[:4], "HTTP") || len(rest) < 3 {
		return "", "", false
	}
	code, reason := rest[:3], rest[3:]
	if strings.Trim(code, "0123456789") != "" || reason != "" && reason[0] >= '0' && reason[0] <= '9' {
		return "", "", false
	}
	as := "HTTP/1.0 "
	if number := strings.TrimPrefix(version[4:], "/"); number >= "1.1" && number <= "9" {
		as = "HTTP/1.1 "
	}
	return as + code + " " + strings.TrimLeft(reason, " ") + "\r\n", code, true
}

// putField appends a field, or the next line of one, unless it is none.
func (h *header) putField(out, text []byte) []byte {
	controls := blankControls(text)
	if text[0] == ' ' || text[0] == '\t' {
		if h.dropped {
			return out
		}
		return append(append(out, text...), "\r\n"...)
	}
	name, value, ok := bytes.Cut(text, []byte(":"))
	name = bytes.TrimRight(name, " \t")
	h.dropped = true
	switch {
	case !ok || !isToken(name):
		return out
	case controls && is(name, "Set-Cookie"): // RFC 6265bis, 5.6, 1
		return out
	case is(name, "Content-Length"):
		return putLength(out, value)
	case is(name, "Transfer-Encoding"):
		return h.putCodings(out, value)
	}
	h.dropped = false
	out = append(append(append(out, name...), ':'), value...)
	return append(out, "\r\n"...)
}

// putLength appends a Content-Length, if it is a number, or several that are one.
// Without it a body ends with its connection.
func putLength(out, value []byte) []byte {
	numbers := strings.Split(string(value), ",")
	for i := range numbers {
		numbers[i] = strings.TrimSpace(numbers[i])
	}
	if slices.ContainsFunc(numbers, func(n string) bool { return n != numbers[0] }) {
		return append(append(append(out, "Content-Length:"...), value...), "\r\n"...) // refused
	}
	if _, err := strconv.ParseUint(numbers[0], 10, 63); err != nil {
		return out
	}
	return append(append(append(out, "Content-Length: "...), numbers[0]...), "\r\n"...)
}

// putCodings appends a Transfer-Encoding, of which net/http knows chunked. Other
// codings are taken off, if they are known, as those of the content.
func (h *header) putCodings(out, value []byte) []byte {
	for c := range bytes.SplitSeq(value, []byte(",")) {
		switch c = bytes.TrimSpace(c); {
		case is(c, "chunked") && !h.chunked:
			h.chunked = true
			out = append(out, "Transfer-Encoding: chunked\r\n"...)
		case len(c) > 0 && !is(c, "chunked") && !is(c, "identity"):
			out = append(append(append(out, "Content-Encoding: "...), c...), "\r\n"...)
		}
	}
	return out
}

func is(name []byte, s string) bool { return len(name) == len(s) && strings.EqualFold(string(name), s) }

func isToken(name []byte) bool {
	return len(name) > 0 && !slices.ContainsFunc(name, func(c byte) bool { return !httpguts.IsTokenRune(rune(c)) })
}

// blankControls makes spaces of control characters (RFC 9110, 5.5), and reports
// whether there were any.
func blankControls(text []byte) (any bool) {
	for i, c := range text {
		if c < ' ' && c != '\t' || c == 0x7f {
			text[i], any = ' ', true
		}
	}
	return any
}
