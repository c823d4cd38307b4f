package cluster

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What errors of this package match with errors.Is, besides those of package frontier.
var (
	ErrUnreachable = errors.New("cluster: no NATS server answers")
	ErrCredentials = errors.New("cluster: the NATS server refuses the credentials")
	ErrNoJetStream = errors.New("cluster: the NATS server has no JetStream for this account")

	// ErrFenced is the cause why a node gives up a partition: another one has taken it over.
	ErrFenced = errors.New("cluster: another node has taken the partition over")
)

// ConnectError says that a server could not be used. It matches one of the errors above, if
// that is the reason, and Err.
type ConnectError struct {
	URL string
	Err error
}

func (e *ConnectError) Error() string {
	return fmt.Sprintf("cluster: connect to %s: %v", e.URL, e.Err)
}

// Unwrap returns Err.
func (e *ConnectError) Unwrap() error { return e.Err }

// connectError finds out what is wrong.
func connectError(url string, err error) error {
	kind := error(nil)
	switch {
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		kind = ErrUnreachable
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), strings.Contains(strings.ToLower(err.Error()), "authorization"):
		kind = ErrCredentials
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		kind = ErrNoJetStream
	}
	if kind != nil {
		err = fmt.Errorf("%w: %w", kind, err)
	}
	return &ConnectError{URL: url, Err: err}
}

// MismatchError says that a node cannot be one of a cluster, as that was begun with another
// version or with other settings.
type MismatchError struct {
	What         string // version, partitions, mode or lease
	Here, Others string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("cluster: %s: this node has %s, the cluster %s", e.What, e.Here, e.Others)
}

// fenced says whether a publication was refused as something else came first.
func fenced(err error) bool {
	e, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
