package analysis

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ReadSynonyms reads the groups of [NewSynonyms] from a file with a group a line, its texts parted by
// commas, as Solr and Elasticsearch have it:
//
//	# countries
//	usa, united states, united states of america
//
// Blank lines and those that begin with # are passed over; a backslash before a comma or another backslash makes it
// text. Rules of one direction, "a => b", have no place in the index, in which all texts of a group are one term:
// they are an error that tells the line.
func ReadSynonyms(r io.Reader) (groups [][]string, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.Contains(line, "=>") {
			return nil, fmt.Errorf("analysis: synonyms: line %d: rules of one direction (=>) are not supported", n)
		}
		group := splitUnescaped(line)
		if len(group) < 2 {
			return nil, fmt.Errorf("analysis: synonyms: line %d: want at least two texts, parted by commas", n)
		}
		groups = append(groups, group)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("analysis: synonyms: line %d: %w", n+1, err)
	}
	return groups, nil
}

// splitUnescaped splits a line at commas, and leaves out empty texts.
func splitUnescaped(line string) (texts []string) {
	var text strings.Builder
	end := func() {
		if s := strings.TrimSpace(text.String()); s != "" {
			texts = append(texts, s)
		}
		text.Reset()
	}
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && (line[i+1] == ',' || line[i+1] == '\\'):
			i++
			text.WriteByte(line[i])
		case line[i] == ',':
			end()
		default:
			text.WriteByte(line[i])
		}
	}
	end()
	return texts
}
