// Package rank holds every formula that orders things. It never reads a disk index.
package rank
