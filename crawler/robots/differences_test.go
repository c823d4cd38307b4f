package robots_test

import "maps"

// The rows of the suites, counted from 1, whose verdict is another here, with
// the reason.

const (
	rfcEncoding  = "RFC 9309, 2.2.2: URLs are escaped too, and escapes of unreserved characters undone"
	indexPage    = "Google only: a rule for index.html is one for its folder"
	longLine     = "Google only: lines are cut at 16 KiB"
	wholeName    = "Google only: it compares the whole agent name, here a token is taken from it"
	digits       = "tokens may have digits here, or agent1 and agent2 would be one"
	robotsItself = "RFC 9309, 2.2.2: /robots.txt is always allowed"
	noGroup      = "RFC 9309, 2.2.2: rules before the first User-agent line are ignored"
	otherRecord  = "RFC 9309, 2.2.4: records that are not known do not end a group"
	noColon      = "Google accepts a missing colon, and so do we"
	manyAgents   = "RFC 9309, 2.2.1: what no comma parts is one product token and a comment"
	noToken      = "RFC 9309, 2.2.1: not a product token, so it does not match ours"
	oneName      = "a crawler has one name here, the first"
	dollar       = "RFC 9309, 2.2.3: a dollar sign at the end is the end of the match only"
	noSlash      = "RFC 9309, 2.2: a path starts with a slash"
	longDelay    = "a long Crawl-delay is a delay, not a ban"
)

var differences = map[string]map[int]string{
	"google-robotstxt": {
		41: wholeName, 64: rfcEncoding, 66: rfcEncoding, 67: rfcEncoding, 79: indexPage, 84: longLine, 87: longLine,
	},
	"google-spec-test": {
		38: indexPage, 111: rfcEncoding, 113: rfcEncoding, 114: rfcEncoding, 134: wholeName,
		194: robotsItself, 200: robotsItself, 204: robotsItself, 345: robotsItself,
		201: digits, 202: digits, 203: digits,
	},
	"protego": {
		240: otherRecord, 241: otherRecord, 242: otherRecord, 249: noToken, 252: noToken, 269: indexPage,
		297: dollar, 298: dollar, 300: noSlash,
	},
	"reppy": {
		2: noGroup, 10: otherRecord, 16: noColon,
	},
	"crawler-commons": union(
		rows(oneName, 150, 152, 154, 158, 160, 172, 174, 180),
		rows(manyAgents, 223, 226, 235, 244, 298),
		rows(oneName, 275, 276, 277),
		rows("markup in a User-agent line: "+noToken, 270),
		rows(longDelay, 307),
	),
}

func rows(why string, numbers ...int) map[int]string {
	m := make(map[int]string)
	for _, n := range numbers {
		m[n] = why
	}
	return m
}

func union(all ...map[int]string) map[int]string {
	m := make(map[int]string)
	for _, one := range all {
		maps.Copy(m, one)
	}
	return m
}
