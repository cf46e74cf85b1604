package session

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Place is a worktree with the branch that is checked out in it. The zero value is no place that is known.
type Place struct {
	Worktree string `json:"worktree,omitempty"` // absolute path
	Branch   string `json:"branch,omitempty"`   // "" when detached
}

// is reports whether something that was written in a worktree on a branch was written here. What was written in a
// worktree that is gone was written where its branch is.
func (p Place) is(worktree, branch string) bool {
	gone := worktree == "" && branch != ""
	return p.Worktree != "" && branch == p.Branch && (gone || worktree == p.Worktree)
}

// Placed are the files of a record in a place: that of its worktree, and, if another branch is checked out there, that
// on the branch.
type Placed struct {
	Place
	Files []record.Header
}

// Places are where the state of a record was written.
func (s State) Places() []Place {
	var all []Place
	if s.Lease != nil && s.Lease.Made.Entry != "" {
		all = append(all, s.Lease.Made.Place)
	}
	for _, p := range s.Progress {
		all = append(all, Place{p.Worktree, p.Branch})
	}
	return all
}

// Worktrees are the places of a state that name a worktree, the newest first, each once, with who holds the record
// before how far it was carried.
func (s State) Worktrees() (all []Place) {
	add := func(worktree, branch string) {
		if worktree != "" && !slices.ContainsFunc(all, func(p Place) bool { return p.Worktree == worktree }) {
			all = append(all, Place{worktree, branch})
		}
	}
	if s.Lease != nil {
		add(s.Lease.Worktree, s.Lease.Branch)
	}
	for _, p := range slices.Backward(s.Progress) {
		add(p.Worktree, p.Branch)
	}
	return all
}

// at are the files of a record in the place where something was written: that of whoever asks, if it was written here;
// none if they are not known.
func (l Live) at(worktree, branch string, file record.Header) []record.Header {
	if l.Here.is(worktree, branch) {
		return []record.Header{file}
	}
	for _, one := range l.There {
		if one.Place == (Place{worktree, branch}) {
			return one.Files
		}
	}
	return nil
}

// takenAway reports whether none of the files in the place where an entry was written has it by now.
func (l Live) takenAway(entry, worktree, branch string, file record.Header) bool {
	files := l.at(worktree, branch, file)
	has := func(f record.Header) bool { return f.Log.Has(entry) }
	return entry != "" && len(files) > 0 && !slices.ContainsFunc(files, has)
}

// Progress is how far this clone brought a record, without what the files have had taken away.
func (l Live) Progress(file record.Header) []Progress {
	if file.Ref.ID == "" {
		return l.State.Progress
	}
	return slices.DeleteFunc(slices.Clone(l.State.Progress), func(p Progress) bool {
		return l.takenAway(p.Entry, p.Worktree, p.Branch, file)
	})
}

// Wrote reports whether progress was made here. A file here that lacks it had it taken away.
func (p Place) Wrote(made Progress) bool {
	return made.Source == Nowhere && made.Clone == "" && p.is(made.Worktree, made.Branch)
}

// Mark is an entry of a record, and where it was written.
type Mark struct {
	Entry string `json:"entry,omitempty"` // its hash
	Place
}

// Short names the loss of what the entry made, in as many digits as the entry itself is named in, and others: what the
// entry did and its loss are two things to be told of.
func (m Mark) Short() string { return m.Entry[max(0, len(m.Entry)-8):] }

// Overruled returns the lease of this clone that a file overrules; nil for none. The files are the truth, and a lease
// is about the present, so it yields to what git brought:
//
//   - A file that has the entry which made the lease knows of it. If it names somebody else, or nobody, that is newer.
//     So does the file in the worktree and on the branch where the entry was written.
//   - A closed record is held by nobody, unless the lease was made after it was closed.
//   - Where the entry was written and the file there lacks it, it was taken away, by a reset or a merge. The lease of a
//     session stays then: it is at work, whatever became of the file. So does one whose worktree is gone, which lapsed.
//
// Any other file that lacks the entry has not heard of the lease.
func (l Live) Overruled(file record.Header) *Lease {
	if l.State == nil || l.State.Lease == nil || l.Next != nil || file.Ref.ID == "" {
		return nil
	}
	lease := l.State.Lease
	by := lease.Made
	since := file.Log.Has(by.Entry) || movedAt(file).After(lease.Since)
	if since && slices.Contains(l.Closed, file.Status) {
		return lease
	}
	for _, f := range slices.Concat(l.at(by.Worktree, by.Branch, file), []record.Header{file}) {
		if by.Entry != "" && f.Log.Has(by.Entry) && f.Assignee != lease.Actor {
			return lease
		}
	}
	if lease.Session == "" && !l.Gone && l.takenAway(by.Entry, by.Worktree, by.Branch, file) {
		return lease
	}
	return nil
}

// OverruledOf is Overruled for the lease of one actor.
func (l Live) OverruledOf(who record.Actor, file record.Header) *Lease {
	if lease := l.Overruled(file); lease != nil && lease.Actor == who {
		return lease
	}
	return nil
}

// Why says why a file overrules a lease.
func (l Lease) Why(file record.Header) string {
	switch {
	case l.Made.Entry == "" || !file.Log.Has(l.Made.Entry):
		return "its file no longer has the entry that made it"
	case file.Assignee == "":
		return "its file says that nobody has it"
	case file.Assignee == l.Actor:
		return "its file says " + string(file.Status)
	default:
		return "its file says that " + string(file.Assignee) + " has it"
	}
}

// Yielded is CLAIM_LOST for whoever had a lease that a file overrules.
func (l Lease) Yielded(file record.Header) *record.Error {
	return record.Errorf(record.ClaimLost, "claim lost: %s", l.Why(file)).
		WithHint("look at it; what is still right to do can be done again, since this is said once").
		WithNext(record.CallTo("get", "id", file.Ref.ID))
}
