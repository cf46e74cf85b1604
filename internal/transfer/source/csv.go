package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

const maxColumns = 2000 // of a table; an export of Jira with many comments has some hundreds

// csv reads the rows of a file in CSV: with commas, or with the semicolons or tabs of spreadsheets, quoted as RFC 4180
// says. A row may be shorter than the head. Of a head that comes several times a row has all cells. A quote before what
// would be a formula, as export writes it, is taken away.
func (t table) csv(f File) ([]object, error) {
	data := f.Data
	comma := byte(0)
	if rest, ok := bytes.CutPrefix(data, []byte("sep=")); ok && len(rest) > 1 { // a line for spreadsheets
		comma = rest[0]
		_, data, _ = bytes.Cut(rest, []byte("\n"))
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.LazyQuotes, r.Comma = -1, true, rune(comma)
	if comma == 0 {
		r.Comma = rune(delimiter(data))
	}
	head, err := r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, bad(f.Name, 0, "is empty").WithHint("%s", t.export)
	case err != nil:
		return nil, csvError(f, err)
	case len(head) > maxColumns:
		return nil, bad(f.Name, 1, "has %d columns, more than %d", len(head), maxColumns).WithHint("export fewer of them")
	}
	fold := map[string]string{}
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
		if _, twice := fold[strings.ToLower(head[i])]; !twice {
			fold[strings.ToLower(head[i])] = head[i]
		}
	}
	if err := t.fits(f, head, fold); err != nil {
		return nil, err
	}
	var out []object
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, csvError(f, err)
		}
		if len(cells) > len(head) && strings.TrimSpace(strings.Join(cells[len(head):], "")) != "" {
			line, _ := r.FieldPos(len(head))
			return nil, bad(f.Name, line, "has more cells than the head has columns").
				WithHint("a text with quotes or line ends is quoted as RFC 4180 says; export it again")
		}
		out = append(out, rowOf(head, cells, fold))
	}
}

// rowOf is a row as an object. A head that comes several times has a list.
func rowOf(head, cells []string, fold map[string]string) object {
	keys := make(map[string]any, len(head))
	for i, cell := range cells[:min(len(cells), len(head))] {
		if len(cell) > 1 && cell[0] == '\'' && strings.IndexByte("=+-@\t\r", cell[1]) >= 0 {
			cell = cell[1:]
		}
		if strings.TrimSpace(cell) == "" || head[i] == "" {
			continue
		}
		switch had := keys[head[i]].(type) {
		case nil:
			keys[head[i]] = cell
		case string:
			keys[head[i]] = []any{had, cell}
		case []any:
			keys[head[i]] = append(had, cell)
		}
	}
	o := newObject(keys)
	o.fold = fold
	return o
}

// delimiter is what stands between the cells of the first line: whichever of comma, semicolon and tab it has most of
// outside quotes.
func delimiter(data []byte) byte {
	counts := map[byte]int{}
	quoted := false
	for _, c := range data {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			return most(counts)
		case !quoted:
			counts[c]++
		}
	}
	return most(counts)
}

func most(counts map[byte]int) byte {
	out := byte(',')
	for _, c := range []byte{';', '\t'} {
		if counts[c] > counts[out] {
			out = c
		}
	}
	return out
}

// fits returns INVALID_INPUT for a head in which no column is the title, or not one that was asked for.
func (t table) fits(f File, head []string, fold map[string]string) error {
	has := func(path string) bool { _, there := fold[strings.ToLower(path)]; return there }
	title := false
	for _, c := range t.columns {
		from := strings.Split(c.from, "|")
		title = title || c.to == "title" && slices.ContainsFunc(from, has)
		if c.asked && !slices.ContainsFunc(from, has) {
			return bad(f.Name, 1, "has no column %q", record.Clip(c.from, 60)).WithHint("its columns are %s", heads(head))
		}
	}
	if !title {
		return bad(f.Name, 1, "has no column for the title").
			WithHint("--map title=COLUMN says which it is; its columns are %s", heads(head))
	}
	return nil
}

// heads are the columns of a file for a message.
func heads(head []string) string {
	all := record.Unique(head)
	return record.Clip(strings.Join(all[:min(len(all), 40)], ", "), 600) + record.AndMore(max(len(all)-40, 0))
}

func csvError(f File, err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return bad(f.Name, e.Line, "is not CSV: %v", e.Err).WithHint("export it again from where it comes from")
	}
	return bad(f.Name, 0, "is not CSV: %v", err).WithHint("export it again from where it comes from")
}
