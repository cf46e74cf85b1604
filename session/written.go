package session

import (
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Written is a line of a record's journal, which is live state: an entry that this clone wrote, and on what file.
type Written struct {
	On     Sighting     `json:"on"` // the file before the write
	Entry  record.Entry `json:"entry"`
	At     time.Time    `json:"at,omitzero"`      // when the file got it, by the clock; the entry's own time is whole seconds
	Beside bool         `json:"beside,omitempty"` // git was at work in the worktree during the write
	Had    string       `json:"had,omitempty"`    // with Before: which entries that file had, see HadOf
	Left   Marks        `json:"left,omitempty"`   // with Before: what the fields of a task that the entry names say since, see task.Mark
	Before string       `json:"before,omitempty"` // the file before an entry that says of texts only that they changed, without its provenance; "" if it was long
}

// Marks are digests of what fields say, by their names.
type Marks map[string]string

// HadOf is a digest of the entries of a file.
func HadOf(log record.Log) string {
	return record.Digest(record.Each(log, record.Entry.Hash)...)
}

// Sighting is the state of a record's file at some moment.
type Sighting struct {
	Worktree string     `json:"worktree"` // absolute path
	Branch   string     `json:"branch,omitempty"`
	Head     string     `json:"head,omitempty"` // the commit that was checked out
	Rev      record.Rev `json:"rev,omitempty"`  // "" if the file was not there, or is not known

	Modified time.Time `json:"modified,omitzero"` // when the file was last changed, as the file system says
}

// underWay is how long after a write a git command that was running during it may still replace the file. A command
// that a person gives after a write comes later than that.
const underWay = 5 * time.Second

// Overwritten returns the entries, oldest first, that were written in the worktree of a file and that the file lacks
// although git did not take them away: a program, most likely an editor, has saved over them. The branch does not
// matter, because git keeps uncommitted changes when it switches. The caller finds out whether an entry is safe
// elsewhere, such as on its branch.
//
// now is the present state of the file, and journal has what the clone wrote to the record, oldest first. checkedOut
// returns the provenance in git's version if a sighting was exactly that version. After a reset, a stash or a checkout
// the file is git's version, and an entry that is missing there was taken away on purpose. So an entry counts as taken
// away if the file was git's version without it, now or at any later write. The exception is a file that git may have
// replaced by chance, while the entry was being written. Such entries are returned apart, in byChance, because git may
// still have them in a stash or a commit.
func Overwritten(file record.Log, now Sighting, journal []Written, checkedOut func(Sighting) (record.Log, bool)) (lost, byChance []record.Entry) {
	have := file.Hashes()
	for i, w := range journal {
		hash := w.Entry.Hash()
		if have[hash] || w.On.Worktree != now.Worktree {
			continue
		}
		have[hash] = true
		s, taken := firstWithout(hash, now, journal[i+1:], checkedOut)
		timed := !w.At.IsZero() && !s.Modified.IsZero()
		switch {
		case !taken:
			lost = append(lost, w.Entry)
		case timed && (w.Beside || s.Modified.Sub(w.At) < underWay): // git may have read the file before the write
			byChance = append(byChance, w.Entry)
		}
	}
	return lost, byChance
}

// firstWithout returns the first sighting since an entry was written at which the file was git's version, without the
// entry.
func firstWithout(hash string, now Sighting, since []Written, checkedOut func(Sighting) (record.Log, bool)) (Sighting, bool) {
	for _, later := range since {
		if later.On.Worktree != now.Worktree {
			continue
		}
		if log, ok := checkedOut(later.On); ok && !log.Has(hash) {
			return later.On, true
		}
	}
	log, ok := checkedOut(now)
	return now, ok && !log.Has(hash)
}
