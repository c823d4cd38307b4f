package main

import _ "embed"

// demo is the web that is crawled when nothing else is asked for.
//
//go:embed demo.txt
var demo string

const demoSeed = "http://observatory.test/"
