package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Part is the view of one of the folders in which records of a kind lie.
type Part struct {
	Source Source
	View   *View
}

// Join is one view of the records in several folders, those that count first. Of an id that is in several the first
// counts, and any other is a problem. A single part is its own view. It returns before, a view that Join returned, if
// the parts are those of before.
func Join(parts []Part, before *View) *View {
	if len(parts) == 1 {
		return parts[0].View
	}
	if before != nil && slices.EqualFunc(parts, before.parts, func(a, b Part) bool { return a.View == b.View }) {
		return before
	}
	var entries []entry
	var problems []problem.Problem
	type placed struct {
		id    string
		part  int
		entry *entry // nil for a file that cannot be read
	}
	var all []placed
	for n, p := range parts {
		for i := range p.View.entries {
			all = append(all, placed{p.View.entries[i].row.ID, n, &p.View.entries[i]})
		}
		for _, broken := range p.View.problems { // the file counts, and cannot be read
			if _, id, ok := kind.At(broken.Path); ok {
				all = append(all, placed{id, n, nil})
			}
		}
		problems = append(problems, p.View.problems...)
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Or(strings.Compare(a.id, b.id), a.part-b.part) })
	counts := all[:0]
	for _, at := range all {
		n := len(counts)
		switch {
		case n == 0 || counts[n-1].id != at.id:
			counts = append(counts, at)
		case layout.Exists(parts[counts[n-1].part].Source.file(at.id)):
			problems = append(problems, problem.Second(parts[at.part].Source.path(at.id), parts[counts[n-1].part].Source.path(at.id)))
		default:
			counts[n-1] = at // it was moved between two looks
		}
	}
	for _, at := range counts {
		if at.entry != nil {
			entries = append(entries, *at.entry)
		}
	}
	v := newView(parts[0].View.kind, entries, problems)
	v.parts = parts
	return v
}

// Part is the view of the records in a folder, as Source.Folder names it; nil if the view has none of it.
func (v *View) Part(s Source) *View {
	if v == nil {
		return nil
	}
	if len(v.parts) == 0 && s.Folder == s.Kind.Folder {
		return v
	}
	for _, p := range v.parts {
		if p.Source.Folder == s.Folder {
			return p.View
		}
	}
	return nil
}

// Joined reports whether the records of the view lie in more than one folder.
func (v *View) Joined() bool { return len(v.parts) > 0 }
