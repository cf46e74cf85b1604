package index

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Look returns the records of a kind as their files say at this moment. It returns an error only if the folder cannot
// be listed, or when the context ends. Files that cannot be read are problems of the view.
func (s Source) Look(ctx context.Context) (*View, error) { return s.look(ctx, nil, false) }

// Known returns the rows of the index as they were written down, without a look at any file of a record; nothing if
// there is no index that can be read.
func (s Source) Known() []*kind.Row {
	if v := s.known(); v != nil && s.File != "" {
		return v.Rows()
	}
	return nil
}

// LookAfter is Look by a process that has looked before: it reads only what has changed since, and not the file of the
// index. It returns the same view if nothing has. If the process knows that no other files have changed than those with
// some names, no folder is listed; nil is for all.
//
// Before the first look there is no view: nil. Then the index is read.
func (s Source) LookAfter(ctx context.Context, before *View, names []string) (*View, error) {
	if before == nil || names == nil {
		return s.look(ctx, before, true)
	}
	var files []disk.Entry
	named := map[string]bool{}
	for _, name := range names {
		id, ok := s.Kind.IDOf(name)
		if !ok || named[id] {
			continue
		}
		named[id] = true
		if f, there := s.stamp(name); there {
			files = append(files, f)
		}
	}
	if len(named) == 0 {
		return before, nil
	}
	v, _, err := s.compare(ctx, before, files, named, true)
	return v, err
}

// look compares what is known with all files. What it returns may be kept in memory, or not.
func (s Source) look(ctx context.Context, view *View, keeps bool) (*View, error) {
	var reading sync.WaitGroup
	if view == nil {
		reading.Go(func() { view = s.known() })
	}
	if s.Resting {
		reading.Wait()
		return s.lookAtRest(ctx, view, keeps)
	}
	files, err := s.stamps()
	reading.Wait()
	if err != nil {
		return nil, err
	}
	v, differs, err := s.compare(ctx, view, files, nil, keeps)
	if err == nil && s.worthWriting(len(files), differs) {
		s.save(v)
	}
	return v, err
}

// compare compares what is known with files: all there are, or those of named records. It counts the rows that differ
// from what is known, or were doubtful.
func (s Source) compare(ctx context.Context, known *View, files []disk.Entry, named map[string]bool, keeps bool) (v *View, differs int, err error) {
	stay, problems := known.without(named)
	var todo []suspect
	for _, f := range files {
		id, ok := s.Kind.IDOf(f.Name)
		if !ok {
			continue
		}
		at := known.Number(id)
		if at >= 0 && s.believes(&known.entries[at], f.Stamp) {
			stay[at] = true
			continue
		}
		if p, bad := s.unfit(id, f); bad {
			problems = append(problems, p)
			continue
		}
		todo = append(todo, suspect{id, f.Stamp, at})
	}
	left := 0 // of what is known, what is not as it was
	for _, stays := range stay {
		if !stays {
			left++
		}
	}
	if left+len(todo)+len(problems)+len(known.problems) == 0 {
		return known, 0, nil
	}
	differs = max(left, len(todo))
	read, unread, err := s.readAll(ctx, known, todo, s.moment(todo, keeps || s.worthWriting(len(files), differs)))
	if err != nil {
		return nil, 0, err
	}
	v = newView(s.Kind, merge(known.entries, stay, read), append(problems, unread...))
	if v.SameIDs(known.Set) {
		v.numbers = known.numbers
	}
	return v, differs, nil
}

// merge returns the entries that stay, and those that were read, sorted by id.
func merge(known []entry, stay []bool, read []entry) []entry {
	slices.SortFunc(read, func(a, b entry) int { return strings.Compare(a.row.ID, b.row.ID) })
	out := make([]entry, 0, len(known)+len(read))
	for i, e := range known {
		if !stay[i] {
			continue
		}
		for len(read) > 0 && read[0].row.ID < e.row.ID {
			out, read = append(out, read[0]), read[1:]
		}
		out = append(out, e)
	}
	return append(out, read...)
}

// believes reports whether a file with this stamp is as the entry says.
func (s Source) believes(e *entry, is disk.Stamp) bool {
	return !s.Fresh && !e.young && e.stamp != disk.Stamp{} && e.stamp == is
}

// unfit says why a file cannot be a record, whatever is in it.
func (s Source) unfit(id string, f disk.Entry) (problem.Problem, bool) {
	err := s.Kind.ParseID(id)
	if err == nil && f.Other {
		err = record.Errorf(record.BadFile, "is not a regular file")
	}
	if err == nil {
		return problem.Problem{}, false
	}
	return problem.Problem{Path: s.path(id), Code: record.BadFile, Message: record.MessageOf(err)}, true
}

const (
	smallest = 100 // records; fewer are read faster than it takes to write an index
	stale    = 100 // the index is written anew once one row in so many is not from it
	staleMin = 32  // but not for fewer rows than these
)

// worthWriting reports whether an index of so many files, of which so many rows differ from what is known, is to be
// written.
func (s Source) worthWriting(files, differ int) bool {
	switch {
	case s.File == "":
		return false
	case s.eager:
		return differ > 0
	case s.Resting:
		return files >= smallestResting && differ > 0
	default:
		return files >= smallest && differ > max(staleMin, files/stale)
	}
}
