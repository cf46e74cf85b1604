package snapshot

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
)

// logReader reads the provenance of many versions of records. Most versions of a record have the entries of the one
// before, so an entry that has a line of its own is parsed once.
type logReader struct {
	read  map[content]record.Log
	lines map[string]record.Entry
}

// parse returns the entries of a content; none if it cannot be read.
func (r logReader) parse(of content, src []byte) record.Log {
	log, ok := r.byLine(src, of.kind.Form)
	if !ok {
		if doc, err := format.Parse(src, of.kind.Form); err == nil {
			log, _ = kind.Entries(doc)
		}
	}
	r.read[of] = log
	return log
}

// byLine returns the entries of a file if all of them are written as cairn does.
func (r logReader) byLine(src []byte, form format.Kind) (log record.Log, ok bool) {
	lines, ok := entryLines(src, form)
	for _, line := range lines {
		e, read := r.entry(line)
		if ok = ok && read; !ok {
			return nil, false
		}
		log = append(log, e)
	}
	return log, ok
}

// entryLines returns the lines of a file that hold its entries if all of them are written as cairn does, each in a line
// that can be read alone.
func entryLines(src []byte, form format.Kind) (lines []string, ok bool) {
	text := string(src)
	if form == format.Markdown {
		if text, _, ok = strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n"); !ok {
			return nil, false
		}
	}
	const key = "\nprovenance:\n"
	_, text, ok = strings.Cut("\n"+text+"\n", key)
	if !ok || strings.Contains(text, "\nprovenance:") || strings.Contains(text, "\n---") {
		return nil, false
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "-") {
			break // the next key
		}
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "- {") || !strings.HasSuffix(line, "}") || strings.ContainsAny(line, "*&") {
			return nil, false
		}
		lines = append(lines, line)
	}
	return lines, true
}

// holdsLines reports whether a file has the entries of an earlier version of it in their order, as far as that shows
// without reading them.
func holdsLines(now, was []byte, form format.Kind) bool {
	lines, ok := entryLines(was, form)
	all, read := entryLines(now, form)
	for _, line := range all {
		if len(lines) > 0 && lines[0] == line {
			lines = lines[1:]
		}
	}
	return ok && read && len(lines) == 0
}

// entry returns the entry that a line holds. It reports false for one that is no entry by itself.
func (r logReader) entry(line string) (record.Entry, bool) {
	if e, known := r.lines[line]; known {
		return e, true
	}
	doc, err := format.Parse([]byte("provenance:\n  "+line+"\n"), format.YAML)
	if err != nil {
		return record.Entry{}, false
	}
	log, err := kind.Entries(doc)
	if err != nil || len(log) != 1 {
		return record.Entry{}, false
	}
	r.lines[line] = log[0]
	return log[0], true
}
