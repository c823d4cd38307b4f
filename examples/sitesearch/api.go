package main

import (
	"encoding/json"
	"net/http"
	"strings"
)

// The JSON interface.
//
//	GET /api/search?q=pole+star&page=1&size=10
//
//	{"query": "pole star",              as it was asked
//	 "took_us": 412,                    time for the answer in microseconds
//	 "total": {"value": 7,              pages that match,
//	           "exact": true},          or false: at least so many
//	 "hits": [{"url": "http://...",     best first
//	           "title": "...",          plain text
//	           "score": 12.3,           to be compared within one answer only
//	           "snippet_html": "..."}], escaped, with the words of the query in <mark>
//	 "did_you_mean": "",                a better spelling, if there is one
//	 "hint": "",                        why the answer is not quite what was asked
//	 "page": 1, "size": 10}
//
//	GET /api/status
//
//	{"running": true, "pages": 20, "indexed": 20, "waiting": 5, "failed": 1, "text": "..."}
//
// Trouble is {"error": {"code": "bad_page", "message": "..."}} with a status
// that is not 200. The codes are bad_query, bad_page, bad_size, not_found,
// bad_method, busy (with Retry-After) and internal.

// asked is an answer as -json prints it.
type asked struct {
	Query      string   `json:"query"`
	TookUS     int64    `json:"took_us"`
	Total      total    `json:"total"`
	Hits       []apiHit `json:"hits"`
	DidYouMean string   `json:"did_you_mean"`
}

type total struct {
	Value int  `json:"value"`
	Exact bool `json:"exact"`
}

type apiHit struct {
	URL     string  `json:"url"`
	Title   string  `json:"title"`
	Score   float64 `json:"score"`
	Snippet string  `json:"snippet_html"`
}

// asked is a as it goes out in JSON.
func (a *answer) asked() asked {
	out := asked{Query: a.Query, TookUS: a.Took.Microseconds(), Total: total{a.Total.Value, a.Total.Exact},
		Hits: make([]apiHit, 0, len(a.Hits)), DidYouMean: a.DidYouMean}
	for _, h := range a.Hits {
		out.Hits = append(out.Hits, apiHit{h.URL, h.Title, h.Score, string(h.Snippet)})
	}
	return out
}

// apiError is trouble with a request, or with the answer.
type apiError struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *apiError) Error() string { return e.Message }

func (s *web) apiSearch(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	q, page, size, err := readQuery(r.URL.Query())
	if err == nil && strings.TrimSpace(q) == "" {
		err = &apiError{http.StatusBadRequest, "bad_query", "q: want a query"}
	}
	if err != nil {
		writeError(w, err)
		return
	}
	a, err := s.ask(r, q, page, size)
	if err != nil {
		s.log.Error("search", "query", q, "err", err)
		writeError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, struct {
		asked
		Hint string `json:"hint"`
		Page int    `json:"page"`
		Size int    `json:"size"`
	}{a.asked(), a.Hint, page, size})
}

func (s *web) apiStatus(w http.ResponseWriter, r *http.Request) {
	if readOnly(w, r) {
		now := s.status()
		writeJSON(w, http.StatusOK, struct {
			status
			Text string `json:"text"`
		}{now, now.String()})
	}
}

// readOnly refuses methods other than GET and HEAD.
func readOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	writeError(w, &apiError{http.StatusMethodNotAllowed, "bad_method", "ask with GET"})
	return false
}

func writeError(w http.ResponseWriter, err error) {
	e, ok := err.(*apiError)
	if !ok {
		e = &apiError{http.StatusInternalServerError, "internal", "the index could not answer; the log of the program says why"}
	}
	writeJSON(w, e.status, struct {
		Error *apiError `json:"error"`
	}{e})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // an error means that the client went away
}
