// Package session keeps what sites know a crawl by: cookies that outlast a
// restart, and logins by form. It does not keep passwords, and it decides no
// pace: a login is two requests or three, and happens once.
//
// A [Jar] is set as the Cookies of a crawler.HTTP; a [Login] wraps that HTTP and
// logs in before the first page of its site, and again when a page shows that
// the site has forgotten us.
//
// Where to look:
//
//	jar.go    which cookies are kept, and how many?
//	file.go   how do they outlast a restart?
//	login.go  when is logged in, and when again?
//	form.go   which form, and what is sent?
package session
