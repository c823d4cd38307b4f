// Package schema is what the rooms below package index know of fields, in plain types:
// their kinds, which of them a query searches, and the values of columns as numbers.
package schema
