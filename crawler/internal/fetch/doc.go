// Package fetch asks servers by HTTP. It connects to public addresses alone, reads what
// browsers read, decodes within limits, and follows the redirects that it is told to.
//
//	http.go      the settings, a request and its answer
//	errors.go    what can go wrong
//	redirect.go  hops to other pages, and of a page to itself
//	exchange.go  one request and its answer
//	ask.go       method, header and body of a request, and after redirects
//	cookie.go    what does a Set-Cookie mean?
//	trail.go     cookies that go along with redirects
//	network.go   TLS, certificates, pools of connections
//	dns.go       how long are addresses of names kept?
//	dial.go      which addresses are refused, which is tried first?
//	lenient.go   which headers are read though they are not HTTP?
//	proxy.go     which proxy is next, and whose fault is it behind one?
//	watch.go     how long may it take?
//	decode.go    content codings and bombs
//	pieces.go    bodies of unknown length
//	classify.go  which kind of error was that?
package fetch
