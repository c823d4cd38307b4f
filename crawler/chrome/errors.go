package chrome

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"github.com/webquarry/quarry/crawler"
)

// What can go wrong with the browser. They are the causes of a
// *crawler.FetchError of kind ErrOther, so that the page is tried again.
var (
	ErrCrash  = errors.New("chrome: the page crashed")
	ErrGone   = errors.New("chrome: the browser is gone")
	ErrClosed = errors.New("chrome: closed")
)

// ErrSandbox says that the browser cannot have its sandbox, for lack of user
// namespaces. It is the cause of a [StartError].
var ErrSandbox = errors.New("there are no user namespaces for its sandbox: allow them (kernel.unprivileged_userns_clone=1, " +
	"kernel.apparmor_restrict_unprivileged_userns=0, in a container a seccomp profile that lets unshare and clone pass), " +
	"or set NoSandbox, which has pages run without one")

// noSandbox reports whether an error of a start says that there is no sandbox.
func noSandbox(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EUSERS) || errors.Is(err, syscall.EINVAL) ||
		strings.Contains(err.Error(), "sandbox")
}

// A NotFoundError says that there is no browser. It ends a crawl.
type NotFoundError struct {
	Tried []string // names and paths that were looked for
}

// Error says what to install.
func (e *NotFoundError) Error() string {
	return "chrome: no browser found: install chromium-headless-shell (apt-get install chromium-headless-shell), chromium or google-chrome, " +
		"or set Path; looked for " + strings.Join(e.Tried, ", ")
}

// Fatal ends the run of a Crawler: without a browser no page can be had.
func (e *NotFoundError) Fatal() bool { return true }

// A StartError says that the browser does not start, several times in a row. It
// ends a crawl.
type StartError struct {
	Path string
	Err  error
}

// Error says which browser and why.
func (e *StartError) Error() string {
	return "chrome: " + e.Path + " does not start: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// Fatal ends the run of a Crawler.
func (e *StartError) Fatal() bool { return true }

func fail(url string, kind crawler.Kind, err error) error {
	return &crawler.FetchError{URL: url, Kind: kind, Err: err}
}
