package crawler

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
)

// classify makes a FetchError of what RoundTrip returned. connected says whether
// there was a connection by then.
func (c *chain) classify(ctx context.Context, err error, connected, secure bool) error {
	if kind, ok := context.Cause(ctx).(Kind); ok {
		return c.fail(kind, nil)
	}
	return c.fail(kindOf(err, connected, secure), err)
}

func kindOf(err error, connected, secure bool) Kind {
	var kind Kind
	var timeout net.Error
	switch {
	case errors.As(err, &kind):
		return kind
	case isA[*net.DNSError](err):
		return ErrDNS
	case errors.As(err, &timeout) && timeout.Timeout():
		if connected {
			return ErrTimeoutHeader
		}
		return ErrTimeoutConnect
	case isTLS(err):
		return ErrTLS
	case strings.Contains(err.Error(), "headers exceeded"), strings.Contains(err.Error(), "header list larger"):
		return ErrTooLarge
	case isA[*net.OpError](err):
		return ErrConnect
	case secure && !connected:
		return ErrTLS // the server closed the connection during the handshake
	case isMalformed(err.Error()):
		return ErrProtocol
	}
	return ErrConnect
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
