package dedup

import "strings"

// Pages under one title may differ in more words than pages in general and still be one:
// a print version, a copy that was edited. What the index looks them up by is the title and
// two bytes of the sketch, in titleBands places. Of short texts the frame is most, and
// references have many under one title.
const (
	titleBands  = 8
	titledWords = 200  // of a text, for its title to count
	sameTitle   = 0.6  // of the shingles are common, of pages under one title
	partTitle   = 0.75 // and where a title is a part of the other, as in "News: " and it
)

// A Title is what is kept of the title of a page. Zero: not known, or it has no words.
type Title struct {
	All  uint64 // hash of it, in lower case
	Main uint64 // of its longest part, between colons, dashes, bars and brackets
}

// OfPage is Of, with the title of the page, by which pages are known that were changed
// more than what their texts alone would tell.
func OfPage(title, text string) Fingerprint {
	f := Of(text)
	f.Title = titleOf(title)
	return f
}

func titleOf(title string) Title {
	main := ""
	for _, sep := range []string{" - ", ": ", " (", ") "} {
		title = strings.ReplaceAll(title, sep, " | ")
	}
	title = strings.ToLower(strings.TrimSuffix(title, ")"))
	for part := range strings.FieldsFuncSeq(title, func(r rune) bool { return strings.ContainsRune("|–—·»«", r) }) {
		if part = strings.Join(strings.Fields(part), " "); len(part) > len(main) {
			main = part
		}
	}
	if main == "" {
		return Title{}
	}
	return Title{hashText(strings.Join(strings.Fields(title), " ")), hashText(main)}
}

// titled is which share of the shingles of two pages must be common, by their titles;
// above 1 where these say that they are two.
func titled(a, b Title) float64 {
	switch {
	case a.All == b.All:
		return sameTitle
	case a.Main == b.Main && (a.All == a.Main || b.All == b.Main):
		return partTitle
	}
	return 2
}

// titleBands is in how many tables pages are found by sketch and title.
func (x *Index) titleBands() int {
	if x.opt.Resemblance != 0 || x.opt.Distance < 0 {
		return 0
	}
	return titleBands
}

// titleKey is what a page is found by in one of them.
func (f *Fingerprint) titleKey(band int) (key uint64, ok bool) {
	a, b := f.Sketch[2*band], f.Sketch[2*band+1]
	return uint64(a)<<56 | uint64(b)<<48 | f.Title.Main>>16, a != 0 && b != 0 && f.titled()
}

// byTitle calls look for records that may be like a text for having its title as well, until
// it is false.
func (x *Index) byTitle(f Fingerprint, look func(id uint64) bool) error {
	more := true
	for band := 0; more && band < x.titleBands(); band++ {
		key, ok := f.titleKey(band)
		if !ok {
			continue
		}
		if err := x.scan(byBand+x.bands()+band, key, key, func(p pair) bool {
			more = look(p.value)
			return more
		}); err != nil {
			return err
		}
	}
	return nil
}

// titled reports whether a page is looked up by its title.
func (f *Fingerprint) titled() bool { return f.Title != Title{} && f.Words >= titledWords }
