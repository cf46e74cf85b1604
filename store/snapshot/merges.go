package snapshot

import (
	"bytes"
	"maps"
	slashpath "path"
	"slices"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/format"
)

// joined is a merge: the files that it, and each side of it, have otherwise. Its sides are its first parent, and one of
// the others.
type joined struct {
	side
	ours, theirs map[string]git.FileChange                          // by path: from a side to the merge
	beside       []map[string]git.FileChange                        // from each further parent to the merge
	bases        []struct{ ours, theirs map[string]git.FileChange } // from each merge base to a side
}

// side is a merge, by its place among the commits, and the parent that it brought to its first one.
type side struct {
	merge  int
	theirs string
}

// unexplained lists the paths that a merge has otherwise than git merges a commit into its first parent: it has what
// neither side has, though not both changed it, or leaves out what only one side changed. Of a path that both changed
// nothing is known, since a person may have settled it; nor of one that a third parent has otherwise than the first.
func (h *history) unexplained(merge int, commit string) []string {
	asked := side{merge, commit}
	if _, known := h.unmerged[asked]; !known && h.err == nil {
		if h.unmerged == nil {
			h.unmerged = map[side][]string{}
		}
		for _, j := range h.joins(asked) {
			h.unmerged[j.side] = mergedFiles{h, j}.unexplained()
		}
	}
	return h.unmerged[asked]
}

// joins compares a merge, and at first every merge of two commits that brings records, with its sides, and these with
// their merge bases.
func (h *history) joins(asked side) (all []*joined) {
	brings := map[side]bool{asked: true}
	if len(h.unmerged) == 0 {
		for _, commits := range h.touching {
			for _, i := range commits {
				if parents := h.all[i].Parents; len(parents) == 2 {
					brings[side{i, parents[1]}] = true
				}
			}
		}
	}
	var pairs []git.Pair
	var into []map[string]git.FileChange
	compare := func(was, now string) map[string]git.FileChange {
		changes := map[string]git.FileChange{}
		pairs, into = append(pairs, git.Pair{Was: h.ancestry()[was].Tree, Now: h.ancestry()[now].Tree}), append(into, changes)
		return changes
	}
	for of := range brings {
		if h.err != nil {
			continue
		}
		c := h.all[of.merge]
		ours, theirs := c.Parents[0], of.theirs
		j := &joined{side: of, ours: compare(ours, c.ID), theirs: compare(theirs, c.ID)}
		for _, parent := range c.Parents[1:] {
			if parent != theirs {
				j.beside = append(j.beside, compare(parent, c.ID))
			}
		}
		for _, base := range h.mergeBases(ours, theirs) {
			j.bases = append(j.bases, struct{ ours, theirs map[string]git.FileChange }{compare(base, ours), compare(base, theirs)})
		}
		all = append(all, j)
	}
	h.fail(h.Repo.History().Differences(h.ctx, pairs, nil, func(pair int, c git.FileChange) {
		if !h.Repo.SetsChangeAside(c) {
			into[pair][c.Path] = c
		}
	}))
	return all
}

// mergeBases are the commits that two have in common, and from which no other of these descends.
func (h *history) mergeBases(a, b string) []string {
	common := h.reach(a)
	other := h.reach(b)
	maps.DeleteFunc(common, func(commit string, _ bool) bool { return !other[commit] })
	best := maps.Clone(common)
	for commit := range common {
		for _, parent := range h.ancestry()[commit].Parents {
			delete(best, parent)
		}
	}
	return slices.Sorted(maps.Keys(best))
}

// mergedFiles are the files of a merge.
type mergedFiles struct {
	*history
	*joined
}

func (m mergedFiles) unexplained() (paths []string) {
	differ := maps.Clone(m.ours)
	maps.Copy(differ, m.theirs)
	for _, path := range slices.Sorted(maps.Keys(differ)) {
		if !m.explained(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// versions are a path in the merge and on each side of it.
func (m mergedFiles) versions(path string) (got, ours, theirs git.Version) {
	fromOurs, a := m.ours[path]
	fromTheirs, b := m.theirs[path]
	switch {
	case a && b:
		return fromOurs.Now, fromOurs.Was, fromTheirs.Was
	case a:
		return fromOurs.Now, fromOurs.Was, fromOurs.Now
	}
	return fromTheirs.Now, fromTheirs.Now, fromTheirs.Was
}

// changed reports which sides have a path otherwise than the merge base. Of several bases all must say the same, or
// both sides count as changed.
func (m mergedFiles) changed(path string) (ours, theirs bool) {
	for i, base := range m.bases {
		_, a := base.ours[path]
		_, b := base.theirs[path]
		if i > 0 && (a != ours || b != theirs) {
			return true, true
		}
		ours, theirs = a, b
	}
	return ours, theirs
}

func (m mergedFiles) explained(path string) bool {
	got, ours, theirs := m.versions(path)
	for _, other := range m.beside {
		has := got
		if c, differs := other[path]; differs {
			has = c.Was
		}
		if has != ours {
			return true
		}
	}
	a, b := m.changed(path)
	switch {
	case ours == theirs:
		return got == ours || m.moved(path, got)
	case a && b:
		return true
	case got == ours:
		return !b || m.movedAway(path, theirs)
	case got == theirs:
		return !a || m.movedAway(path, ours)
	}
	return m.moved(path, got)
}

// moved reports whether a file of the merge may be one that was renamed: a side has the same under a path that the
// merge does not have, or a side renamed what the other one changed.
func (m mergedFiles) moved(path string, got git.Version) bool {
	if got.ID == "" {
		return false
	}
	for _, side := range []map[string]git.FileChange{m.ours, m.theirs} {
		for other, c := range side {
			if c.Now.ID == "" && c.Was == got && slashpath.Base(other) == slashpath.Base(path) {
				return true // its folder was renamed
			}
		}
	}
	for _, base := range m.bases {
		for _, side := range [][2]map[string]git.FileChange{{base.ours, base.theirs}, {base.theirs, base.ours}} {
			here, added := side[0][path]
			for from, gone := range side[0] {
				if other := side[1][from]; added && gone.Now.ID == "" && other.Now.ID != "" && m.alike(gone.Was, here.Now) {
					return true
				}
			}
		}
	}
	return false
}

// movedAway reports whether the merge has a file of a side in another folder, where neither side has it: its folder was
// renamed.
func (m mergedFiles) movedAway(path string, has git.Version) bool {
	for other, c := range m.ours {
		if from, both := m.theirs[other]; both && has.ID != "" && c.Now == has && c.Was.ID == "" && from.Was.ID == "" &&
			other != path && slashpath.Base(other) == slashpath.Base(path) {
			return true
		}
	}
	return false
}

// alike reports whether git takes a file for another one that was renamed: half of the lines of the larger are those of
// the other.
func (m mergedFiles) alike(a, b git.Version) bool {
	if a.ID == b.ID {
		return true
	}
	lines := map[string]int{}
	var count [2]int
	same := 0
	for i, v := range []git.Version{a, b} {
		blob, err := m.contents.Blob(v.ID, format.MaxFile)
		if m.fail(err); err != nil {
			return false
		}
		for line := range bytes.Lines(blob.Content) {
			count[i]++
			switch {
			case i == 0:
				lines[string(line)]++
			case lines[string(line)] > 0:
				lines[string(line)]--
				same++
			}
		}
	}
	return same > 0 && 2*same >= max(count[0], count[1])
}
