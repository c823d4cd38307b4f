// Package job has crawls as data: a [Spec] in YAML or JSON says what is crawled, how and
// what becomes of it, and a [Job] runs it in a folder of its own. It is what programs run
// that let people describe crawls who do not write Go, and what a schedule, a console or
// a cluster starts, watches and stops.
//
//	name: kettles
//	seeds: https://shop.example/kettles
//	user-agent: acme/1.0 (+https://acme.example/bot)
//	scope: {within: host, exclude: [/cart/**]}
//	chains:
//	  - urls: /kettles*
//	    steps: [dismiss, click-while: {css: button.more}]
//	extract:
//	  - urls: [/p/*]
//	    fields: {name: h1, price: {css: .price, type: price}}
//	output: {records: kettles.jsonl}
//
// A Job may be killed at any moment: the next Run of its folder goes on. Package job
// imports no other room than frontier; outputs that others have, such as an index, are
// given to it by the program, by name, see [Options].
//
// Where to look:
//
//   - what a spec may say: spec.go, and what makes sense: check.go
//   - how a text becomes a Spec, with the places of its mistakes: parse.go
//   - how a Spec becomes a Crawler: wire.go, its scope and order: scope.go
//   - what is written, and by whom: output.go
//   - what comes again, and when: recrawl.go
//   - the folder, runs and their history: job.go, history.go
//   - a copy at one moment, to go on elsewhere: backup.go
//   - a look at the first pages without writing anything: dryrun.go
package job
