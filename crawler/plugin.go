package crawler

import (
	"fmt"
	"reflect"
)

// Plugin is something that works on a crawl by several of its parts at once, such as one that
// keeps it out of traps or steers it towards a topic. Run installs those of
// [Crawler].Plugins, in their order, into the Crawler that it works with, which is a copy.
//
// All fields of c are set by then, but Revisit, which is nil where nobody has set it. Install
// puts what it has around them: a Parser around c.Parser, a Sink around c.Sink. What lies around a
// Parser or a Fetcher has a method Unwrap. Revisit has one owner: who finds it set returns an
// error. So plug-ins work together in any order: each sees what those before it let through.
//
// An error says why it cannot be installed, such as that it is there already or wants a part
// that another has taken, and is what Run returns. Install is called once for each run, from
// its goroutine; a Plugin that keeps something for several runs at a time guards it itself.
type Plugin interface {
	Install(c *Crawler) error
}

// PluginFunc is a function as a Plugin.
type PluginFunc func(c *Crawler) error

// Install calls f.
func (f PluginFunc) Install(c *Crawler) error { return f(c) }

// Install puts m around the Fetcher of c.
func (m Middleware) Install(c *Crawler) error {
	c.Fetcher = m(c.Fetcher)
	return nil
}

var _, _ Plugin = Middleware(nil), PluginFunc(nil)

// install installs the plug-ins.
func (r *run) install() error {
	for i, p := range r.Plugins {
		if p == nil {
			return &ConfigError{"plug-in", fmt.Sprint(i), "is nil"}
		}
		for _, before := range r.Plugins[:i] {
			if reflect.ValueOf(p).Comparable() && before == p {
				return &ConfigError{"plug-in", fmt.Sprintf("%T", p), "is there twice"}
			}
		}
		if err := p.Install(&r.Crawler); err != nil {
			return err
		}
	}
	return nil
}

// ParserAs returns the first T among a Parser and those that it wraps, which a method
// Unwrap() Parser returns; false: there is none.
func ParserAs[T any](p Parser) (t T, ok bool) {
	for {
		if t, ok = p.(T); ok {
			return t, true
		}
		wraps, more := p.(interface{ Unwrap() Parser })
		if !more {
			return t, false
		}
		p = wraps.Unwrap()
	}
}
