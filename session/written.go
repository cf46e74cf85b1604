package session

import (
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Written is an entry that a worktree wrote, as the clone remembers it beside the file.
type Written struct {
	On     Sighting   `json:"on"` // the file that the entry was written on
	Entry  task.Entry `json:"entry"`
	At     time.Time  `json:"at,omitzero"`      // when the file got it, by the clock; the entry's own time is whole seconds
	Beside bool       `json:"beside,omitempty"` // git was at work in the worktree just then
}

// Sighting is a task's file as it was met at some moment.
type Sighting struct {
	Worktree string   `json:"worktree"` // absolute path
	Branch   string   `json:"branch,omitempty"`
	Head     string   `json:"head,omitempty"` // the commit that was checked out
	Rev      task.Rev `json:"rev,omitempty"`  // "" if it was not there, or nobody knows any more

	Modified time.Time `json:"modified,omitzero"` // when the file was last changed, as the file system says
}

// hasty is how soon after a write git must have replaced the file for it to be by chance: no command of git that somebody gives
// once a write is done comes sooner, and hardly any that was under way is done later.
const hasty = 5 * time.Second

// byChance reports whether git may have replaced the file that an entry was written to without having seen it: it did so while
// the entry was written, or so soon afterwards that it may have looked at the file before.
func (w Written) byChance(then Sighting) bool {
	if w.At.IsZero() || then.Modified.IsZero() {
		return false
	}
	return w.Beside || then.Modified.Sub(w.At) < hasty
}

// Overwritten returns the entries, oldest first, that were written in the worktree of a file and that it lacks although git
// did not take them away: somebody, most likely an editor, has saved over them. On whatever branch they were written, git
// carries a file that was not committed along when it switches; whether an entry is safe on its branch is not asked here.
//
// now is the file as it is, and the journal what the clone has written of the task, oldest first. checkedOut returns the
// task as git had it, if a sighting was simply that. A reset, a stash or a checkout makes the file what git has, and what is
// missing there was taken away by the will of whoever asked git for it. So an entry that the file lacked when git had just
// checked it out, now or at any write since, is not lost: but for one that git replaced by chance, while it was being written.
// Those are returned beside the others, since git may have kept them all the same, in a stash or a commit.
func Overwritten(file task.Task, now Sighting, journal []Written, checkedOut func(Sighting) (task.Task, bool)) (lost, byChance []task.Entry) {
	have := file.Provenance.Hashes()
	for i, w := range journal {
		hash := w.Entry.Hash()
		if have[hash] || w.On.Worktree != now.Worktree {
			continue
		}
		have[hash] = true
		switch s, taken := firstWithout(hash, now, journal[i+1:], checkedOut); {
		case !taken:
			lost = append(lost, w.Entry)
		case w.byChance(s):
			byChance = append(byChance, w.Entry)
		}
	}
	return lost, byChance
}

// firstWithout is the first time since an entry was written that the file was as git had it and lacked the entry.
func firstWithout(hash string, now Sighting, since []Written, checkedOut func(Sighting) (task.Task, bool)) (Sighting, bool) {
	for _, later := range since {
		if later.On.Worktree != now.Worktree {
			continue
		}
		if t, ok := checkedOut(later.On); ok && !t.Provenance.Has(hash) {
			return later.On, true
		}
	}
	t, ok := checkedOut(now)
	return now, ok && !t.Provenance.Has(hash)
}
