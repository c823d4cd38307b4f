package crawler

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNothingFetched is what [Crawler.Run] returns when it visited all its seeds and
// could fetch none of them, nor what they redirect to. The error says why, for the
// first twenty seeds, by *[FetchError]s that errors.AsType finds.
var ErrNothingFetched = errors.New("crawler: nothing could be fetched")

const maxCauses = 20

// starts follows the seeds of a run until anything was fetched.
type starts struct {
	got    bool
	causes map[string]error // by URL: why it could not be had; nil: not known
}

func newStarts(urls []string) starts {
	s := starts{causes: make(map[string]error, len(urls))}
	for _, u := range urls {
		s.causes[u] = nil
	}
	return s
}

// note takes in an event.
func (s *starts) note(e Event) {
	_, seed := s.causes[e.URL]
	switch {
	case s.got || e.Kind == Retrying || e.Kind == resting || e.Kind == Ended:
	case e.Kind == Skipped && e.Reason == SkipRedirect:
		if seed {
			delete(s.causes, e.URL)
			if _, known := s.causes[e.Target]; !known {
				s.causes[e.Target] = nil
			}
		}
	case e.Kind == Failed, e.Reason == SkipRefused:
		s.fail(seed, e.URL, e.Err)
	case e.Reason == SkipRobots:
		s.fail(seed, e.URL, &FetchError{URL: e.URL, Kind: ErrDisallowed})
	case e.Reason == SkipScope:
		s.fail(seed, e.URL, &FetchError{URL: e.URL, Kind: ErrRedirect, Hops: []string{e.Target}, Err: errors.New("out of scope")})
	case e.Reason == skipNoSitemap:
	default:
		s.got, s.causes = true, nil
	}
}

func (s *starts) fail(seed bool, url string, err error) {
	if seed {
		s.causes[url] = err
	}
}

// err is the error of a run of which all seeds were visited in vain.
func (s *starts) err() error {
	if s.got || len(s.causes) == 0 {
		return nil
	}
	urls := make([]string, 0, len(s.causes))
	for u, cause := range s.causes {
		if cause == nil {
			return nil
		}
		urls = append(urls, u)
	}
	slices.Sort(urls)
	var causes []error
	for _, u := range urls[:min(len(urls), maxCauses)] {
		causes = append(causes, s.causes[u])
	}
	return fmt.Errorf("%w: %w", ErrNothingFetched, errors.Join(causes...))
}
