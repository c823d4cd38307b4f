package main

import (
	"embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/webquarry/quarry/crawler/job"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/serve"
)

//go:embed web
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"grouped": serve.Grouped, "plural": serve.Plural, "html": func(s string) template.HTML { return template.HTML(s) }, // of escape and Snippet.HTML
	"when":  func(t time.Time) string { return t.Local().Format("2 Jan 15:04:05") },
	"bytes": func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) },
	"took":  func(r job.Run) string { return r.Ended.Sub(r.Began).Round(100 * time.Millisecond).String() },
	"add":   func(a, b int) int { return a + b },
}).ParseFS(files, "web/console.html"))

func escape(s string) string { return template.HTMLEscapeString(s) }

// web shows the desk to browsers.
type web struct {
	desk  *desk
	guard *guard
	tries *tries
}

func newWeb(d *desk, token string) *web {
	return &web{desk: d, guard: &guard{token: token, sessions: map[string]bool{}}, tries: newTries()}
}

// handler answers all there is. Requests that other sites make are refused.
func (w *web) handler() http.Handler {
	mux := http.NewServeMux()
	static, err := fs.Sub(files, "web")
	if err != nil {
		panic(err) // it is compiled in
	}
	for _, name := range []string{"console.css", "console.js", "icon.svg"} {
		mux.Handle("GET /"+name, http.FileServerFS(static))
	}
	mux.HandleFunc("GET /{$}", w.show("list", w.list))
	mux.HandleFunc("GET /new", w.show("edit", func(r *http.Request) (any, error) { return editing{Spec: firstSpec}, nil }))
	mux.HandleFunc("POST /save", w.save)
	mux.HandleFunc("GET /schema.json", func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "application/schema+json")
		_, _ = io.WriteString(out, job.JSONSchema())
	})
	mux.HandleFunc("POST /parse", parse)
	mux.HandleFunc("POST /try", w.tries.dryRun)
	mux.HandleFunc("POST /pick", w.tries.load)
	mux.HandleFunc("GET /pick/{id}", w.tries.frame)
	mux.HandleFunc("GET /shot/{id}/{name}", w.tries.shot)
	mux.HandleFunc("GET /jobs/{name}", w.show("job", w.aJob))
	mux.HandleFunc("GET /jobs/{name}/edit", w.show("edit", func(r *http.Request) (any, error) {
		e, err := w.desk.find(r.PathValue("name"))
		if err != nil {
			return nil, err
		}
		_, text := e.job.Spec()
		return editing{Name: e.name, Old: e.name, Spec: string(text)}, nil
	}))
	mux.HandleFunc("GET /jobs/{name}/status.json", w.status)
	mux.HandleFunc("GET /jobs/{name}/search", w.show("search", w.search))
	mux.HandleFunc("GET /jobs/{name}/index", w.show("index", w.aJob))
	mux.HandleFunc("POST /jobs/{name}/index", w.setIndex)
	mux.HandleFunc("GET /jobs/{name}/job.yaml", w.export)
	mux.HandleFunc("GET /jobs/{name}/records.csv", w.table)
	mux.HandleFunc("GET /jobs/{name}/records.jsonl", w.table)
	mux.HandleFunc("POST /jobs/{name}/{act}", w.act)
	own := http.NewCrossOriginProtection()
	return secure(w.guard.wrap(own.Handler(limited(mux))))
}

// limited refuses requests that are too large for any form here.
func limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 2<<20)
		next.ServeHTTP(w, r)
	})
}

// secure is serve.Secure with frames of this server, in which pages are shown that are
// picked from.
func secure(next http.Handler) http.Handler {
	return serve.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/pick/") {
			w.Header().Set("Content-Security-Policy", w.Header().Get("Content-Security-Policy")+"; frame-src 'self'")
		}
		next.ServeHTTP(w, r)
	}))
}

