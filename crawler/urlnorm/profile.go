package urlnorm

import "cmp"

// Profile chooses the steps that make a URL canonical. The zero value is the
// default profile: all steps that can do no harm, the order of parameters
// kept. All URLs of a crawl must be made by one profile, or one page gets two
// names. A Profile may be used by many goroutines as long as it is not changed.
type Profile struct {
	// Fragments says which fragments are part of a page's name; none by default.
	Fragments Fragments

	KeepEscapes    bool // leave percent-escapes as they are: %7e and ~ are different then
	KeepUserinfo   bool // leave name and password in
	KeepRootDot    bool // leave the dot at the end of example.com.
	KeepEmpty      bool // leave a "?" with nothing behind it, and empty parameters
	KeepDuplicates bool // leave parameters that repeat an earlier name and value
	KeepSessions   bool // leave session ids
	KeepTracking   bool // leave tracking parameters
	SortQuery      bool // sort parameters by name; those of one name keep their order

	// Drop names further parameters to drop, Keep those never to be dropped.
	// Names are compared without regard to case; a star at the end stands for
	// any rest. Keep is the stronger.
	Drop, Keep []string

	MaxLen int // longest URL, as given and as canonical, in bytes; 8192
}

// Fragments says what becomes of the part behind "#".
type Fragments int

const (
	DropFragments Fragments = iota // for plain HTTP: the server never sees them
	KeepRoutes                     // keep #/... and #!..., pages of their own to a browser
	KeepFragments                  // keep all
)

func (p *Profile) maxLen() int { return cmp.Or(p.MaxLen, 8192) }

// keepFragment reports whether a fragment, without its "#", stays.
func (p *Profile) keepFragment(fragment string) bool {
	switch p.Fragments {
	case KeepFragments:
		return fragment != ""
	case KeepRoutes:
		return fragment != "" && (fragment[0] == '/' || fragment[0] == '!')
	}
	return false
}
