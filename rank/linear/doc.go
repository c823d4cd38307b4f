// Package linear holds models that are a sum over features: each times a weight, or along a line with bends. They
// stand in a JSON file that a person can read and change, and are learnt from examples.
//
//	{
//	  "about": "how likely a page is one that people look for, by its URL",
//	  "logistic": true,
//	  "intercept": -1.5,
//	  "terms": [
//	    {"feature": "url.https", "weight": 0.3},
//	    {"feature": "url.depth", "points": [[0, 1.2], [1, 0.4], [4, -0.8]]}
//	  ]
//	}
//
// Where to look:
//
//	model.go  what a model is, and its file
//	fit.go    learning one: least squares, logistic regression
//	solve.go  linear equations
package linear
