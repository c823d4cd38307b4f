// Package links keeps the texts of links by the document that they lead to: fold.go says
// which of them a document keeps and how they are recorded, files.go reads the files of
// anchors, of which the newest that has a document counts, and makes one of several.
package links
