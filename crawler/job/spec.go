package job

import (
	"time"

	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/extract"
)

// Spec says what is crawled, how, and what becomes of it. Seeds and a user agent are
// required; everything else may be left out.
type Spec struct {
	Name      string            `yaml:"name"`                                               // of the crawl, for people
	Seeds     []string          `yaml:"seeds,required"`                                     // URLs to begin with
	UserAgent string            `yaml:"user-agent,required"`                                // who asks: a product and a contact, as "acme/1.0 (+https://acme.example/bot)"
	Sitemaps  bool              `yaml:"sitemaps"`                                           // visit the pages too that sitemaps and feeds of the hosts list
	Scope     Scope             `yaml:"scope"`                                              // which links are followed
	Order     string            `yaml:"order" enum:"breadth|depth|priority|random|topical"` // which URLs come first: breadth (pages near the seeds), depth, priority (what links and sitemaps say), random, topical (what promises most of the topic); breadth
	Topic     string            `yaml:"topic"`                                              // words of the topic, for the order topical
	Robots    string            `yaml:"robots" enum:"obey|ignore"`                          // whether robots.txt is kept to: obey, or ignore, for sites of one's own; obey
	Pace      Pace              `yaml:"pace"`                                               // how much is asked of hosts
	Budget    Budget            `yaml:"budget"`                                             // when a run ends
	Fetch     Fetch             `yaml:"fetch"`                                              // how pages are fetched
	Logins    []Login           `yaml:"logins"`                                             // sites to log in to, by their forms
	Chains    []Chain           `yaml:"chains"`                                             // what is done in a browser on pages before they are read
	Extract   []*extract.Schema `yaml:"extract"`                                            // records to take out of pages
	Content   []string          `yaml:"content" enum:"pdf|feed|xml|json"`                   // kinds of documents that are read besides pages and texts: pdf, feed, xml, json; none
	Dedup     string            `yaml:"dedup" enum:"keep|drop"`                             // what becomes of pages that say what an earlier one does: keep, or drop; keep
	Traps     string            `yaml:"traps" enum:"avoid|enter"`                           // whether calendars, session ids and other links without end are followed: avoid, or enter; avoid
	Recrawl   Recrawl           `yaml:"recrawl"`                                            // when pages come again
	Output    Outputs           `yaml:"output"`                                             // what is written
}

// Scope says which links are followed.
type Scope struct {
	Within    string   `yaml:"within" enum:"host|site|prefix|any"` // host (of a seed), site (its registrable domain), prefix (the folder of a seed), any; site
	Include   []string `yaml:"include"`                            // globs of the URLs that are followed, as /docs/** or *.html; all
	Exclude   []string `yaml:"exclude"`                            // globs of those that are not
	SkipFiles []string `yaml:"skip-files"`                         // endings of files that are not, as zip; none
	Depth     int      `yaml:"depth"`                              // links from a seed; 0: any number
}

// Pace says how much is asked of hosts. Gaps are from one request to the next.
type Pace struct {
	Workers  int            `yaml:"workers"`   // requests at a time, of all hosts together; 16
	PerHost  int            `yaml:"per-host"`  // visits of one host at a time; 1
	Delay    *time.Duration `yaml:"delay"`     // gap between visits of one host; 1s, and twice the time that it takes to answer. 0s: none
	MaxDelay time.Duration  `yaml:"max-delay"` // cap on what a host may ask for; 24h
	Wait     time.Duration  `yaml:"wait"`      // how long a host is waited for that cannot be reached; 26h
}

// Budget says when a run ends. What is left then is for the next one.
type Budget struct {
	Pages   int           `yaml:"pages"`    // pages that were read; 0: any number
	Bytes   int64         `yaml:"bytes"`    // of bodies as they came over the wire; 0: any number
	Time    time.Duration `yaml:"time"`     // no visit begins later; 0s: no limit
	PerHost int           `yaml:"per-host"` // visits of one host, in all runs until all are crawled again; 0: any number
}

// Fetch says how pages are fetched.
type Fetch struct {
	By           string                             `yaml:"by" enum:"http|chrome|escalate"` // http, chrome (all in a browser), escalate (by http, and in a browser what is empty without its scripts); http. Pages of a chain are always shown in the browser
	Timeout      time.Duration                      `yaml:"timeout"`                        // for a page in all; 60s
	MaxBody      int64                              `yaml:"max-body"`                       // bytes of a page that are read; 8388608
	Proxies      []string                           `yaml:"proxies"`                        // URLs of proxies, taken in turn: http, https or socks5
	Headers      map[string]action.Value            `yaml:"headers"`                        // sent to every host, so no credentials
	Credentials  map[string]map[string]action.Value `yaml:"credentials"`                    // headers by origin, as "https://a.example": {Authorization: {env: TOKEN}}
	Language     string                             `yaml:"language"`                       // preferred language of pages, as "de"
	AllowPrivate bool                               `yaml:"allow-private"`                  // fetch from private and loopback addresses too
	Cookies      bool                               `yaml:"cookies"`                        // keep cookies from page to page, and from run to run
	Browser      Browser                            `yaml:"browser"`                        // the browser, where there is one
}

// Browser says how pages are shown in Chrome.
type Browser struct {
	Path      string        `yaml:"path"`       // of its program; what is found on this machine
	Tabs      int           `yaml:"tabs"`       // pages at a time; 4
	Settle    time.Duration `yaml:"settle"`     // how long scripts may go on when the document has come; 10s
	NoSandbox bool          `yaml:"no-sandbox"` // run without its sandbox, for pages that are trusted
	Images    bool          `yaml:"images"`     // load images
	Fonts     bool          `yaml:"fonts"`      // load fonts
	Media     bool          `yaml:"media"`      // load audio and video
	Trackers  bool          `yaml:"trackers"`   // load trackers
	Block     []string      `yaml:"block"`      // hosts of which nothing is loaded
}

// Login is a form to log in by, before the first page of its site.
type Login struct {
	URL    string                  `yaml:"url,required"`    // of the page with the form
	Form   string                  `yaml:"form"`            // CSS selector of the form; the first with a password field
	Fields map[string]action.Value `yaml:"fields,required"` // names of fields, and what to type: a text, or {env: NAME} for the environment variable
	Site   string                  `yaml:"site"`            // registrable domain or host whose pages need it; that of url
}

// Chain says what is done in a browser on some pages before they are read.
type Chain struct {
	URLs    []string      `yaml:"urls,required"`  // globs of the URLs, as of scope
	Timeout time.Duration `yaml:"timeout"`        // for all steps; 3m
	Steps   action.Steps  `yaml:"steps,required"` // see the guide of actions
}

// Recrawl says when pages come again.
type Recrawl struct {
	Every    time.Duration `yaml:"every"`    // a page comes again so long after it was visited; 0s: by the schedule, or when asked for
	Adaptive bool          `yaml:"adaptive"` // a page comes as often as it changes, every on average
	Schedule string        `yaml:"schedule"` // when all pages come again: minute, hour, day of month, month and day of week, as "0 3 * * *"
	Gone     time.Duration `yaml:"gone"`     // a page that is not there is asked for once more after so long, and then is gone; 1m
}

// Outputs say what is written. Names of files are within the folder of the job.
type Outputs struct {
	Pages   string              `yaml:"pages"`   // file for a line of JSON a page
	Records string              `yaml:"records"` // file for a line of JSON a record that was taken out of a page
	WARC    string              `yaml:"warc"`    // folder for an archive of all exchanges
	Others  map[string]Settings `yaml:"others"`  // outputs of the program, as an index, by their names, with their settings
}
