package crawler

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// note is what the loop keeps with a request, as the value of [keys.Crawler] in its Meta.
// So it survives a restart and is there for every Crawler that shares the Frontier.
//
// It is a list of fields: a number, the length of the value as an unsigned varint, and the
// value. One that cannot be read counts as empty.
type note struct {
	validators
	as       role
	claim    claim
	way      string      // of a redirect's target: hashes of the requests that led to it, 8 bytes each
	trail    fetch.Trail // what those set
	at       string      // URL to be asked for, if not the page's own
	clear    clearance
	priority float64 // that the request has by itself, while it is cleared or a late claim
	guess    bool    // a sitemap that is only looked for
	stored   stored
}

// clearance says that a robots.txt was loaded for the sake of one request and
// allows it. So the request can be visited when its host has rested, whether or
// not its robots.txt is still remembered then. It goes before all others meanwhile,
// as its turn had come.
type clearance struct {
	at    time.Time // of the load; zero: there is none
	delay time.Duration
}

// clearedFor is how long a request stays cleared beyond what its host wants to rest:
// as long as a robots.txt is good (RFC 9309, 2.4).
const clearedFor = 24 * time.Hour

// ok reports whether a request is cleared. A rest that was asked for may have come
// on top of another.
func (c clearance) ok() bool {
	return !c.at.IsZero() && time.Since(c.at) < clearedFor+2*c.delay
}

const (
	noteTag        = 1
	noteModified   = 2
	noteClear      = 3 // seconds since 1970, seconds of delay [v]
	noteGuess      = 4 // empty
	notePriority   = 5 // bits [8]
	noteRole       = 6 // [1]
	noteOf         = 7
	noteClaimWay   = 8
	noteGreater    = 9  // empty
	noteLate       = 10 // empty
	noteWay        = 11
	noteTrail      = 12
	noteAt         = 13
	noteClaimTrail = 14
	noteDigest     = 15 // [8]
	noteStoredAs   = 16
	noteMissed     = 17 // empty
)

// noteOn reads what is noted with a request.
func noteOn(req frontier.Request) note { return readNote(req.Meta.Get(keys.Crawler)) }

// on returns values with those of the note.
func (n note) on(m frontier.Meta) frontier.Meta {
	return m.Merge(frontier.Meta{}.With(keys.Crawler, n.String()))
}

// readNote undoes String.
func readNote(s string) (n note) {
	for ok := true; s != ""; {
		field, value := s[0], ""
		if value, s, ok = cutBytes(s[1:]); !ok || !n.read(field, value) {
			return note{}
		}
	}
	return n
}

// read takes in a field.
func (n *note) read(field byte, value string) (ok bool) {
	switch field {
	case noteTag:
		n.tag = usable(value)
	case noteModified:
		n.modified = usable(value)
	case noteClear:
		at, s, ok1 := cutNumber(value)
		delay, s, ok2 := cutNumber(s)
		if !ok1 || !ok2 || s != "" {
			return false
		}
		n.clear = clearance{time.Unix(int64(at), 0), time.Duration(delay) * time.Second}
	case noteGuess:
		n.guess = true
	case noteDigest:
		if len(value) != 8 {
			return false
		}
		n.stored.digest = binary.BigEndian.Uint64([]byte(value))
	case noteStoredAs:
		n.stored.as = value
	case noteMissed:
		n.stored.missed = true
	case notePriority:
		if len(value) != 8 {
			return false
		}
		n.priority = math.Float64frombits(binary.BigEndian.Uint64([]byte(value)))
	case noteRole:
		if len(value) != 1 || role(value[0]) > asClaim {
			return false
		}
		n.as = role(value[0])
	case noteOf:
		n.claim.of = value
	case noteClaimWay:
		n.claim.way = value
		return len(value)%wayStep == 0
	case noteGreater:
		n.claim.greater = true
	case noteLate:
		n.claim.late = true
	case noteWay:
		n.way = value
		return len(value)%8 == 0
	case noteTrail:
		n.trail = fetch.Trail(value)
	case noteClaimTrail:
		n.claim.trail = fetch.Trail(value)
	case noteAt:
		n.at = value
	default:
		return false
	}
	return true
}

