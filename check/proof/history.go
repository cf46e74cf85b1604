package proof

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// history asks of every task that the change touches whether its record tells how it came to be as it is.
func (j *judge) history() {
	if j.change == nil {
		return
	}
	for _, p := range j.change.pairs {
		j.sameID(p)
		j.appendOnly(p)
		if !j.Config.Sound() {
			continue
		}
		j.moved(p)
		j.replay(p)
		j.earned(p)
	}
	j.deleted()
	j.sessions()
}

// freshEntries are the entries that the change brings, by task.
func (j *judge) freshEntries() map[task.ID]map[int]bool {
	if j.change == nil {
		return nil
	}
	out := make(map[task.ID]map[int]bool, len(j.change.pairs))
	for _, p := range j.change.pairs {
		out[p.now.Name] = p.fresh
	}
	return out
}

// sameID finds a task that is called otherwise than it was.
func (j *judge) sameID(p pair) {
	if p.was != nil && (p.was.Name != p.now.Name || p.was.Task.ID != p.now.Task.ID) {
		was := p.was.Task.ID
		j.reportTask(IDChanged, p.now, Path{"id"}, "was %s before", was).
			mend("call the file %s.md again, and let its id say so", was)
	}
}

// appendOnly holds the record against that of the base: whatever stood there stands here, word for word and in its order,
// and what has come in between keeps the order of time. Where lines are merged entries come in between.
func (j *judge) appendOnly(p pair) {
	if len(p.lost) > 0 {
		first, others := p.lost[0], ""
		if n := len(p.lost) - 1; n > 0 {
			others = fmt.Sprintf(", and so are %d more", n)
		}
		j.reportTask(ProvenanceRewritten, p.now, Path{"provenance"}, "entry %d of the base (%s) is gone, changed, or in another place%s",
			first+1, told(p.was.Task.Provenance[first]), others)
	}
	entries := p.now.Task.Provenance
	for i := range entries {
		if p.fresh[i] && (i > 0 && later(entries[i-1], entries[i]) || i+1 < len(entries) && later(entries[i], entries[i+1])) {
			j.reportTask(ProvenanceRewritten, p.now, Path{"provenance", i}, "entry %d (%s) is new, and stands where its time does not belong", i+1, told(entries[i])).
				mend("put the entry where its time belongs; cairn setup merge-driver has git do so when it merges")
			return // what follows is out of order by this one
		}
	}
}

// later reports whether of two entries that follow one another the first one is the later. One without a time is neither.
func later(a, b task.Entry) bool { return !a.At.IsZero() && !b.At.IsZero() && a.At.After(b.At) }

// told is how messages name an entry.
func told(e task.Entry) string {
	var words []string
	for _, w := range []string{string(e.Did), by(e.Who), e.At.UTC().Format(time.RFC3339)} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

func by(who task.Actor) string {
	if who == "" {
		return ""
	}
	return "by " + string(who)
}

// deleted finds the tasks that are gone and still named.
func (j *judge) deleted() {
	needs := map[task.ID]task.ID{}
	for i := range j.Tasks {
		t := j.Tasks[i].Task
		for _, to := range append(parents(t), t.Deps...) {
			if _, ok := needs[to]; !ok {
				needs[to] = j.Tasks[i].Name
			}
		}
	}
	for _, f := range j.change.gone {
		if who, ok := needs[f.Name]; ok {
			j.reportTask(DeletedNeeded, f, nil, "is deleted, and %s depends on it or belongs to it", who)
		} else {
			j.reportTask(TaskDeleted, f, nil, "is deleted (%s, %d entries)", cmp.Or(f.Task.Status, "unreadable"), len(f.Task.Provenance))
		}
	}
}
