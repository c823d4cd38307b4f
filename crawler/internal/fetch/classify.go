package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
)

// classify makes an error of the page of what RoundTrip returned, and leaves one
// of the settings what it is. at says how far the exchange had come.
func (c *chain) classify(ctx context.Context, err error, at phase) error {
	if kind, ok := context.Cause(ctx).(Kind); ok {
		return c.fail(kind, nil)
	}
	if isA[*SettingError](err) {
		return err
	}
	if err := c.http.proxyFailure(ctx, err); err != nil {
		return err
	}
	kind := kindOf(err, at)
	if kind == ErrNoAnswer && c.http.Transport != nil && !isA[net.Error](err) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		kind = ErrOther // it may mean anything
	}
	return c.fail(kind, err)
}

// Some errors of net/http have neither a type nor a name that it exports, and x/net/http2
// does not export them either; only their text tells them. TestTextsOfNetHTTP fails when
// these change.
const (
	hungUp          = "http2: client conn could not be established" // the server closed the connection before a request was sent by it
	headerTooLarge  = "server response headers exceeded"            // HTTP/1
	headerTooLarge2 = "response header list larger than advertised" // HTTP/2
)

func kindOf(err error, at phase) Kind {
	var kind Kind
	var timeout net.Error
	switch {
	case errors.As(err, &kind):
		return kind
	case isA[*net.DNSError](err) && !ByProxy(err):
		return ErrDNS
	case errors.As(err, &timeout) && timeout.Timeout():
		if at >= inHeader {
			return ErrTimeoutHeader
		}
		return ErrTimeoutConnect
	case isTLS(err):
		return ErrTLS
	case strings.Contains(err.Error(), headerTooLarge), strings.Contains(err.Error(), headerTooLarge2):
		return ErrTooLarge
	case at == inHandshake:
		return ErrTLS // the server closed the connection
	case at < inHeader || isConnecting(err):
		return ErrConnect
	case at == inHeader && !isA[*net.OpError](err) && isMalformed(err.Error()):
		return ErrProtocol
	}
	if strings.Contains(err.Error(), hungUp) {
		return ErrConnect
	}
	return ErrNoAnswer
}

// isConnecting reports whether an error is that of a connection that was not made, be it
// the second after one that had been kept.
func isConnecting(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op != "read" && op.Op != "write" && op.Op != "close"
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTLS(err error) bool {
	return isA[*tls.CertificateVerificationError](err) || isA[tls.RecordHeaderError](err) || isA[tls.AlertError](err) ||
		isA[x509.UnknownAuthorityError](err) || isA[x509.HostnameError](err) || isA[x509.CertificateInvalidError](err) ||
		strings.Contains(err.Error(), "tls: ")
}

// isMalformed tells net/http's complaints about an answer, which have no type,
// from those about a connection.
func isMalformed(text string) bool {
	for _, s := range []string{"malformed", "invalid", "unsupported", "too many", "Content-Length", "Transfer-Encoding", "unknown status"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
