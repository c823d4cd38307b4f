package eval

import (
	"fmt"
	"html"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// The forms of LISA, NPL and TREC are records of lines between marks.

// isNumber reports whether a line holds nothing but a number, and returns it as judgements have it.
func isNumber(text string) (id string, ok bool) {
	f := strings.TrimSpace(text)
	if f == "" || strings.TrimLeft(f, "0123456789") != "" {
		return "", false
	}
	return plainID(f), true
}

// block is a record: the line that begins it, its ID, and the text between its marks.
type block struct {
	start line
	id    string
	lines []string
}

func (b *block) text() string { return strings.TrimSpace(strings.Join(b.lines, "\n")) }

// npl yields the records of NPL: a number alone on a line, text, and a slash alone on a line.
func npl(r io.Reader) iter.Seq2[*block, error] {
	return numbered(r, func(text string) (rest string, ends bool) { return "", strings.TrimSpace(text) == "/" })
}

// lisaQueries yields those of LISA: a number alone on a line, and text that ends with #.
func lisaQueries(r io.Reader) iter.Seq2[*block, error] {
	return numbered(r, func(text string) (rest string, ends bool) { return strings.CutSuffix(strings.TrimSpace(text), "#") })
}

// numbered yields records that begin with a number on a line and end as end says.
func numbered(r io.Reader, end func(text string) (rest string, ends bool)) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		var now *block
		for l, err := range lines(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			if now == nil {
				id, ok := isNumber(l.text)
				switch {
				case ok:
					now = &block{start: l, id: id}
				case !l.blank() && strings.TrimSpace(l.text) != "\x1a": // which ends files of old
					yield(nil, l.errorf("want a number alone on a line here, not %.40q", l.text))
					return
				}
				continue
			}
			rest, ends := end(l.text)
			if !ends {
				now.lines = append(now.lines, l.text)
				continue
			}
			now.lines = append(now.lines, rest)
			if !yield(now, nil) {
				return
			}
			now = nil
		}
		if now != nil {
			yield(nil, now.start.errorf("record %s does not end", now.id))
		}
	}
}

// lisaDocuments yields the documents of LISA: "Document" and a number, a title of some lines, a blank line, text, and a line of stars.
func lisaDocuments(r io.Reader) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		var now *block
		for l, err := range lines(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			text := strings.TrimSpace(l.text)
			f := strings.Fields(text)
			begins := len(f) == 2 && f[0] == "Document"
			id := ""
			if begins {
				id, begins = isNumber(f[1])
			}
			switch {
			case now == nil && begins:
				now = &block{start: l, id: id}
			case now == nil && (text == "" || text == "\x1a"):
			case now == nil:
				yield(nil, l.errorf("want a line such as Document 1 here, not %.40q", l.text))
				return
			case len(text) >= 10 && strings.Trim(text, "*") == "":
				if !yield(now, nil) {
					return
				}
				now = nil
			default:
				now.lines = append(now.lines, l.text)
			}
		}
		if now != nil {
			yield(now, nil)
		}
	}
}

// titled is the document of a block whose title ends at a blank line.
func (b *block) titled() Document {
	n := 0
	for n < len(b.lines) && strings.TrimSpace(b.lines[n]) == "" {
		n++
	}
	end := n
	for end < len(b.lines) && strings.TrimSpace(b.lines[end]) != "" {
		end++
	}
	return Document{b.id, strings.TrimSpace(strings.Join(b.lines[n:end], "\n")), strings.TrimSpace(strings.Join(b.lines[end:], "\n"))}
}

// lisaQrels reads the judgements of LISA: "Query" and a number, "2 Relevant Refs:", and the documents up to -1.
func lisaQrels(r io.Reader) (Qrels, error) {
	qrels, query := Qrels{}, ""
	for l, err := range lines(r) {
		if err != nil {
			return nil, err
		}
		f := strings.Fields(l.text)
		switch {
		case len(f) == 0 || f[0] == "\x1a":
		case len(f) == 2 && f[0] == "Query":
			query = plainID(f[1])
		case slices.Contains(f, "Relevant"):
		case query == "":
			return nil, l.errorf("want a line such as Query 1 here, not %.40q", l.text)
		default:
			for _, doc := range f {
				if doc == "-1" {
					query = ""
					break
				}
				if _, ok := isNumber(doc); !ok {
					return nil, l.errorf("want the number of a document, not %.40q", doc)
				}
				if err := qrels.judge(l, query, plainID(doc), 1); err != nil {
					return nil, err
				}
			}
		}
	}
	return qrels, nil
}

// nplQrels reads the judgements of NPL: the number of a query on a line, those of its documents, and a slash.
func nplQrels(r io.Reader) (Qrels, error) {
	qrels := Qrels{}
	for b, err := range npl(r) {
		if err != nil {
			return nil, err
		}
		for _, doc := range strings.Fields(b.text()) {
			if _, ok := isNumber(doc); !ok {
				return nil, b.start.errorf("query %s: want the number of a document, not %.40q", b.id, doc)
			}
			if err := qrels.judge(b.start, b.id, plainID(doc), 1); err != nil {
				return nil, err
			}
		}
	}
	return qrels, nil
}

