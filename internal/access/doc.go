// Package access says who may ask a server, how often, and how it listens: host names,
// a bearer token, other origins (CORS), a rate for each address, TLS by files that may be
// renewed, and profiles (profile.go).
package access
