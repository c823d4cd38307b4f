// Package fuzzy forgives typing errors.
package fuzzy
