package guard

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// Change is how a file differs between where the work began and where its check ran.
type Change struct {
	Path     string
	Was, Now string // of the file: its mode and its id, as git has them; "" where it is not there
}

// modeRepo is the mode of a submodule, as git has it.
const modeRepo = "160000 "

// Counts reports whether a change that matches the guard counts: a file that was not there before counts only for a guard
// that says so.
func (g Guard) Counts(c Change) bool { return g.New || c.Was != "" }

// Matching returns the guard that a change matches, one that it counts for before others. Of a file of which a part counts,
// the parts are yet to be compared.
func (g Guards) Matching(c Change) (Guard, bool) {
	file, folded := task.GlobOfPath(c.Path), task.GlobOfPath(strings.ToLower(c.Path))
	if strings.HasPrefix(c.Was, modeRepo) || strings.HasPrefix(c.Now, modeRepo) {
		file, folded = file.Folder(), folded.Folder()
	}
	for _, want := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		i := slices.IndexFunc(g.All, func(one Guard) bool {
			return [2]bool{one.Counts(c), one.Whole()} == want && (one.glob.Meets(file) || one.New && one.folded.Meets(folded)) &&
				(one.only == nil || one.only(c.Path))
		})
		if i >= 0 {
			return g.All[i], true
		}
	}
	return Guard{}, false
}

// Same reports whether two contents of a file are the same as far as the guard goes.
func (g Guard) Same(path, was, now string) bool {
	switch {
	case g.part == nil:
		return was == now
	case g.part.Kept != nil && !g.part.Kept(g.files, path, was, now):
		return false
	}
	return g.part.Of(was) == g.part.Of(now)
}

// Whole reports whether all of a file counts, so that its contents need not be compared.
func (g Guard) Whole() bool { return g.part == nil }

// Old is the content of a file for a run with the files as they were: the old one, or the new one with the old part in
// it.
func (g Guard) Old(path, was, now string) string {
	if g.part == nil || g.part.Into == nil {
		return was
	}
	return g.part.Into(g.files, path, now, was)
}