// sgml yields what stands between <name> and </name>, each a block of lines. What stands outside is passed over.
func sgml(r io.Reader, name string) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		var now *block
		for l, err := range lines(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			for text := l.text; ; {
				if now == nil {
					at, after := findTag(text, name)
					if at < 0 {
						break
					}
					now = &block{start: l}
					now.lines, text = append(now.lines, text[at:after]), text[after:]
				}
				at, after := findTag(text, "/"+name)
				if at < 0 {
					now.lines = append(now.lines, text)
					break
				}
				now.lines = append(now.lines, text[:at])
				if !yield(now, nil) {
					return
				}
				now, text = nil, text[after:]
			}
		}
		if now != nil {
			yield(nil, now.start.errorf("<%s> does not end", name))
		}
	}
}

// findTag finds a tag, in upper or lower case, with or without attributes; -1: it is not there.
func findTag(text, name string) (at, after int) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '<')
		if i < 0 {
			return -1, -1
		}
		from += i + 1
		rest := text[from:]
		if len(rest) <= len(name) || !strings.EqualFold(rest[:len(name)], name) || rest[len(name)] != '>' && !unicode.IsSpace(rune(rest[len(name)])) {
			continue
		}
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return -1, -1 // no tag behind here ends
		}
		return from - 1, from + end + 1
	}
}

// sections returns the text of a block by the element that it is in, whose end may be left out when names
// of another one follow. Those that are not of names belong to the element around them.
func sections(text string, names ...string) map[string]string {
	texts := map[string]*strings.Builder{}
	now := ""
	write := func(text string) {
		if texts[now] == nil {
			texts[now] = new(strings.Builder)
		}
		texts[now].WriteString(text)
	}
	for text != "" {
		i, end := strings.IndexByte(text, '<'), -1
		if i >= 0 {
			end = strings.IndexByte(text[i:], '>')
		}
		if end < 0 { // no tag is left
			write(text)
			break
		}
		write(text[:i])
		text = text[i:]
		if text[1] != '/' && text[1] != '!' && !unicode.IsLetter(rune(text[1])) {
			write("<")
			text = text[1:]
			continue
		}
		tag, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text[1:end])), " ")
		text = text[end+1:]
		switch closed, closes := strings.CutPrefix(tag, "/"); {
		case closes && closed == now:
			now = ""
		case slices.Contains(names, tag):
			now = tag
		default:
			write("\n")
		}
	}
	parts := make(map[string]string, len(texts))
	for name, text := range texts {
		parts[name] = strings.TrimSpace(html.UnescapeString(text.String()))
	}
	return parts
}

// trecDocument makes a document of what stands within <DOC>.
func (b *block) trecDocument() (Document, error) {
	parts := sections(b.text(), "docno", "title", "headline", "hl", "head", "docid", "fileid", "dochdr", "script", "style")
	d := Document{ID: strings.Join(strings.Fields(parts["docno"]), " ")}
	if d.ID == "" {
		return d, b.start.errorf("<DOC> has no <DOCNO>")
	}
	for _, name := range []string{"title", "headline", "hl", "head"} {
		d.Title = joined(d.Title, parts[name])
	}
	d.Body = parts[""]
	return d, nil
}

// trecQuery makes a query of what stands within <top> or <topic>: its title, or else its description.
func (b *block) trecQuery() (Query, error) {
	text := b.text()
	parts := sections(text, "num", "title", "query", "desc", "description", "narr", "narrative")
	label := func(part string, labels ...string) string {
		for _, l := range labels {
			if len(part) >= len(l) && strings.EqualFold(part[:len(l)], l) {
				return strings.TrimSpace(strings.TrimLeft(part[len(l):], " :"))
			}
		}
		return part
	}
	id := label(parts["num"], "number")
	if open, _, _ := strings.Cut(text, ">"); id == "" {
		if _, after, ok := strings.Cut(open, "number="); ok {
			id, _, _ = strings.Cut(strings.Trim(after, `"' `), `"`)
		}
	}
	if id == "" || len(strings.Fields(id)) != 1 {
		return Query{}, b.start.errorf("a topic has no number")
	}
	for _, part := range []string{label(parts["title"], "topic"), parts["query"], label(parts["desc"], "description"), parts["description"]} {
		if part != "" && !strings.EqualFold(part, "empty") { // as a Cranfield in this form has it
			return Query{plainID(id), part}, nil
		}
	}
	return Query{ID: plainID(id)}, nil
}

// documentsOf makes documents of blocks.
func documentsOf(blocks iter.Seq2[*block, error], make func(*block) (Document, error)) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for b, err := range blocks {
			var d Document
			if err == nil {
				d, err = make(b)
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// queriesOf makes queries of blocks.
func queriesOf(blocks iter.Seq2[*block, error], make func(*block) (Query, error)) ([]Query, error) {
	var queries []Query
	seen := map[string]bool{}
	for b, err := range blocks {
		if err != nil {
			return nil, err
		}
		q, err := make(b)
		if err != nil {
			return nil, err
		}
		if seen[q.ID] {
			return nil, b.start.errorf("query %s: %w", q.ID, ErrDuplicate)
		}
		seen[q.ID] = true
		queries = append(queries, q)
	}
	return queries, nil
}

func (b *block) plainQuery() (Query, error) { return Query{b.id, b.text()}, nil }

// either yields the blocks of the first name that there is.
func either(r io.Reader, names ...string) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		text, err := io.ReadAll(io.LimitReader(r, maxLine+1))
		switch {
		case err != nil:
			yield(nil, fmt.Errorf("eval: %w", err))
			return
		case len(text) > maxLine:
			yield(nil, line{number: 1}.errorf("longer than %d bytes in all", maxLine))
			return
		}
		for _, name := range names {
			if at, _ := findTag(string(text), name); at >= 0 {
				sgml(strings.NewReader(string(text)), name)(yield)
				return
			}
		}
	}
}
