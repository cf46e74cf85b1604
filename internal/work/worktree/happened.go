package worktree

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// largestFile is the most bytes of a file that are read for a message.
const largestFile = 16 << 20

// happened is what was written since a commit, in words, and by whom last.
type happened struct {
	who    record.Actor
	newest time.Time
	names  []string // of what changed, in the order of their files
	did    map[string][]string
	titles map[string]string
	lines  []string // one for each entry
}

// happened tells from the entries of some files what was written since a commit; "" is one without files.
func (y *autocommit) happened(ctx context.Context, since string, paths []string) (happened, error) {
	h := happened{did: map[string][]string{}, titles: map[string]string{}}
	before, err := y.entriesAt(ctx, since, paths)
	if err != nil {
		return h, err
	}
	for _, at := range paths {
		name := y.called(at)
		src, err := layout.ReadFile(y.layout.Abs(strings.TrimPrefix(at, y.layout.InRepo(""))))
		_, known := h.did[name]
		if !known {
			h.names = append(h.names, name)
		}
		if err != nil { // a record that was moved has another file
			h.did[name] = slices.Clip(h.did[name])
			continue
		}
		log, title := entriesOf(at, y.layout.InRepo(""), src)
		h.titles[name] = title
		h.add(name, log, before[name])
	}
	return h, nil
}

// called is how a message calls a file: by the id of its record, or by its own name.
func (y *autocommit) called(at string) string {
	if of, ok := y.recordAt(at); ok {
		return of.ID
	}
	return path.Base(at)
}

// entriesAt are the hashes of the entries that some files had in a commit, by what a message calls them.
func (y *autocommit) entriesAt(ctx context.Context, commit string, paths []string) (map[string]map[string]bool, error) {
	all := map[string]map[string]bool{}
	if commit == "" {
		return all, nil
	}
	var names []string
	for _, at := range paths {
		names = append(names, commit+":"+at)
	}
	return all, y.repo.Objects().Blobs(ctx, names, largestFile, func(i int, b git.Blob) {
		if b.Missing {
			return
		}
		log, _ := entriesOf(paths[i], y.layout.InRepo(""), b.Content)
		all[y.called(paths[i])] = log.Hashes()
	})
}

// entriesOf are the entries of the text of a file, and the title of its record; none for a file that has none.
func entriesOf(at, root string, src []byte) (record.Log, string) {
	name := strings.TrimPrefix(at, root)
	k, _, ok := kind.At(name)
	if !ok && path.Base(name) != layout.ConfigName {
		return nil, ""
	}
	form := format.YAML
	if ok {
		form = k.Form
	}
	doc, err := format.Parse(src, form)
	if err != nil {
		return nil, ""
	}
	if ok {
		if v, err := k.Decode(doc); err == nil {
			h := k.Header(v)
			return h.Log, h.Title
		}
	}
	log, _ := kind.Entries(doc)
	return log, ""
}

// add tells of the entries of a file that it did not have before.
func (h *happened) add(name string, log record.Log, had map[string]bool) {
	for _, e := range log {
		if had[e.Hash()] {
			continue
		}
		word := string(e.Did)
		if e.To != "" && e.Did != record.Created {
			word = string(e.To)
		}
		if !slices.Contains(h.did[name], word) {
			h.did[name] = append(h.did[name], word)
		}
		text, _, _ := strings.Cut(e.Text, "\n")
		if e.Did == record.Created {
			text = cmp.Or(text, h.titles[name])
		}
		line := name + " " + word
		if text != "" {
			line += ": " + record.Clip(text, 200)
		}
		h.lines = append(h.lines, line+" ("+string(e.Who)+")")
		if !e.At.Before(h.newest) {
			h.who, h.newest = e.Who, e.At
		}
	}
	if len(h.did[name]) == 0 {
		h.did[name] = []string{"changed"}
	}
}

// What a message has at most.
const (
	recordsInSubject = 3
	linesInMessage   = 50
)

// message is the message of a commit: what became of each record, and below it a line for each entry.
func (h happened) message() string {
	var said []string
	for _, name := range h.names[:min(len(h.names), recordsInSubject)] {
		word := strings.Join(h.did[name], ", ")
		if word == "" {
			word = "deleted"
		}
		said = append(said, name+" "+word)
	}
	text := "cairn: " + strings.Join(said, "; ")
	if rest := len(h.names) - len(said); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	} else if len(h.names) == 1 && h.titles[h.names[0]] != "" {
		text += ": " + record.Clip(h.titles[h.names[0]], 60)
	}
	lines := h.lines
	if more := len(lines) - linesInMessage; more > 0 {
		lines = append(slices.Clone(lines[:linesInMessage]), fmt.Sprintf("and %d more entries", more))
	}
	return strings.TrimSpace(text + "\n\n" + strings.Join(lines, "\n"))
}
