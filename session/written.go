package session

import (
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// Written is an entry that a worktree wrote, as the clone remembers it beside the file.
type Written struct {
	On    Sighting   `json:"on"` // the file that the entry was written on
	Entry task.Entry `json:"entry"`
}

// Sighting is a task's file as it was met at some moment.
type Sighting struct {
	Worktree string   `json:"worktree"` // absolute path
	Branch   string   `json:"branch,omitempty"`
	Head     string   `json:"head,omitempty"` // the commit that was checked out
	Rev      task.Rev `json:"rev,omitempty"`  // "" if it was not there, or nobody knows any more
}

// Overwritten returns the entries, oldest first, that were written in the worktree of a file and that it lacks although git
// did not take them away: somebody, most likely an editor, has saved over them. On whatever branch they were written, git
// carries a file that was not committed along when it switches; whether an entry is safe on its branch is not asked here.
//
// now is the file as it is, and the journal what the clone has written of the task, oldest first. checkedOut returns the
// task as git had it, if a sighting was simply that. A reset, a stash or a checkout makes the file what git has, and what is
// missing there was taken away by the will of whoever asked git for it. So an entry that the file lacked when git had just
// checked it out, now or at any write since, is not lost.
func Overwritten(file task.Task, now Sighting, journal []Written, checkedOut func(Sighting) (task.Task, bool)) []task.Entry {
	have := file.Hashes()
	var lost []task.Entry
	for i, w := range journal {
		hash := w.Entry.Hash()
		if have[hash] || w.On.Worktree != now.Worktree {
			continue
		}
		have[hash] = true
		taken := func(s Sighting) bool {
			t, ok := checkedOut(s)
			return ok && !t.Has(hash)
		}
		if !taken(now) && !slices.ContainsFunc(journal[i+1:], func(later Written) bool { return later.On.Worktree == now.Worktree && taken(later.On) }) {
			lost = append(lost, w.Entry)
		}
	}
	return lost
}
