package action

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
)

// End says why a step ended.
type End string

// Ends of steps.
const (
	Begun     End = ""          // it has not ended
	Done      End = "done"      // what was to be done was done
	Met       End = "met"       // the condition came true, the end was reached
	Gone      End = "gone"      // what was to be clicked is not there any more, or never was
	NoGrowth  End = "no growth" // nothing more came
	Cap       End = "cap"       // one of the limits of the action
	Elsewhere End = "elsewhere" // it was done, and led to another window or to a file, where chains do not follow; the note names the URL
	Timeout   End = "timeout"   // the deadline of the step or chain; a failure
	Failed    End = "error"     // a failure
)

// Report says what became of a step.
type Report struct {
	Step   string // its place, from 1 on: "3", within another "5.2", in a round of a loop "5[7].2"
	Name   string // as the chain has it
	Action string
	Took   time.Duration
	End    End
	Note   string // what happened, as "12 clicks, 240 elements more"
	Err    error  // of Timeout and Failed
}

// Result is what a chain brought home.
type Result struct {
	Pages   []Page           // of snapshots, in order
	Records []extract.Record // of extract and eval
	Links   []crawler.Link   // of find-links, and where steps that ended Elsewhere led to, with the Rel "script"
	Values  map[string]any   // of eval, as encoding/json reads them
	Files   []File           // of screenshot and pdf, and the picture of a failure
	Reports []Report         // in order of their ends; of loops, the first 10,000 and all failures
}

// Page is a page, or a frame of one, as it was at some time.
type Page struct {
	URL    string      // as the browser shows it, pushState and fragment included
	Label  string      // of the snapshot
	Status int         // of the answer that the document came in; 0: not known
	Header http.Header // of that answer; nil: not known
	HTML   string      // shadow roots included
	Frame  bool
	Cut    bool // HTML was longer than 32 MiB
}

// File is a picture or a document.
type File struct {
	Name string // unique within a result
	Type string // as image/png
	Body []byte
}

// StepError is why a chain ended early.
type StepError struct {
	Report     Report
	Screenshot string // name of the picture among the files of the result; empty: none could be taken
}

// Error says which step, and why.
func (e *StepError) Error() string {
	s := "action: step " + e.Report.Step + ", " + e.Report.Action
	if e.Report.Name != "" {
		s += fmt.Sprintf(" (%s)", e.Report.Name)
	}
	return s + ": " + e.Report.Err.Error()
}

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Report.Err }

// Errors of steps.
var (
	ErrTimeout = errors.New("timeout")                     // the deadline of a step or chain has passed
	ErrCrashed = errors.New("the page has crashed")        // its renderer died
	ErrMissing = errors.New("no such element")             // nothing matches, or nothing that can be used
	ErrRefused = errors.New("the URL is not to be opened") // by Runner.Allow
)

// outcome is how an action ended well.
type outcome struct {
	end  End
	note string
}

// timeout is the error of a deadline.
type timeout struct {
	whose string // "the step's 30s", "the chain's 5m0s"
	why   error  // what was waited for; may be nil
}

func (t *timeout) Error() string {
	if t.why != nil {
		return fmt.Sprintf("%v after %s", t.why, t.whose)
	}
	return "not done after " + t.whose
}

func (t *timeout) Is(target error) bool { return target == ErrTimeout }

func (t *timeout) Unwrap() error { return t.why }

// missing is an error that matches ErrMissing.
type missing string

func (m missing) Error() string { return string(m) }

func (m missing) Is(target error) bool { return target == ErrMissing }