// String is the value that is kept; empty: nothing is noted.
func (n note) String() string {
	var b []byte
	text := func(field byte, value string) {
		if value != "" {
			b = binary.AppendUvarint(append(b, field), uint64(len(value)))
			b = append(b, value...)
		}
	}
	flag := func(field byte, set bool) {
		if set {
			b = append(b, field, 0)
		}
	}
	text(noteTag, n.tag)
	text(noteModified, n.modified)
	if !n.clear.at.IsZero() {
		v := binary.AppendUvarint(nil, uint64(n.clear.at.Unix()))
		text(noteClear, string(binary.AppendUvarint(v, uint64((n.clear.delay+time.Second-1)/time.Second))))
	}
	flag(noteGuess, n.guess)
	if n.stored.digest != 0 {
		text(noteDigest, string(binary.BigEndian.AppendUint64(nil, n.stored.digest)))
		text(noteStoredAs, n.stored.as)
		flag(noteMissed, n.stored.missed)
	}
	if n.priority != 0 {
		text(notePriority, string(binary.BigEndian.AppendUint64(nil, math.Float64bits(n.priority))))
	}
	if n.as != asItself {
		text(noteRole, string([]byte{byte(n.as)}))
	}
	text(noteOf, n.claim.of)
	text(noteClaimWay, n.claim.way)
	flag(noteGreater, n.claim.greater)
	flag(noteLate, n.claim.late)
	text(noteWay, n.way)
	text(noteTrail, string(n.trail))
	text(noteAt, n.at)
	text(noteClaimTrail, string(n.claim.trail))
	return string(b)
}

// cutNumber reads a varint that s begins with.
func cutNumber(s string) (n uint64, rest string, ok bool) {
	n, size := binary.Uvarint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
	if size <= 0 || n > math.MaxInt32*1000 {
		return 0, "", false
	}
	return n, s[size:], true
}

// cutBytes reads a length that s begins with, and so many bytes.
func cutBytes(s string) (value, rest string, ok bool) {
	size, s, ok := cutNumber(s)
	if !ok || size > uint64(len(s)) {
		return "", "", false
	}
	return s[:size], s[size:], true
}

// after is what a request is offered again with: the validators of the page that was
// put last, for as long as that stands, and what the visit says of the next.
func (n note) after(req frontier.Request, v verdict) note {
	n.priority = n.priorityOf(req)
	if v.stored != nil {
		n.stored = *v.stored
	}
	switch {
	case v.Kind == Fetched:
		n.validators = validatorsIn(v.Page.Response)
	case v.Kind == Skipped && v.Reason != SkipNotModified:
		n.validators = validators{}
	}
	switch {
	case v.on.at != "":
		n.way, n.trail, n.at = v.on.way, v.on.trail, v.on.at
	case v.Kind != Retrying && v.Kind != resting: // the next visit is of another time
		n.way, n.at = "", "" // but it may still want its cookies
	}
	n.clear, n.claim.late = v.clear, v.late
	if !n.displaced() {
		n.priority = 0
	}
	return n
}

// displaced reports whether a request has another priority than its own meanwhile.
func (n note) displaced() bool { return !n.clear.at.IsZero() || n.claim.late || n.at != "" }

// priorityOf is the one that a request has by itself.
func (n note) priorityOf(req frontier.Request) float64 {
	if n.displaced() {
		return n.priority
	}
	return req.Priority
}

// within has the next fetch ask whether the page has changed, and take the cookies
// along that redirects have set.
func (n note) within(ctx context.Context) context.Context {
	if n.trail != "" {
		to := termsOf(ctx)
		to.trail = n.trail
		ctx = to.within(ctx)
	}
	return n.validators.within(ctx)
}

// target is the request to be made of a page: mostly its own, after a redirect to a
// URL that is the same page that other one.
func (n note) target(req frontier.Request) frontier.Request {
	if n.at != "" {
		req.URL = n.at
	}
	return req
}
