// Package action does things in a page of a browser, step by step: it waits,
// clicks, scrolls, fills in forms, logs in, turns pages, and takes records,
// snapshots, pictures and links on the way. It opens no browser: it works in a
// tab of chromedp, whether crawler/chrome has opened that or you have.
//
//	chain, err := action.Parse(text) // YAML or JSON
//	...
//	result, err := new(action.Runner).Run(ctx, chain)
//
// A [Chain] is a plain value, and may be written in Go as well. Each step has a
// deadline of its own, each loop has caps; each step reports how long it took and
// why it ended. When one fails, what was found before is kept.
//
// Where to look:
//
//	chain.go    chains, steps, selectors, and which actions are there?
//	page.go     opening pages, waiting, consent dialogs, cookies, headers, viewport
//	pointer.go  clicking, hovering, loading more, scrolling
//	form.go     fields, options, keys, logging in
//	take.go     records, snapshots, values, pictures, PDF, links
//	flow.go     turning pages, doing something for each element, or if there is one
//	runner.go   how is a chain run?
//	report.go   what comes of it, and of each step?
//	crawl.go    how do snapshots become pages of a crawl?
//	compose.go  what is the document of a page with several snapshots?
//	decode.go   how are a chain and its steps read?
//	shape.go    which fields has an action, and what may they be?
//
// How they are done:
//
//	do_*.go     each action
//	sessions.go logging in once
//	tab.go      what is going on in the tab?
//	frame.go    frames, and calling the kit in them
//	glob.go     which URLs are meant?
//	element.go  finding an element, and why it is of no use
//	kit.js      what is done within the page
package action
