package embedding

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// More directions than are wanted are followed for a few rounds, which makes those that
// are wanted exact enough (Halko, Martinsson and Tropp, 2011).
const (
	spare  = 10
	rounds = 4
)

// factor returns vectors of dims numbers, one for each row: the directions of the greatest
// eigenvalues, each times the root of the value. There may be fewer dims than were asked for.
func (m *matrix) factor(ctx context.Context, dims int) (vectors []float64, _ int, err error) {
	n := len(m.at)
	k := min(dims+spare, n)
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	q := make([]float64, n*k)
	for i := range q {
		q[i] = rnd.NormFloat64()
	}
	orthonormal(q, k)
	for range rounds {
		if q, err = m.times(ctx, q, k); err != nil {
			return nil, 0, err
		}
		orthonormal(q, k)
	}
	mq, err := m.times(ctx, q, k)
	if err != nil {
		return nil, 0, err
	}
	small := make([]float64, k*k) // the matrix as these directions see it
	for i := range n {
		a, b := q[i*k:(i+1)*k], mq[i*k:(i+1)*k]
		for r, x := range a {
			for c, y := range b {
				small[r*k+c] += float64(x * y)
			}
		}
	}
	for r := range k { // it is symmetric but for rounding
		for c := range r {
			mean := (small[r*k+c] + small[c*k+r]) / 2
			small[r*k+c], small[c*k+r] = mean, mean
		}
	}
	values, directions := eigen(small, k)
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case math.Abs(values[a]) > math.Abs(values[b]):
			return -1
		case math.Abs(values[a]) < math.Abs(values[b]):
			return 1
		}
		return 0
	})
	order = order[:min(dims, k)]
	vectors = make([]float64, n*len(order))
	for i := range n {
		row, out := q[i*k:(i+1)*k], vectors[i*len(order):(i+1)*len(order)]
		for j, of := range order {
			sum := 0.0
			for r, x := range row {
				sum += float64(x * directions[r*k+of])
			}
			out[j] = float64(sum * math.Sqrt(math.Abs(values[of])))
		}
	}
	return vectors, len(order), nil
}

// times multiplies the matrix by one of k columns.
func (m *matrix) times(ctx context.Context, q []float64, k int) ([]float64, error) {
	out := make([]float64, len(q))
	err := eachRow(ctx, len(m.at), func() func(int) {
		return func(row int) {
			to := out[row*k : (row+1)*k]
			for i, other := range m.at[row] {
				v := float64(m.values[row][i])
				for c, x := range q[int(other)*k : (int(other)+1)*k] {
					to[c] += float64(v * x)
				}
			}
		}
	})
	return out, err
}

// orthonormal makes the k columns of q orthogonal, and 1 long (Gram and Schmidt, as modified).
// One that the others make up becomes 0.
func orthonormal(q []float64, k int) {
	n := len(q) / k
	products := make([]float64, k)
	for c := range k {
		length := 0.0
		for i := range n {
			length += float64(q[i*k+c] * q[i*k+c])
		}
		by := 0.0
		if length > 1e-20 {
			by = 1 / math.Sqrt(length)
		}
		clear(products)
		for i := range n {
			row := q[i*k : (i+1)*k]
			row[c] *= by
			for j := c + 1; j < k; j++ {
				products[j] += float64(row[c] * row[j])
			}
		}
		for i := range n {
			row := q[i*k : (i+1)*k]
			for j := c + 1; j < k; j++ {
				row[j] -= float64(products[j] * row[c])
			}
		}
	}
}

// eigen returns the eigenvalues of a symmetric matrix of n rows, and their directions as columns
// (Jacobi's method). The matrix is overwritten.
func eigen(a []float64, n int) (values, directions []float64) {
	d := make([]float64, n*n)
	for i := range n {
		d[i*n+i] = 1
	}
	for range 60 {
		off, all := 0.0, 0.0
		for r := range n {
			for c := range n {
				all += float64(a[r*n+c] * a[r*n+c])
				if r != c {
					off += float64(a[r*n+c] * a[r*n+c])
				}
			}
		}
		if off <= 1e-22*all {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, d, n, p, q)
			}
		}
	}
	values = make([]float64, n)
	for i := range values {
		values[i] = a[i*n+i]
	}
	return values, d
}

// rotate makes one element beside the diagonal 0.
func rotate(a, d []float64, n, p, q int) {
	if a[p*n+q] == 0 {
		return
	}
	theta := (a[q*n+q] - a[p*n+p]) / (2 * a[p*n+q])
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := float64(t * c)
	for i := range n {
		x, y := a[i*n+p], a[i*n+q]
		a[i*n+p], a[i*n+q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	for i := range n {
		x, y := a[p*n+i], a[q*n+i]
		a[p*n+i], a[q*n+i] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
		x, y = d[i*n+p], d[i*n+q]
		d[i*n+p], d[i*n+q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}

// scale makes v so long; a vector of zeros stays.
func scale(v []float64, length float64) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	if sum == 0 {
		return
	}
	by := length / math.Sqrt(sum)
	for i := range v {
		v[i] *= by
	}
}
