// Package crawlertest is a small web for tests of crawlers: it stands in a text
// file, answers in memory or on loopback, and notes who asked for what and
// when. It knows nothing of the crawler that is tested.
//
// # The file
//
// What comes before the first page is a comment. A page begins with a line that
// holds its URL between "-- " and " --" and ends where the next begins:
//
//	Two pages, one of them busy at first.
//
//	-- http://a.test/ --
//	<title>Home</title>
//	<a href="/busy">to the other</a>
//
//	-- http://a.test/busy --
//	HTTP 503
//	Retry-After: 120
//
//	come back later
//
//	-- http://a.test/busy --
//	<title>Busy no more</title>
//
// A page whose first line is "HTTP" and a status has header lines and an empty
// line before its body. Otherwise it is an HTML page with status 200, as is one
// without Content-Type. A URL that stands in the file several times gives its
// answers in this order, and the last one from then on. Two header lines are for
// the test web itself and not sent:
//
//	Test-Wait: 30s         answer after that time
//	Test-Error: no route   give no answer but this error; on loopback, hang up. "no such
//	                       host" and "connection refused" are what a dialler returns
//
// A robots.txt that is not in the file is missing: status 404. Any other URL
// that is not there is an error in the test.
//
// # Where to look
//
//	web.go    how is a file read, and a request answered in memory?
//	serve.go  how is it served on loopback?
//	check.go  was each page visited once, and none too soon?
package crawlertest
