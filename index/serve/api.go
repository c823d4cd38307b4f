package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// Error is trouble with a request, or with the answer, as the API tells it.
type Error struct {
	Status  int    `json:"-"` // of HTTP
	Code    string `json:"code"`
	Message string `json:"message"` // for people
}

func (e *Error) Error() string { return e.Message }

// WriteJSON writes v as JSON, which no cache is to keep.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // an error means that the client went away
}

// WriteError writes an error in the form of the API. What is no [*Error] is said to be
// internal, and no more of it is told.
func WriteError(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = &Error{http.StatusInternalServerError, "internal", "the index could not answer; the log of the program says why"}
	}
	WriteJSON(w, e.Status, struct {
		Error *Error `json:"error"`
	}{e})
}

// ReadOnly refuses methods other than GET and HEAD, and reports whether it did not.
func ReadOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	WriteError(w, &Error{http.StatusMethodNotAllowed, "bad_method", "ask with GET"})
	return false
}

// Number reads a whole number from 1 to most from a query; unset if there is none. The
// error is an [*Error] with the code "bad_" and the name.
func Number(v url.Values, name string, unset, most int) (int, error) {
	text := v.Get(name)
	if text == "" {
		return unset, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, &Error{http.StatusBadRequest, "bad_" + name, fmt.Sprintf("%s: want a whole number from 1 to %s", name, Grouped(most))}
	}
	return n, nil
}

func (h *Handler) apiSearch(w http.ResponseWriter, r *http.Request) {
	if !ReadOnly(w, r) {
		return
	}
	req, err := h.read(r.URL.Query())
	if err == nil && req.blank() {
		err = &Error{http.StatusBadRequest, "bad_query", "q: want a query"}
	}
	var a *Answer
	if err == nil {
		a, err = h.answer(r.Context(), req)
	}
	if err != nil {
		WriteError(w, err)
		return
	}
	WriteJSON(w, http.StatusOK, a)
}

func (h *Handler) apiSuggest(w http.ResponseWriter, r *http.Request) {
	if !ReadOnly(w, r) {
		return
	}
	list, err := h.complete(r)
	if err != nil {
		WriteError(w, err)
		return
	}
	WriteJSON(w, http.StatusOK, struct {
		Completions any `json:"completions"`
	}{list})
}

func (h *Handler) apiStatus(w http.ResponseWriter, r *http.Request) {
	if ReadOnly(w, r) {
		WriteJSON(w, http.StatusOK, h.status(r.Context()))
	}
}

// ready reports whether there is something to be found.
func (h *Handler) ready(w http.ResponseWriter, r *http.Request) {
	if !ReadOnly(w, r) {
		return
	}
	n, err := h.documents(r.Context())
	if err == nil && n == 0 {
		err = errors.New("the index is empty")
	}
	if err != nil {
		WriteError(w, &Error{http.StatusServiceUnavailable, "internal", err.Error()})
		return
	}
	WriteJSON(w, http.StatusOK, struct {
		OK bool `json:"ok"`
	}{true})
}

// health reports whether the index answers.
func (h *Handler) health(w http.ResponseWriter, r *http.Request) {
	if !ReadOnly(w, r) {
		return
	}
	if _, err := h.documents(r.Context()); err != nil {
		WriteError(w, &Error{http.StatusServiceUnavailable, "internal", err.Error()})
		return
	}
	WriteJSON(w, http.StatusOK, struct {
		OK bool `json:"ok"`
	}{true})
}
