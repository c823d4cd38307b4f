package fuzzy

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// englishCosts was learnt with LearnCosts from the word list of
// github.com/client9/misspell v0.3.4 (MIT licence), by examples/spell.
//
//go:embed english.tsv
var englishCosts []byte

// EnglishCosts is how likely errors in English words are, learnt from 28,000
// misspellings that people made.
func EnglishCosts() *Costs { return learntEnglish() }

var learntEnglish = sync.OnceValue(func() *Costs {
	c, err := ReadCosts(bytes.NewReader(englishCosts))
	if err != nil {
		panic("fuzzy: english.tsv: " + err.Error()) // a test reads it
	}
	return c
})

// CostsError tells what is wrong with a line of costs.
type CostsError struct {
	Line int // from 1
	Err  error
}

func (e *CostsError) Error() string { return fmt.Sprintf("fuzzy: costs line %d: %v", e.Line, e.Err) }

func (e *CostsError) Unwrap() error { return e.Err }

// plainNames are the names of plain costs in a file.
var plainNames = []string{"insert", "delete", "replace", "swap", "double", "first"}

func (p *EditCosts) byName(i int) *float64 {
	return []*float64{&p.Insert, &p.Delete, &p.Replace, &p.Swap, &p.Double, &p.First}[i]
}

// WriteTo writes the costs as [ReadCosts] reads them, with two digits behind the
// point.
func (c *Costs) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	plain := c.plain
	for i, name := range plainNames {
		fmt.Fprintf(&b, "%s\t%.2f\n", name, *plain.byName(i))
	}
	for _, r := range c.rules {
		fmt.Fprintf(&b, "%s\t%s\t%.2f\n", r.Meant, r.Written, r.Cost)
	}
	return b.WriteTo(w)
}

// ReadCosts reads costs: plain ones by name and value, rules by what was meant,
// what was written and the cost, parted by tabs.
//
//	insert	8
//	ei	ie	2.3
//	^kn	^n	4.1
//
// Empty lines and those that begin with # are passed over. Plain costs that are not
// named are 0. A line that is not of this form is a *CostsError.
func ReadCosts(r io.Reader) (*Costs, error) {
	var plain EditCosts
	var rules []CostRule
	lines := bufio.NewScanner(r)
	line := 0
	for lines.Scan() {
		line++
		text := lines.Text()
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		cells := strings.Split(text, "\t")
		cost, err := strconv.ParseFloat(cells[len(cells)-1], 64)
		switch {
		case err != nil || !(cost >= 0) || cost > 1e6:
			err = fmt.Errorf("%q is no cost", cells[len(cells)-1])
		case len(cells) == 3:
			rule := CostRule{cells[0], cells[1], cost}
			if !rule.valid() {
				err = fmt.Errorf("pieces have 1 to %d characters", maxPiece)
			}
			rules = append(rules, rule)
		case len(cells) == 2:
			err = fmt.Errorf("nothing is called %q", cells[0])
			for i, name := range plainNames {
				if name == cells[0] {
					*plain.byName(i), err = cost, nil
				}
			}
		default:
			err = errors.New("neither two nor three columns")
		}
		if err != nil {
			return nil, &CostsError{line, err}
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, &CostsError{line + 1, err}
	} else if err != nil {
		return nil, fmt.Errorf("fuzzy: costs: %w", err)
	}
	return NewCosts(plain, rules), nil
}