// show answers by a template.
func (w *web) show(name string, data func(*http.Request) (any, error)) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		v, err := data(r)
		if err != nil {
			fail(out, err)
			return
		}
		var b strings.Builder
		if err := pages.ExecuteTemplate(&b, name, v); err != nil {
			w.desk.log.Error("page", "name", name, "err", err)
			fail(out, errors.New("this page cannot be shown"))
			return
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(out, b.String())
	}
}

// fail says what went wrong.
func fail(out http.ResponseWriter, err error) {
	code := http.StatusBadRequest
	switch {
	case errors.Is(err, errNoJob):
		code = http.StatusNotFound
	case errors.Is(err, errTaken), errors.Is(err, errIsBusy), errors.Is(err, job.ErrRunning):
		code = http.StatusConflict
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	out.WriteHeader(code)
	_ = pages.ExecuteTemplate(out, "wrong", err.Error())
}

// tab is one of the pages of a job.
type tab struct{ Name, At string }

// Tab is what the tabs of a job are made of.
func (v onJob) Tab(at string) tab { return tab{v.Name, at} }

// Tab is what the tabs of a job are made of.
func (ed editing) Tab(at string) tab { return tab{ed.Old, at} }

// Last is the runs, the last one first.
func (v onJob) Last() []job.Run {
	runs := slices.Clone(v.Runs)
	slices.Reverse(runs)
	return runs[:min(len(runs), 30)]
}

// listed is a job in the list.
type listed struct {
	Name, Title string
	Status      job.Status
}

// editing is a spec in the editor.
type editing struct {
	Name, Old, Spec string
	Mistakes        []job.Mistake
	Error           string
}

const firstSpec = `name: My crawl
seeds: https://example.com/
user-agent: me/1.0 (+https://example.com/me)
scope: {within: host}
budget: {pages: 100}
output: {pages: pages.jsonl}
`

// save makes a job, or gives one another spec.
func (w *web) save(out http.ResponseWriter, r *http.Request) {
	ed := editing{Name: strings.TrimSpace(r.FormValue("name")), Old: r.FormValue("old"), Spec: strings.ReplaceAll(r.FormValue("spec"), "\r\n", "\n")}
	err := w.keep(ed)
	if err == nil {
		http.Redirect(out, r, "/jobs/"+url.PathEscape(ed.Name), http.StatusSeeOther)
		return
	}
	if wrong, ok := errors.AsType[*job.SpecError](err); ok {
		ed.Mistakes = wrong.Mistakes
	} else {
		ed.Error = err.Error()
	}
	w.show("edit", func(*http.Request) (any, error) { return ed, nil })(out, r)
}

func (w *web) keep(ed editing) error {
	if ed.Old == "" || ed.Old != ed.Name {
		return w.desk.create(ed.Name, []byte(ed.Spec))
	}
	e, err := w.desk.find(ed.Old)
	if err == nil {
		err = e.job.SetSpec([]byte(ed.Spec))
	}
	return err
}

// parse reads a spec, as JSON for the editor, with all its mistakes.
func parse(out http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		serve.WriteError(out, err)
		return
	}
	answer := struct {
		Spec     any      `json:"spec"`
		Mistakes []string `json:"mistakes"`
		Lines    []int    `json:"lines"`
	}{Mistakes: []string{}}
	if _, err := job.Parse(text); err != nil {
		if wrong, ok := errors.AsType[*job.SpecError](err); ok {
			for _, m := range wrong.Mistakes {
				answer.Mistakes, answer.Lines = append(answer.Mistakes, m.String()), append(answer.Lines, m.Line)
			}
		} else {
			answer.Mistakes = append(answer.Mistakes, err.Error())
		}
	}
	if j, err := yaml.YAMLToJSON(text); err == nil && len(answer.Mistakes) == 0 {
		answer.Spec = json.RawMessage(j)
	}
	serve.WriteJSON(out, http.StatusOK, answer)
}

func (w *web) list(*http.Request) (any, error) {
	all := []listed{}
	for _, e := range w.desk.list() {
		spec, _ := e.job.Spec()
		all = append(all, listed{e.name, spec.Name, e.job.Status()})
	}
	return struct {
		Jobs   []listed
		Broken []broken
	}{all, w.desk.broken}, nil
}

