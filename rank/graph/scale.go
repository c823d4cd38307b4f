package graph

import (
	"cmp"
	"math"
	"slices"
)

// Normalised scales numbers to 0 for the least and 1 for the greatest; all to 0 if they are equal.
func Normalised(values []float64) []float64 {
	out := make([]float64, len(values))
	if len(values) == 0 {
		return out
	}
	least, most := slices.Min(values), slices.Max(values)
	if !(most > least) {
		return out
	}
	for i, v := range values {
		out[i] = (v - least) / (most - least)
	}
	return out
}

// LogScaled scales numbers that are not negative to 0 for the least of those above 0, and what is less, and 1 for the greatest, by their
// logarithms. Ranks of pages fall by a power law, of which that makes about an even scale.
func LogScaled(values []float64) []float64 {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	out := make([]float64, len(values))
	if !(most > least) {
		return out
	}
	span := math.Log(most) - math.Log(least)
	for i, v := range values {
		if v > least {
			out[i] = min(1, (math.Log(v)-math.Log(least))/span)
		}
	}
	return out
}

// Capped cuts numbers at a limit.
func Capped(values []float64, limit float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = min(v, limit)
	}
	return out
}

// Percentiles gives each number the share of the others that are less, and of equal ones the half, from 0 to 1.
func Percentiles(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		end := i + 1
		for end < len(order) && values[order[end]] == values[order[i]] {
			end++
		}
		for _, at := range order[i:end] {
			if len(order) > 1 {
				out[at] = float64(i+end-1) / 2 / float64(len(order)-1)
			}
		}
		i = end
	}
	return out
}
