package proof

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// historyRules judge whether the provenance of every task that the change touches explains how the task came to be as it is.
type historyRules struct{ *judge }

func (r historyRules) apply() {
	if r.change == nil {
		return
	}
	for _, p := range r.change.pairs {
		r.sameID(p)
		r.appendOnly(p)
		if !r.Config.Sound() {
			continue
		}
		movedRules{r.judge, p}.apply()
		replayRules{r.judge, p}.apply()
		earnedRules{r.judge, p}.apply()
	}
	r.deleted()
	r.sessions()
}

// sameID finds a task whose id changed.
func (r historyRules) sameID(p pair) {
	if p.was != nil && (p.was.Name != p.now.Name || p.was.Task.ID != p.now.Task.ID) {
		was := p.was.Task.ID
		r.reportTask(IDChanged, p.now, Path{"id"}, "was %s before", was).
			fix("call the file %s.md again, and let its id say so", was)
	}
}

// appendOnly compares the provenance with that of the base. Every entry of the base must still be there, unchanged and in the
// same order. New entries may stand between them, as after a merge, but every new entry must be in the order of time.
func (r historyRules) appendOnly(p pair) {
	if len(p.lost) > 0 {
		first, others := p.lost[0], ""
		if n := len(p.lost) - 1; n > 0 {
			others = fmt.Sprintf(", and so are %d more", n)
		}
		r.reportTask(ProvenanceRewritten, p.now, Path{"provenance"}, "entry %d of the base (%s) is gone, changed, or in another place%s",
			first+1, describe(p.was.Task.Provenance[first]), others)
	}
	entries := p.now.Task.Provenance
	for i := range entries {
		if p.fresh[i] && (i > 0 && later(entries[i-1], entries[i]) || i+1 < len(entries) && later(entries[i], entries[i+1])) {
			r.reportTask(ProvenanceRewritten, p.now, Path{"provenance", i}, "entry %d (%s) is new, and stands where its time does not belong", i+1, describe(entries[i])).
				fix("put the entry where its time belongs; cairn setup merge-driver has git do so when it merges")
			return // what follows is out of order by this one
		}
	}
}

// later reports whether the first of two entries has the later time. An entry without a time is never out of order.
func later(a, b task.Entry) bool { return !a.At.IsZero() && !b.At.IsZero() && a.At.After(b.At) }

// describe names an entry in messages, as in "noted by agent:a 2026-06-21T12:00:00Z".
func describe(e task.Entry) string {
	var words []string
	if e.Did != "" {
		words = append(words, string(e.Did))
	}
	if e.Who != "" {
		words = append(words, "by "+string(e.Who))
	}
	return strings.Join(append(words, e.At.UTC().Format(time.RFC3339)), " ")
}

// deleted finds the tasks that the change deletes, and says which of them other tasks still refer to.
func (r historyRules) deleted() {
	needs := map[task.ID]task.ID{}
	for i := range r.Tasks {
		t := r.Tasks[i].Task
		for _, to := range append(parents(t), t.Deps...) {
			if _, ok := needs[to]; !ok {
				needs[to] = r.Tasks[i].Name
			}
		}
	}
	for _, f := range r.change.gone {
		if who, ok := needs[f.Name]; ok {
			r.reportTask(DeletedNeeded, f, nil, "is deleted, and %s depends on it or belongs to it", who)
		} else {
			r.reportTask(TaskDeleted, f, nil, "is deleted (%s, %d entries)", cmp.Or(f.Task.Status, "unreadable"), len(f.Task.Provenance))
		}
	}
}
