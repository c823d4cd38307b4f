package eval

import "math"

// measure is the value of m for one query.
func (r *ranking) measure(m Measure) float64 {
	switch m.Kind {
	case NDCG:
		return r.ndcg(m.Cut, func(grade int) float64 { return float64(grade) })
	case NDCGExp:
		return r.ndcg(m.Cut, func(grade int) float64 { return math.Exp2(float64(min(grade, maxGrade))) - 1 })
	case MAP, GMMAP:
		return r.averagePrecision(m.Cut)
	case MRR:
		return r.reciprocalRank(m.Cut)
	case Precision:
		return r.precision(m.Cut)
	case Recall:
		return part(r.found(m.Cut), r.relevant)
	case F1:
		return r.f1(m.Cut)
	case Success:
		return float64(min(r.found(m.Cut), 1))
	case Judged:
		return r.judgedPart(m.Cut)
	case IPrec:
		return r.interpolated(m.Cut)
	case ElevenPt:
		return r.elevenPoints()
	case RPrec:
		return r.rPrecision()
	case Bpref:
		return r.bpref()
	case NumRet:
		return float64(len(r.grades))
	case NumRel:
		return float64(r.relevant)
	case NumRelRet:
		return float64(r.found(0))
	}
	return 1 // NumQ
}

// ndcg is the gain, less the later it comes, as part of the most that the
// judged documents can give.
func (r *ranking) ndcg(cut int, gain func(grade int) float64) float64 {
	discounted := func(grades []int) (sum float64) {
		for i, grade := range first(grades, cut) {
			if grade > 0 {
				sum += gain(grade) / math.Log2(float64(i+2))
			}
		}
		return sum
	}
	most := discounted(r.judged)
	if most == 0 {
		return 0
	}
	return discounted(r.grades) / most
}

func (r *ranking) averagePrecision(cut int) float64 {
	sum, found := 0.0, 0
	for i, grade := range first(r.grades, cut) {
		if grade >= r.least {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	if found == 0 {
		return 0
	}
	return sum / float64(r.relevant)
}

func (r *ranking) reciprocalRank(cut int) float64 {
	for i, grade := range first(r.grades, cut) {
		if grade >= r.least {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// precision divides by cut also where less was found.
func (r *ranking) precision(cut int) float64 {
	of := cut
	if cut == 0 {
		of = len(r.grades)
	}
	return part(r.found(cut), of)
}

// f1 is 2PR/(P+R), in whole numbers.
func (r *ranking) f1(cut int) float64 {
	of := cut
	if cut == 0 {
		of = len(r.grades)
	}
	return part(2*r.found(cut), of+r.relevant)
}

func (r *ranking) judgedPart(cut int) float64 {
	hits, n := first(r.grades, cut), 0
	for _, grade := range hits {
		if grade != unjudged {
			n++
		}
	}
	return part(n, len(hits))
}

// interpolated is the best precision from the document on with which the given
// recall is reached.
func (r *ranking) interpolated(percent int) (best float64) {
	wanted := recallPoint(percent, r.relevant)
	found := r.found(0)
	if wanted > found {
		return 0
	}
	for i := len(r.grades); i > 0 && found >= wanted; i-- {
		best = max(best, part(found, i))
		if r.grades[i-1] >= r.least {
			found--
		}
	}
	return best
}

// recallPoint is how many of n documents make up a recall: rounded to the
// nearest, as trec_eval does now. Older versions of it rounded most upwards.
func recallPoint(percent, n int) int {
	return int(math.Round(float64(percent) / 100 * float64(n)))
}

func (r *ranking) elevenPoints() (mean float64) {
	for percent := 0; percent <= 100; percent += 10 {
		mean += r.interpolated(percent) / 11
	}
	return mean
}

func (r *ranking) rPrecision() float64 {
	if r.relevant == 0 {
		return 0
	}
	return part(r.found(r.relevant), r.relevant)
}

// bpref asks, for each relevant document, how many of the first R judged, not
// relevant ones stand before it; R is the number of relevant documents.
func (r *ranking) bpref() (sum float64) {
	before := 0
	for _, grade := range r.grades {
		switch {
		case grade == unjudged:
		case grade < r.least:
			before++
		case before == 0:
			sum++
		default:
			sum += 1 - part(min(before, r.relevant), min(r.nonrelevant, r.relevant))
		}
	}
	if r.relevant == 0 {
		return 0
	}
	return sum / float64(r.relevant)
}
