package linear

import "math"

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// normal returns the matrix Σ weight·row·rowᵀ, its lower half, and the vector Σ weight·y·row.
func normal(x [][]float64, weights, y []float64) (a [][]float64, b []float64) {
	n := len(x[0])
	a, b = make([][]float64, n), make([]float64, n)
	for j := range a {
		a[j] = make([]float64, j+1)
	}
	for i, row := range x {
		for j, v := range row {
			wv := weights[i] * v
			if wv == 0 {
				continue
			}
			b[j] += wv * y[i]
			for k := 0; k <= j; k++ {
				a[j][k] += wv * row[k]
			}
		}
	}
	return a, b
}

// solve returns the x of a·x = b, where a is symmetric and positive and its diagonal, but for the first, is raised by
// ridge, by Cholesky's decomposition in place.
func solve(a [][]float64, b []float64, ridge float64) ([]float64, error) {
	n := len(b)
	for j := range n {
		if j > 0 {
			a[j][j] += ridge
		}
		whole := a[j][j]
		for k := range j {
			for i := range k {
				a[j][k] -= a[j][i] * a[k][i]
			}
			a[j][k] /= a[k][k]
			a[j][j] -= a[j][k] * a[j][k]
		}
		if !(a[j][j] > 1e-13*whole) {
			return nil, errDependent
		}
		a[j][j] = math.Sqrt(a[j][j])
	}
	x := make([]float64, n)
	for j := range n {
		x[j] = b[j]
		for k := range j {
			x[j] -= a[j][k] * x[k]
		}
		x[j] /= a[j][j]
	}
	for j := n - 1; j >= 0; j-- {
		for k := j + 1; k < n; k++ {
			x[j] -= a[k][j] * x[k]
		}
		x[j] /= a[j][j]
	}
	return x, nil
}
