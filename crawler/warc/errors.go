package warc

import (
	"errors"
	"fmt"
)

// What is wrong with an archive, to ask for with errors.Is. All of them match
// ErrCorrupt, as does a compression that does not hold.
var (
	ErrCorrupt = errors.New("warc: corrupt")                    // any damage
	ErrFormat  = errors.New("neither a WARC nor an ARC record") // what should begin a record does not
	ErrHeader  = errors.New("record header cannot be read")     // it began as a record and went on as none
	ErrTorn    = errors.New("record ends too early")            // the file or the gzip member ends within a record
	ErrLength  = errors.New("wrong Content-Length")             // no record follows where this one ends
	ErrDigest  = errors.New("digest does not match")            // the block or payload is not what was written

	// ErrNoCapture says that an archive does not hold what was asked of it.
	ErrNoCapture = errors.New("warc: no such capture")
)

// An Error says where an archive is damaged. It matches [ErrCorrupt] and Err.
type Error struct {
	File   string // as it was opened
	Offset int64  // of the record, or of its gzip member, in the file
	Err    error
}

// Error says where and what.
func (e *Error) Error() string {
	return fmt.Sprintf("warc: %s: offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns ErrCorrupt and the reason.
func (e *Error) Unwrap() []error { return []error{ErrCorrupt, e.Err} }

// A WriteError says that an archive can take no more: an operation of its files
// failed. A crawl ends with it.
type WriteError struct {
	Path string // of the folder
	Err  error
}

// Error says what failed.
func (e *WriteError) Error() string { return fmt.Sprintf("warc: %s: %v", e.Path, e.Err) }

// Unwrap returns e.Err.
func (e *WriteError) Unwrap() error { return e.Err }

// Fatal reports true: it is no matter of the page that was being written.
func (e *WriteError) Fatal() bool { return true }
