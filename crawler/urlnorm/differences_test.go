package urlnorm_test

// The cases of the suites whose result is another here, with the reason.

const (
	undecodable = "x/net/idna refuses Punycode that decodes to nothing, or to what may not stand in a name"
	oldIDNA     = "x/net/idna has the mappings of an older UTS 46"
	oldEncoder  = "the encoder of x/text differs from the WHATWG tables here"
	slashes     = "// and / may be different pages to a server"
	percent     = "a lone percent sign is sent as it is, as browsers do"
	standard    = "the URL standard has no escape there"
	emptyValue  = "b and b= may be different to a server"
	notCrawled  = "only http and https are crawled"
	noHost      = "no host: an error"
	noScheme    = "no scheme and no base: a relative reference"
)

var platformURLs = map[string]string{
	"http://a.b.c.xn--pokxncvks":  undecodable,
	"http://10.0.0.xn--pokxncvks": undecodable,
	"http://a.b.c.XN--pokxncvks":  undecodable,
	"http://a.b.c.Xn--pokxncvks":  undecodable,
	"http://10.0.0.XN--pokxncvks": undecodable,
	"http://10.0.0.xN--pokxncvks": undecodable,
	"https://xn--/":               undecodable,
}

var platformQueries = map[string]string{
	"iso-2022-jp \x0eA":    oldEncoder,
	"iso-2022-jp \u203e\\": oldEncoder,
	"gb18030 \ue5e5":       oldEncoder,
	"shift_jis \u2212":     oldEncoder,
}

var platformHosts = map[string]string{
	"xn--a":             undecodable,
	"xn--a.xn--zca":     undecodable,
	"xn--ls8h=":         undecodable,
	"xn--1ug.example":   undecodable,
	"xn--a-yoc":         undecodable,
	"xn--zn7c.com":      undecodable,
	"xn--0.com":         undecodable,
	"=\u0338":           oldIDNA,
	"<\u0338":           oldIDNA,
	">\u0338":           oldIDNA,
	"=\u00ad\u0338":     oldIDNA,
	"<\u00ad\u0338":     oldIDNA,
	">\u00ad\u0338":     oldIDNA,
	"look\u180eout.net": oldIDNA,
	"look\u206bout.net": oldIDNA,
	"\u04c0.com":        oldIDNA,
	"\U0002f868.com":    oldIDNA,
	"\u2183.com":        oldIDNA,
	"\u1e9e.com":        oldIDNA,
	"\u1e9e.foo.com":    oldIDNA,
}

var normalizer = map[string]string{
	"http://x.com/?x[y]=1":                     standard,
	"http://foo.com//aa/bb/foo.html":           slashes,
	"http://foo.com/aa//bb/foo.html":           slashes,
	"http://foo.com/aa/bb//foo.html":           slashes,
	"http://foo.com//aa//bb//foo.html":         slashes,
	"http://foo.com////aa////bb//foo.html":     slashes,
	"http://foo.com////aa////bb////foo.html":   slashes,
	"file:///foo/bar.txt":                      notCrawled,
	"ftp:/":                                    notCrawled,
	"ftp://foo.com/index.html":                 notCrawled,
	"file:/path/index.html":                    notCrawled,
	"file:/var/www/html/////./bar/index.html":  notCrawled,
	"file:/var/www/html/foo/../bar/index.html": notCrawled,
	"http:////":                                                         noHost,
	"http:///////":                                                      noHost,
	"foo.com/index.html":                                                noScheme,
	"http://foo.com/index?a=1&b=":                                       emptyValue,
	"http://foo.com/index?b=&a=1":                                       emptyValue,
	"http://foo.com/index?&=1&a=1":                                      "=1 is a parameter without a name, and may matter to a server",
	"http://foo.com/index?=1&b=1&a=1":                                   "=1 is a parameter without a name, and may matter to a server",
	"http://www.example.com/search?q=foobar%":                           percent,
	"http://www.example.com/search?q=foobar%2":                          percent,
	"http://www.example.com/p%zz%77%v":                                  percent,
	"http://www.example.com/a/c/../b/search?q=foobar%":                  percent,
	"http://www.example.com/a/c/../b/search?q=foobar^":                  standard,
	"http://www.example.com/a/c/../b/search?q=foobar`":                  standard,
	"http://www.example.com/a/c/../b/search?q=foobar|":                  standard,
	"https://www.last.fm/music/Prefuse+73/_/90%+of+My+Mind+Is+With+You": percent,
}

var surtRows = map[string]string{
	"http://www.example.com/": "the row leaves www in, against all others: it was made without canonicaliser",
}

var suffixes = map[string]string{}