// onJob is what pages of a job are made of.
type onJob struct {
	Name      string
	Title     string
	Status    job.Status
	Runs      []job.Run
	Settings  settings
	Fields    []fieldKind
	Text      []string // fields of text
	Stemmings []string
	Why       string // URL that was asked for
	Because   any
	Error     string
}

func (w *web) aJob(r *http.Request) (any, error) {
	e, err := w.desk.find(r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	spec, _ := e.job.Spec()
	v := onJob{Name: e.name, Title: spec.Name, Status: e.job.Status(), Runs: e.job.Runs(), Stemmings: stemmings(), Why: r.FormValue("why")}
	v.Settings, v.Fields = e.catalog.current()
	for _, f := range v.Fields {
		if f.Kind == index.Text {
			v.Text = append(v.Text, f.Name)
		}
	}
	if v.Why != "" {
		if m := e.job.Monitor(); m != nil {
			v.Because = m.Explain(r.Context(), v.Why)
		} else {
			v.Error = "The job does not run now, so that there is nobody to ask."
		}
	}
	return v, nil
}

// status is how a job stands, for its page.
func (w *web) status(out http.ResponseWriter, r *http.Request) {
	e, err := w.desk.find(r.PathValue("name"))
	if err != nil {
		fail(out, err)
		return
	}
	docs, failed := e.came()
	answer := struct {
		job.Status
		Documents []document `json:"documents"`
		Problem   string     `json:"problem"`
	}{e.job.Status(), docs, ""}
	if failed != nil {
		answer.Problem = failed.Error()
	}
	serve.WriteJSON(out, http.StatusOK, answer)
}

// act does what the buttons of a job say.
func (w *web) act(out http.ResponseWriter, r *http.Request) {
	e, err := w.desk.find(r.PathValue("name"))
	if err != nil {
		fail(out, err)
		return
	}
	next := "/jobs/" + url.PathEscape(e.name)
	switch r.PathValue("act") {
	case "start":
		w.desk.start(e, false)
	case "recrawl":
		w.desk.start(e, true)
	case "pause":
		e.job.Pause()
	case "resume":
		e.job.Resume()
	case "stop":
		err = e.job.Stop(r.Context())
	case "copy":
		_, text := e.job.Spec()
		to := strings.TrimSpace(r.FormValue("to"))
		if err = w.desk.create(to, text); err == nil {
			next = "/jobs/" + url.PathEscape(to) + "/edit"
		}
	case "remove":
		if err = w.desk.remove(e.name); err == nil {
			next = "/"
		}
	default:
		http.NotFound(out, r)
		return
	}
	if err != nil {
		fail(out, err)
		return
	}
	http.Redirect(out, r, next, http.StatusSeeOther)
}

func (w *web) setIndex(out http.ResponseWriter, r *http.Request) {
	e, err := w.desk.find(r.PathValue("name"))
	if err != nil {
		fail(out, err)
		return
	}
	_, fields := e.catalog.current()
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	s, err := parseSettings(r.FormValue, names)
	if err == nil {
		err = e.catalog.set(r.Context(), s)
	}
	if err != nil {
		fail(out, err)
		return
	}
	http.Redirect(out, r, "/jobs/"+url.PathEscape(e.name)+"/search", http.StatusSeeOther)
}

// results is the page of a search.
type results struct {
	onJob
	Ask     question
	Answer  *answer
	Columns []string
	Numbers []string
	Sorts   []string
	Problem string
	Took    string
}

func (w *web) search(r *http.Request) (any, error) {
	v, err := w.aJob(r)
	if err != nil {
		return nil, err
	}
	res := results{onJob: v.(onJob)}
	page, _ := strconv.Atoi(r.FormValue("page"))
	res.Ask = question{Text: r.FormValue("q"), Page: max(min(page, 500), 1), Chosen: map[string]string{}, Ranges: map[string][2]string{}}
	res.Ask.Sort, res.Ask.Desc = strings.TrimPrefix(r.FormValue("sort"), "-"), strings.HasPrefix(r.FormValue("sort"), "-")
	for _, f := range res.Fields {
		res.Columns = append(res.Columns, f.Name)
		switch f.Kind {
		case index.Keyword, index.Text:
			res.Ask.Chosen[f.Name] = r.FormValue("f:" + f.Name)
		case index.Float, index.Time:
			res.Numbers = append(res.Numbers, f.Name)
			res.Ask.Ranges[f.Name] = [2]string{strings.TrimSpace(r.FormValue("from:" + f.Name)), strings.TrimSpace(r.FormValue("to:" + f.Name))}
		}
		if f.Kind != index.Text || f.Short {
			res.Sorts = append(res.Sorts, f.Name)
		}
	}
	e, err := w.desk.find(res.Name)
	if err != nil {
		return nil, err
	}
	if res.Answer, err = e.catalog.search(r.Context(), res.Ask); err != nil {
		res.Problem, res.Answer = err.Error(), &answer{}
	}
	res.Took = fmt.Sprintf("%.1f ms", float64(res.Answer.Took.Microseconds())/1000)
	return res, nil
}

// Page is the address of another page of the same search.
func (r results) Page(n int) string {
	q := url.Values{"q": {r.Ask.Text}, "page": {strconv.Itoa(n)}}
	if r.Ask.Sort != "" {
		q.Set("sort", map[bool]string{true: "-"}[r.Ask.Desc]+r.Ask.Sort)
	}
	for name, v := range r.Ask.Chosen {
		if v != "" {
			q.Set("f:"+name, v)
		}
	}
	for name, v := range r.Ask.Ranges {
		if v != [2]string{} {
			q.Set("from:"+name, v[0])
			q.Set("to:"+name, v[1])
		}
	}
	return "?" + q.Encode()
}

func (w *web) export(out http.ResponseWriter, r *http.Request) {
	e, err := w.desk.find(r.PathValue("name"))
	if err != nil {
		fail(out, err)
		return
	}
	_, text := e.job.Spec()
	out.Header().Set("Content-Type", "application/yaml")
	out.Header().Set("Content-Disposition", `attachment; filename="`+e.name+`.yaml"`)
	_, _ = out.Write(text)
}

// table sends all records of a job, a row each.
func (w *web) table(out http.ResponseWriter, r *http.Request) {
	e, err := w.desk.find(r.PathValue("name"))
	if err != nil {
		fail(out, err)
		return
	}
	spec, _ := e.job.Spec()
	fields := fieldsOf(spec)
	asCSV := strings.HasSuffix(r.URL.Path, ".csv")
	_ = http.NewResponseController(out).SetWriteDeadline(time.Now().Add(time.Hour)) // of a long table
	out.Header().Set("Content-Disposition", "attachment")
	out.Header().Set("Content-Type", map[bool]string{true: "text/csv; charset=utf-8", false: "application/jsonl"}[asCSV])
	c := csv.NewWriter(out)
	if asCSV {
		head := []string{"url"}
		for _, f := range fields {
			head = append(head, f.Name)
		}
		_ = c.Write(head)
		defer c.Flush()
	}
	enc := json.NewEncoder(out)
	for row, err := range job.ReadRecords(r.Context(), e.job.Dir()+"/"+spec.Output.Pages) {
		if err != nil {
			w.desk.log.Error("table", "job", e.name, "err", err)
			return
		}
		for _, rec := range row.Records {
			m, ok := rec.(map[string]any)
			if !ok {
				continue
			}
			if !asCSV {
				m["url"] = row.URL
				_ = enc.Encode(m)
				continue
			}
			cells := []string{row.URL}
			for _, f := range fields {
				_, text := valueOf(f, m)
				cells = append(cells, plain(text))
			}
			_ = c.Write(cells)
		}
	}
}

// plain is a cell that no spreadsheet takes for a formula.
func plain(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
