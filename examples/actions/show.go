package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/chrome/action"
)

// display shows steps: on a terminal also the one at work.
type display struct {
	out     io.Writer
	width   int  // of the terminal; 0: it is none
	verbose bool // the steps of all rounds
	hidden  int  // steps that were not shown since the last that was
}

func newDisplay(out io.Writer, verbose bool) *display {
	return &display{out: out, width: widthOf(out), verbose: verbose}
}

// round finds the rounds in the place of a step.
var round = regexp.MustCompile(`\[(\d+)\]`)

// report shows a step that begins or has ended.
func (d *display) report(r action.Report) {
	if r.End == action.Begun {
		if d.width > 0 {
			fmt.Fprint(d.out, "\r\x1b[K", clip(line(r, "..."), d.width-1))
		}
		return
	}
	if r.Err == nil && !d.verbose && slices.ContainsFunc(round.FindAllStringSubmatch(r.Step, -1), func(m []string) bool {
		return len(m[1]) > 1 || m[1] > "3"
	}) {
		d.hidden++
		return
	}
	d.end()
	note := r.Note
	if r.Err != nil {
		note = strings.TrimPrefix(strings.TrimSuffix(note+", ", ", ")+"; "+r.Err.Error(), "; ")
	}
	fmt.Fprintln(d.out, line(r, note))
}

// end clears the line of a step at work, and tells of those that were not shown.
func (d *display) end() {
	if d.width > 0 {
		fmt.Fprint(d.out, "\r\x1b[K")
	}
	if d.hidden > 0 {
		fmt.Fprintf(d.out, "  ... %d steps of later rounds; -v shows them\n", d.hidden)
		d.hidden = 0
	}
}

func line(r action.Report, note string) string {
	took := ""
	if r.End != action.Begun {
		took = r.Took.Round(time.Millisecond).String()
	}
	what := r.Action
	if r.Name != "" {
		what += " (" + r.Name + ")"
	}
	return strings.TrimRight(fmt.Sprintf("  %-9s %-12s %-9s %8s  %s", r.Step, what, r.End, took, strings.ReplaceAll(note, "\n", "; ")), " ")
}

// clip cuts a text to a width.
func clip(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:max(width, 0)])
	}
	return s
}

// widthOf is how much of a line fits on a terminal, 0 for anything else. The
// null device counts as one, where nobody looks.
func widthOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	if fi, err := f.Stat(); err != nil || fi.Mode()&os.ModeCharDevice == 0 {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}

// writeText shows the result for people. Of records at most so many are shown,
// if that is not 0.
func writeText(w io.Writer, res *action.Result, saved map[string]string, most int) {
	for i, rec := range res.Records {
		if most > 0 && i == most {
			fmt.Fprintf(w, "  and %d more records\n", len(res.Records)-most)
			break
		}
		fmt.Fprintf(w, "  %s\n", compact(rec))
	}
	for name, v := range res.Values {
		fmt.Fprintf(w, "  %s = %s\n", name, compact(v))
	}
	for _, l := range res.Links {
		fmt.Fprintf(w, "  link %s  %q\n", l.URL, l.Text)
	}
	for i, p := range res.Pages {
		if most > 0 && i == most {
			fmt.Fprintf(w, "  and %d more pages\n", len(res.Pages)-most)
			break
		}
		fmt.Fprintf(w, "  page %s  %d bytes\n", p.URL, len(p.HTML))
	}
	for _, f := range res.Files {
		if saved[f.Name] != "" {
			fmt.Fprintf(w, "  file %s\n", saved[f.Name])
		}
	}
	fmt.Fprintln(w)
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// step and the like are how a result looks in JSON.
type (
	step struct {
		Step   string `json:"step"`
		Name   string `json:"name,omitempty"`
		Action string `json:"action"`
		End    string `json:"end"`
		MS     int64  `json:"ms"`
		Note   string `json:"note,omitempty"`
		Error  string `json:"error,omitempty"`
	}
	link struct {
		URL  string `json:"url"`
		Text string `json:"text"`
	}
	snapshot struct {
		URL    string `json:"url"`
		Label  string `json:"label,omitempty"`
		Status int    `json:"status,omitempty"`
		HTML   string `json:"html"`
	}
	result struct {
		Chain   string         `json:"chain,omitempty"`
		Steps   []step         `json:"steps"`
		Records []any          `json:"records"`
		Values  map[string]any `json:"values,omitempty"`
		Links   []link         `json:"links,omitempty"`
		Pages   []snapshot     `json:"pages,omitempty"`
		Files   []string       `json:"files,omitempty"`
		Error   string         `json:"error,omitempty"`
	}
)

// writeJSON writes the result as one line of JSON.
func writeJSON(w io.Writer, name string, res *action.Result, err error) error {
	out := result{Chain: name, Values: res.Values, Steps: []step{}, Records: []any{}}
	for _, r := range res.Reports {
		s := step{Step: r.Step, Name: r.Name, Action: r.Action, End: string(r.End), MS: r.Took.Milliseconds(), Note: r.Note}
		if r.Err != nil {
			s.Error = r.Err.Error()
		}
		out.Steps = append(out.Steps, s)
	}
	for _, r := range res.Records {
		out.Records = append(out.Records, r)
	}
	for _, l := range res.Links {
		out.Links = append(out.Links, link{l.URL, l.Text})
	}
	for _, p := range res.Pages {
		out.Pages = append(out.Pages, snapshot{p.URL, p.Label, p.Status, p.HTML})
	}
	for _, f := range res.Files {
		out.Files = append(out.Files, f.Name)
	}
	if err != nil {
		out.Error = err.Error()
	}
	return json.NewEncoder(w).Encode(out)
}
