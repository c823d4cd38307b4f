package chrome

import (
	"errors"
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// What can go wrong with the browser. They are the causes of a
// *crawler.FetchError of kind ErrOther, so that the page is tried again.
var (
	ErrCrash  = errors.New("chrome: the page crashed")
	ErrGone   = errors.New("chrome: the browser is gone")
	ErrClosed = errors.New("chrome: closed")
)

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
