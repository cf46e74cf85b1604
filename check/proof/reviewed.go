package proof

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Merge is what the history says of the commit that an entry names as merged.
type Merge struct {
	Files   string   // fingerprint of its files
	Joined  bool     // it is a parent of the commit that brought the entry, or another merge of the change brought it, or the base had it
	Changed []string // paths that are as neither git's merge of the two parents has them, where that can be told; sorted
}

// reviewed judges whether a task that the change closes was closed with the files that its reviewer approved. The gate
// has judged that by what the closing entry says; this compares that with the history.
func (r pairRules) reviewed() {
	t := r.now.Task
	closed := r.closing()
	if closed < 0 {
		return
	}
	then := t
	then.Provenance = t.Provenance[:closed]
	before, evidence := then.EvidenceIndex(), t.EvidenceIndex()
	for n, c := range t.Checks {
		ev, ok := before.Evidence(n)
		if last, _ := evidence.Evidence(n); !ok || ev.Result != record.Pass || !r.flow.Bound(c, ev) || !r.flow.Bound(c, last) {
			continue
		}
		switch {
		case t.Repo != "": // the files are in another repository
			if r.movedSince(ev.Entry) {
				r.stale(closed, "%q was given before the task was of the repository %s", c.Desc, t.Repo)
			}
		case t.Provenance[closed].Said().Reviewed != "":
			r.merged(closed, c)
		default:
			r.closedOn(closed, c, ev)
		}
		return // the others were approved for the same files, or the gate says so
	}
}

// movedSince reports whether the task has come to be of another repository after an entry, as far as entries say so or
// the change shows it.
func (r pairRules) movedSince(entry int) bool {
	versions := r.change.Past[r.now.ID()]
	if r.was != nil {
		versions = append(slices.Clip(versions), r.was.Task)
	}
	t := r.now.Task
	return slices.ContainsFunc(versions, func(v task.Task) bool { return v.Repo != t.Repo && len(v.Provenance) > entry }) ||
		t.Provenance.LastIndex(func(e record.Entry) bool { return slices.Contains(e.Fields, "repo") }) > entry
}

// closedOn finds a close that gives the fingerprint of approved files, and came with others.
func (r pairRules) closedOn(closed int, c task.Check, ev task.Evidence) {
	if held, known := r.change.HeldSince(r.now.ID(), r.now.Task.Provenance[closed], ev.Tree); !known || held {
		return
	}
	switch earlier, known := r.change.Committed(ev.Commit, ev.Tree); {
	case !r.fresh[ev.Entry]:
		r.stale(closed, "%q was given in an earlier change, and the files that the task was closed with are others", c.Desc)
	case known && earlier:
		r.stale(closed, "%q is of files that the change had before the task was closed, and those that it was closed with are others", c.Desc)
	default:
		r.unshown(closed, "%q is of files that no commit of this change holds", c.Desc)
	}
}

// merged judges what a closing entry says of the merge that it came with. After a squash or a rebase the commit that
// was merged is not in the history, and nothing shows what was approved.
func (r pairRules) merged(closed int, c task.Check) {
	e := r.now.Task.Provenance[closed]
	m, known := r.change.Merged(r.now.ID(), e)
	switch said := e.Said(); {
	case said.Merged == "": // the entry is refused
	case !known:
		r.unshown(closed, "%q is of files that no commit of this change holds: the commit that was merged is not in it", c.Desc)
	case m.Files != said.Reviewed:
		r.stale(closed, "%q is of other files than those of the commit that was merged", c.Desc)
	case !m.Joined:
		r.stale(closed, "%q is of a commit, and what the task was closed with is no merge of that", c.Desc)
	case len(m.Changed) > 0:
		const most = 3
		some := strings.Join(m.Changed[:min(most, len(m.Changed))], ", ")
		if len(m.Changed) > most {
			some += " and more"
		}
		r.stale(closed, "%q is of the commit that was merged, and the merge has what neither side has: %s", c.Desc, some)
	}
}

// unshown reports an approval of files of which the history shows nothing.
func (r pairRules) unshown(closed int, format string, args ...any) {
	r.report(EvidenceTreeUnknown, &r.now.File, Path{"provenance", closed}, format, args...).
		fix("that is so after a squash or a rebase; who wants to be sure looks at the change as it is")
}

func (r pairRules) stale(closed int, format string, args ...any) {
	t := r.now.Task
	r.report(EvidenceStale, &r.now.File, Path{"provenance", closed}, format, args...).
		fix("the reviewer looks at the files as they are now: cairn transition %s %s, cairn review approve %s, and close it again", t.ID, r.Config.Flow.Initial, t.ID)
}
